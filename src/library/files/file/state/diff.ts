// The difference of a text file, as states report it.
import { unifiedDiff } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { isText } from '../is-text.ts'

export interface Shown {
  /** Whether the lines have their ends. */
  ends: boolean
  show?: boolean
}

export async function diffOf(
  ctx: StateContext,
  path: string,
  old: readonly string[],
  fresh: readonly string[],
  { ends, show = true }: Shown,
): Promise<string> {
  if (!isText(await ctx.host.read(path))) return 'Replace binary file'
  if (!show) return '<show_changes=False>'
  return unifiedDiff(old, fresh).join(ends ? '' : '\n')
}

export const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index])
