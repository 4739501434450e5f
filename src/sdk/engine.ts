// What an engine is: it works beside a master or a minion as long as that runs. Whoever declares one writes `start`, which goes on
// until `ctx.signal` tells it to stop; when it ends or fails before that, it is started again after a while. Users' own
// engines become declarations too: `start(**kwargs)` of a Python file takes its configuration as `arg.open`.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type { Args, Bound } from './arg.ts'
import type { FunctionContext, Keywords } from './context.ts'
import type { MasterContext } from './master.ts'
import type { BusMessage } from './master-reach.ts'

export interface EngineContext {
  /** The name it is configured under; that of the engine itself unless `engine_module` differs. */
  readonly name: string
  readonly role: 'master' | 'minion'
  readonly opts: Dict
  readonly log: Log
  readonly host: Host
  readonly http: HttpClient
  /** Aborted when the engine shall stop. */
  readonly signal: AbortSignal
  /** The functions of the minion, or of the minion on the master's machine, as they are now. */
  functions(): Promise<FunctionContext>
  /** Calls one of them. */
  call(name: string, args?: readonly Value[], kwargs?: Keywords): Promise<Value>
  /** The master's stores, runners and wheel functions; only beside a master. */
  readonly master: MasterContext | undefined
  /** Fires an event that the master hears: on its own bus, or sent to it by the minion. */
  fire(tag: string, data: Dict): Promise<void>
  /**
   * Fires an event for somebody outside whom nothing proves, such as a web client. False, with a line in the log, when its tag
   * is reserved for the master or a minion, or is no tag.
   */
  fireExternal(tag: string, data: Dict): Promise<boolean>
  /** Events of the bus of this daemon from now on, until the engine shall stop. */
  events(filter?: (tag: string) => boolean): AsyncIterable<BusMessage>
  /** Waits, but not longer than until the engine shall stop. */
  pause(seconds: number): Promise<void>
  /** Parts of this daemon that an engine may set to work; each goes on until the engine shall stop. */
  readonly parts: Readonly<Record<string, DaemonPart>>
}

/** The reactor and the like, with settings of its own. */
export type DaemonPart = (signal: AbortSignal, settings: ReadonlyMap<string, Value>) => Promise<void>

export interface EngineDeclaration<A extends Args = Args> {
  readonly name: string
  readonly doc: string
  /** The name it is configured by when that is not its own. */
  readonly virtual?: string
  /** Its configuration, as parameters of `start`. */
  readonly args: A
  /** True, or why it cannot serve here. */
  when?(ctx: EngineContext): true | string | Promise<true | string>
  /** Works until `ctx.signal` is aborted. */
  start(ctx: EngineContext, args: Bound<A>): Promise<void>
}

/** Declares an engine; the type of what `start` gets follows from `args`. */
export function defineEngine<const A extends Args>(declaration: EngineDeclaration<A>): EngineDeclaration {
  return declaration as unknown as EngineDeclaration
}
