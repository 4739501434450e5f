// Formats data with an outputter, for functions that return the text. Loaded at first use, because few calls need it.
import type { Dict, Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

export interface Shown {
  data: Value
  /** The outputter. */
  out: string
  /** Options in place of the minion's own. */
  opts?: Dict
  kwargs?: Dict
}

/** Return the text with colours as the options say, without colours, or as HTML. */
export async function formatOutput(
  ctx: FunctionContext,
  form: 'coloured' | 'plain' | 'html',
  { data, out, opts = ctx.opts, kwargs = new Map() }: Shown,
): Promise<string> {
  const { display, displayHtml, displayPlain } = await import('../output/mod.ts')
  const show = { coloured: display, plain: displayPlain, html: displayHtml }[form]
  return show(out, data, opts, { kwargs, log: ctx.log })
}
