// Sends metrics to a collector by an interval.
import type { Log } from '../base/mod.ts'
import type { MetricFamily, Point } from './families.ts'
import { attributeList } from './otlp/attributes.ts'
import { type Collector, failureText } from './otlp/collector.ts'

const PATIENCE_MS = 10_000

/** Time limit for the last metrics at the end. */
const LAST_MS = 2000

/** Counts go on from the begin of the process. */
const CUMULATIVE = 2

const nanoseconds = (): string => `${Date.now()}000000`

export class MetricsPush {
  private readonly collector: Collector
  private readonly families: () => readonly MetricFamily[]
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private readonly began = nanoseconds()
  private isSending = false
  private isFailing = false

  constructor(collector: Collector, seconds: number, families: () => readonly MetricFamily[], log: Log) {
    this.collector = collector
    this.families = families
    this.log = log
    this.timer = setInterval(() => void this.push(PATIENCE_MS), seconds * 1000)
    this.timer.unref()
  }

  /** Send the last metrics. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.push(LAST_MS)
  }

  private async push(patience: number): Promise<void> {
    if (this.isSending) return
    this.isSending = true
    const { name, resource } = this.collector
    try {
      const metrics = this.families().flatMap((family) => this.document(family))
      await this.collector.send(
        { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'salt' }, metrics }] }] },
        patience,
      )
      if (this.isFailing) this.log('info', `Metrics go to ${name} again`)
      this.isFailing = false
    } catch (error) {
      if (!this.isFailing) this.log('warning', `Metrics cannot be sent to ${name}: ${failureText(error)}`)
      this.isFailing = true
    } finally {
      this.isSending = false
    }
  }

  private document({ name, help, type, unit, points }: MetricFamily): unknown[] {
    const dataPoints = points().map((point) => this.point(point))
    if (dataPoints.length === 0) return []
    const data = {
      counter: { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } },
      gauge: { gauge: { dataPoints } },
      histogram: { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } },
    }[type]
    return [{ name, description: help, unit, ...data }]
  }

  private point(point: Point): unknown {
    const at = { startTimeUnixNano: this.began, timeUnixNano: nanoseconds(), attributes: attributeList(point.labels) }
    if ('value' in point) return { ...at, asDouble: point.value }
    const { bounds, counts, sum, count } = point.buckets
    return { ...at, count: String(count), sum, bucketCounts: counts.map(String), explicitBounds: bounds }
  }
}
