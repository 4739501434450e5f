// The format of one area of the conformance corpus: its recorded cases, and the adapter that runs one of them. An
// adapter is the default export of `areas/<area>.ts`; comparison, time limits and reports are shared.
import type { Value } from '../../src/data/mod.ts'

/** Typed JSON as `cases/yaml/README.md` describes it; `decodeTyped` turns it into values. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A failure as it was recorded; only the fields that are there are compared. */
export interface RecordedError {
  class?: string
  error?: string
  line?: number | null
  message?: string
  /** A Python traceback was appended, so `message` is not comparable; without `line` only the failure itself counts. */
  traceback?: boolean
}

/** One line of a case file: a unique name, the area's own input fields, and the outcome. */
export interface Case {
  name: string
  category?: string
  expect?: Json
  error?: RecordedError
  /** A second permitted outcome. */
  pure?: { expect?: Json; error?: RecordedError }
  [input: string]: unknown
}

/** The result of Brine's code. Text is just a string value. */
export type Outcome = { expect: Value } | { error: ActualError }

export interface ActualError {
  class: string
  message: string
  error?: string | undefined
  line?: number | null | undefined
}

export interface Area {
  readonly name: string
  /** The recorded outcome, for areas that do not keep it in `expect` and `error`. */
  recorded?(testCase: Case): Pick<Case, 'expect' | 'error' | 'pure'>
  /** Run one case. A failure that Salt would show is an outcome; any thrown error fails the case as a crash. */
  run(testCase: Case): Promise<Outcome> | Outcome
}
