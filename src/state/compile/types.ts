// The data between the stages of the compiler. High data and low chunks are dicts with Salt's keys, because users see
// them and may add any key.
import type { Position } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'

/** Bodies by ID; `__extend__` and `__exclude__` are beside the IDs until they are applied. */
export type High = Dict

/** One call of a state function: `state`, `fun`, `name`, `__id__`, `__sls__`, … and its arguments. */
export type LowChunk = Dict

/** Salt's message, and the place of the cause. */
export interface CompileError {
  text: string
  at?: Position | undefined
  /** A similar name or another suggestion, shown in the log and in hints; the result has Salt's text only. */
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
