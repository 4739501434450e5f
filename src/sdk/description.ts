// Descriptions of functions and states: documentation and arguments, without bodies.
import type { Value } from '../data/mod.ts'
import type { Args } from './arg.ts'

/** The values that a body may return: plain objects become dicts, and undefined becomes None. */
export type Result = Value | undefined | Result[] | { readonly [key: string]: Result }

/** The result of a function. */
export interface Returns<R extends Result = Result> {
  /** Types joined by ` or `; `tools/calls.ts` builds the type `Calls` from them. */
  readonly type: string
  readonly doc: string
  /** Carries the type that the body must return; never set. */
  readonly result?: R
}

export interface FunctionDescription<A extends Args = Args, R extends Result = Result> {
  readonly doc: string
  readonly args: A
  readonly returns?: Returns<R>
  readonly examples?: readonly string[]
  /** The name that argument errors show, where Salt's differs from the public one (`list_` for `list`). */
  readonly calledAs?: string
  /** The outputter that shows the function's return, unless the user names one. */
  readonly outputter?: string
}

export interface ModuleDescription {
  readonly name: string
  readonly doc: string
  /** The name that users call the module by, if it is not `name`: `pkg` for `aptpkg`. */
  readonly virtual?: string
  readonly functions: Readonly<Record<string, FunctionDescription>>
}
