// How a text file changed, as states tell it.
import { unifiedDiff } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

const PLAIN = new Set([...Array.from({ length: 95 }, (_, index) => index + 32), 8, 9, 10, 12, 13])

/** No null byte, and at most 30 % that is no text; judged by the first bytes. */
function isText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 512)
  if (start.includes(0)) return false
  let isUnicode = true
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
  } catch {
    // bytes that are no UTF-8 count one by one
    isUnicode = false
  }
  const odd = start.filter((byte) => !PLAIN.has(byte) && !(isUnicode && byte > 127)).length
  return start.length === 0 || odd / start.length <= 0.3
}

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
