// Jobs that minions may have missed. A publication reaches only connected minions, so the master keeps each one for
// `job_delivery_window` seconds. A Brine minion that connects requests the publications for it without a return, gets
// the same signed publications, and carries out those that it has not accepted before. A minion of Salt does not ask: a
// job that certainly did not reach it is published again, for this minion only, when a subscriber has its address.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, numberOf, type Value } from '../data/mod.ts'
import type { JobStore } from '../store/mod.ts'
import type { PublishChannel, SealedPublication } from '../wire/mod.ts'
import type { Connections } from './connections.ts'
import { frozen } from './publication.ts'
import type { Syndics } from './syndics.ts'

/** Publications that are kept; the oldest go first. */
const MOST_KEPT = 5000
/** Bytes of packets that are kept. */
const MOST_BYTES = 64 << 20
/** Ids of minions in all publications that are kept: each takes memory, too. */
const MOST_IDS = 5_000_000
/** Longest window, in seconds. Minions remember the jobs of longer than that. */
const LONGEST_WINDOW = 3600
/** Age in milliseconds at which a packet is encrypted again: minions refuse old ones (`publication_ttl`). */
const SEAL_AGE = 60_000
/** How long a minion is expected back after it lost its connection, in milliseconds. */
const EXPECTED_BACK = 60_000
const LOOK_MS = 1000
/** Milliseconds after which a minion that did not ask for missed jobs counts as one of Salt. */
const ASKS_WITHIN = 1500

/** Functions whose result is useless when it comes late. */
const FOR_NOW_ONLY = new Set<Value>(['saltutil.find_job'])

export interface DeliveryParts {
  opts: Dict
  log: Log
  jobs: Pick<JobStore, 'ledger' | 'recent' | 'note' | 'job'>
  publications: Pick<PublishChannel, 'seal' | 'keyId' | 'publish'>
  connections: Pick<Connections, 'lostFor' | 'claim' | 'mayListen' | 'onArrival'>
  syndics: Pick<Syndics, 'isKnown' | 'listening' | 'hasAny'>
  now?: () => number
}

type Sealed = SealedPublication & { at: number }

interface Kept {
  jid: string
  /** The publication as it was sent. */
  load: Dict
  /** The publication for syndics, where that is another one. */
  forSyndics?: Dict
  /** The same as bytes. */
  sealedForSyndics?: Sealed
  ids: readonly string[]
  /** The ids, for quick look-ups; built at the first query of a minion. */
  among?: ReadonlySet<string>
  sealed?: Sealed
  /** Milliseconds of the clock of `now` until which the job is wanted. */
  until: number
  /** The minions that did not listen when the job was published. */
  unreached: Set<string>
}

export class Deliveries {
  private readonly parts: DeliveryParts
  private readonly now: () => number
  private kept: Kept[] = []
  private bytes = 0
  private ids = 0
  private timer: NodeJS.Timeout | undefined
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(parts: DeliveryParts) {
    this.parts = parts
    this.now = parts.now ?? (() => performance.now())
  }

  /** Take up the jobs that a master published shortly before its end, and look for expired jobs from now on. */
  start(): void {
    const window = this.windowOf(new Map())
    if (window > 0) this.restore()
    this.timer = setInterval(() => this.expire(), LOOK_MS).unref()
    this.parts.connections.onArrival = (ids) => this.publishAgain(ids)
  }

  close(): void {
    clearInterval(this.timer)
    for (const timer of this.timers) clearTimeout(timer)
  }

  /** How long a job may be delivered after its publication, in seconds. */
  windowOf(load: Dict): number {
    const fun = load.get('fun') ?? ''
    if (FOR_NOW_ONLY.has(fun) || (isList(fun) && fun.some((each) => FOR_NOW_ONLY.has(each)))) return 0
    const own = load.get('deliver_within') ?? null
    const seconds = own === null ? option(this.parts.opts, 'job_delivery_window') : (numberOf(own) ?? 0)
    return Math.min(Math.max(0, seconds), LONGEST_WINDOW)
  }

