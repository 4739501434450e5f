// Data as text, by the outputters that programs print with.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, formatOutput, reads, ret } from '../../../sdk/mod.ts'

type Form = Parameters<typeof formatOutput>[1]

const formatting = (name: string, doc: string, form: Form) =>
  reads({
    doc,
    args: {
      data: arg.any('The data'),
      out: arg.text('The outputter', { default: 'nested' }),
      opts: arg.any("Options in place of the minion's own", { optional: true }),
      kwargs: arg.open('Arguments of the outputter'),
    },
    returns: ret.string('The text'),
    example: `out.${name} "{'key': 'value'}" out=yaml`,
    run: (ctx: FunctionContext, { data, out, opts, kwargs }) => {
      const own = opts !== null && isDict(opts) && opts.size > 0 ? { opts } : {}
      return formatOutput(ctx, form, { data, out: out, ...own, kwargs: shownArguments(kwargs) })
    },
  })

/** Without what jobs add. */
function shownArguments(kwargs: ReadonlyMap<string, Value>): Dict {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__pub_')))
}

export default defineModule({
  name: 'out',
  doc: 'Data as text, by the outputters that programs print with.',
  functions: {
    out_format: formatting('out_format', 'Data as an outputter shows it.', 'coloured'),
    string_format: formatting('string_format', 'Data as an outputter shows it, without colours.', 'plain'),
    html_format: formatting('html_format', 'Data as an outputter shows it, as HTML.', 'html'),
  },
})
