// Numbers about the master, by the names of Salt 3008: they follow from its events.
import { readdirSync } from 'node:fs'
import type { BusEvent } from '../../bus/mod.ts'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import { connectedMinions } from '../../match/mod.ts'
import type { ApiMaster } from '../master.ts'
import { asked, Counter, type Family, Histogram } from './families.ts'

const DURATIONS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000]

/** Jobs whose begin is remembered, to measure how long returns take. */
const MOST_JOBS = 10_000

/** Milliseconds for which the count of connected minions holds: it reads what is known of all minions. */
const CONNECTED_MS = 15_000

type MeteredMaster = Pick<ApiMaster, 'events' | 'access' | 'meter'>

export class MasterMetrics {
  private readonly published = new Counter('salt.jobs.published', 'Jobs published from the master to minions.')
  private readonly completed = new Counter('salt.jobs.completed', 'Returns received from minions.')
  private readonly attempts = new Counter('salt.auth.attempts', 'Minion authentication attempts.')
  private readonly fired = new Counter('salt.events.fired', 'Events placed on the salt event bus.')
  private readonly duration: Histogram
  private readonly began = new Map<string, number>()
  private readonly handled = new Counter('salt.master.requests.handled', 'Requests handled by the master.')
  private readonly handling: Histogram
  private readonly stops: Array<() => void>
  private readonly master: MeteredMaster
  private connected = { count: 0, at: Number.NEGATIVE_INFINITY }

  constructor(master: MeteredMaster, settings: Dict) {
    this.master = master
    this.duration = new Histogram(
      'salt.job.duration',
      'Time from the publication of a job to each return.',
      'ms',
      boundaries(settings, 'salt.job.duration') ?? DURATIONS,
    )
    this.handling = new Histogram(
      'salt.master.requests.duration',
      'Time to answer a request of a minion or a program.',
      'ms',
      boundaries(settings, 'salt.master.requests.duration') ?? DURATIONS,
    )
    this.stops = [master.events.listen((event) => this.hear(event))]
    if (master.meter) this.stops.push(master.meter.listen((cmd, ms) => this.answered(cmd, ms)))
  }

  get families(): Family[] {
    return [
      this.published,
      this.completed,
      this.attempts,
      this.fired,
      this.duration,
      this.handled,
      this.handling,
      asked(
        {
          name: 'salt.master.connected_minions.count',
          help: 'Number of minions the master currently considers connected.',
        },
        () => this.connectedMinions(),
      ),
      asked({ name: 'salt.master.workers.queue.depth', help: 'Requests that the master is answering.' }, () =>
        this.master.meter ? [[{ pool: 'default' }, this.master.meter.running]] : undefined,
      ),
      asked(
        { name: 'salt.process.open_fds', help: 'Open file descriptor count for the current process.' },
        openDescriptors,
      ),
    ]
  }

  close(): void {
    for (const stop of this.stops) stop()
  }

  private answered(cmd: string, milliseconds: number): void {
    this.handled.add({ cmd })
    this.handling.observe(milliseconds, { cmd })
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
