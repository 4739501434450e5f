// The API of Proxmox VE: logins by token or ticket, requests, and tasks, which end after the request that started them.
import { type Dict, isDict, markSecret, type Plain, SaltError, str, type Value } from '../../../data/mod.ts'
import { awaitReady, type CloudContext, type WebAnswer } from '../../../sdk/mod.ts'
import { at, bodyOf, exit, RestCloud, withoutSlash } from '../common/rest.ts'
import type { ProviderSettings } from './settings.ts'

/** 595 and 596 mean that one node cannot reach another one. */
const BUSY = new Set([429, 502, 503, 504, 595, 596])
/** Error texts for missing resources, which the API returns with status 500. */
const MISSING = /does not exist|no such (vm|ct|guest)|not found/i
const TASK_INTERVAL = 1

type Login = Record<string, string>
export type Parameters = Record<string, string>

export class ProxmoxApi {
  private readonly ctx: CloudContext
  private readonly settings: ProviderSettings
  private readonly rest: RestCloud
  private login: Promise<Login> | undefined

  constructor(ctx: CloudContext, settings: ProviderSettings) {
    this.ctx = ctx
    this.settings = settings
    this.rest = this.interface(() => this.headers())
  }

  /** Return the data at a path. */
  async get(path: string): Promise<Value> {
    return at(await this.rest.ask('GET', path), 'data')
  }

  /** Return the data at a path; undefined if the machine does not exist. */
  async find(path: string): Promise<Value | undefined> {
    const answer = await this.rest.reply('GET', path)
    if (answer.status >= 500 && MISSING.test(answer.text)) return undefined
    return this.dataOf('GET', path, answer)
  }

  /** Return the data at a path; undefined after an error, such as of an agent that does not run yet. */
  async tryGet(path: string): Promise<Value | undefined> {
    const answer = await this.rest.reply('GET', path)
    return answer.status < 300 ? at(bodyOf(answer), 'data') : undefined
  }

  /** Send a change; a DELETE of a missing resource is no error. */
  async send(method: 'POST' | 'PUT' | 'DELETE', path: string, parameters?: Parameters): Promise<Value> {
    const answer = await this.rest.reply(method, path, parameters as Plain)
    if (method === 'DELETE' && answer.status >= 500 && MISSING.test(answer.text)) return null
    return this.dataOf(method, path, answer)
  }

  /** Wait until a task has ended; throw if it failed. Answers other than a task id mean that no task runs. */
  async finish(upid: Value, timeout: number): Promise<void> {
    const node = nodeOfTask(upid)
    if (node === undefined) return
    const { signal } = this.ctx
    const patience = { what: `the task ${str(upid)}`, timeout, interval: TASK_INTERVAL, signal }
    const result = await awaitReady(patience, () => this.resultOf(node, upid))
    if (/^(OK|WARNINGS.*)$/.test(result)) return
    throw exit(`The task ${str(upid)} failed: ${result}`)
  }

  /** End a task that may go on, and wait until it has ended. */
  async abort(upid: Value, timeout: number): Promise<void> {
    const node = nodeOfTask(upid)
    if (node === undefined || (await this.resultOf(node, upid)) !== undefined) return
    await this.send('DELETE', `/nodes/${node}/tasks/${encodeURIComponent(str(upid))}`)
    const { signal } = this.ctx
    await awaitReady({ what: `the end of ${str(upid)}`, timeout, interval: TASK_INTERVAL, signal }, () =>
      this.resultOf(node, upid),
    )
  }

  /** Return how a task ended; undefined while it goes on. */
  private async resultOf(node: string, upid: Value): Promise<string | undefined> {
    const status = await this.get(`/nodes/${node}/tasks/${encodeURIComponent(str(upid))}/status`)
    return at(status, 'status') === 'stopped' ? str(at(status, 'exitstatus')) : undefined
  }

