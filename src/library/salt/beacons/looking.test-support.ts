// Polls a beacon repeatedly, on a separate host and with stand-ins for functions.
import { silentLog } from '../../../base/mod.ts'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import type { Host } from '../../../host/mod.ts'
import { type BeaconContext, type BeaconDeclaration, beaconOptions } from '../../../sdk/mod.ts'

export type Others = Record<string, (...args: Value[]) => Value>

export function lookingOn(host: Host, beacon: BeaconDeclaration, config: Plain, others: Others = {}) {
  const ctx: BeaconContext = {
    call: ((name, args = []) => others[name]!(...args)) as BeaconContext['call'],
    has: (name) => name in others,
    grains: new Map(),
    opts: new Map(),
    host,
    log: silentLog,
    memory: new Map(),
    watch: () => false,
    unwatch: () => undefined,
    follow: () => ({ isRunning: false }),
  }
  return async (): Promise<Plain> => toPlain(await beacon.beacon(ctx, beaconOptions(fromPlain(config))))
}
