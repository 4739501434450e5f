// All metrics of a master, and the summary for `manage.stats`.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { brineVersion, SALT_VERSION } from '../base/mod.ts'
import type { EventJournal } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, fromPlain, truthy } from '../data/mod.ts'
import { connectedMinions } from '../match/mod.ts'
import type { Reactor } from '../reactor/mod.ts'
import type { PkiKeys } from '../store/mod.ts'
import {
  asked,
  askedAll,
  boundariesOf,
  Counter,
  Histogram,
  LoopLag,
  type MetricFamily,
  processFamilies,
} from '../telemetry/mod.ts'
import type { Batches } from './batch/batches.ts'
import type { CommandMeter } from './command-meter.ts'
import { EventMetrics } from './event-metrics.ts'
import type { FileService } from './file-service.ts'
import type { FileUpdates } from './file-updates.ts'
import type { MasterParts } from './parts.ts'
import type { PillarPool } from './pillar-pool.ts'

/** The parts of the master that are open so far; missing parts have no metrics. */
export interface MeteredParts {
  journal?: EventJournal | undefined
  files?: FileService | undefined
  pool?: PillarPool | undefined
  batches?: Batches | undefined
  reactor?: Reactor | undefined
  updates?: FileUpdates | undefined
}

type OwnParts = Pick<MasterParts, 'opts' | 'log' | 'keys' | 'bus' | 'cache' | 'storage' | 'publications' | 'cluster'>

const KEY_STATES = [
  ['minions', 'accepted'],
  ['minions_pre', 'pending'],
  ['minions_rejected', 'rejected'],
  ['minions_denied', 'denied'],
] as const

/** Return the metric of keys by state. */
export const keyFamily = (keys: Pick<PkiKeys, 'list'>): MetricFamily =>
  asked('brine.minions', () => KEY_STATES.map(([folder, state]) => [{ state }, keys.list(folder).length]))

/** The labels for the results of a sign-in. */
const ANSWERS: Readonly<Record<string, string>> = {
  accept: 'accepted',
  pend: 'pending',
  reject: 'rejected',
  denied: 'denied',
  full: 'full',
}

/** Milliseconds for which the list of connected minions is cached: computing it reads the data of all minions. */
const CONNECTED_MS = 15_000

export class MasterMetrics {
  /** Parts that open later than the metrics. */
  readonly later: MeteredParts = {}
  readonly events: EventMetrics
  private readonly parts: OwnParts
  private readonly meter: CommandMeter
  private readonly lag = new LoopLag()
  private readonly signIns = new Counter('brine.sign_ins')
  private readonly handled = new Counter('salt.master.requests.handled')
  private readonly handling: Histogram
  /** The series of commands; only known commands have one. */
  private readonly commands = new Map<string, { handled: { count: number }; observe(milliseconds: number): void }>()
  private readonly stops: Array<() => void>
  private readonly showsMinions: boolean
  private connected: { ids: ReadonlySet<string>; at: number } = { ids: new Set(), at: Number.NEGATIVE_INFINITY }

  constructor(parts: OwnParts, meter: CommandMeter) {
    const { opts, log, bus } = parts
    this.parts = parts
    this.meter = meter
    this.events = new EventMetrics(opts, log, false)
    this.showsMinions = truthy(option(opts, 'metrics').get('minion_labels') ?? false)
    const name = 'salt.master.requests.duration'
    this.handling = new Histogram(name, boundariesOf(opts, name, log))
    this.stops = [bus.listen(this.events.hear), meter.listen((cmd, ms) => this.answered(cmd, ms))]
  }

  close(): void {
    for (const stop of this.stops) stop()
    this.lag.close()
  }

  /** Count a sign-in by the data of its event. */
  signedIn(event: Dict): void {
    this.events.signedIn(event)
    this.signIns.add({ answer: ANSWERS[String(event.get('act'))] ?? 'other' })
  }

  readonly families = (): MetricFamily[] => [
    ...this.events.families,
    ...[this.signIns, this.handled, this.handling].map(({ family }) => family),
    ...this.ofMinions(),
    ...this.ofWork(),
    ...this.ofStores(),
    ...processFamilies(this.lag),
  ]

