// The schedule of a daemon: jobs of its options and of its pillar, looked at every second. Jobs that a user adds are
// written to the configuration; when each job is due next is kept on disk, so that a restart does not lose it.
import { guarded, type Log, type LogLevel, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, deepCopy, float, isDict, numberOf, str, truthy, type Value } from '../data/mod.ts'
import { type DueRules, freshTimes, functionOf, intervalOf, look, scheduleText, settle, type Times } from './due.ts'
import { ignoredIn } from './ignored.ts'
import { datetimeOf } from './moments.ts'

/** Names in a schedule that are no jobs. */
const SETTINGS = new Set(['enabled', 'skip_function', 'skip_during_range', 'splay'])
const JOB_LIMIT = 1

export interface ScheduleKeeper {
  /** Write the jobs that do not come from the pillar. */
  save(jobs: Dict): void
  /** When each job is due, from an earlier life. */
  remembered(): ReadonlyMap<string, number>
  remember(next: ReadonlyMap<string, number>): void
}

export interface ScheduleOptions {
  opts: Dict
  log: Log
  keeper: ScheduleKeeper
  /** Return how many runs of a job are active. */
  running(name: string): number
  /** Begins a run. */
  run(fun: string, job: Dict, jid?: string): void
  now?: () => number
  random?: () => number
}

const dictIn = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())

export class Schedule {
  private readonly options: ScheduleOptions
  private readonly now: () => number
  private readonly times = new Map<string, Times>()
  private readonly complained = new Map<string, string>()
  private timer: NodeJS.Timeout | undefined
  private written = ''

  constructor(options: ScheduleOptions) {
    this.options = options
    this.now = options.now ?? Date.now
    if (!(options.opts.get('schedule') instanceof Map)) options.opts.set('schedule', new Map())
    for (const [name, next] of options.keeper.remembered()) this.times.set(name, { ...freshTimes(), next })
    this.dropMissed()
  }

  /** Start polling the jobs. */
  start(): void {
    this.timer ??= setInterval(
      guarded(this.options.log, 'Looking at scheduled jobs', () => this.look()),
      this.loop,
    )
    this.look()
  }

  stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** The jobs of the options. */
  get own(): Dict {
    return dictIn(this.options.opts.get('schedule'))
  }

  get ofPillar(): Dict {
    return dictIn(dictIn(this.options.opts.get('pillar')).get('schedule'))
  }

  get all(): Dict {
    return new Map([...this.ofPillar, ...this.own])
  }

  timesOf(name: string): Times {
    let times = this.times.get(name)
    if (!times) this.times.set(name, (times = freshTimes()))
    return times
  }

  /** Reset the times of a job. */
  forget(name?: string): void {
    if (name === undefined) this.times.clear()
    else this.times.delete(name)
  }

  /** Return a job with its state in the scheduler. */
  status(name: string): Dict {
    const job = this.all.get(name) ?? null
    if (!isDict(job)) return new Map()
    const shown = new Map(job)
    const { next, lastRun, splayed, atStart, error, skipped } = this.timesOf(name)
    const time = (moment: number | null): Value => (moment === null ? null : datetimeOf(moment))
    shown.set('name', job.get('name') ?? name)
    shown
      .set('_next_fire_time', time(next))
      .set('_splay', time(splayed))
      .set('_run_on_start', atStart ?? null)
    const interval = intervalOf(job)
    if (interval !== undefined) shown.set('_seconds', interval)
    shown.set('splay', job.get('splay') ?? null)
    if (lastRun !== null) shown.set('run', true).set('_last_run', time(lastRun))
    if (error !== null) shown.set('_error', error)
    if (skipped) {
      shown.set('_skip_reason', skipped.reason).set('_skipped', true).set('_skipped_time', time(skipped.time))
    }
    return shown
  }

  /** Return all jobs with their times, in seconds since 1970: `name`, `fun`, `when`, `enabled`, `last_run` and `next_run`. */
  summary(): Dict[] {
    const { all } = this
    const isOn = truthy(all.get('enabled') ?? true)
    return [...all].flatMap(([name, job]) => {
      if (SETTINGS.has(str(name)) || !isDict(job)) return []
      const { next, splayed, lastRun } = this.timesOf(str(name))
      const seconds = (moment: number | null): Value => (moment === null ? null : float(moment / 1000))
      const isEnabled = isOn && truthy(job.get('enabled') ?? true)
      return [
        new Map<Value, Value>([['name', str(name)]])
          .set('fun', functionOf(job) ?? '')
          .set('when', scheduleText(job))
          .set('enabled', isEnabled)
          .set('last_run', seconds(lastRun))
          .set('next_run', isEnabled ? seconds(splayed ?? next) : null),
      ]
    })
  }

  /** The daemon ended during a run of this job. Return whether it runs again, as the option `run_missed` of the job says. */
  brokeOff(name: string): boolean {
    const job = this.all.get(name) ?? null
    const isAgain = isDict(job) && truthy(job.get('run_missed') ?? false)
    if (isAgain) this.timesOf(name).atStart = true
    return isAgain
  }

