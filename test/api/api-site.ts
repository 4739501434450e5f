// A master with its API and minions in this process, and requests to it.
import { Api, ownMaster } from '../../src/api/mod.ts'
import { silentLog } from '../../src/base/mod.ts'
import { freePort } from '../free-port.ts'
import { type TestMaster, TestSite } from '../integration/site.ts'

const CLIENTS = [
  'local',
  'local_async',
  'local_batch',
  'local_subset',
  'runner',
  'runner_async',
  'wheel',
  'wheel_async',
]

/** Users of the eauth system `auto`, which takes every password. */
export const USERS = {
  admin: ['.*', '@runner', '@wheel', '@jobs'],
  ops: ['test.*'],
  dev: [{ 'web*': ['test.ping'] }],
}

export interface ApiAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  json: any
}

export interface ApiCall {
  method?: string
  token?: string
  headers?: Record<string, string>
  /** An object is sent as JSON, text as a form. */
  body?: unknown
}

export class ApiSite {
  readonly site: TestSite
  readonly master: TestMaster
  readonly port: number
  private api: Api | undefined

  static async open(ids: readonly string[], more: Record<string, unknown> = {}): Promise<ApiSite> {
    const site = await TestSite.open()
    const port = await freePort()
    const { rest_cherrypy: rest = {}, ...others } = more
    const master = await site.master('master', '127.0.0.1', {
      external_auth: { auto: USERS },
      netapi_enable_clients: CLIENTS,
      rest_cherrypy: { port, host: '127.0.0.1', disable_ssl: true, ...(rest as object) },
      ...others,
    })
    const opened = new ApiSite(site, master, port)
    try {
      await opened.serve()
      for (const id of ids) await site.minion(id)
      for (const id of ids) await master.event(new RegExp(`^salt/minion/${id}/start$`))
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  private constructor(site: TestSite, master: TestMaster, port: number) {
    this.site = site
    this.master = master
    this.port = port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async serve(): Promise<void> {
    this.api = await Api.open(ownMaster(this.master.opened), silentLog)
  }

  async stopServing(): Promise<void> {
    await this.api?.close()
    this.api = undefined
  }

  async close(): Promise<void> {
    await this.stopServing()
    await this.site.close()
  }

  async ask(path: string, { method, token, headers = {}, body }: ApiCall = {}): Promise<ApiAnswer> {
    const isText = typeof body === 'string' || body instanceof Uint8Array
    const type = isText ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        ...(token !== undefined && { 'X-Auth-Token': token }),
        ...(body !== undefined && { 'Content-Type': type }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** Log in, and return the id of the session. */
  async logIn(username: keyof typeof USERS): Promise<string> {
    const { json } = await this.ask('/login', { body: { username, password: 'x', eauth: 'auto' } })
    return json.return[0].token
  }

  /** Run one chunk as a user. */
  async run(token: string, chunk: Record<string, unknown>): Promise<ApiAnswer> {
    return this.ask('/', { token, body: [chunk] })
  }
}
