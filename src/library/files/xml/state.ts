// Values in XML files.
import { equals, str, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'xml',
  doc: 'Manage values in XML files.',
  functions: {
    value_present: state({
      doc: 'Ensure that an element has a text.',
      args: {
        name: arg.string('Path of the file'),
        xpath: arg.string('XPath of the element'),
        value: arg.any('Text of the element; another type never equals the text of a file'),
        kwargs: arg.ignored(),
      },
      run: async (ctx, { name, xpath, value }) => {
        const ret = reportOn(name)
        const old = await ctx.call('xml.get_value', [name, xpath])
        if (!truthy(old)) return ret(false, `xpath query ${xpath} not found in ${name}`)
        if (equals(old, value)) return ret(true, `${str(value)} is already present`)
        const changes = { [name]: { old, new: value } }
        if (ctx.test) return ret(null, `${name} will be updated`, changes)
        return ret(truthy(await ctx.call('xml.set_value', [name, xpath, value])), `${name} updated`, changes)
      },
    }),
  },
})