  /** Keep a publication that was sent. */
  keep(jid: string, load: Dict, ids: readonly string[], sealed: SealedPublication): void {
    const window = this.windowOf(load)
    const { connections, syndics } = this.parts
    if (window <= 0 || (ids.length === 0 && !syndics.hasAny)) return
    const now = this.now()
    const unreached = new Set([...ids, ...syndics.listening()].filter((id) => !connections.mayListen(id)))
    this.add({ jid, load, ids, sealed: { ...sealed, at: now }, until: now + window * 1000, unreached })
  }

  /**
   * Return the disconnected minions of a job that are expected back in time: they lost their connection a moment ago.
   * `seconds`: how long the job can still be delivered.
   */
  expected(load: Dict, ids: readonly string[]): { ids: string[]; seconds: number } {
    const seconds = this.windowOf(load)
    const isExpected = (id: string): boolean =>
      (this.parts.connections.lostFor(id) ?? Number.POSITIVE_INFINITY) < EXPECTED_BACK
    return { ids: seconds > 0 ? ids.filter(isExpected) : [], seconds }
  }

  /**
   * Return the publications for a minion that has connected (`jobs`, the oldest first), and whether its connection is
   * known (`seen`): later publications then reach it.
   */
  async missed(id: string, mark: Value): Promise<{ jobs: Uint8Array[]; seen: boolean }> {
    const seen = typeof mark === 'string' && this.parts.connections.claim(mark, id)
    this.expire()
    const isSyndic = this.parts.syndics.isKnown(id)
    const packets: Uint8Array[] = []
    // the list of jobs can change while packets are encrypted
    for (const kept of [...this.kept]) {
      kept.among ??= new Set(kept.ids)
      // every job may be for minions below a syndic, which knows the jobs that it has handed on
      const isBelow = isSyndic && kept.load.has('auth_list')
      if (!isBelow && (!kept.among.has(id) || this.hasReturned(kept.jid, id))) continue
      kept.unreached.delete(id)
      packets.push((await this.sealed(kept, isBelow && kept.forSyndics ? 'sealedForSyndics' : 'sealed')).packet)
    }
    if (packets.length > 0) this.parts.log('debug', `Minion ${id} gets ${packets.length} jobs that it may have missed`)
    return { jobs: packets, seen }
  }

