// Decides whether a job is due, from its settings, its remembered times and the current time. Pure code; the caller
// passes the time.
import { Cron } from 'croner'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../data/mod.ts'
import { formattedMoment, momentOf } from './moments.ts'

const FORMAT = '%Y-%m-%dT%H:%M:%S'
const UNITS: ReadonlyArray<[string, number]> = [
  ['seconds', 1],
  ['minutes', 60],
  ['hours', 3600],
  ['days', 86_400],
]
const KINDS = ['once', 'when', 'cron'] as const

/** The remembered times of a job between two polls. */
export interface Times {
  /** When it is due next. */
  next: number | null
  /** The time of the run with splay. */
  splayed: number | null
  /** Whether it runs at the first look; undefined before it. */
  atStart: boolean | undefined
  lastRun: number | null
  /** The moment of `when` or `once` that was seen last, so that it does not fire twice. */
  fired: number | null
  /** The time of the run after `skip_during_range`, for `run_after_skip_range`. */
  resume: number | null
  error: string | null
  skipped: { reason: string; time: number } | null
}

export const freshTimes = (): Times => ({
  next: null,
  splayed: null,
  atStart: undefined,
  lastRun: null,
  fired: null,
  resume: null,
  error: null,
  skipped: null,
})

/** Settings for all jobs. */
export interface DueRules {
  /** Milliseconds between two looks. */
  loop: number
  enabled: boolean
  splay: Value
  skipFunction: Value
  skipDuringRange: Value
  /** Names for times, of the pillar and of the grains. */
  whens: ReadonlyArray<Value>
  random(): number
}

export interface DueVerdict {
  run: boolean
  /** Runs instead of the job's own function. */
  instead?: string
}

const IDLE: DueVerdict = { run: false }

export const functionOf = (job: Dict): string | undefined => {
  const name = job.get('function') ?? job.get('func') ?? job.get('fun') ?? null
  return name === null ? undefined : str(name)
}

/** A number, or text that is one. */
function countOf(value: Value): number | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined
  if (text !== undefined) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
  return numberOf(value)
}

/** Seconds between runs, or undefined for a job of another kind. */
export function intervalOf(job: Dict): number | undefined {
  if (!UNITS.some(([unit]) => job.has(unit))) return undefined
  return UNITS.reduce((sum, [unit, length]) => sum + (countOf(job.get(unit) ?? 0) ?? 0) * length, 0)
}

/** Decide whether a job runs now, and update its remembered times. */
export function look(name: string, job: Dict, times: Times, now: number, rules: DueRules): DueVerdict {
  times.error = null
  times.skipped = null
  const problem = faultOf(name, job)
  if (problem !== undefined) return fail(times, problem)
  const interval = intervalOf(job)
  times.atStart ??= truthy(job.get('run_on_start') ?? interval !== undefined)
  const explicit = explicitMoment(job, now, rules)
  if (explicit !== undefined) times.next = explicit
  const resumes = times.resume !== null && times.resume <= now
  if (resumes) times.resume = null
  const due = explicit !== undefined || resumes || isDue(name, job, times, now, rules)
  if (times.error !== null) return IDLE
  let verdict: DueVerdict = { run: due }
  if (times.atStart) {
    verdict = { run: true }
    times.atStart = false
  } else if (due) verdict = restricted(name, job, times, now, rules)
  if (times.error !== null) return IDLE
  if (!rules.enabled || !truthy(job.get('enabled') ?? true)) {
    times.skipped = { reason: 'disabled', time: now }
    verdict = IDLE
  }
  return verdict
}

/** After the look: when the job is due next. */
export function settle(job: Dict, times: Times, now: number, ran: boolean): void {
  const interval = intervalOf(job)
  if (ran) {
    times.lastRun = now
    times.splayed = null
    if (job.has('cron')) times.next = null
  }
  const isPast = times.next !== null && times.next <= now
  if (interval !== undefined && (ran || (times.skipped !== null && isPast))) {
    times.next = now + interval * 1000
    times.splayed = null
  } else if (job.has('cron') && times.skipped !== null && isPast) times.next = null
}

function fail(times: Times, error: string): DueVerdict {
  times.error = error
  return IDLE
}

