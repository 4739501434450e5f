// Telemetry of the API. Inside a master, the API uses the master's telemetry; `salt-api` opens its own.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { EventMetrics, keyFamily } from '../master/mod.ts'
import { connectedMinions } from '../match/mod.ts'
import { askedAll, LoopLag, METRICS_TYPE, type MetricFamily, processFamilies, Telemetry } from '../telemetry/mod.ts'
import { ApiMetrics, type ApiMetricsParts } from './api-metrics.ts'
import { EventListener } from './events/listener.ts'
import type { ApiMaster } from './master.ts'
import type { ApiResource, ResourceAnswer, SaltCall } from './salt/resource.ts'

/** Milliseconds for which the number of connected minions is cached: counting reads the data of all minions. */
const CONNECTED_MS = 15_000

export class ApiTelemetry {
  readonly api: ApiMetrics
  readonly telemetry: Telemetry
  /** Undefined inside the master. */
  private own: Telemetry | undefined
  private readonly forget: () => void
  private readonly closings: Array<() => void> = []

  constructor(master: ApiMaster, parts: ApiMetricsParts, log: Log) {
    this.api = new ApiMetrics(parts)
    this.telemetry = master.telemetry ?? this.beside(master, log)
    this.forget = this.telemetry.add(this.api.families)
    this.telemetry.health.works(() => (master.events.isOpen ? undefined : 'master'))
  }

  /** Return the resource `/metrics` of a server. The right to read `/stats` is the right to read it. */
  get resource(): ApiResource {
    return {
      handlers: { GET: { answer: (call) => this.answer(call), query: 'any', isBare: true } },
      allow: 'GET, HEAD',
      sessions: [],
      login: [],
    }
  }

  /** Send the last metrics of a separate process, while their sources are still open. */
  async flush(): Promise<void> {
    await this.own?.flush()
    this.forget()
  }

  async close(): Promise<void> {
    for (const close of this.closings) close()
    await this.own?.close()
  }

  private async answer({ service, request, peer }: SaltCall): Promise<ResourceAnswer> {
    // without sessions, a Salt token authenticates the caller
    if (service.settings.statsAuth) await EventListener.of(service, { headers: request.headers, peer }, 'all')
    return new Response(this.telemetry.text, { headers: { 'Content-Type': METRICS_TYPE } })
  }

  /**
   * Telemetry of `salt-api`: the port of `metrics: prometheus` belongs to the master, so `/metrics` of the API shows
   * the metrics of this process.
   */
  private beside(master: ApiMaster, log: Log): Telemetry {
    const { opts, stores } = master.access
    const telemetry = new Telemetry({ opts, service: 'salt-api', log, isDeaf: true })
    const events = new EventMetrics(opts, log, true)
    const lag = new LoopLag()
    let connected = { count: 0, at: Number.NEGATIVE_INFINITY }
    const count = (): number => {
      const now = performance.now()
      if (now - connected.at > CONNECTED_MS)
        connected = { count: connectedMinions({ opts, cache: stores.cache }).size, at: now }
      return connected.count
    }
    telemetry.add((): MetricFamily[] => [
      ...events.families,
      keyFamily(stores.keys),
      ...askedAll({ 'salt.master.connected_minions.count': count }),
      ...processFamilies(lag),
    ])
    const stop = master.events.listen(events.hear)
    this.closings.push(stop, () => lag.close())
    this.own = telemetry
    if (telemetry.hasMetrics && option(opts, 'metrics').get('exporter') === 'prometheus')
      log(
        'info',
        'The metrics of salt-api are at /metrics of the API; the master serves the port of metrics:prometheus',
      )
    return telemetry
  }
}
