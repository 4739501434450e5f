// A master as its functions reach it: the same in the master's own process and in a program beside it.
import type { Log } from '../base/mod.ts'
import type { Origin } from '../bus/mod.ts'
import type { JobAccess } from '../client/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type {
  BootstrapOutcome,
  BootstrapRequest,
  CloudClient,
  EventStream,
  MasterStores,
  SshCall,
  SshReturn,
} from '../sdk/mod.ts'
import type { MasterFunctions } from './functions.ts'

export interface BusAccess extends EventStream {
  /** Fire an event; fail if no bus takes it. If `caller` chose the tag, fail also if the caller may not fire it. */
  fire(tag: string, data: Dict, caller?: Origin): Promise<void>
}

/**
 * What functions of the master can reach with the rights of the master's owner: targets of salt-ssh, and salt-cloud.
 */
export interface OverSsh {
  /** Run a function on the targets; `signal` aborts it there. */
  run(access: MasterAccess, call: SshCall, signal?: AbortSignal): AsyncIterable<SshReturn>
  /** The ids of the targets that rosters have for an expression. */
  targets(
    access: MasterAccess,
    call: Pick<SshCall, 'tgt' | 'tgtType' | 'options' | 'isFromOutside' | 'isInRoster'>,
  ): Promise<string[]>
  /** Open salt-cloud with its files, and undo the incomplete creations of killed runs. */
  cloud?(access: MasterAccess): Promise<OpenedCloud>
  /** Put minions of the master on hosts. */
  bootstrap?(access: MasterAccess, request: BootstrapRequest): Promise<BootstrapOutcome[]>
}

export interface OpenedCloud extends CloudClient {
  close(): Promise<void>
}

export interface MasterAccess extends JobAccess, BusAccess {
  readonly opts: Dict
  readonly log: Log
  readonly host: Host
  readonly stores: MasterStores
  readonly functions: MasterFunctions
  /** Targets of salt-ssh. The program hands this in; undefined in programs that have no salt-ssh. */
  readonly overSsh?: OverSsh
}