/** Return in words when a job runs. */
export function scheduleText(job: Dict): string {
  const interval = intervalOf(job)
  if (interval !== undefined) return `every ${interval} seconds`
  const kind = KINDS.find((name) => job.has(name))
  if (kind === undefined) return truthy(job.get('run_on_start') ?? false) ? 'at the start' : 'never'
  const value = job.get(kind)!
  const text = isList(value) ? value.map(str).join(', ') : str(value)
  return kind === 'when' ? text : `${kind} ${text}`
}

/** Return the reason why a job cannot run. As in Salt, an interval overrides `when`, `cron` and `once`. */
function faultOf(name: string, job: Dict): string | undefined {
  const kinds = KINDS.filter((kind) => job.has(kind))
  if (kinds.length > 1) return 'Unable to use "when", "cron", "once" options together. Ignoring.'
  const [unit] = UNITS.find(([unit]) => job.has(unit) && countOf(job.get(unit)!) === undefined) ?? []
  return unit && `Invalid number of ${unit}: ${str(job.get(unit)!)}. Ignoring job ${name}.`
}

const secondOf = (moment: number): number => Math.floor(moment / 1000)

function isDue(name: string, job: Dict, times: Times, now: number, rules: DueRules): boolean {
  const interval = intervalOf(job)
  if (interval !== undefined) times.next ??= now + interval * 1000
  else if (job.has('cron')) times.next ??= cronMoment(name, job, times, now)
  else if (job.has('once') || job.has('when')) return pointIsDue(name, job, times, now, rules)
  else return false
  if (times.next === null) return false
  return splayedIsDue(job, times, now, rules, secondOf(times.next) <= secondOf(now))
}

function splayedIsDue(job: Dict, times: Times, now: number, rules: DueRules, due: boolean): boolean {
  const splay = job.get('splay') ?? rules.splay
  if (!truthy(splay)) return due
  if (times.splayed === null) {
    const seconds = splaySeconds(splay, rules)
    if (seconds === undefined) return due
    if (now >= times.next! + seconds * 1000) return true
    times.splayed = times.next! + seconds * 1000
  }
  return times.splayed <= now
}

function splaySeconds(splay: Value, { random }: DueRules): number | undefined {
  const [start, end] = isDict(splay)
    ? [numberOf(splay.get('start') ?? 0) ?? 0, numberOf(splay.get('end') ?? 0) ?? 0]
    : [1, numberOf(splay) ?? 1]
  return end < start ? undefined : start + Math.floor(random() * (end - start + 1))
}

function cronMoment(name: string, job: Dict, times: Times, now: number): number | null {
  const fields = str(job.get('cron')!).trim().split(/\s+/)
  // in Salt, the seconds are the last field, in croner the first
  const pattern = fields.length === 6 ? [fields[5], ...fields.slice(0, 5)] : fields
  try {
    return new Cron(pattern.join(' '), { paused: true }).nextRun(new Date(now))?.getTime() ?? null
  } catch {
    times.error = `Invalid cron string. Ignoring job ${name}.`
    return null
  }
}

/** `once` and `when`: each point in time fires once, unless it is long past. */
function pointIsDue(name: string, job: Dict, times: Times, now: number, rules: DueRules): boolean {
  const moments = job.has('once') ? onceMoment(name, job, times) : whenMoments(name, job, times, now, rules)
  if (moments === undefined) return false
  if (times.splayed !== null) return times.splayed <= now
  const coming = moments.filter((moment) => moment >= now - rules.loop && moment !== times.fired)
  times.next = coming[0] ?? null
  if (times.next === null || times.next > now) return false
  times.fired = times.next
  return splayedIsDue(job, times, now, rules, true)
}

function onceMoment(name: string, job: Dict, times: Times): number[] | undefined {
  const format = str(job.get('once_fmt') ?? FORMAT)
  const once = job.get('once')!
  const moment = formattedMoment(once, format)
  if (moment !== undefined) return [moment]
  times.error = `Date string could not be parsed: ${str(once)}, ${format}. Ignoring job ${name}.`
  return undefined
}

