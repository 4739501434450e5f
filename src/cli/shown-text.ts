// The text that programs print for data. Waiting is needed only with users' own outputters.
import { type Dict, readValue, type Value } from '../data/mod.ts'
import { type DisplayCall, display, displayPieces } from '../output/mod.ts'
import { mayHaveModules } from '../python/mod.ts'

export function displayedText(
  out: string | null,
  data: Value,
  opts: Dict,
  call: DisplayCall,
): string | Promise<string> {
  if (!mayHaveModules(opts, 'output')) return display(out, data, opts, call)
  return import('../pybridge/mod.ts').then(({ displayed }) => displayed(out, readValue(data), opts, call))
}

/** Return the same text and a line end as pieces of UTF-8; undefined where the text has to be made in one piece. */
export function displayedPieces(...call: Parameters<typeof displayedText>): readonly Uint8Array[] | undefined {
  return mayHaveModules(call[2], 'output') ? undefined : displayPieces(...call)
}
