// The tree of a Python pattern. Flags are already worked in: a set knows both cases, an anchor its lines.
import type { CharSet } from './char-set.ts'

/** Values of `re`'s flags; only those with a meaning for text. */
export const RegexFlag = {
  IGNORECASE: 2,
  LOCALE: 4,
  MULTILINE: 8,
  DOTALL: 16,
  UNICODE: 32,
  VERBOSE: 64,
  ASCII: 256,
} as const

export type Anchor =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  /** The end, or before a newline that ends the text. */
  | 'last-line-end'

export type RegexNode =
  | { kind: 'set'; set: CharSet }
  | { kind: 'anchor'; anchor: Anchor }
  | { kind: 'boundary'; negated: boolean; ascii: boolean }
  | { kind: 'sequence'; items: RegexNode[] }
  | { kind: 'branch'; alternatives: RegexNode[] }
  /** Without a number it only holds together. */
  | { kind: 'group'; number: number | undefined; body: RegexNode }
  | { kind: 'atomic'; body: RegexNode }
  | { kind: 'repeat'; min: number; max: number; mode: 'greedy' | 'lazy' | 'possessive'; body: RegexNode }
  | { kind: 'look'; behind: boolean; negated: boolean; body: RegexNode }
  | { kind: 'backref'; group: number; fold: ((code: number) => number) | undefined }
  | { kind: 'conditional'; group: number; yes: RegexNode; no: RegexNode | undefined }

export interface Pattern {
  root: RegexNode
  /** The number of numbered groups. */
  groups: number
  names: ReadonlyMap<string, number>
  flags: number
}

/** An upper bound that is none; Python's own, so that its arithmetic of widths comes out the same. */
export const UNBOUNDED = 4294967295
