// `check_cmd`: a command that checks the new content in a temporary file before it is put in place.
import { type Dict, dictFrom, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

/** Run a command on a file; return the fields of the report when it fails, undefined when it succeeds. */
export async function refusal(ctx: StateContext, command: string, path: string): Promise<Dict | undefined> {
  const shell = ctx.grains.get('shell')
  const options: Record<string, Value> = shell === undefined ? {} : { shell }
  const outcome = await ctx.call('cmd.run_all', [`${command} ${path}`], options)
  if (outcome.get('retcode') === 0) return undefined
  const lines = ['check_cmd execution failed']
  for (const stream of ['stdout', 'stderr']) {
    const text = outcome.get(stream) ?? null
    if (truthy(text)) lines.push(str(text))
  }
  return dictFrom({ comment: lines.join('\n'), skip_watch: true, result: false })
}
