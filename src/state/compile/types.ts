// What the stages of the compiler hand to each other. High data and low chunks stay dicts with Salt's own keys, because
// users see them and may put anything into them.
import type { Position } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'

/** ID → body, with `__extend__` and `__exclude__` beside the IDs until they are applied. */
export type High = Dict

/** One call of a state function: `state`, `fun`, `name`, `__id__`, `__sls__`, … and its arguments. */
export type LowChunk = Dict

/** What Salt says, and where in the tree the cause stands. */
export interface CompileError {
  text: string
  at?: Position | undefined
  /** What may have been meant; the log and hints show it, the result is Salt's. */
  hint?: string | undefined
  /** The text in one sentence, where it has many lines. */
  brief?: string | undefined
}

export interface HighResult {
  high: High
  errors: CompileError[]
}

export interface LowResult {
  chunks: LowChunk[]
  errors: CompileError[]
}

/** Environment → SLS names, in the order of the top file. */
export type Matches = Map<string, Value[]>
