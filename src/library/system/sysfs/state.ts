// State of attributes of kernel objects.
import { equals, isDict, str, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'sysfs',
  doc: 'Manage attributes of kernel objects.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'sysfs module could not be loaded',
  functions: {
    present: state({
      doc: 'Ensure the value of an attribute.',
      args: {
        name: arg.string('Attribute, relative to /sys'),
        value: arg.any('Value, as number or text; reported as given'),
        config: arg.text('Ignored', { optional: true }),
      },
      run: async (ctx, { name, value }) => {
        const ret = reportOn(name)
        const shown = await ctx.call('sysfs.read', [name])
        if (shown === false) return ret(false, `SysFS attribute ${name} doesn't exist.`)
        if (isDict(shown)) return ret(false, `${name} is not a SysFS attribute.`)
        // of several possible values the current one is in brackets
        const now = typeof shown === 'string' ? shown.replaceAll(/.*\[|\].*/g, '') : shown
        if (equals(value, now)) return ret(true, `SysFS attribute ${name} is already set.`)
        if (ctx.test) return ret(null, `SysFS attribute ${name} set to be changed.`)
        if (!truthy(await ctx.call('sysfs.write', [name, value]))) {
          return ret(false, `Failed to set ${name} to ${str(value)}`)
        }
        return ret(true, `Updated SysFS attribute ${name} to ${str(value)}`, { [name]: value })
      },
    }),
  },
})
