// The API of a master: one server for each of Salt's kinds that the options name.
import { join } from 'node:path'
import { Hono } from 'hono'
import { BrineError, guarded, type Log, namedLog, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { ApiSessions, KeptAnswers, SharedSessions } from '../store/mod.ts'
import type { Health } from '../telemetry/mod.ts'
import { ApiTelemetry } from './api-telemetry.ts'
import { Audit } from './audit.ts'
import { addConsole } from './console.ts'
import { EventHub } from './events/hub.ts'
import { addEventRoutes } from './events/routes.ts'
import { eventsResource } from './events/salt-events.ts'
import { EventSockets } from './events/sockets.ts'
import { GIT_HOOK_PATH, gitHookResource } from './git-hook.ts'
import { PortHolder } from './holder.ts'
import { JobWatch } from './job-watch.ts'
import { ApiLimits } from './limits.ts'
import type { ApiMaster } from './master.ts'
import { accessLine, LineFile, withErrorFile } from './request-log.ts'
import { addSaltRoutes } from './salt/app.ts'
import { ApiServer, type ServerParts } from './server.ts'
import type { ApiService } from './service.ts'
import { type ApiSettings, readSettings } from './settings.ts'
import { tracedMaster, tracing } from './traced.ts'
import { addV1Routes } from './v1/site.ts'

const PRUNE_MS = 600_000

/** Interval between attempts to listen at an occupied address, in milliseconds. */
const AGAIN_MS = 1000

export interface ApiUse {
  /** Whether an address that is taken is tried again; otherwise only where another process of the same master serves it. */
  isPatient?: boolean
}

export class Api {
  private readonly master: ApiMaster
  private readonly sessions: ApiSessions
  private readonly answers: KeptAnswers
  private readonly watch: JobWatch
  private readonly hub: EventHub
  private readonly telemetry: ApiTelemetry
  private readonly sockets: EventSockets[] = []
  private readonly servers: ApiServer[] = []
  private readonly holders: PortHolder[] = []
  private readonly files: LineFile[] = []
  private readonly waiting = new Set<NodeJS.Timeout>()
  private readonly pruning: NodeJS.Timeout
  private readonly closings: Array<() => void> = []

  /** Open the servers that the options name. */
  static async open(master: ApiMaster, log: Log, { isPatient = false }: ApiUse = {}): Promise<Api> {
    const named = namedLog(log, 'salt.loaded.int.netapi.rest_cherrypy')
    const api = new Api(master, named, isPatient)
    try {
      for (const settings of readSettings(master.access.opts, named)) await api.serve(settings, named)
      return api
    } catch (error) {
      await api.close()
      throw error
    }
  }

  private readonly isPatient: boolean

  private constructor(master: ApiMaster, log: Log, isPatient: boolean) {
    this.isPatient = isPatient
    const { stores } = master.access
    this.sessions = openSessions(master, log)
    this.answers = new KeptAnswers(this.sessions, master.answers)
    this.watch = new JobWatch(master.events, stores.jobs)
    this.hub = new EventHub(master, log)
    // a stream of a session that ended ends with it
    this.sessions.whenEnded(() => this.hub.wake())
    this.telemetry = new ApiTelemetry(master, { hub: this.hub, sessions: this.sessions }, log)
    this.master = this.telemetry.telemetry.tracer ? tracedMaster(master) : master
    this.pruning = setInterval(() => this.sessions.prune(), PRUNE_MS)
    this.pruning.unref()
  }

  /** The ports that are served. */
  get ports(): number[] {
    return this.servers.map(({ port }) => port)
  }

  private async serve(settings: ApiSettings, plainLog: Log): Promise<void> {
    const { master, sessions, answers, watch } = this
    const errors = this.lineFile(settings.errorLog, plainLog)
    const accesses = this.lineFile(settings.accessLog, plainLog)
    const log = errors ? withErrorFile(plainLog, errors) : plainLog
    const counts = { connections: 0, requests: 0, running: 0, bytesRead: 0, bytesWritten: 0 }
    const limits = new ApiLimits(master.access.opts)
    const audit = new Audit(master, log)
    const began = Date.now() / 1000
    const atEnd = (close: () => void): void => void this.closings.push(close)
    const service: ApiService = { settings, master, sessions, answers, watch, log, counts, began, limits, audit, atEnd }
    const app = new Hono()
    const { tracer, health } = this.telemetry.telemetry
    if (tracer) app.use('*', tracing(tracer, settings.prefix, settings.webhookUrl))
    addHealth(app, settings.prefix, health)
    addConsole(app, service)
    addEventRoutes(addV1Routes(app, service), service, this.hub)
    const resources = new Map([
      ['/events', eventsResource(this.hub)],
      ['/metrics', this.telemetry.resource],
    ])
    const gitHook = gitHookResource(service)
    if (gitHook) resources.set(GIT_HOOK_PATH, gitHook)
    addSaltRoutes(app, service, resources)
    const sockets = new EventSockets(service, this.hub)
    this.sockets.push(sockets)
    const { api } = this.telemetry
    api.addServer(counts, sockets)
    const ended: ServerParts['ended'] = (request, response, began) => {
      api.ended(request, response, began, settings.prefix)
      accesses?.add(accessLine(request, response))
    }
    const server = new ApiServer({ settings, counts, log, app, upgrade: sockets.upgrade, ended })
    this.servers.push(server)
    await this.listen(server, settings, log, false)
  }

  /** Listen, or wait until the process that has the address gives it up. */
  private async listen(server: ApiServer, settings: ApiSettings, log: Log, isAgain: boolean): Promise<void> {
    const holder = new PortHolder(option(this.master.access.opts, 'cachedir'), settings.port)
    try {
      await server.listen()
    } catch (error) {
      const other = holder.other()
      if (!(error instanceof BrineError) || error.code !== 'EADDRINUSE' || !(this.isPatient || other)) throw error
      if (!isAgain && other)
        log('info', `Process ${other} serves the API on port ${settings.port}; waiting to take over`)
      else if (!isAgain) log('error', `${error.message}. Trying again until it does not`)
      const timer = setTimeout(
        guarded(log, 'Opening the API', () => {
          this.waiting.delete(timer)
          return this.listen(server, settings, log, true)
        }),
        AGAIN_MS,
      )
      this.waiting.add(timer)
      return
    }
    holder.note()
    this.holders.push(holder)
    log('info', `The API of ${settings.kind} listens on ${settings.host}, port ${server.port}`)
  }

  private lineFile(path: string | undefined, log: Log): LineFile | undefined {
    if (path === undefined) return undefined
    const file = new LineFile(path, log)
    this.files.push(file)
    return file
  }

  async close(): Promise<void> {
    clearInterval(this.pruning)
    for (const timer of this.waiting) clearTimeout(timer)
    for (const holder of this.holders) holder.forget()
    for (const sockets of this.sockets) sockets.close()
    for (const close of this.closings) close()
    await this.telemetry.flush()
    this.hub.close()
    await Promise.all(this.servers.map((server) => server.close()))
    await Promise.all(this.files.map((file) => file.close()))
    await this.telemetry.close()
    this.watch.close()
    this.sessions.close()
    this.master.close()
  }
}

/** The sessions of this master, or of all masters of its cluster. */
function openSessions({ access, sessions: records }: ApiMaster, log: Log): ApiSessions {
  const failed = (error: unknown): void => log('warning', `Cannot note a session: ${toError(error).message}`)
  const now = (): number => Date.now() / 1000
  const shared = records && new SharedSessions(records, now, failed)
  return new ApiSessions(join(option(access.opts, 'cachedir'), 'api.db'), now, shared)
}

/** Add `/healthz` and `/readyz`, which need no session. */
function addHealth(app: Hono, prefix: string, health: Health): void {
  for (const path of ['/healthz', '/readyz']) {
    app.get(`${prefix}${path}`, (c) => {
      const { status, body } = health.answer(path)!
      return c.body(body, status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    })
  }
}
