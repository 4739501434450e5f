// The master of this machine as its syndic reaches it: jobs go to it as from its owner, and its events are read from the journal on.
import { join } from 'node:path'
import { type Log, newJid } from '../base/mod.ts'
import {
  BusClient,
  type EventTap,
  FollowedEvents,
  hasJournal,
  JournalReader,
  journalFolder,
  masterBusPaths,
} from '../bus/mod.ts'
import { ClientError, localKey, MasterRequests } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import { SqliteJobs } from '../store/mod.ts'

/** Seconds that the master may take to publish a job. */
const PUBLISH_SECONDS = 15

/** Fields of a publication that a request has beside its keywords. */
const OF_LOAD = ['fun', 'arg', 'ret', 'jid', 'to', 'traceparent']

/** Fields of the target of a publication. */
const OF_TARGET = ['tgt', 'tgt_type', 'delimiter']

/** The result of publishing a job on the local master. */
export interface HandedOn {
  /** The publication of a job without matching minions, for which the local master fires no event. */
  unmatched?: Dict
}

export class LowerMaster {
  private readonly opts: Dict
  private readonly requests: MasterRequests
  private jobs: SqliteJobs | undefined

  static async open(opts: Dict, log: Log): Promise<LowerMaster> {
    return new LowerMaster(opts, await MasterRequests.open(opts, log))
  }

  private constructor(opts: Dict, requests: MasterRequests) {
    this.opts = opts
    this.requests = requests
  }

  get hasJournal(): boolean {
    return hasJournal(this.opts)
  }

  /** Have the master publish a job from above. */
  async publish(job: Dict): Promise<HandedOn> {
    const { key, user } = localKey(this.opts)
    const typed = job.get('typed') ?? null
    // a master above replaces the target of a limited user by ids of its own minions, and sends the user's rights along
    const rights = job.get('auth_list') ?? null
    const aimed: Dict = isDict(typed) && isList(rights) && rights.length > 0 ? typed : job
    const kwargs: Dict = new Map()
    for (const [name, value] of job) {
      if (![...OF_LOAD, ...OF_TARGET, 'typed', 'user'].includes(str(name))) kwargs.set(name, value)
    }
    if (aimed.has('delimiter')) kwargs.set('delimiter', aimed.get('delimiter')!)
    const load: Dict = new Map<Value, Value>([
      ['cmd', 'publish'],
      ['tgt', aimed.get('tgt') ?? ''],
      ['tgt_type', aimed.get('tgt_type') ?? 'glob'],
      ['kwargs', kwargs],
    ])
    for (const name of OF_LOAD) if (job.has(name)) load.set(name, job.get(name)!)
    if (!option(this.opts, 'order_masters')) load.delete('to')
    load.set('key', key).set('user', textOf(job.get('user') ?? null) || user)
    return this.answered(await this.requests.command(load, PUBLISH_SECONDS), load)
  }

  private answered(answer: Value, load: Dict): HandedOn {
    const told = isDict(answer) ? answer : new Map()
    const refusal = told.get('error')
    if (refusal !== undefined && isDict(refusal)) {
      throw new ClientError('AuthenticationError', str(refusal.get('message') ?? ''))
    }
    const published = told.get('load')
    if (published === undefined || !isDict(published)) {
      throw new ClientError('PublishError', 'The master of this machine gave no answer to a job from above')
    }
    if (published.get('jid') !== null && !published.has('error')) return {}
    const unmatched: Dict = new Map<Value, Value>([['jid', load.get('jid') ?? newJid()]])
    for (const name of ['tgt_type', 'tgt', 'user', 'fun', 'arg']) unmatched.set(name, load.get(name) ?? null)
    return { unmatched: unmatched.set('minions', []).set('missing', missing(load)).set('syndics', []) as Dict }
  }

  /** Events from a number on; without a journal, from now on. */
  async events(from: number | undefined): Promise<EventTap & { readonly last: number }> {
    const live = await BusClient.open({ paths: masterBusPaths(this.opts), tags: ['*'], leavesPacked: true })
    if (!this.hasJournal || from === undefined) return live
    const journal = new JournalReader(journalFolder(this.opts), () => this.store)
    const followed = new FollowedEvents(live, { journal, from: { number: from }, filter: () => true })
    return Object.assign(followed, { last: live.last })
  }

  /** Return the local master's data about one of its jobs. */
  describe(jid: string): Dict | undefined {
    return this.store.job(jid)?.load
  }

  close(): void {
    this.requests.close()
    this.jobs?.close()
  }

  private get store(): SqliteJobs {
    this.jobs ??= new SqliteJobs(join(option(this.opts, 'cachedir'), 'jobs.db'))
    return this.jobs
  }
}

/** The ids of a list that the master of this machine does not have. */
function missing(load: Dict): Value[] {
  const target = load.get('tgt') ?? null
  return load.get('tgt_type') === 'list' && isList(target) ? [...target] : []
}
