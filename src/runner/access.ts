// A master as its functions reach it: the same in the master's own process and in a program beside it.
import type { Log } from '../base/mod.ts'
import type { Origin } from '../bus/mod.ts'
import type { JobAccess } from '../client/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { EventStream, MasterStores } from '../sdk/mod.ts'
import type { MasterFunctions } from './functions.ts'

export interface BusAccess extends EventStream {
  /**
   * Fire an event; fail where no bus takes it. An event of `caller`, who chose its tag, fails where the caller may not fire it.
   */
  fire(tag: string, data: Dict, caller?: Origin): Promise<void>
}

export interface MasterAccess extends JobAccess, BusAccess {
  readonly opts: Dict
  readonly log: Log
  readonly host: Host
  readonly stores: MasterStores
  readonly functions: MasterFunctions
}
