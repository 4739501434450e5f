// Data as outputters show it, for functions that hand the text on. Loaded when it is asked for: most calls print elsewhere.
import type { Dict, Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

export interface Shown {
  data: Value
  /** The outputter. */
  out: string
  /** In place of the minion's own. */
  opts?: Dict
  kwargs?: Dict
}

/** With colours where the options ask for them, without, or as HTML. */
export async function formatOutput(
  ctx: FunctionContext,
  form: 'coloured' | 'plain' | 'html',
  { data, out, opts = ctx.opts, kwargs = new Map() }: Shown,
): Promise<string> {
  const { display, displayHtml, displayPlain } = await import('../output/mod.ts')
  const show = { coloured: display, plain: displayPlain, html: displayHtml }[form]
  return show(out, data, opts, { kwargs, log: ctx.log })
}
