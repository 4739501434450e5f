// The master as a program beside it reaches it: stores by their files, jobs and events by the sockets.
import type { Log } from '../base/mod.ts'
import {
  BusClient,
  checkJournal,
  type EventFilter,
  type EventTap,
  eventStream,
  FollowedEvents,
  fireOnce,
  hasJournal,
  type LiveEvents,
  masterBusPaths,
  minionBusPaths,
} from '../bus/mod.ts'
import { ClientJobs } from '../client/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { EventStart } from '../sdk/mod.ts'
import { PkiKeys, requireQuorumBeside } from '../store/mod.ts'
import type { MasterAccess } from './access.ts'
import { openCache } from './data-cache.ts'
import { MasterFunctions } from './functions.ts'
import { OpenedStores } from './stores.ts'

export interface SocketAccess extends MasterAccess {
  close(): void
}

/** `functions`: given if they are loaded before the access is opened. `overSsh`: given if the program has salt-ssh. */
export function socketAccess(
  opts: Dict,
  log: Log,
  { functions, overSsh }: Partial<Pick<MasterAccess, 'functions' | 'overSsh'>> = {},
): SocketAccess {
  const cachedir = str(opts.get('cachedir')!)
  const host = new LocalHost({ cache: cachedir })
  const jobs = new ClientJobs(opts, log)
  const cache = openCache({ opts, log, host })
  const keys = new PkiKeys(str(opts.get('pki_dir')!))
  keys.guard = () => requireQuorumBeside(cachedir)
  const stores = new OpenedStores({ opts, log, keys, cache })
  const access: SocketAccess = {
    opts,
    log,
    host,
    stores,
    functions: functions ?? new MasterFunctions({ opts, log, host }),
    ...(overSsh && { overSsh }),
    publish: (job) => jobs.publish(job),
    collect: (published, timeout, gatherJobTimeout) => jobs.collect(published, timeout, gatherJobTimeout),
    beginBatch: (load) => jobs.beginBatch(load),
    command: (load) => jobs.command(load),
    fire: (tag, data) => fireOnce(masterBusPaths(opts), tag, data),
    events: (filter, seconds, wish = {}) => eventStream(listening(access, filter, wish), seconds),
    close: () => {
      jobs.close()
      stores.close()
      void cache.close()
    },
  }
  return access
}

/**
 * Open the events of the socket, after past events of the journal if requested. Past events are available also while no
 * master runs.
 */
async function listening(access: SocketAccess, filter: EventFilter, wish: EventStart): Promise<EventTap> {
  const { tags, since, ofMinion = false, sockDir } = wish
  const opts = sockDir === undefined ? access.opts : new Map(access.opts).set('sock_dir', sockDir)
  const paths = ofMinion ? minionBusPaths(opts) : masterBusPaths(opts)
  if (since) checkJournal(opts)
  if (!tags || ofMinion || !hasJournal(opts)) return BusClient.open({ paths, filter, ...(tags && { tags }) })
  const opening = BusClient.open({ paths, filter, tags })
  const live = since ? await opening.catch((error) => new NoEvents(error)) : await opening
  return new FollowedEvents(live, {
    journal: access.stores.journal(),
    from: since ?? { number: live.last + 1 },
    filter,
  })
}

/** Replacement for a bus that cannot be reached: yields the journal, then throws the reason. */
class NoEvents implements LiveEvents {
  readonly last = Number.POSITIVE_INFINITY
  readonly isOpen = true
  private readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }

  next(): Promise<never> {
    return Promise.reject(this.error)
  }

  close(): void {}
}