  /** Return the summary for `manage.stats`, in its order. */
  summary(): Dict {
    const now = performance.now()
    const { events, later, meter, parts } = this
    const { keys, storage } = parts
    const up = this.connectedMinions().size
    const minions = Object.fromEntries(KEY_STATES.map(([folder, state]) => [state, keys.list(folder).length]))
    const latency = (part: number): number | null => rounded(events.latencies.quantile(part))
    const lastMinute = events.recentReturns.lastMinute(now)
    return fromPlain({
      version: `Brine ${brineVersion()} (Salt ${SALT_VERSION})`,
      uptime_seconds: Math.round(process.uptime()),
      minions: { up, down: Math.max(0, keys.list('minions').length - up), ...minions },
      jobs: {
        last_minute: events.recentJobs.lastMinute(now),
        last_hour: events.recentJobs.lastHour(now),
        open: events.open,
      },
      returns: {
        last_minute: lastMinute,
        last_hour: events.recentReturns.lastHour(now),
        per_second: Math.round((lastMinute / 60) * 100) / 100,
        latency_p50_ms: latency(0.5),
        latency_p95_ms: latency(0.95),
      },
      queues: {
        requests: meter.running,
        pillar: later.pool?.waiting ?? 0,
        reactions: later.reactor?.counts.waiting ?? 0,
        batches: later.batches?.count ?? 0,
        journal_events: later.journal?.lag ?? 0,
      },
      process: { memory_bytes: process.memoryUsage.rss(), worst_loop_lag_ms: rounded(this.lag.worst * 1000) },
      stores: {
        jobs_bytes: this.jobsBytes(),
        journal_bytes: later.journal?.totalBytes ?? 0,
        storage_errors: storage.errors,
        storage_failing: storage.current.map(({ message }) => message),
      },
    }) as Dict
  }

  private answered(cmd: string, milliseconds: number): void {
    const known = this.commands.get(cmd)
    const series = known ?? { handled: this.handled.at({ cmd }), observe: this.handling.at({ cmd }) }
    if (!known) this.commands.set(cmd, series)
    series.handled.count++
    series.observe(milliseconds)
  }

  private connectedMinions(): ReadonlySet<string> {
    const now = performance.now()
    if (now - this.connected.at > CONNECTED_MS)
      this.connected = { ids: new Set(connectedMinions(this.parts).keys()), at: now }
    return this.connected.ids
  }

  private ofMinions(): MetricFamily[] {
    const { keys, publications } = this.parts
    const more = askedAll({
      'salt.master.connected_minions.count': () => this.connectedMinions().size,
      'brine.minion.connected': () =>
        this.showsMinions
          ? keys.list('minions').map((minion) => [{ minion }, this.connectedMinions().has(minion) ? 1 : 0])
          : undefined,
      'brine.publish.subscribers': () => publications.reached,
    })
    return [keyFamily(keys), ...more]
  }

  private ofWork(): MetricFamily[] {
    const { later, meter, events } = this
    const updates = later.updates?.counts
    return askedAll({
      'salt.master.workers.queue.depth': () => [[{ pool: 'default' }, meter.running]],
      'brine.jobs.open': () => events.open,
      'brine.files.served': () => later.files?.sentBytes,
      'brine.fileserver.updates': () =>
        updates && [
          [{ result: 'updated' }, updates.updated],
          [{ result: 'failed' }, updates.failed],
        ],
      'brine.fileserver.update.duration': () => updates?.seconds,
      'brine.fileserver.remotes.failing': () => updates?.failing,
      'brine.pillar.processes': () => later.pool?.size,
      'brine.pillar.waiting': () => later.pool?.waiting,
      'brine.reactor.reactions': () => later.reactor?.counts.begun,
      'brine.reactor.waiting': () => later.reactor?.counts.waiting,
      'brine.reactor.failures': () => later.reactor?.counts.failed,
      'brine.cluster.gaps': () =>
        this.parts.cluster && [
          [{ outcome: 'repaired' }, this.parts.cluster.gaps.repaired],
          [{ outcome: 'lost' }, this.parts.cluster.gaps.lost],
        ],
      'brine.batches.running': () => later.batches?.count,
    })
  }

  private ofStores(): MetricFamily[] {
    const { journal } = this.later
    const { storage } = this.parts
    return askedAll({
      'brine.journal.size': () => journal?.totalBytes,
      'brine.journal.lag': () => journal?.lag,
      'brine.journal.lost': () => journal?.totalLost,
      'brine.jobs.store.size': () => this.jobsBytes(),
      'brine.storage.failing': () => storage.current.length,
      'brine.storage.errors': () => storage.errors,
    })
  }

  /** Bytes of the database of jobs with its log of changes. */
  private jobsBytes(): number {
    const file = join(option(this.parts.opts, 'cachedir'), 'jobs.db')
    const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return size(file) + size(`${file}-wal`)
  }
}

const rounded = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value))
