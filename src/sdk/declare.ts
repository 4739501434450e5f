// One declaration per function, as a value; documentation, argument binding, specifications and the manual are derived
// from it.
import type { Value } from '../data/mod.ts'
import type { Args, Bound } from './arg.ts'
import type { FunctionContext } from './context.ts'
import type { FunctionDescription, ModuleDescription, Returns } from './description.ts'

/** What a body may return: plain objects become dicts, and nothing becomes None. */
export type Result = Value | undefined | Result[] | { readonly [key: string]: Result }

export const ret = {
  boolean: (doc: string): Returns => ({ type: 'boolean', doc }),
  string: (doc: string): Returns => ({ type: 'string', doc }),
  number: (doc: string): Returns => ({ type: 'number', doc }),
  list: (doc: string): Returns => ({ type: 'list', doc }),
  dict: (doc: string): Returns => ({ type: 'dict', doc }),
  any: (doc: string): Returns => ({ type: 'any', doc }),
}

export interface FunctionDeclaration<A extends Args = Args> extends FunctionDescription<A> {
  /** Whether a call may change the machine; `change` is refused in a dry run. */
  readonly effect: 'read' | 'change'
  readonly run: (ctx: FunctionContext, args: Bound<A>) => Result | Promise<Result>
}

/** Declares a function; the types of `run`'s second parameter follow from `args`. */
export function fn<const A extends Args>(declaration: FunctionDeclaration<A>): FunctionDeclaration {
  return declaration as unknown as FunctionDeclaration
}

type Body<A extends Args> = FunctionDeclaration<A>['run']

/** A function that only looks, in one line; `example` is what follows `salt '*' `. */
export function reads<const A extends Args>(doc: string, example: string, args: A, run: Body<A>): FunctionDeclaration {
  return fn({ doc, args, examples: [`salt '*' ${example}`], effect: 'read', run })
}

/** A function that may change the machine. */
export function changes<const A extends Args>(
  doc: string,
  example: string,
  args: A,
  run: Body<A>,
): FunctionDeclaration {
  return fn({ doc, args, examples: [`salt '*' ${example}`], effect: 'change', run })
}

/** True when a module can serve this minion, else why not. */
export type Availability = (
  ctx: Pick<FunctionContext, 'opts' | 'grains' | 'host'>,
) => true | string | Promise<true | string>

export interface ModuleDeclaration extends ModuleDescription {
  /** True when the module can serve this minion, else why not. */
  readonly when?: Availability
  readonly functions: Readonly<Record<string, FunctionDeclaration>>
}

export function defineModule(declaration: ModuleDeclaration): ModuleDeclaration {
  return declaration
}
