// Layouts of keyboards.
import { truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateFunction, state } from '../../../sdk/mod.ts'

const layoutState = (doc: string, where: string, short: string, fun: 'sys' | 'x'): StateFunction =>
  state({
    doc,
    args: { name: arg.string('The layout') },
    run: async (ctx: StateContext, { name }) => {
      const ret = reportOn(name)
      if ((await ctx.call(`keyboard.get_${fun}`)) === name) return ret(true, `${short} layout ${name} already set`)
      if (ctx.test) return ret(null, `${short} layout ${name} needs to be set`)
      if (!truthy(await ctx.call(`keyboard.set_${fun}`, [name]))) {
        return ret(false, `Failed to set ${where} keyboard layout`)
      }
      return ret(true, `Set ${where} keyboard layout ${name}`, { layout: name })
    },
  })

export default defineState({
  name: 'keyboard',
  doc: 'Keep layouts of keyboards.',
  functions: {
    system: layoutState('The console has a layout.', 'system', 'System', 'sys'),
    xorg: layoutState('X has a layout.', 'XOrg', 'XOrg', 'x'),
  },
})