function whenMoments(name: string, job: Dict, times: Times, now: number, rules: DueRules): number[] | undefined {
  const when = job.get('when')!
  const moments: number[] = []
  for (const written of isList(when) ? [...when] : [when]) {
    const named = rules.whens.find((names) => isDict(names) && names.has(written)) as Dict | undefined
    const moment = momentOf(named?.get(written) ?? written, now)
    if (moment === undefined) {
      times.error = `Invalid date string ${str(written)}. Ignoring job ${name}.`
      return undefined
    }
    moments.push(moment)
  }
  return moments.sort((one, other) => one - other)
}

/** A moment of `run_explicit` that is now. */
function explicitMoment(job: Dict, now: number, { loop }: DueRules): number | undefined {
  return explicit(job, 'run_explicit').find((moment) => moment <= now && now < moment + loop)
}

function explicit(job: Dict, option: string): number[] {
  const list = job.get(option) ?? null
  if (!isList(list)) return []
  const moments = [...list].map((item) =>
    isDict(item)
      ? formattedMoment(item.get('time') ?? null, str(item.get('time_fmt') ?? FORMAT))
      : formattedMoment(item, FORMAT),
  )
  return moments.filter((moment) => moment !== undefined)
}

/** A job that is due may still be kept from running, or have another function run in its place. */
function restricted(name: string, job: Dict, times: Times, now: number, rules: DueRules): DueVerdict {
  const instead = truthy(rules.skipFunction) ? str(rules.skipFunction) : undefined
  const skip = (reason: string, counts = true): DueVerdict => {
    if (instead !== undefined) return { run: true, instead }
    if (counts) times.skipped = { reason, time: now }
    return IDLE
  }
  const range = job.get('range') ?? null
  if (range !== null) {
    const span = spanOf(range, now, times, { name, label: '' })
    if (span === undefined) return IDLE
    if (truthy((range as Dict).get('invert') ?? false)) {
      if (span.start < now && now < span.end) return IDLE
    } else if (now < span.start || span.end < now) return skip('not_in_range', false)
  }
  const skipRange = job.get('skip_during_range') ?? rules.skipDuringRange
  if (truthy(skipRange)) {
    const span = spanOf(skipRange, now, times, { name, label: ' in skip_during_range' })
    if (span === undefined) return IDLE
    if (span.start <= now && now <= span.end) {
      if (truthy(job.get('run_after_skip_range') ?? false)) times.resume = span.end + rules.loop
      return skip('in_skip_range')
    }
  }
  if (explicit(job, 'skip_explicit').some((moment) => moment <= now && now <= moment + rules.loop)) {
    return skip('skip_explicit')
  }
  return bounded(name, job, times, now)
}

/** `until` and `after`. */
function bounded(name: string, job: Dict, times: Times, now: number): DueVerdict {
  const momentIn = (option: string): number | undefined => {
    const moment = job.has(option) ? momentOf(job.get(option)!, now) : undefined
    if (moment === undefined && job.has(option)) {
      times.error = `Invalid date string for ${option}: ${str(job.get(option)!)}. Ignoring job ${name}.`
    }
    return moment
  }
  const [until, after] = [momentIn('until'), momentIn('after')]
  const reason =
    until !== undefined && until <= now
      ? 'until_passed'
      : after !== undefined && after >= now
        ? 'after_not_passed'
        : undefined
  if (reason === undefined) return { run: true }
  times.skipped = { reason, time: now }
  return IDLE
}

/** The bounds of a range; undefined, with the error noted, when it is none. */
function spanOf(
  range: Value,
  now: number,
  times: Times,
  { name, label }: { name: string; label: string },
): { start: number; end: number } | undefined {
  const bad = (text: string): undefined => {
    times.error = text
  }
  if (!isDict(range)) {
    const gap = label === '' ? '' : ' '
    return bad(`schedule.handle_func: Invalid, range must be specified as a dictionary.${gap}Ignoring job ${name}.`)
  }
  const start = momentOf(range.get('start') ?? null, now)
  if (start === undefined) return bad(`Invalid date string for start${label}. Ignoring job ${name}.`)
  const end = momentOf(range.get('end') ?? null, now)
  if (end === undefined) return bad(`Invalid date string for end${label}. Ignoring job ${name}.`)
  if (end <= start) {
    return bad(`schedule.handle_func: Invalid range, end must be larger than start. Ignoring job ${name}.`)
  }
  return { start, end }
}
