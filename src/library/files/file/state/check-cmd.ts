// `check_cmd`: a command that sees the new content under a temporary name before it is put in place.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { dict } from './answer.ts'

/** What the report must say when the command fails; undefined when it succeeds. */
export async function refusal(ctx: StateContext, command: Value, path: string): Promise<Dict | undefined> {
  const shell = ctx.grains.get('shell')
  const options: Record<string, Value> = shell === undefined ? {} : { shell }
  const outcome = await ctx.call('cmd.run_all', [`${str(command)} ${path}`], options)
  if (outcome.get('retcode') === 0) return undefined
  const lines = ['check_cmd execution failed']
  for (const stream of ['stdout', 'stderr']) {
    const text = outcome.get(stream) ?? null
    if (truthy(text)) lines.push(str(text))
  }
  return dict({ comment: lines.join('\n'), skip_watch: true, result: false })
}
