// All numbers of a process with an API: `/metrics` of its servers, and the address of Salt's option `metrics: prometheus`.
import { createServer, type Server } from 'node:http'
import { type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, numberOf, str, truthy } from '../../data/mod.ts'
import { EventListener } from '../events/listener.ts'
import type { ApiMaster } from '../master.ts'
import { readCollector } from '../otlp.ts'
import type { Answer, Resource, SaltCall } from '../salt/resource.ts'
import { ApiMetrics, type ApiMetricsParts } from './api-metrics.ts'
import type { Family } from './families.ts'
import { MasterMetrics } from './master-metrics.ts'
import { MetricsPush } from './push.ts'
import { METRICS_TYPE, metricsText } from './text.ts'

const ENDPOINT = 'http://localhost:4318/v1/metrics'

export class Metrics {
  readonly api: ApiMetrics
  private readonly master: MasterMetrics
  private readonly log: Log
  private server: Server | undefined
  private push: MetricsPush | undefined

  constructor(master: ApiMaster, parts: Omit<ApiMetricsParts, 'keys'>, log: Log) {
    const settings = option(master.access.opts, 'metrics')
    this.log = log
    this.api = new ApiMetrics({ ...parts, keys: master.access.stores.keys })
    this.master = new MasterMetrics(master, settings)
    if (truthy(settings.get('enabled') ?? false)) this.open(settings)
  }

  private get families(): Family[] {
    return [...this.master.families, ...this.api.families]
  }

  private get text(): string {
    return metricsText(this.families)
  }

  /** Return the resource `/metrics` of a server; who may read it is who may read `/stats`. */
  get resource(): Resource {
    return {
      handlers: { GET: { answer: (call) => this.answer(call), query: 'any', isBare: true } },
      allow: 'GET, HEAD',
      sessions: [],
      login: [],
    }
  }

  async close(): Promise<void> {
    await this.push?.close()
    this.server?.close()
    this.server?.closeAllConnections()
    this.master.close()
    this.api.close()
  }

  private async answer({ service, request, peer }: SaltCall): Promise<Answer> {
    const { statsAuth, hasSessions } = service.settings
    if (statsAuth && hasSessions) await EventListener.of(service, { headers: request.headers, peer }, 'all')
    return new Response(this.text, { headers: { 'Content-Type': METRICS_TYPE } })
  }

  /** Show or send the numbers as Salt's options say. */
  private open(settings: Dict): void {
    const exporter = str(settings.get('exporter') ?? 'otlp-http').toLowerCase()
    if (exporter === 'prometheus') this.listen(settings)
    else if (exporter === 'otlp-http') {
      const seconds = numberOf(settings.get('export_interval_seconds') ?? null) ?? 60
      const collector = readCollector(settings, ENDPOINT)
      this.push = new MetricsPush(collector, Math.max(1, seconds), () => this.families, this.log)
    } else this.log('error', `The metrics exporter ${exporter} is not here: use prometheus or otlp-http`)
  }

  /** Listen without authentication, as Salt does. */
  private listen(settings: Dict): void {
    const address = settings.get('prometheus') ?? null
    const host = str((isDict(address) ? address.get('host') : undefined) ?? '127.0.0.1')
    const port = numberOf((isDict(address) ? address.get('port') : undefined) ?? null) ?? 9464
    this.server = createServer((request, response) => {
      const isKnown = request.url === '/metrics' || request.url === '/'
      response.writeHead(isKnown ? 200 : 404, { 'Content-Type': METRICS_TYPE })
      response.end(isKnown && request.method !== 'HEAD' ? this.text : '')
    })
    this.server.on('error', (error) =>
      this.log('error', `Failed to bind Prometheus listener on ${host}:${port}: ${toError(error).message}`),
    )
    this.server.listen(port, host, () => this.log('info', `Prometheus /metrics listener bound on ${host}:${port}`))
    this.server.unref()
  }
}
