// Where each option was set, so that a complaint can name file and line.
import type { Position } from '../base/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { positionOf } from '../yaml/mod.ts'

export type Sources = Map<string, Position>

/** Notes the places of a file's options; a later file's place replaces an earlier one's. */
export function noteSources(sources: Sources, options: Dict, file: string): void {
  for (const key of options.keys()) {
    const at = positionOf(options, key)
    sources.set(str(key), { file, line: at?.line ?? 1, ...(at && { column: at.column }) })
  }
}

/** ` in FILE, line N`, or nothing for an option that no file set. */
export function whereSet(sources: Sources, name: string): string {
  const at = sources.get(name)
  return at?.file === undefined ? '' : ` in ${at.file}, line ${at.line}`
}

const kept = new WeakMap<ReadonlyMap<Value, Value>, Sources>()

/** Keep the places for those who read the options later. */
export function keepSources(opts: ReadonlyMap<Value, Value>, sources: Sources): void {
  kept.set(opts, sources)
}

/** Return ` in FILE, line N` for an option that a file set, or nothing. */
export function placeOfOption(opts: ReadonlyMap<Value, Value>, name: string): string {
  return whereSet(kept.get(opts) ?? new Map(), name)
}