  private dataOf(method: string, path: string, answer: WebAnswer): Value {
    if (answer.status >= 300) throw this.rest.refusal(`${method} ${path}`, answer)
    return at(this.rest.objectOf(`${method} ${path}`, answer), 'data')
  }

  private interface(headers?: () => Promise<Login>): RestCloud {
    const { verify_ssl, ca_bundle } = this.settings
    return new RestCloud(this.ctx, {
      base: `${addressOf(this.settings)}/api2/json`,
      headers: headers ?? (() => ({})),
      login: this.hasToken ? "'token_value' or 'token'" : "'password'",
      // a ticket lasts two hours; a login that is refused is not sent again
      ...(headers && { renew: () => this.forgetTicket() }),
      verify: verify_ssl,
      ca: ca_bundle,
      isForm: true,
      busy: BUSY,
    })
  }

  private forgetTicket(): boolean {
    const hadTicket = this.login !== undefined && !this.hasToken
    this.login = undefined
    return hadTicket
  }

  private get hasToken(): boolean {
    return this.settings.token !== null || this.settings.token_value !== null
  }

  private async headers(): Promise<Login> {
    this.login ??= this.logIn()
    try {
      return await this.login
    } catch (error) {
      this.login = undefined
      throw error
    }
  }

  private async logIn(): Promise<Login> {
    const { user, password } = this.settings
    const token = tokenOf(this.settings)
    if (token !== undefined) return { authorization: `PVEAPIToken=${token}` }
    const open = this.interface()
    const answer = await open.reply('POST', '/access/ticket', { username: user, password: password ?? '' })
    if (answer.status >= 300) throw open.refusal('The login', answer)
    const data = at(bodyOf(answer), 'data')
    if (at(data, 'NeedTFA')) {
      throw exit(`The user ${user} of the provider '${this.ctx.alias}' needs a second factor: give it an API token`)
    }
    const [ticket, csrf] = [str(at(data, 'ticket')), str(at(data, 'CSRFPreventionToken'))]
    markSecret([ticket, csrf])
    return { cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}`, csrfpreventiontoken: csrf }
  }
}

/** Return the token as the interface wants it, `user@realm!name=value`. */
function tokenOf({ user, token, token_name, token_value }: ProviderSettings): string | undefined {
  const found = token ?? (token_value === null ? undefined : `${token_name ?? ''}=${token_value}`)
  if (found === undefined) return undefined
  const full = found.includes('!') ? found : `${user}!${found}`
  if (/^[^\s!=]+![^\s!=]+=[\w-]+$/.test(full)) return full
  throw configError("The API token of a provider is not 'token_name' with 'token_value', nor 'token: name=value'")
}

/** Check the settings that a login needs, and return the address of the interface. */
export function addressOf(settings: ProviderSettings): string {
  const { url, host, port, password, token, token_value } = settings
  const given = url ?? host
  if (!given) throw configError("A provider of proxmox needs the setting 'url'")
  if (token === null && token_value === null && !password) {
    throw configError("A provider of proxmox needs 'token_name' and 'token_value', or 'password'")
  }
  let address: URL
  try {
    address = new URL(given.includes('://') ? given : `https://${given}`)
  } catch {
    throw configError(`A provider of proxmox has the url '${given}', which is no address`)
  }
  const hasPort = address.port !== '' || /:443\/*$/.test(given)
  return withoutSlash(`${address.protocol}//${hasPort ? address.host : `${address.hostname}:${port}`}`)
}

const configError = (message: string): SaltError => new SaltError('SaltCloudConfigError', message)

/** Return the node of a task by its id, `UPID:<node>:…`. */
function nodeOfTask(upid: Value): string | undefined {
  return typeof upid === 'string' ? /^UPID:([\w.-]+):/.exec(upid)?.[1] : undefined
}

/** Return the rows of a list. */
export const rowsIn = (value: Value | undefined): Dict[] => (Array.isArray(value) ? value.filter(isDict) : [])
