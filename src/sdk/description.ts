// What functions and states say about themselves: documentation and arguments, without their bodies.
import type { Args } from './arg.ts'

export interface Returns {
  readonly type: string
  readonly doc: string
}

export interface FunctionDescription<A extends Args = Args> {
  readonly doc: string
  readonly args: A
  readonly returns?: Returns
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
