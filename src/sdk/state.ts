// Declarations of states: like for functions, binding, documentation and specification follow from the declaration. A
// state compares the machine with the wanted state, changes the difference, and returns `name`, `result`, `changes` and
// `comment`.
import type { Dict } from '../data/mod.ts'
import type { Args, Bound } from './arg.ts'
import type { FunctionContext, Keywords } from './context.ts'
import type { Availability } from './declare.ts'
import type { FunctionDescription, ModuleDescription, Result } from './description.ts'

export interface StateContext extends FunctionContext {
  /**
   * Whether this is a dry run: report the predicted changes (`result: null`) and apply none. The host refuses changes.
   */
  readonly test: boolean
  /** The low chunk of this call, engine's keys included: Salt's `__low__`. */
  readonly low: Dict
  /** Results so far, by tag: Salt's `__running__`. */
  readonly running: Dict
  /** All chunks of the run in order: Salt's `__lowstate__`. */
  readonly lowstate: readonly Dict[]
  /** The environment of the file server that the state is in: Salt's `__env__`. */
  readonly env: string
  /** The same for all states of one run: Salt's `__instance_id__`. */
  readonly instanceId: string
  /** Calls a state function, as `__states__` does; its result is as the function returned it. */
  state(name: string, kwargs: Keywords): Promise<Dict>
  hasState(name: string): boolean
}

/** `changes`: the differences; `result`: None if a dry run would change something. */
export interface StateReturn {
  readonly name: Result
  readonly result: boolean | null
  readonly changes: Result
  readonly comment: string | string[]
  readonly [further: string]: Result
}

/** All that a state reads and changes on the machine, besides accounts. */
export interface StatePlace {
  /** Absolute paths. The place includes everything below them, and their parent directories. */
  readonly paths: readonly string[]
  /** URL of a file of the file server that is rendered as a Jinja template meanwhile. */
  readonly template?: string
}

/** `name` is the first argument; `arg.open` takes the remaining keywords, like Python's `**kwargs`. */
export interface StateFunction<A extends Args = Args> extends FunctionDescription<A> {
  /** Return the place of a call, if its arguments determine it. States with disjoint places may run in parallel. */
  readonly place?: (args: Dict) => StatePlace | undefined
  readonly run: (ctx: StateContext, args: Bound<A>) => StateReturn | Dict | Promise<StateReturn | Dict>
}

/** Declares a state function; the types of `run`'s second parameter follow from `args`. */
export function state<const A extends Args>(declaration: StateFunction<A>): StateFunction {
  return declaration as unknown as StateFunction
}

export interface StateDeclaration extends ModuleDescription {
  /** True when the states can be applied on this minion, else why not. */
  readonly when?: Availability
  /** `mod_watch` is called when a watched state has changes and the state itself has none. */
  readonly functions: Readonly<Record<string, StateFunction>>
  /** Add to a chunk other chunks that the same call can handle; these are marked with `__agg__`. */
  readonly modAggregate?: (ctx: StateContext, low: Dict, chunks: readonly Dict[], running: Dict) => Dict | Promise<Dict>
  /** Called before the first state of the module; true means it need not be called again. */
  readonly modInit?: (ctx: StateContext, low: Dict) => boolean | Promise<boolean>
  /** The functions look at `unless`, `onlyif` and `creates` themselves. */
  readonly ownChecks?: true
  /** The functions that have a parameter `check_cmd` look at it themselves. */
  readonly ownCheckCmd?: true
}

export function defineState(declaration: StateDeclaration): StateDeclaration {
  return declaration
}

/** Return the names under which Salt's loader lists the hooks of a declaration. */
export function stateHooks(declaration: StateDeclaration): string[] {
  const hooks: string[] = []
  if (declaration.modAggregate) hooks.push('mod_aggregate')
  if (declaration.modInit) hooks.push('mod_init')
  if (declaration.ownChecks) hooks.push('mod_run_check')
  if (declaration.ownCheckCmd) hooks.push('mod_run_check_cmd')
  return hooks
}

/** Reports about one name, in the order of Salt's keys. */
export function reportOn(name: Result): (result: boolean | null, comment: string, changes?: Result) => StateReturn {
  return (result, comment, changes = {}) => ({ name, changes, result, comment })
}
