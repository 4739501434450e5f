// The master as a program beside it reaches it: stores by their files, publishing and events by the sockets.
import { join } from 'node:path'
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
import { option } from '../config/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { EventWish, MinionJob } from '../sdk/mod.ts'
import { fileCache, PkiKeys, SqliteJobs } from '../store/mod.ts'
import { LocalClient, type PublishRequest } from './local-client.ts'
import { journalOf, type MasterAccess } from './master-context.ts'

export interface SocketAccess extends MasterAccess {
  close(): void
}

export function socketAccess(opts: Dict, log: Log): SocketAccess {
  const cachedir = option(opts, 'cachedir')
  let jobs: SqliteJobs | undefined
  const clients = new Map<string, LocalClient>()
  const access: SocketAccess = {
    opts,
    log,
    host: new LocalHost({ cache: cachedir }),
    get jobs() {
      jobs ??= new SqliteJobs(join(cachedir, 'jobs.db'))
      return jobs
    },
    keys: new PkiKeys(option(opts, 'pki_dir')),
    cache: fileCache(cachedir),
    publish: async (job) => {
      const client = await LocalClient.open(opts, log)
      const published = await client.publish(requestOf(job)).catch((error: unknown) => {
        client.close()
        throw error
      })
      // who gathers the returns must have listened from the beginning
      if (published) clients.set(published.jid, client)
      else client.close()
      return published
    },
    collect: async function* (published, timeout, gatherJobTimeout) {
      const client = clients.get(published.jid)!
      try {
        yield* client.collect(published, { timeout, gatherJobTimeout })
      } finally {
        clients.delete(published.jid)
        client.close()
      }
    },
    command: async (load) => {
      const client = await LocalClient.open(opts, log)
      try {
        return await client.command(load)
      } finally {
        client.close()
      }
    },
    beginBatch: async (load) => {
      const client = await LocalClient.open(opts, log)
      try {
        await client.beginBatch(load)
      } finally {
        client.close()
      }
    },
    fire: (tag, data) => fireOnce(masterBusPaths(opts), tag, data),
    events: (filter, seconds, wish = {}) => eventStream(listening(access, filter, wish), seconds),
    close: () => {
      for (const client of clients.values()) client.close()
      jobs?.close()
    },
  }
  return access
}

/** Events from the socket; with what was before from the journal, also when there is no master now. */
async function listening(access: SocketAccess, filter: EventFilter, wish: EventWish): Promise<EventTap> {
  const { tags, since, ofMinion = false, sockDir } = wish
  const opts = sockDir === undefined ? access.opts : new Map(access.opts).set('sock_dir', sockDir)
  const paths = ofMinion ? minionBusPaths(opts) : masterBusPaths(opts)
  if (since) checkJournal(opts)
  if (!tags || ofMinion || !hasJournal(opts)) return BusClient.open({ paths, filter, ...(tags && { tags }) })
  const opening = BusClient.open({ paths, filter, tags })
  const live = since ? await opening.catch((error) => new NoEvents(error)) : await opening
  return new FollowedEvents(live, { journal: journalOf(access), from: since ?? { number: live.last + 1 }, filter })
}

/** In place of a bus that cannot be reached: everything in the journal, and then the reason. */
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

export function requestOf(job: MinionJob): PublishRequest {
  const arg: Value[] = [...(job.arg ?? [])]
  if (job.kwarg && job.kwarg.size > 0) arg.push(new Map<Value, Value>([['__kwarg__', true], ...job.kwarg]))
  return {
    tgt: job.tgt,
    fun: job.fun,
    arg,
    ...(job.tgtType !== undefined && { tgtType: job.tgtType }),
    ...(job.ret !== undefined && { ret: job.ret }),
    ...(job.jid !== undefined && { jid: job.jid }),
    ...(job.timeout !== undefined && { timeout: job.timeout }),
    ...(job.options && { kwargs: job.options }),
  }
}
