// A running syndic: connections to the masters above and to the local master. Returns and lists of minions of a job go
// to the master that published it. Other events go to one of the connected masters, or to all of them
// (`syndic_forward_all_events`).
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJid, type Log, namedLog, PRIVATE_FOLDER, shownText, toError } from '../base/mod.ts'
import type { BusEvent } from '../bus/mod.ts'
import { ClientError, shuffled } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, textOf, type Value } from '../data/mod.ts'
import { signInSettings } from '../minion/mod.ts'
import { SignInError } from '../wire/mod.ts'
import { ForwardedJobs } from './forwarded-jobs.ts'
import { HandOver, type HandOverParts } from './hand-over.ts'
import { eventsLoad, type JobEvent } from './handed-events.ts'
import { LowerMaster } from './lower-master.ts'
import { type SyndicOptions, syndicFolder } from './syndic-options.ts'
import { pauseFor, UpperMaster } from './upper-master.ts'

/** Milliseconds until a job is handed again to a master of this machine that is away. */
const RETRY_MS = 250
/** Milliseconds until one of several masters is looked for again. */
const REOPEN_MS = 10_000

type Closing = () => unknown

export class Syndic {
  private readonly options: SyndicOptions
  private readonly log: Log
  private readonly folder: string
  private readonly stopped = new AbortController()
  private readonly closings: Closing[] = []
  private readonly over: Promise<never>
  private fatal!: (error: Error) => void
  private lower!: LowerMaster
  private jobs!: ForwardedJobs
  private uppers: UpperMaster[] = []
  /** Jobs of the master of this machine that masters above have heard of; the newest last. */
  private readonly described = new Set<string>()

  constructor(options: SyndicOptions, log: Log) {
    this.options = options
    this.log = log
    this.folder = syndicFolder(options.lower)
    this.over = new Promise((_, fail) => {
      this.fatal = fail
    })
    this.over.catch(() => undefined)
  }

  /** Rejects with the error that ends the syndic, such as a rejected key. */
  get ended(): Promise<never> {
    return this.over
  }

