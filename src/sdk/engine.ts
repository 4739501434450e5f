// The declaration of an engine, which works beside a master or a minion as long as the daemon runs. `start` runs until
// `ctx.signal` is aborted; if it ends or fails earlier, it is restarted after a delay. Users' own engines become
// declarations too: `start(**kwargs)` of a Python file gets its configuration as `arg.open`.
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
  /** The current functions of the minion, or of the minion on the master's machine. */
  functions(): Promise<FunctionContext>
  /** Call one of these functions. */
  call(name: string, args?: readonly Value[], kwargs?: Keywords): Promise<Value>
  /** The master's stores, runners and wheel functions; only beside a master. */
  readonly master: MasterContext | undefined
  /** Fire an event at the master: on its own bus, or from the minion. */
  fire(tag: string, data: Dict): Promise<void>
  /**
   * Fire an event for an outside sender without proof, such as a web client. Returns false, with a log line, if its tag
   * is invalid or reserved for the master or a minion.
   */
  fireExternal(tag: string, data: Dict): Promise<boolean>
  /** Events of the bus of this daemon from now on, until the engine shall stop. */
  events(filter?: (tag: string) => boolean): AsyncIterable<BusMessage>
  /** Waits, but not longer than until the engine shall stop. */
  pause(seconds: number): Promise<void>
  /** Parts of this daemon that an engine may set to work; each goes on until the engine shall stop. */
  readonly parts: Readonly<Record<string, DaemonPart>>
}

/** A part of the daemon that runs as an engine, such as the reactor, with its settings. */
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

/** Declare an engine; the type of the settings for `start` follows from `args`. */
export function defineEngine<const A extends Args>(declaration: EngineDeclaration<A>): EngineDeclaration {
  return declaration as unknown as EngineDeclaration
}
