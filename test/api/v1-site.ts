// A master with three minions and the API, and users with many and few rights who send requests to it.
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Api, socketMaster } from '../../src/api/mod.ts'
import { silentLog } from '../../src/base/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import { type Dict, str } from '../../src/data/mod.ts'
import { fetchSdb } from '../../src/pybridge/mod.ts'
import { freePort } from '../free-port.ts'
import { type TestMaster, TestSite } from '../integration/site.ts'

export const MINIONS = ['db1', 'web1', 'web2'] as const

const SECRET = 'a long secret'

/** By user. */
export const RIGHTS = {
  admin: ['.*', '@runner', '@wheel'],
  bob: [{ 'web*': ['test.*'] }],
  reader: [{ '@runner': ['jobs.list_jobs', 'manage.status', 'pillar.explain'] }],
  keeper: [{ '@wheel': ['key.list_all', 'key.accept'] }],
  gate: [{ '@wheel': [{ 'key.accept': [{ kwargs: { match: 'many3' } }] }] }],
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  body: any
}

export class V1Site {
  readonly url: string
  readonly site: TestSite
  readonly master: TestMaster
  private readonly opts: Dict
  private readonly tokens = new Map<string, string>()

  static async open(more: Record<string, unknown> = {}, api: Record<string, unknown> = {}): Promise<V1Site> {
    const site = await TestSite.open()
    const pillar = { base: [join(site.root, 'pillar')] }
    const port = await freePort()
    const master = await site.master('master', '127.0.0.1', {
      external_auth: { sharedsecret: RIGHTS },
      sharedsecret: SECRET,
      netapi_enable_clients: ['local', 'local_async', 'runner', 'runner_async', 'wheel', 'wheel_async'],
      rest_cherrypy: { port, host: '127.0.0.1', disable_ssl: true, ...api },
      pillar_roots: pillar,
      ...more,
    })
    const opts = await masterConfig({ path: join(master.config, 'master'), fetchSdb })
    const opened = await Api.open(await socketMaster(opts, silentLog), silentLog)
    site.atEnd(() => opened.close())
    return new V1Site(site, master, `http://127.0.0.1:${port}`, opts)
  }

  private constructor(site: TestSite, master: TestMaster, url: string, opts: Dict) {
    this.opts = opts
    this.site = site
    this.master = master
    this.url = url
  }

  async addMinions(): Promise<void> {
    for (const id of MINIONS) {
      await this.site.minion(id, { grains: { role: id.replace(/\d/, '') } })
      await this.master.event(new RegExp(`^salt/minion/${id}/start$`))
    }
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  credentials(username: string): Record<string, string> {
    return { username, password: SECRET, eauth: 'sharedsecret' }
  }

  /** Send a request as a user, who logs in at the first one. */
  async as(
    user: string,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    let token = this.tokens.get(user)
    if (token === undefined) {
      token = String((await this.send('POST', '/v1/login', this.credentials(user))).body.token)
      this.tokens.set(user, token)
    }
    return this.send(method, path, body, { 'X-Auth-Token': token, ...more })
  }

  close(): Promise<void> {
    return this.site.close()
  }

  /** Write a file below the root of the site. */
  write(path: string, ...lines: string[]): void {
    const file = join(this.site.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${lines.join('\n')}\n`)
  }

  /** Put a new key in a state, as a minion that asks to be accepted does. */
  putKey(folder: 'minions' | 'minions_pre' | 'minions_denied', id: string): void {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    writeFileSync(join(str(this.opts.get('pki_dir')!), folder, id), pem)
  }
}