  /** Resolves when a master above has let the syndic in. */
  async open(): Promise<void> {
    const { lower, upper, masters } = this.options
    mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER })
    this.lower = await LowerMaster.open(lower, this.log)
    this.closings.push(() => this.lower.close())
    if (!this.lower.hasJournal) {
      this.log('warning', 'event_journal is off: returns that come while this syndic is down do not go upwards')
    }
    this.jobs = new ForwardedJobs(join(this.folder, 'jobs'), this.log)
    const settings = { ...(await signInSettings(upper)), authSafemode: false }
    this.uppers = masters.map((name) => {
      const parts = { settings, fatal: this.fatal, onJob: (load: Dict, master: string) => this.take(load, master) }
      const own = new UpperMaster(name, { ...parts, opts: new Map(upper), log: namedLog(this.log, 'salt.minion') })
      return own
    })
    for (const own of this.uppers)
      this.handOver(fileName(own.name), this.isOf(own.name), (...sent) => sendAll(own, ...sent))
    this.handOver('shared', this.isShared, (...sent) => this.sendToAny(...sent))
    // close the masters above first, so that no request waits for an answer
    for (const own of this.uppers) this.closings.push(() => own.close())
    const opened = this.uppers.map((own) => this.openUpper(own))
    await Promise.race([Promise.any(opened).catch(firstOf), this.over])
  }

  /**
   * Open the connection to a master above. If its name cannot be resolved and there are other masters, it is retried
   * while the others work.
   */
  private async openUpper(own: UpperMaster): Promise<void> {
    for (;;) {
      try {
        return await own.open()
      } catch (error) {
        if (this.stopped.signal.aborted || error instanceof SignInError || this.uppers.length === 1) throw error
        this.log('error', `Master ${own.name} cannot be reached, trying again: ${toError(error).message}`)
        await pauseFor(REOPEN_MS, this.stopped.signal)
      }
    }
  }

  async close(): Promise<void> {
    this.stopped.abort()
    for (const close of this.closings.splice(0).reverse()) await close()
  }

  private handOver(
    name: string,
    isMeant: (event: BusEvent, kind: JobEvent | undefined) => boolean,
    send: HandOverParts['send'],
  ): void {
    const { lower, upper } = this.options
    const hands = new HandOver({
      log: this.log,
      lower: this.lower,
      id: option(upper, 'id'),
      file: join(this.folder, `handed-${name}`),
      gather: option(lower, 'syndic_event_forward_timeout'),
      isMeant: (event, kind) => this.goesUp(event, kind) && isMeant(event, kind),
      describe: (jid) => this.describe(jid),
      send,
    })
    hands.start()
    this.closings.push(() => hands.close())
  }

  private get goesToAll(): boolean {
    return option(this.options.lower, 'syndic_forward_all_events')
  }

  /**
   * Whether an event is forwarded: returns within other events are not, as in Salt, and with `syndic_mode: cluster`
   * only events of jobs are.
   */
  private goesUp({ fields }: BusEvent, kind: JobEvent | undefined): boolean {
    if (kind?.what === 'return' || kind?.what === 'list') return true
    return option(this.options.lower, 'syndic_mode') === 'sync' && !fields.has('retcode')
  }

  private isOf(master: string): (event: BusEvent, kind: JobEvent | undefined) => boolean {
    return (_, kind) => {
      const owner = kind && this.jobs.masterOf(kind.jid)
      return owner === master || (this.goesToAll && kind?.what !== 'return')
    }
  }

  private readonly isShared = (_: BusEvent, kind: JobEvent | undefined): boolean => {
    const owner = kind && this.jobs.masterOf(kind.jid)
    const isKnown = owner !== undefined && this.uppers.some(({ name }) => name === owner)
    return !isKnown && (kind?.what === 'return' || !this.goesToAll)
  }

  /** The description of a job of this master goes up once. */
  private describe(jid: string): Dict | undefined {
    if (this.jobs.masterOf(jid) !== undefined || this.described.has(jid)) return undefined
    this.described.add(jid)
    const most = Math.max(1, option(this.options.lower, 'syndic_jid_forward_cache_hwm'))
    if (this.described.size > most) this.described.delete(this.described.values().next().value!)
    return this.lower.describe(jid)
  }

  /** Send to the first master that takes it. */
  private async sendToAny(loads: readonly Dict[], bytes: number): Promise<void> {
    const { lower, upper } = this.options
    const isRandom = option(lower, 'syndic_failover') === 'random'
    const order = isRandom ? shuffled(this.uppers) : this.uppers
    const tries = Math.max(1, option(upper, 'syndic_retries'))
    let failure: unknown
    for (const own of order.filter(({ isConnected }) => isConnected)) {
      for (let attempt = 1; attempt <= tries; attempt++) {
        try {
          return await sendAll(own, loads, bytes)
        } catch (error) {
          failure = error
          if (order.length > 1) this.log('warning', `Master ${own.name} did not take events: ${toError(error).message}`)
        }
      }
    }
    throw failure ?? new ClientError('SaltClientError', 'No master above is connected')
  }

  /** Hand a job from above to the master of this machine. */
  private async take(load: Dict, master: string): Promise<void> {
    const jid = load.get('jid')
    // a job without rights for masters below is for minions of the master above alone
    if (!isJid(jid) || !load.has('auth_list')) return
    const ownName = option(this.options.lower, 'master_id')
    if (ownName && textOf(load.get('master_id') ?? null) === ownName) return
    const target = load.get('tgt') ?? ''
    if (!this.jobs.begin(jid, target, master)) return
    const window = secondsOf(load, option(this.options.lower, 'job_delivery_window'))
    const until = performance.now() + 1000 * Math.max(1, window)
    for (;;) {
      try {
        const { unmatched } = await this.lower.publish(lowered(load))
        this.jobs.done(jid, target)
        if (unmatched) await this.tellUnmatched(unmatched, jid, master)
        return
      } catch (error) {
        const isRefused = error instanceof ClientError && error.code !== 'SaltClientError'
        if (!isRefused && performance.now() < until && !this.stopped.signal.aborted) {
          await pauseFor(RETRY_MS, this.stopped.signal)
          continue
        }
        const fun = shownText(briefStr(load.get('fun') ?? ''))
        this.log('error', `Job ${jid} (${fun}) of master ${master} was not published here: ${toError(error).message}`)
        // otherwise the job may be published again, and returns of a job that was published in spite of the error go to
        // the right master
        if (isRefused) this.jobs.done(jid, target)
        if (isRefused) await this.tellUnmatched(emptyList(load, jid), jid, master)
        return
      }
    }
  }

  /**
   * Report a job without matching minions to the master above: the local master fires no event, and the caller would
   * wait for its list.
   */
  private async tellUnmatched(data: Dict, jid: string, master: string): Promise<void> {
    const own = this.uppers.find(({ name }) => name === master)!
    const list = new Map<Value, Value>([['tag', `salt/job/${jid}/new`]]).set('data', data) as Dict
    await own.send(eventsLoad(own.id, [list]))
  }
}

function emptyList(load: Dict, jid: string): Dict {
  const list: Dict = new Map<Value, Value>([['jid', jid]])
  for (const name of ['tgt_type', 'tgt', 'user', 'fun', 'arg']) list.set(name, load.get(name) ?? null)
  return list.set('minions', []).set('missing', []).set('syndics', []) as Dict
}

async function sendAll(own: UpperMaster, loads: readonly Dict[], bytes: number): Promise<void> {
  if (!own.isConnected) throw new ClientError('SaltClientError', `Master ${own.name} is not connected`)
  for (const load of loads) await own.send(load, bytes)
}

/** The callers' patience becomes shorter with each tier, as in Salt. */
function lowered(load: Dict): Dict {
  const to = load.get('to') ?? null
  const patience = typeof to === 'bigint' ? Number(to) : to
  if (typeof patience !== 'number') return load
  return new Map(load).set('to', Math.max(1, Math.floor(patience) - 1)) as Dict
}

function secondsOf(load: Dict, usual: number): number {
  const own = load.get('deliver_within') ?? null
  return typeof own === 'number' ? own : usual
}

/** A name may be an address with any characters. */
const fileName = (master: string): string => createHash('sha256').update(master).digest('hex').slice(0, 16)

function firstOf(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}
