// One declaration per function, as a value; documentation, argument binding, specifications and the manual are derived
// from it.
import type { Dict } from '../data/mod.ts'
import type { Args, Bound, NoArgs } from './arg.ts'
import type { FunctionContext } from './context.ts'
import type { FunctionDescription, ModuleDescription, Result, Returns } from './description.ts'

type Fields = { readonly [key: string]: Result }

const returning =
  <R extends Result>(type: string) =>
  (doc: string): Returns<R> => ({ type, doc })

export const ret = {
  boolean: returning<boolean>('boolean'),
  string: returning<string>('string'),
  number: returning<number>('number'),
  list: returning<Result[]>('list'),
  texts: returning<string[]>('list of strings'),
  dicts: returning<(Dict | Fields)[]>('list of dicts'),
  dict: returning<Dict | Fields>('dict'),
  none: returning<null | undefined>('none'),
  any: returning<Result>('any'),
  /** Declare the given result, or False. */
  orFalse: <R extends Result>({ type, doc }: Returns<R>): Returns<R | false> => ({ type: `${type} or false`, doc }),
  /** Declare the given result, or None. */
  optional: <R extends Result>({ type, doc }: Returns<R>): Returns<R | null | undefined> => ({
    type: `${type} or none`,
    doc,
  }),
}

export interface FunctionDeclaration<A extends Args = Args, R extends Result = Result>
  extends FunctionDescription<A, R> {
  /** Whether a call may change the machine; `change` is refused in a dry run. */
  readonly effect: 'read' | 'change'
  readonly run: (ctx: FunctionContext, args: Bound<A>) => R | Promise<R>
}

/** The result of a body; a body that returns None may end without a `return`. */
// biome-ignore lint/suspicious/noConfusingVoidType: the type of a body without a `return`
type Given<R> = NoInfer<R> | (undefined extends R ? void : never)

type Body<A extends Args, R extends Result> = (ctx: FunctionContext, args: Bound<A>) => Given<R> | Promise<Given<R>>

/** A function as its author writes it. */
interface Written<A extends Args, R extends Result> extends Omit<FunctionDeclaration<A, R>, 'args' | 'run' | 'effect'> {
  /** Absent for a function without parameters. */
  readonly args?: A
  /** An example of a call: the words after `salt '*' `. Default for a function that needs no arguments: a call without any. */
  readonly example?: string
  readonly run: Body<A, R>
}

function declared<A extends Args, R extends Result>(
  { example, args, ...declaration }: Written<A, R>,
  effect: FunctionDeclaration['effect'],
): FunctionDeclaration {
  const examples = example === undefined ? {} : { examples: [`salt '*' ${example}`] }
  return { ...declaration, args: args ?? {}, ...examples, effect } as unknown as FunctionDeclaration
}

/** Declare a function that only reads. `args` gives the type of `run`'s second parameter, `returns` the type that `run` must return. */
export const reads = <const A extends Args = NoArgs, R extends Result = Result>(
  written: Written<A, R>,
): FunctionDeclaration => declared(written, 'read')

/** Declare a function that may change the machine. */
export const changes = <const A extends Args = NoArgs, R extends Result = Result>(
  written: Written<A, R>,
): FunctionDeclaration => declared(written, 'change')

/** True when a module can serve this minion, else why not. */
export type Availability = (
  ctx: Pick<FunctionContext, 'opts' | 'grains' | 'host'>,
) => true | string | Promise<true | string>

export interface ModuleDeclaration extends ModuleDescription {
  /** True when the module can serve this minion, else why not. */
  readonly when?: Availability
  /** `given`: the listed examples are the only ones. */
  readonly examples?: 'given'
  readonly functions: Readonly<Record<string, FunctionDeclaration>>
}

export function defineModule(declaration: ModuleDeclaration): ModuleDeclaration {
  if (declaration.examples === 'given') return declaration
  const module = declaration.virtual ?? declaration.name
  const functions = Object.entries(declaration.functions).map(([name, one]) => [
    name,
    one.examples || needsArguments(one) ? one : { ...one, examples: [`salt '*' ${module}.${name}`] },
  ])
  return { ...declaration, functions: Object.fromEntries(functions) as ModuleDeclaration['functions'] }
}

const needsArguments = ({ args }: FunctionDeclaration): boolean =>
  Object.values(args).some((one) => one.default === undefined && one.kind !== 'rest' && one.kind !== 'open')
