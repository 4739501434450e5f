// Formats data with the outputters of the command line programs.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, formatOutput, reads, ret } from '../../../sdk/mod.ts'

type Form = Parameters<typeof formatOutput>[1]

const formatting = (name: string, doc: string, form: Form) =>
  reads({
    doc,
    args: {
      data: arg.any('Value of any type'),
      out: arg.text('Outputter', { default: 'nested' }),
      opts: arg.any('Dict of options in place of those of the minion; other types are ignored', { optional: true }),
      kwargs: arg.open('Arguments of the outputter'),
    },
    returns: ret.string('Text'),
    example: `out.${name} "{'key': 'value'}" out=yaml`,
    run: (ctx: FunctionContext, { data, out, opts, kwargs }) => {
      const own = isDict(opts) && opts.size > 0 ? { opts } : {}
      return formatOutput(ctx, form, { data, out, ...own, kwargs: shownArguments(kwargs) })
    },
  })

/** Leave out the keywords of the publication. */
function shownArguments(kwargs: ReadonlyMap<string, Value>): Dict {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__pub_')))
}

export default defineModule({
  name: 'out',
  doc: 'Format data with the outputters of the command line programs.',
  functions: {
    out_format: formatting('out_format', 'Return data as an outputter prints it.', 'coloured'),
    string_format: formatting('string_format', 'Return data as an outputter prints it, without colours.', 'plain'),
    html_format: formatting('html_format', 'Return data as an outputter prints it, as HTML.', 'html'),
  },
})
