// The telemetry of a daemon: its metrics, their listener and exporters, its tracer, and its health.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, numberOf, str } from '../data/mod.ts'
import type { MetricFamily } from './families.ts'
import { Health } from './health.ts'
import { MetricsListener } from './listener.ts'
import { readCollector } from './otlp/collector.ts'
import { MetricsPush } from './push.ts'
import { exporterOf, switchedOn } from './settings.ts'
import { metricsText } from './text.ts'
import { Tracer } from './tracing/tracer.ts'

export interface TelemetryOptions {
  opts: Dict
  /** The name of the service, unless the options name it. */
  service: string
  log: Log
  /** Whether the process does not listen for Prometheus, because its metrics are shown elsewhere. */
  isDeaf?: boolean
}

type Source = () => readonly MetricFamily[]

export class Telemetry {
  readonly health = new Health()
  /** Undefined if traces are switched off. */
  readonly tracer: Tracer | undefined
  /** Whether metrics are switched on. */
  readonly hasMetrics: boolean
  private readonly sources = new Set<Source>()
  private listener: MetricsListener | undefined
  private push: MetricsPush | undefined

  constructor(options: TelemetryOptions) {
    const { opts, service, log } = options
    this.tracer = Tracer.of(opts, service, log)
    const settings = switchedOn(opts, 'metrics')
    this.hasMetrics = settings !== undefined
    if (settings) this.open(settings, options)
  }

  /** Show the metrics of a source, too. Return the function that ends it. */
  add(source: Source): () => void {
    this.sources.add(source)
    return () => this.sources.delete(source)
  }

  get families(): MetricFamily[] {
    return [...this.sources].flatMap((source) => source())
  }

  /** All metrics in the text format of Prometheus. */
  get text(): string {
    return metricsText(this.families)
  }

  /** The port of the listener for Prometheus, if there is one. */
  get port(): number | undefined {
    return this.listener?.port
  }

  /** Send metrics for the last time, while their sources are still open. */
  async flush(): Promise<void> {
    await this.push?.close()
    this.push = undefined
  }

  async close(): Promise<void> {
    this.listener?.close()
    await this.flush()
    await this.tracer?.close()
  }

  /** Show or send metrics as the options say. */
  private open(settings: Dict, { service, log, isDeaf }: TelemetryOptions): void {
    const exporter = exporterOf(settings)
    if (exporter === 'prometheus') {
      if (!isDeaf) this.listen(settings, log)
      return
    }
    const collector = readCollector(exporter, { settings, signal: 'metrics', service, log })
    if (!collector) return
    const seconds = numberOf(settings.get('export_interval_seconds') ?? null) || 60
    this.push = new MetricsPush(collector, Math.max(1, seconds), () => this.families, log)
    log('info', `Metrics go to ${collector.name} every ${Math.max(1, seconds)} s`)
  }

  private listen(settings: Dict, log: Log): void {
    const address = settings.get('prometheus') ?? null
    const host = str((isDict(address) ? address.get('host') : undefined) ?? '127.0.0.1')
    const port = numberOf((isDict(address) ? address.get('port') : undefined) ?? null) ?? 9464
    this.listener = new MetricsListener({ host, port, health: this.health, text: () => this.text, log })
  }
}
