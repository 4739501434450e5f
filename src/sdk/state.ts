// States, declared like functions: one declaration gives binding, documentation and specification. A state says what
// is wanted, changes what differs, and reports `name`, `result`, `changes` and `comment`.
import type { Dict } from '../data/mod.ts'
import type { Args, Bound } from './arg.ts'
import type { FunctionContext, Keywords } from './context.ts'
import type { Availability } from './declare.ts'
import type { FunctionDescription, ModuleDescription, Result } from './description.ts'

export interface StateContext extends FunctionContext {
  /** Whether this is a dry run: say what would change (`result: null`), and change nothing. The host refuses to. */
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

/** `changes` is what differs; `result` is None when a dry run would change something. */
export interface StateReturn {
  readonly name: Result
  readonly result: boolean | null
  readonly changes: Result
  readonly comment: string | string[]
  readonly [further: string]: Result
}

/** All that a state reads and changes on the machine, besides accounts. */
export interface StatePlace {
  /** Absolute paths. What lies below them and the directories that they are in belong to the place. */
  readonly paths: readonly string[]
  /** URL of a file of the file server that is rendered as a Jinja template meanwhile. */
  readonly template?: string
}

/** `name` is the first of the arguments; `arg.open` takes what is left, as Python's `**kwargs` does. */
export interface StateFunction<A extends Args = Args> extends FunctionDescription<A> {
  /** Return the place of a call with these arguments, where it can be told from them. States with places apart may run beside each other. */
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
  /** `mod_watch` among them is called when something watched has changed and the state itself changed nothing. */
  readonly functions: Readonly<Record<string, StateFunction>>
  /** Widens a chunk by those that can be done in the same call, which are marked with `__agg__`. */
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

/** Names under which Salt's loader shows what a declaration offers to the engine. */
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
