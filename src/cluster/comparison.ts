// Compares the job stores of the masters, to repair differences of any cause: each master regularly sends the count and
// a digest of the returns of some jobs, and a master with different ones answers with its ids. A return that one master
// lacks is appended to the log again by another, and every master takes it from there, in order and at most once. A
// difference counts only when it is seen twice, because returns may be in transit.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, isList, numberOf, str, type Value } from '../data/mod.ts'
import type { LogGap } from './cluster-log.ts'
import type { Listening, Nats } from './nats.ts'
import type { Seal } from './seal.ts'

/** Milliseconds between two stretches of jobs. */
const COMPARE_MS = 5000
/** Jobs and returns in a stretch. */
const MOST_JOBS = 100
const MOST_RETURNS = 20_000
/** Jobs of a stretch that are looked at more closely. */
const MOST_DIFFERENT = 10
/** Records, and their bytes, that a master appends for the others until the next stretch: live records come first. */
const MOST_RESTORED = 500
const MOST_RESTORED_BYTES = 8 << 20
/** Limit of differences that are remembered until they are seen again, and of reported ones. */
const MOST_SEEN = 10_000
/** A difference that is seen so often is reported as one that no repair removes. */
const LASTING = 64
/** Room for the seal and the frame of a message. */
const OVERHEAD = 4096

/** A job as it is compared. */
export interface ComparedJob {
  jid: string
  count: number
  digest: string
}

/** Jobs in the order of their ids, and the first and the last id for which the list is complete. */
export interface Stretch {
  first: string
  last: string
  jobs: ComparedJob[]
  /** Whether there are more jobs after these. */
  hasMore: boolean
}

export interface StretchLimits {
  /** Only jobs from this id on. */
  first: string
  /** Only jobs up to this id; undefined for all. */
  last?: string | undefined
  jobs: number
  returns: number
}

/** Records to append to the log of the cluster. */
export interface Restoration {
  jid: string
  /** The minions whose returns some master lacks. */
  ids: readonly string[]
  /** Whether some master lacks the job itself. */
  withJob: boolean
  /** Limit of the records' bytes. */
  bytes: number
}

/** The job store of a master as it is compared. */
export interface Comparable {
  /** Jobs that are neither too new nor too old by the clock of this master: the stretch may be shorter than requested. */
  stretch(limits: StretchLimits): Stretch
  /** The minions that returned; undefined when the job is not known. */
  idsOf(jid: string): string[] | undefined
  /** Append a job, or returns of one, to the log of the cluster; return how many returns, and the bytes of all records. */
  restore(restoration: Restoration): { count: number; bytes: number }
}

export interface ComparisonParts {
  nats: Pick<Nats, 'listen' | 'send' | 'server'>
  seal: Seal
  member: string
  subject: string
  comparable: Comparable
  log: Log
  /** Whether this master has everything that the log has. */
  isWell(): boolean
  onGap(gap: LogGap): void
}

const texts = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

/** A job that differs on another master. */
interface Difference {
  /** The digests of both sides. */
  state: string
  /** How often it was seen with these digests. */
  seen: number
}

function forgetOldest(known: Map<string, unknown> | Set<string>): void {
  for (const oldest of known.keys()) {
    if (known.size <= MOST_SEEN) break
    known.delete(oldest)
  }
}

export class Comparison {
  private readonly parts: ComparisonParts
  private readonly timer: NodeJS.Timeout
  private readonly listening: Listening
  /** The first id of the next stretch. */
  private next = ''
  /** By member and job. */
  private readonly differed = new Map<string, Difference>()
  /** Jobs requested or restored since the last round. */
  private readonly handled = new Set<string>()
  /** Gaps that were reported, by job and count: a repair that has no effect is tried again without another report. */
  private readonly reported = new Set<string>()
  private restored = 0
  private restoredBytes = 0