  /** Another daemon started this job: its interval begins anew. */
  ranElsewhere(name: string, time: number): void {
    const job = this.all.get(name) ?? null
    const interval = isDict(job) ? intervalOf(job) : undefined
    if (interval === undefined) return
    Object.assign(this.timesOf(name), { next: time + interval * 1000, splayed: null, lastRun: time, atStart: false })
  }

  /** Return the time for which the run of a job that begins now was planned; null for one that has no such time. */
  momentOf(name: string): number | null {
    const { next } = this.timesOf(name)
    return next !== null && next <= this.now() ? next : null
  }

  /** Runs a job now, unless too many of it run. */
  runNow(name: string): void {
    const job = this.all.get(name) ?? null
    if (isDict(job) && this.hasRoom(name, job)) this.begin(name, job)
  }

  save(): void {
    const plain = [...this.own].map(([name, job]) => [name, isDict(job) ? withoutMarks(job) : job] as const)
    this.options.keeper.save(new Map(plain))
  }

  /** Poll every job once. */
  look(): void {
    const now = this.now()
    const jobs = this.all
    const rules = this.rules(jobs)
    for (const [name, job] of jobs) {
      if (SETTINGS.has(str(name))) continue
      try {
        if (isDict(job)) this.lookAt(str(name), job, now, rules)
        else this.complain(str(name), `Scheduled job "${str(name)}" should have a dict value`)
      } catch (error) {
        this.complain(str(name), `Exception ${toError(error).message} occurred in scheduled job`)
      }
    }
    for (const name of this.times.keys()) if (!jobs.has(name)) this.times.delete(name)
    this.remember()
  }

  private get loop(): number {
    return (option(this.options.opts, 'loop_interval') || 1) * 1000
  }

  private rules(jobs: Dict): DueRules {
    const { opts, random = Math.random } = this.options
    const whens = ['pillar', 'grains'].map((source) => dictIn(opts.get(source)).get('whens') ?? null)
    return {
      loop: this.loop,
      enabled: truthy(jobs.get('enabled') ?? true),
      splay: jobs.get('splay') ?? null,
      skipFunction: jobs.get('skip_function') ?? null,
      skipDuringRange: jobs.get('skip_during_range') ?? null,
      whens,
      random,
    }
  }

  private lookAt(name: string, job: Dict, now: number, rules: DueRules): void {
    if (!job.has('name')) job.set('name', name)
    const ignored = ignoredIn(name, job)
    if (ignored !== undefined) this.complain(name, ignored, 'warning')
    const times = this.timesOf(name)
    const interval = intervalOf(job)
    // its interval became shorter
    if (interval !== undefined && times.next !== null && times.next > now + interval * 1000) times.next = null
    const { run, instead } = look(name, job, times, now, rules)
    if (times.error !== null) return this.complain(name, times.error)
    // as in Salt a job shows these from its first run on
    if (run && truthy(job.get('jid_include') ?? true)) {
      job.set('jid_include', true)
      if (!job.has('maxrunning')) job.set('maxrunning', JOB_LIMIT)
    }
    const runs = run && this.hasRoom(name, job, now)
    if (runs) this.begin(name, job, instead)
    settle(job, times, now, runs)
  }

  private hasRoom(name: string, job: Dict, now: number = this.now()): boolean {
    if (!truthy(job.get('jid_include') ?? true)) return true
    const most = numberOf(job.get('maxrunning') ?? JOB_LIMIT) ?? JOB_LIMIT
    const running = this.options.running(name)
    if (running === 0 || running < most) return true
    this.timesOf(name).skipped = { reason: 'maxrunning', time: now }
    return false
  }

  private begin(name: string, job: Dict, instead?: string): void {
    const fun = instead ?? functionOf(job)
    if (fun === undefined) return this.complain(name, `Scheduled job ${name} names no function`)
    if (truthy(job.get('dry_run') ?? false)) return
    this.options.run(fun, deepCopy(job) as Dict)
  }

  /** Log a problem with a job once, not at each poll. */
  private complain(name: string, text: string, level: LogLevel = 'error'): void {
    const key = `${level} ${name}`
    if (this.complained.get(key) === text) return
    this.complained.set(key, text)
    this.options.log(level, text)
  }

  /** A job that was due while the scheduler did not run is started only with `run_missed`. */
  private dropMissed(): void {
    const jobs = this.all
    for (const [name, times] of this.times) {
      const job = jobs.get(name) ?? null
      if (!isDict(job) || times.next === null || times.next > this.now()) continue
      if (truthy(job.get('run_missed') ?? false)) times.atStart = true
      else times.next = null
    }
  }

  private remember(): void {
    const next = new Map<string, number>()
    for (const [name, times] of this.times) if (times.next !== null) next.set(name, times.next)
    const text = JSON.stringify([...next])
    if (text === this.written) return
    this.written = text
    this.options.keeper.remember(next)
  }
}

const withoutMarks = (job: Dict): Dict => new Map([...job].filter(([key]) => !str(key).startsWith('_')))
