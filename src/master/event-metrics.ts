// Metrics that follow from the events of a master, by the names of Salt 3008: inside the master, and in `salt-api` beside it.
import type { Log } from '../base/mod.ts'
import { type BusEvent, isOwn } from '../bus/mod.ts'
import { type Dict, isList, truthy } from '../data/mod.ts'
import { boundariesOf, Counter, functionLabel, Histogram, type MetricFamily, OTHER } from '../telemetry/mod.ts'
import { RecentCount, RecentValues } from './recent.ts'

/** Jobs that are remembered, to measure how long returns take, and for how long. */
const MOST_JOBS = 10_000
const JOB_MS = 3_600_000

/** First parts of tags that minions and users may add to the labels. */
const MOST_FOREIGN_PREFIXES = 50
const PREFIX = /^[\w.-]{1,50}$/

/** The series of a function. */
interface OfFunction {
  succeeded: { count: number }
  failed: { count: number }
  observe(milliseconds: number): void
}

interface OpenJob extends OfFunction {
  at: number
  /** Minions that have not returned. */
  left: number
}

export class EventMetrics {
  private readonly published = new Counter('salt.jobs.published')
  private readonly completed = new Counter('salt.jobs.completed')
  private readonly attempts = new Counter('salt.auth.attempts')
  private readonly fired = new Counter('salt.events.fired')
  private readonly duration: Histogram
  private readonly jobs = new Map<string, OpenJob>()
  /** The series of functions that were published: a minion cannot add others to the labels. */
  private readonly functions = new Map<string, OfFunction>()
  private others: OfFunction | undefined
  private readonly prefixes = new Map<string, { count: number }>()
  private readonly otherPrefix: { count: number }
  private foreignPrefixes = 0
  private readonly hearsSignIns: boolean
  readonly recentJobs = new RecentCount()
  readonly recentReturns = new RecentCount()
  /** Milliseconds from publication to return. */
  readonly latencies = new RecentValues()

  /** `hearsSignIns`: count sign-ins by their events, if no other source reports them. */
  constructor(opts: Dict, log: Log, hearsSignIns: boolean) {
    this.hearsSignIns = hearsSignIns
    this.duration = new Histogram('salt.job.duration', boundariesOf(opts, 'salt.job.duration', log))
    this.otherPrefix = this.fired.at({ tag_prefix: OTHER })
  }

  get families(): MetricFamily[] {
    return [this.published, this.completed, this.attempts, this.fired, this.duration].map(({ family }) => family)
  }

  /** Jobs that some of their minions have not returned. */
  get open(): number {
    const oldest = performance.now() - JOB_MS
    for (const [jid, { at }] of this.jobs) {
      if (at >= oldest) break
      this.jobs.delete(jid)
    }
    return this.jobs.size
  }

  readonly hear = (event: BusEvent): void => {
    const { tag, fields } = event
    if (event.number === 0) return
    const [first = '', kind, jid = '', what] = tag.split('/', 4)
    this.prefixOf(event, first === 'salt' && kind !== undefined ? kind : first).count++
    // minions and users may not fire these tags
    if (first !== 'salt') return
    if (kind === 'auth' && this.hearsSignIns) this.signedIn(fields)
    else if (kind === 'job' && what === 'new') this.begin(jid, fields)
    else if (kind === 'job' && what === 'ret') this.end(jid, fields)
  }

  /** Count a sign-in by the data of its event. */
  signedIn(fields: Dict): void {
    this.attempts.add({ result: authResult(fields) })
  }

  private begin(jid: string, fields: Dict): void {
    const fun = functionLabel(fields.get('fun') ?? '')
    this.published.add({ fun })
    const now = performance.now()
    this.recentJobs.add(now)
    const minions = fields.get('minions') ?? null
    const series = this.functions.get(fun) ?? this.seriesOf(fun)
    if (this.functions.size < MOST_JOBS) this.functions.set(fun, series)
    this.jobs.set(jid, { ...series, at: now, left: isList(minions) ? minions.length : 1 })
    if (this.jobs.size > MOST_JOBS) this.jobs.delete(this.jobs.keys().next().value!)
  }

  private end(jid: string, fields: Dict): void {
    const now = performance.now()
    const job = this.jobs.get(jid)
    const series = job ?? this.knownFunction(fields)
    series[truthy(fields.get('success') ?? true) ? 'succeeded' : 'failed'].count++
    this.recentReturns.add(now)
    if (!job) return
    job.observe(now - job.at)
    this.latencies.add(now - job.at)
    if (--job.left <= 0) this.jobs.delete(jid)
  }

  private seriesOf(fun: string): OfFunction {
    return {
      succeeded: this.completed.at({ fun, success: 'true' }),
      failed: this.completed.at({ fun, success: 'false' }),
      observe: this.duration.at({ fun }),
    }
  }

  /** The series of a return without a known job, such as of a call on the minion itself. */
  private knownFunction(fields: Dict): OfFunction {
    const known = this.functions.get(functionLabel(fields.get('fun') ?? ''))
    if (known) return known
    this.others ??= this.seriesOf(OTHER)
    return this.others
  }

  /** Return the series of a prefix: the first part of a tag that is not `salt`. */
  private prefixOf({ origin }: BusEvent, prefix: string): { count: number } {
    const known = this.prefixes.get(prefix)
    if (known) return known
    if (!PREFIX.test(prefix)) return this.otherPrefix
    if (!isOwn(origin) && this.foreignPrefixes++ >= MOST_FOREIGN_PREFIXES) return this.otherPrefix
    const series = this.fired.at({ tag_prefix: prefix })
    // beyond the bound, all prefixes share one series, and need not be remembered
    if (series !== this.otherPrefix) this.prefixes.set(prefix, series)
    return series
  }
}

/** Return the result of a sign-in in the words of Salt's counter. */
function authResult(fields: Dict): string {
  const act = fields.get('act')
  if (act === 'full') return 'max_minions'
  if (act === 'reject' || act === 'denied') return 'rejected'
  return truthy(fields.get('result') ?? false) ? 'success' : 'error'
}