  /** Publish jobs again for minions of Salt that did not listen before. Such a minion runs a job id only once. */
  private publishAgain(arrived: ReadonlySet<string>): void {
    if (!this.kept.some(({ unreached }) => unreached.size > 0 && [...arrived].some((id) => unreached.has(id)))) return
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.expire()
      for (const kept of this.kept) this.publishUnreached(kept, arrived)
    }, ASKS_WITHIN)
    this.timers.add(timer)
  }

  private publishUnreached({ jid, load, unreached }: Kept, arrived: ReadonlySet<string>): void {
    const { connections, publications, syndics, log } = this.parts
    const ids = [...arrived].filter((id) => unreached.has(id) && connections.mayListen(id))
    for (const id of ids) unreached.delete(id)
    const again = (wanted: string[], sent: Dict): void => {
      if (wanted.length === 0) return
      log('debug', `Job ${jid} is published again for ${wanted.join(', ')}`)
      publications.publish(sent).catch((error: unknown) => {
        log('error', `Job ${jid} cannot be published again: ${toError(error).message}`)
      })
    }
    const isSyndic = (id: string): boolean => syndics.isKnown(id)
    const wanted = ids.filter((id) => !isSyndic(id) && !this.hasReturned(jid, id))
    again(wanted, frozen(load, wanted))
    // a syndic of Salt hands the target on; minions that have the job do not take it again
    if (load.has('auth_list')) again(ids.filter(isSyndic), load)
  }

  private hasReturned(jid: string, id: string): boolean {
    return this.parts.jobs.ledger.outcomeOf(jid, id) !== undefined
  }

  private async sealed(kept: Kept, field: 'sealed' | 'sealedForSyndics' = 'sealed'): Promise<SealedPublication> {
    const sealed = kept[field]
    if (this.isFresh(sealed)) return sealed
    const load = field === 'sealed' ? kept.load : kept.forSyndics!
    const fresh = { ...(await this.parts.publications.seal(load)), at: this.now() }
    if (this.kept.includes(kept)) {
      this.bytes += fresh.packet.length - (kept[field]?.packet.length ?? 0)
      kept[field] = fresh
      this.shorten()
    }
    return fresh
  }

  private isFresh(sealed: Sealed | undefined): sealed is Sealed {
    return sealed?.keyId === this.parts.publications.keyId && this.now() - sealed.at < SEAL_AGE
  }

  private add(kept: Kept): void {
    this.kept.push(kept)
    this.bytes += kept.sealed?.packet.length ?? 0
    this.ids += kept.ids.length
    this.shorten()
  }

  private shorten(): void {
    const isTooMuch = (): boolean => this.bytes > MOST_BYTES || this.ids > MOST_IDS
    while (this.kept.length > MOST_KEPT || (isTooMuch() && this.kept.length > 1)) {
      const oldest = this.kept.shift()!
      this.forget(oldest)
      this.parts.log('warning', `Job ${oldest.jid} is not kept for minions that reconnect: too many jobs are kept`)
    }
  }

  /** Count a publication no more that was taken out. */
  private forget({ sealed, sealedForSyndics, ids }: Kept): void {
    this.bytes -= (sealed?.packet.length ?? 0) + (sealedForSyndics?.packet.length ?? 0)
    this.ids -= ids.length
  }

  private restore(): void {
    const { jobs, log, syndics } = this.parts
    const clock = Date.now() / 1000
    try {
      for (const { jid, load, minions, made } of jobs.recent(clock - LONGEST_WINDOW, MOST_KEPT)) {
        // the clock may have been set back: a job from the future may be hours old
        const left = made > clock ? 0 : made + this.windowOf(load) - clock
        const ids = left > 0 ? minions.filter((id) => !this.hasReturned(jid, id)) : []
        const isBelow = left > 0 && syndics.hasAny && load.has('auth_list')
        if (ids.length === 0 && !isBelow) continue
        const until = this.now() + left * 1000
        this.add({
          jid,
          load: frozen(load, ids),
          ids,
          until,
          unreached: new Set(),
          ...(isBelow && isForAll(load) && { forSyndics: load }),
        })
      }
    } catch (error) {
      log('error', `Jobs from before the start are not kept for minions that reconnect: ${toError(error).message}`)
    }
  }

  /** Forget jobs after their delivery window, and note the minions that did not get them. */
  private expire(): void {
    const now = this.now()
    if (this.kept.every(({ until }) => until > now)) return
    const over = this.kept.filter(({ until }) => until <= now)
    this.kept = this.kept.filter(({ until }) => until > now)
    for (const kept of over) {
      this.forget(kept)
      this.noteUndelivered(kept)
    }
  }

  private noteUndelivered({ jid, ids, load }: Kept): void {
    const { connections, jobs, log } = this.parts
    const window = this.windowOf(load)
    try {
      const lost = ids.filter((id) => connections.lostFor(id) !== undefined && !this.hasReturned(jid, id))
      // a job that is not stored (`nocache`) gets no note: nothing would remove it
      if (lost.length === 0 || jobs.job(jid) === undefined) return
      for (const id of lost) {
        const lostFor = connections.lostFor(id)!
        // a minion that lost its connection later may have got the job
        const state = lostFor >= window * 1000 ? 'expired' : 'gone'
        const since = `not connected since ${new Date(Date.now() - lostFor).toISOString()}`
        const reason = state === 'gone' ? since : `${since}; the job was wanted for ${window} s`
        jobs.note(jid, { id, state, reason })
      }
    } catch (error) {
      log('error', `Cannot note which minions did not get job ${jid}: ${toError(error).message}`)
    }
  }
}

/** Whether the target of a job goes to minions as it was written: that of a user with rights on some minions never does. */
function isForAll(load: Dict): boolean {
  const rights = load.get('auth_list') ?? null
  return isList(rights) && rights.length === 0
}