  constructor(parts: ComparisonParts) {
    this.parts = parts
    this.listening = parts.nats.listen(parts.subject, ({ data }) => this.guard(() => this.hear(data)))
    this.timer = setInterval(() => this.guard(() => this.begin()), COMPARE_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
    this.listening.unsubscribe()
  }

  /** A failing store, for example on a full disk, is compared another time. */
  private guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.parts.log('debug', `The job stores of the cluster were not compared: ${toError(error).message}`)
    }
  }

  private begin(): void {
    this.handled.clear()
    this.restored = 0
    this.restoredBytes = 0
    if (!this.parts.isWell()) return
    const limits = { first: this.next, jobs: MOST_JOBS, returns: MOST_RETURNS }
    const { first, last, jobs, hasMore } = this.parts.comparable.stretch(limits)
    const facts = jobs.map(({ jid, count, digest }) => [jid, count, digest])
    this.send('jobs', [
      ['first', first],
      ['last', last],
      ['jobs', facts],
    ])
    // a blank comes before all that may follow in a job id
    this.next = hasMore ? `${last} ` : ''
  }

  private send(what: string, fields: ReadonlyArray<readonly [string, Value]>): void {
    const { nats, seal, subject, member, log } = this.parts
    const message = new Map<Value, Value>([['what', what], ['from', member], ...fields])
    const bytes = seal.close(encodeMsgpack(message, 'bus'), subject)
    if (bytes.length <= nats.server.maxPayload - OVERHEAD) nats.send(subject, bytes)
    else log('warning', `The job stores of the cluster cannot be compared: ${bytes.length} bytes exceed max_payload`)
  }

  private hear(data: Uint8Array): void {
    const { seal, subject, member, isWell } = this.parts
    const message = decodeMsgpack(seal.open(data, subject), { dialect: 'bus' })
    if (!isDict(message) || message.get('from') === member || !isWell()) return
    const what = message.get('what')
    const from = str(message.get('from') ?? '')
    if (what === 'jobs') this.compare(from, message)
    else if (message.get('to') !== member) return
    else if (what === 'have') this.balance(from, message)
    else if (what === 'lack') this.restore(message)
    else if (what === 'given') this.tell(from, str(message.get('jid') ?? ''), numberOf(message.get('count') ?? 0) ?? 0)
  }

  /** Compare a stretch of another master with the same one here, as far as both lists are complete: clocks differ. */
  private compare(from: string, message: Dict): void {
    const { comparable } = this.parts
    const stated = message.get('jobs')
    if (stated === undefined || !isList(stated)) return
    const first = str(message.get('first') ?? '')
    const limits = { first, last: str(message.get('last') ?? ''), jobs: MOST_JOBS * 2, returns: MOST_RETURNS * 2 }
    const stretch = comparable.stretch(limits)
    const own = new Map(stretch.jobs.map(({ jid, count, digest }) => [jid, `${count} ${digest}`]))
    const theirs = new Map<string, string>()
    for (const each of stated.filter(isList).slice(0, MOST_JOBS)) {
      const [id = '', count = 0, digest = ''] = each
      const jid = str(id)
      if (jid >= stretch.first && jid <= stretch.last) theirs.set(jid, `${numberOf(count) ?? 0} ${str(digest)}`)
    }
    let requested = 0
    for (const jid of new Set([...theirs.keys(), ...own.keys()])) {
      if (!this.isDue(`${from} ${jid}`, theirs.get(jid), own.get(jid), requested < MOST_DIFFERENT)) continue
      requested++
      this.send('have', [
        ['to', from],
        ['jid', jid],
        ['ids', comparable.idsOf(jid) ?? null],
      ])
    }
    forgetOldest(this.differed)
  }

  /**
   * Whether the masters exchange the ids of a job now. Returns may be in transit when a difference is seen for the first
   * time. A difference that remains, for example because a record is too large for the log, is examined ever more seldom.
   */
  private isDue(key: string, theirs: string | undefined, own: string | undefined, isRoom: boolean): boolean {
    const state = `${theirs} ${own}`
    const before = this.differed.get(key)
    this.differed.delete(key)
    if (theirs === own) return false
    const seen = before?.state === state ? before.seen + 1 : 0
    const isTurn = seen > 0 && (seen & (seen - 1)) === 0
    // without room it stays the turn of this job
    this.differed.set(key, { state, seen: isTurn && !isRoom ? seen - 1 : seen })
    if (!isTurn || !isRoom) return false
    if (seen === LASTING) this.parts.log('warning', `The returns of a job still differ after repairs: ${key}`)
    return true
  }

  /**
   * Compare the minions with a return: request those that this master lacks, and append those that the other one lacks.
   */
  private balance(from: string, message: Dict): void {
    const jid = str(message.get('jid') ?? '')
    const theirs = message.get('ids') ?? null
    const own = this.parts.comparable.idsOf(jid)
    const [has, known] = [new Set(own), new Set(texts(theirs))]
    const extra = [...has].filter((id) => !known.has(id))
    const given = own && this.append(jid, extra, theirs === null)
    if (given !== undefined)
      this.send('given', [
        ['to', from],
        ['jid', jid],
        ['count', given],
      ])
    const lacking = [...known].filter((id) => !has.has(id))
    const lacksJob = own === undefined && theirs !== null
    if ((lacking.length === 0 && !lacksJob) || this.handled.has(`lack ${jid}`)) return
    this.tell(from, jid, lacking.length)
    this.send('lack', [
      ['to', from],
      ['jid', jid],
      ['ids', lacking],
      ['job', lacksJob],
    ])
  }

  /** Say that this master lacked a job or returns of one. */
  private tell(from: string, jid: string, count: number): void {
    if (this.handled.has(`lack ${jid}`)) return
    this.handled.add(`lack ${jid}`)
    const gap = `${jid} ${count}`
    if (this.reported.has(gap)) return
    this.reported.add(gap)
    forgetOldest(this.reported)
    const text = `This master lacked ${count} returns of job ${jid} or the job, which ${from} has: they are in the log of the cluster once more`
    this.parts.log('warning', text)
    this.parts.onGap({ isRepaired: true, count, text })
  }

  private restore(message: Dict): void {
    this.append(str(message.get('jid') ?? ''), texts(message.get('ids')), message.get('job') === true)
  }

  /** Append what was not appended a moment ago; return how many returns, or undefined for nothing. */
  private append(jid: string, ids: readonly string[], withJob: boolean): number | undefined {
    const bytes = MOST_RESTORED_BYTES - this.restoredBytes
    if (bytes <= 0) return undefined
    const fresh = ids.filter((id) => !this.handled.has(`${jid} ${id}`)).slice(0, MOST_RESTORED - this.restored)
    const isJobFresh = withJob && !this.handled.has(`job ${jid}`)
    if (fresh.length === 0 && !isJobFresh) return undefined
    for (const id of fresh) this.handled.add(`${jid} ${id}`)
    if (isJobFresh) this.handled.add(`job ${jid}`)
    const done = this.parts.comparable.restore({ jid, ids: fresh, withJob: isJobFresh, bytes })
    this.restored += done.count
    this.restoredBytes += done.bytes
    return done.count === 0 && !isJobFresh ? undefined : done.count
  }
}
