// States of keyboard layouts.
import { truthy } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateFunction,
  settled,
  state,
} from '../../../sdk/mod.ts'

const layoutState = (doc: string, where: string, short: string, fun: 'sys' | 'x'): StateFunction =>
  state({
    doc,
    args: { name: arg.string('Layout') },
    run: (ctx: StateContext, { name }) =>
      ensure(ctx, {
        name,
        look: async () =>
          (await ctx.call(`keyboard.get_${fun}`)) === name
            ? settled(`${short} layout ${name} already set`)
            : 'different',
        foresee: () => `${short} layout ${name} needs to be set`,
        act: async () => {
          const isSet = truthy(await ctx.call(`keyboard.set_${fun}`, [name]))
          if (!isSet) return failed(`Failed to set ${where} keyboard layout`)
          return changed(`Set ${where} keyboard layout ${name}`, { layout: name })
        },
      }),
  })

export default defineState({
  name: 'keyboard',
  doc: 'Manage keyboard layouts.',
  functions: {
    system: layoutState('Ensure the layout of the console.', 'system', 'System', 'sys'),
    xorg: layoutState('Ensure the layout of X.', 'XOrg', 'XOrg', 'x'),
  },
})
