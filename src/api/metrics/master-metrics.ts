// Numbers about the master, by the names of Salt 3008: they follow from its events.
import { readdirSync } from 'node:fs'
import type { BusEvent } from '../../bus/mod.ts'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import { connectedMinions } from '../../match/mod.ts'
import type { ApiMaster } from '../master.ts'
import { Asked, Counter, type Family, Histogram } from './families.ts'

const DURATIONS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000]

/** Jobs whose begin is remembered, to measure how long returns take. */
const MOST_JOBS = 10_000

/** Milliseconds for which the count of connected minions holds: it reads what is known of all minions. */
const CONNECTED_MS = 15_000

export class MasterMetrics {
  private readonly published = new Counter('salt_jobs_published_total', 'Jobs published from the master to minions.')
  private readonly completed = new Counter('salt_jobs_completed_total', 'Returns received from minions.')
  private readonly attempts = new Counter('salt_auth_attempts_total', 'Minion authentication attempts.')
  private readonly fired = new Counter('salt_events_fired_total', 'Events placed on the salt event bus.')
  private readonly duration: Histogram
  private readonly began = new Map<string, number>()
  private readonly stop: () => void
  private readonly master: Pick<ApiMaster, 'events' | 'access'>
  private connected = { count: 0, at: Number.NEGATIVE_INFINITY }

  constructor(master: Pick<ApiMaster, 'events' | 'access'>, settings: Dict) {
    this.master = master
    this.duration = new Histogram(
      'salt_job_duration_milliseconds',
      'Time from the publication of a job to each return.',
      boundaries(settings, 'salt.job.duration') ?? DURATIONS,
    )
    this.stop = master.events.listen((event) => this.hear(event))
  }

  get families(): Family[] {
    return [
      this.published,
      this.completed,
      this.attempts,
      this.fired,
      this.duration,
      new Asked(
        'gauge',
        'salt_master_connected_minions_count',
        'Number of minions the master currently considers connected.',
        () => this.connectedMinions(),
      ),
      new Asked(
        'gauge',
        'salt_process_open_fds',
        'Open file descriptor count for the current process.',
        openDescriptors,
      ),
    ]
  }

  close(): void {
    this.stop()
  }

  private connectedMinions(): number {
    const now = performance.now()
    if (now - this.connected.at > CONNECTED_MS) {
      const { opts, stores } = this.master.access
      this.connected = { count: connectedMinions({ opts, cache: stores.cache }).size, at: now }
    }
    return this.connected.count
  }

  private hear({ tag, fields, number }: BusEvent): void {
    if (number === 0) return
    this.fired.add({ tag_prefix: tagPrefix(tag) })
    // minions and users may fire none of these tags
    if (!tag.startsWith('salt/')) return
    const [, kind, jid = '', what] = tag.split('/')
    if (kind === 'auth') this.attempts.add({ result: authResult(fields) })
    else if (kind === 'job' && what === 'new') this.begin(jid, fields)
    else if (kind === 'job' && what === 'ret') this.end(jid, fields)
  }

  private begin(jid: string, fields: Dict): void {
    this.published.add({ fun: funText(fields) })
    this.began.set(jid, performance.now())
    if (this.began.size > MOST_JOBS) this.began.delete(this.began.keys().next().value!)
  }

  private end(jid: string, fields: Dict): void {
    const fun = funText(fields)
    this.completed.add({ fun, success: String(truthy(fields.get('success') ?? true)) })
    const began = this.began.get(jid)
    if (began !== undefined) this.duration.observe(performance.now() - began, { fun })
  }
}

/** The first part of a tag that is not `salt`. */
function tagPrefix(tag: string): string {
  const [first = '', second] = tag.replace(/^\/+|\/+$/g, '').split('/')
  return (first === 'salt' && second !== undefined ? second : first) || 'other'
}

function funText(fields: Dict): string {
  const fun = fields.get('fun') ?? ''
  return isList(fun) ? fun.map(str).join(',') : str(fun)
}

/** What became of an attempt, in the words of Salt's counter. */
function authResult(fields: Dict): string {
  const act = fields.get('act')
  if (act === 'full') return 'max_minions'
  if (act === 'reject' || act === 'denied') return 'rejected'
  return truthy(fields.get('result') ?? false) ? 'success' : 'error'
}

/** Return the boundaries that the options set for a histogram. */
function boundaries(settings: Dict, name: string): number[] | undefined {
  const all = settings.get('histogram_boundaries') ?? null
  const given: Value = isDict(all) ? (all.get(name) ?? null) : null
  if (!isList(given)) return undefined
  const numbers = given.map(numberOf)
  return numbers.every((number) => number !== undefined) && numbers.length > 0 ? (numbers as number[]) : undefined
}

function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    // systems without /proc do not tell
    return undefined
  }
}
