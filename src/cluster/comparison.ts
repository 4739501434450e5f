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
/** Records that a master appends for the others until the next stretch. */
const MOST_RESTORED = 500
/** Limit of differences that are remembered until they are seen again. */
const MOST_SEEN = 10_000
/** Room for the seal and the frame of a message. */
const OVERHEAD = 4096

/** A job as it is compared. */
export interface ComparedJob {
  jid: string
  count: number
  digest: string
}

/** Jobs in the order of their ids. */
export interface Stretch {
  jobs: ComparedJob[]
  /** Whether there are more jobs after these. */
  hasMore: boolean
}

export interface StretchLimits {
  /** Only jobs with a later id. */
  after: string
  /** Only jobs up to this id; undefined for all. */
  until?: string | undefined
  jobs: number
  returns: number
}

/** The job store of a master as it is compared. */
export interface Comparable {
  /** Jobs that are neither too new nor too old. */
  stretch(limits: StretchLimits): Stretch
  /** The minions that returned; undefined when the job is not known. */
  idsOf(jid: string): string[] | undefined
  /** Append a job, or returns of one, to the log of the cluster. */
  restore(jid: string, ids: readonly string[], withJob: boolean): void
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

export class Comparison {
  private readonly parts: ComparisonParts
  private readonly timer: NodeJS.Timeout
  private readonly listening: Listening
  private after = ''
  /** The digests of both sides when a job last differed, by member and job. */
  private readonly differed = new Map<string, string>()
  /** Jobs requested or restored since the last round. */
  private readonly handled = new Set<string>()
  private restored = 0

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
    if (!this.parts.isWell()) return
    const limits = { after: this.after, jobs: MOST_JOBS, returns: MOST_RETURNS }
    const { jobs, hasMore } = this.parts.comparable.stretch(limits)
    const until = hasMore ? jobs.at(-1)!.jid : undefined
    const facts = jobs.map(({ jid, count, digest }) => [jid, count, digest])
    this.send('jobs', [
      ['after', this.after],
      ['until', until ?? null],
      ['jobs', facts],
    ])
    this.after = until ?? ''
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

  /** Compare a stretch of another master with the same one here. */
  private compare(from: string, message: Dict): void {
    const { comparable } = this.parts
    const after = str(message.get('after') ?? '')
    const until = message.get('until') ?? null
    const stated = message.get('jobs')
    if (stated === undefined || !isList(stated)) return
    const theirs = new Map<string, string>()
    for (const each of stated.filter(isList).slice(0, MOST_JOBS)) {
      const [jid = '', count = 0, digest = ''] = each
      theirs.set(str(jid), `${numberOf(count) ?? 0} ${str(digest)}`)
    }
    const last = until === null ? undefined : str(until)
    const stretch = comparable.stretch({ after, until: last, jobs: MOST_JOBS * 2, returns: MOST_RETURNS * 2 })
    const own = new Map(stretch.jobs.map(({ jid, count, digest }) => [jid, `${count} ${digest}`]))
    // a master that has far more than the other one looks at the rest when these are the same
    const end = stretch.hasMore ? stretch.jobs.at(-1)!.jid : undefined
    for (const jid of theirs.keys()) if (end !== undefined && jid > end) theirs.delete(jid)
    let different = 0
    for (const jid of new Set([...theirs.keys(), ...own.keys()])) {
      const key = `${from} ${jid}`
      const state = `${theirs.get(jid)} ${own.get(jid)}`
      const isSame = theirs.get(jid) === own.get(jid)
      const isOld = this.differed.get(key) === state
      this.differed.delete(key)
      if (isSame) continue
      this.differed.set(key, state)
      if (!isOld || different++ >= MOST_DIFFERENT) continue
      this.send('have', [
        ['to', from],
        ['jid', jid],
        ['ids', comparable.idsOf(jid) ?? null],
      ])
    }
    for (const [oldest] of this.differed) {
      if (this.differed.size <= MOST_SEEN) break
      this.differed.delete(oldest)
    }
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
    const text = `This master lacked ${count} returns of job ${jid} or the job, which ${from} has: they are in the log of the cluster once more`
    this.parts.log('warning', text)
    this.parts.onGap({ isRepaired: true, count, text })
  }

  private restore(message: Dict): void {
    this.append(str(message.get('jid') ?? ''), texts(message.get('ids')), message.get('job') === true)
  }

  /** Append what was not appended a moment ago; return how many returns, or undefined for nothing. */
  private append(jid: string, ids: readonly string[], withJob: boolean): number | undefined {
    const fresh = ids.filter((id) => !this.handled.has(`${jid} ${id}`)).slice(0, MOST_RESTORED - this.restored)
    const isJobFresh = withJob && !this.handled.has(`job ${jid}`)
    if (fresh.length === 0 && !isJobFresh) return undefined
    for (const id of fresh) this.handled.add(`${jid} ${id}`)
    if (isJobFresh) this.handled.add(`job ${jid}`)
    this.restored += fresh.length
    this.parts.comparable.restore(jid, fresh, isJobFresh)
    return fresh.length
  }
}
