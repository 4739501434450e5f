// The place of each option, for messages with file and line.
import type { Position } from '../base/mod.ts'
import { type Dict, HIDDEN, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import { positionOf } from '../yaml/mod.ts'

export type Sources = Map<string, Position>

/** Return the places of a file's options. `sourceLine` maps lines of a rendered text to lines of its template. */
export function sourcesIn(options: Dict, file: string, sourceLine?: (line: number) => number): Sources {
  const sources: Sources = new Map()
  for (const key of options.keys()) {
    const at = positionOf(options, key)
    const line = at?.line ?? 1
    const place = sourceLine ? { line: sourceLine(line) } : { line, ...(at && { column: at.column }) }
    sources.set(str(key), { file, ...place })
  }
  return sources
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

const NOTHING: Kept = { sources: new Map(), fetched: new Set() }
const kept = new WeakMap<ReadonlyMap<Value, Value>, Kept>()

/** Keep the places of options, and which of their values are secrets, for later readers of the options. */
export function keepSources(opts: ReadonlyMap<Value, Value>, known: Kept): void {
  kept.set(opts, known)
}

/** Copy the places of options to a copy of the options. */
export function inheritSources(from: ReadonlyMap<Value, Value>, to: ReadonlyMap<Value, Value>): void {
  kept.set(to, kept.get(from) ?? NOTHING)
}

/** Return the places of all options that files set. */
export const sourcesOf = (opts: ReadonlyMap<Value, Value>): Sources => (kept.get(opts) ?? NOTHING).sources

/** Return whether the value of an option, or a part of it, was fetched by `sdb://`. */
export const isFetched = (opts: ReadonlyMap<Value, Value>, name: string): boolean =>
  (kept.get(opts) ?? NOTHING).fetched.has(name)

/** Return ` in FILE, line N` for an option that a file set, or nothing. */
export function placeOfOption(opts: ReadonlyMap<Value, Value>, name: string): string {
  return whereSet(sourcesOf(opts), name)
}

/**
 * Results of functions in configuration templates of this process. They belong to no options object, because options
 * are copied.
 */
const secrets = new Set<string>()

/**
 * Minimum length of a secret: shorter texts are numbers or words such as `yes`, and masking them would hide other
 * options.
 */
const LEAST_SECRET = 4
/** A shorter text is hidden where it is a whole value: as a part of others it would hide too much. */
const LEAST_IN_TEXT = 6

/** Record the results of functions in a configuration file. */
export function noteTemplateSecrets(texts: Iterable<string>): void {
  for (const text of texts) if (text.length >= LEAST_SECRET) secrets.add(text)
}

/** Return the results of functions in configuration files, for masking in logs. */
export const templateSecrets = (): ReadonlySet<string> => secrets

/** Return a value with all hidden that functions returned to configuration files. */
export function withoutTemplateSecrets(value: Value): Value {
  if (secrets.size === 0) return value
  const longestFirst = [...secrets].filter((text) => text.length >= LEAST_IN_TEXT).sort((a, b) => b.length - a.length)
  const hide = (item: Value): Value => {
    if (isDict(item)) return new Map([...item].map(([key, inner]) => [key, hide(inner)]))
    if (isList(item)) return item.map(hide)
    if (typeof item === 'boolean' || item === null) return item
    const text = textOf(item)
    if (secrets.has(text ?? str(item))) return HIDDEN
    return text === undefined ? item : longestFirst.reduce((all, one) => all.replaceAll(one, HIDDEN), text)
  }
  return hide(value)
}
