// A master with its API in this process, on loopback and below one directory, and clients of the API.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Api, ownMaster, socketMaster } from '../../src/api/mod.ts'
import { silentLog } from '../../src/base/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { Master } from '../../src/master/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

/** `admin` may do everything, `ops` may ping. */
const USERS = { auto: { admin: ['.*', '@runner', '@wheel', '@jobs'], ops: ['test.ping'] } }

export interface SiteOptions {
  /** Whether the API runs beside the master, as in `salt-api`. */
  beside?: boolean
  options?: Record<string, unknown>
  cherrypy?: Record<string, unknown>
}

export class ApiSite {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-api-'))
  opts!: Dict
  master!: Master
  port = 0
  private api: Api | undefined
  private readonly beside: boolean
  private readonly closings: Array<() => unknown> = []

  static async open({ beside = false, options = {}, cherrypy = {} }: SiteOptions = {}): Promise<ApiSite> {
    const site = new ApiSite(beside)
    site.port = await freePort()
    const file = join(site.root, 'etc', 'master')
    mkdirSync(join(site.root, 'etc'), { recursive: true })
    writeFileSync(
      file,
      JSON.stringify({
        root_dir: site.root,
        interface: '127.0.0.1',
        publish_port: await freePort(),
        ret_port: await freePort(),
        external_auth: USERS,
        netapi_enable_clients: ['local', 'local_async', 'runner', 'runner_async', 'wheel'],
        rest_cherrypy: { port: site.port, host: '127.0.0.1', disable_ssl: true, ...cherrypy },
        ...options,
      }),
    )
    site.opts = await masterConfig({ path: file })
    await site.startMaster()
    await site.startApi()
    return site
  }

  private constructor(beside: boolean) {
    this.beside = beside
  }

  async startMaster(): Promise<void> {
    this.master = await Master.open(this.opts, silentLog)
  }

  async startApi(): Promise<void> {
    const master = this.beside ? await socketMaster(this.opts, silentLog) : ownMaster(this.master)
    this.api = await Api.open(master, silentLog)
    if (this.beside) await until('the API hears the master', () => master.events.isOpen)
  }

  async stopApi(): Promise<void> {
    await this.api?.close()
    this.api = undefined
  }

  stopMaster(): Promise<void> {
    return this.master.close()
  }

  /** Close something before the daemons, when the site is closed. */
  atEnd(closing: () => unknown): void {
    this.closings.push(closing)
  }

  async close(): Promise<void> {
    for (const closing of this.closings.reverse()) await closing()
    await this.stopApi()
    await this.stopMaster()
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Fire an event as the master does. */
  fire(tag: string, data: Record<string, Value> = {}): void {
    this.master.parts.bus.fire(tag, new Map(Object.entries(data)))
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** Log in and return the id of the session. */
  async login(user = 'admin'): Promise<string> {
    const response = await fetch(this.url('/login'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: user, password: 'x', eauth: 'auto' }),
    })
    const { return: entries } = (await response.json()) as { return: Array<{ token: string }> }
    return entries[0]!.token
  }

  /** Open a stream of server-sent events and wait for its beginning. */
  async stream(path: string, headers: Record<string, string>): Promise<SseClient> {
    const client = await SseClient.open(this.url(path), headers)
    this.closings.push(() => client.close())
    await until('the stream begins', () => client.text.includes('retry: 400'))
    return client
  }
}

export interface SseRecord {
  id?: string
  event?: string
  tag?: string
  data?: string
  comment?: string
}

/** Reads a stream of server-sent events as it comes. */
export class SseClient {
  text = ''
  isOver = false
  readonly response: IncomingMessage
  private parsed = 0
  private readonly known: SseRecord[] = []

  static open(url: string, headers: Record<string, string>): Promise<SseClient> {
    return new Promise((done, fail) => {
      get(url, { headers, agent: false }, (response) => done(new SseClient(response))).on('error', fail)
    })
  }

  private constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      this.text += chunk
    })
    response.on('close', () => {
      this.isOver = true
    })
    // a server that ends breaks the connection
    response.on('error', () => {
      this.isOver = true
    })
  }

  /** Read nothing more until `resume`. */
  pause(): void {
    this.response.pause()
  }

  resume(): void {
    this.response.resume()
  }

  close(): void {
    this.response.destroy()
  }

  get records(): SseRecord[] {
    for (let end = this.text.indexOf('\n\n', this.parsed); end >= 0; end = this.text.indexOf('\n\n', this.parsed)) {
      this.known.push(recordOf(this.text.slice(this.parsed, end)))
      this.parsed = end + 2
    }
    return this.known
  }

  /** The data of the events that came. */
  get events(): Array<{ tag: string; data: Record<string, unknown>; number?: number }> {
    return this.records.flatMap(({ data, event }) => (data === undefined || event ? [] : [JSON.parse(data)]))
  }

  /** The events with a tag of some prefix. */
  tagged(prefix: string): Array<{ tag: string; data: Record<string, unknown>; number?: number }> {
    return this.events.filter(({ tag }) => tag.startsWith(prefix))
  }
}

function recordOf(text: string): SseRecord {
  const record: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    record[colon === 0 ? 'comment' : line.slice(0, colon)] = line.slice(colon + 2)
  }
  return record
}
