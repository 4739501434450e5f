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

interface Kept {
  sources: Sources
  /** The options with a value that was fetched by `sdb://`. */
  fetched: ReadonlySet<string>
}

const kept = new WeakMap<ReadonlyMap<Value, Value>, Kept>()

/** Keep the places of options, and the names of those with a value that was fetched, for later readers of the options. */
export function keepSources(opts: ReadonlyMap<Value, Value>, sources: Sources, fetched: ReadonlySet<string>): void {
  kept.set(opts, { sources, fetched })
}

/** Return the places of all options that files set. */
export const sourcesOf = (opts: ReadonlyMap<Value, Value>): Sources => kept.get(opts)?.sources ?? new Map()

/** Return whether the value of an option, or a part of it, was fetched by `sdb://`. */
export const isFetched = (opts: ReadonlyMap<Value, Value>, name: string): boolean =>
  kept.get(opts)?.fetched.has(name) ?? false

/** Return ` in FILE, line N` for an option that a file set, or nothing. */
export function placeOfOption(opts: ReadonlyMap<Value, Value>, name: string): string {
  return whereSet(sourcesOf(opts), name)
}
