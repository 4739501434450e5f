// Metrics of any process.
import { readdirSync, readFileSync } from 'node:fs'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { brineVersion, isAnyError, recover, SALT_VERSION } from '../base/mod.ts'
import { askedAll, type MetricFamily } from './families.ts'

const NANOSECONDS = 1e9

/** Coarse, because each tick wakes the process. */
const RESOLUTION_MS = 50

const MINUTE_MS = 60_000

/** The longest delay of the event loop in the last one to two minutes. */
export class LoopLag {
  private readonly delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  private readonly timer: NodeJS.Timeout
  private before = 0

  constructor() {
    this.delay.enable()
    this.timer = setInterval(() => {
      this.before = this.current
      this.delay.reset()
    }, MINUTE_MS)
    this.timer.unref()
  }

  /** Seconds. */
  get worst(): number {
    return Math.max(this.before, this.current)
  }

  close(): void {
    clearInterval(this.timer)
    this.delay.disable()
  }

  /** The monitor counts its own interval with each delay. */
  private get current(): number {
    return Math.max(0, this.delay.max / NANOSECONDS - RESOLUTION_MS / 1000)
  }
}

/** Return the metrics of this process. */
export function processFamilies(lag: Pick<LoopLag, 'worst'>): MetricFamily[] {
  const version = brineVersion()
  const build = { version, salt_version: SALT_VERSION, node_version: process.versions.node }
  return askedAll({
    'salt.process.open_fds': openDescriptors,
    'brine.build.info': () => [[build, 1]],
    'brine.process.start_time': () => Math.round(performance.timeOrigin / 1000),
    'brine.process.cpu': () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    'brine.process.resident_memory': () => process.memoryUsage.rss(),
    'brine.process.max_fds': limitOfDescriptors,
    'brine.event_loop.lag': () => lag.worst,
  })
}

function openDescriptors(): number | undefined {
  // systems without /proc have no such data
  return recover(isAnyError, undefined, () => readdirSync('/proc/self/fd').length)
}

function limitOfDescriptors(): number | undefined {
  // systems without /proc have no such data
  return recover(isAnyError, undefined, () => {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  })
}
