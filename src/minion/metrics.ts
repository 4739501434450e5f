// Metrics of a minion.
import type { Log } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import type { ReturnerOutcome } from '../daemon/mod.ts'
import { type Dict, isDict, isList, truthy } from '../data/mod.ts'
import type { Schedule } from '../schedule/mod.ts'
import type { StorageWatch } from '../store/mod.ts'
import {
  askedAll,
  boundariesOf,
  Counter,
  functionLabel,
  Histogram,
  LoopLag,
  type MetricFamily,
  OTHER,
  processFamilies,
} from '../telemetry/mod.ts'

export interface MinionMetricsParts {
  opts: Dict
  log: Log
  bus: EventBus
  storage: Pick<StorageWatch, 'errors' | 'current'>
}

/** The parts of the minion that are open so far. */
export interface MeteredMinion {
  jobs: { readonly count: number } | undefined
  peers: ReadonlyArray<{ readonly master: string; readonly isListening: boolean; readonly unsent: readonly Dict[] }>
  schedule: Pick<Schedule, 'all'> | undefined
}

const RETURNER = /^\w{1,50}$/

export class MinionMetrics {
  private readonly storage: MinionMetricsParts['storage']
  private readonly lag = new LoopLag()
  private readonly duration: Histogram
  private readonly jobs = new Counter('brine.minion.jobs')
  private readonly states = new Counter('brine.minion.states')
  private readonly returners = new Counter('salt.returners.calls')
  private readonly beacons = new Counter('brine.minion.beacon.events')
  private readonly stop: () => void

  constructor({ opts, log, bus, storage }: MinionMetricsParts) {
    this.storage = storage
    const name = 'salt.minion.exec.duration'
    this.duration = new Histogram(name, boundariesOf(opts, name, log))
    this.stop = bus.listen(
      ({ fields }) => {
        const told = fields.get('beacons') ?? null
        this.beacons.add({}, isList(told) ? told.length : 1)
      },
      (tag) => tag === '__beacons_return',
    )
  }

  close(): void {
    this.stop()
    this.lag.close()
  }

  /** Count a job by its return. */
  ran(ret: Dict, milliseconds: number): void {
    this.duration.observe(milliseconds, { fun: functionLabel(ret.get('fun') ?? '') })
    this.jobs.add({ success: String(succeeded(ret)) })
    const value = ret.get('return') ?? null
    const fun = ret.get('fun')
    if (typeof fun !== 'string' || !fun.startsWith('state.') || !isDict(value)) return
    for (const state of value.values())
      if (isDict(state) && state.has('result')) this.states.add({ result: resultWord(state) })
  }

  /** Count a call of a returner. */
  handed(returner: string, status: ReturnerOutcome): void {
    this.returners.add({ returner: RETURNER.test(returner) ? returner : OTHER, status })
  }

  families({ jobs, peers, schedule }: MeteredMinion): MetricFamily[] {
    return [
      ...[this.duration, this.jobs, this.states, this.returners, this.beacons].map(({ family }) => family),
      ...askedAll({
        'brine.minion.jobs.running': () => jobs?.count,
        'brine.minion.returns.waiting': () => peers.reduce((sum, { unsent }) => sum + unsent.length, 0),
        'brine.minion.master.connected': () =>
          peers.map(({ master, isListening }) => [{ master }, isListening ? 1 : 0]),
        'brine.minion.scheduled': () => schedule?.all.size,
        'brine.storage.failing': () => this.storage.current.length,
        'brine.storage.errors': () => this.storage.errors,
      }),
      ...processFamilies(this.lag),
    ]
  }
}

/** Whether a job succeeded: for several functions, whether all of them did. */
function succeeded(ret: Dict): boolean {
  const success = ret.get('success') ?? true
  if (isDict(success)) return [...success.values()].every(truthy)
  return isList(success) ? success.every(truthy) : truthy(success)
}

function resultWord(state: Dict): string {
  const result = state.get('result')
  return result === true ? 'true' : result === false ? 'false' : 'none'
}
