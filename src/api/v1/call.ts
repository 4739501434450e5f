// One request of an authenticated caller, with its rights. Rights are Salt's: each resource corresponds to a function,
// and the master decides whether the caller may call it.
import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { option } from '../../config/mod.ts'
import { type Dict, dictFrom, isDict, isList, numberOf, readValue, str, type Value } from '../../data/mod.ts'
import type { ApiSession, JobOwner } from '../../store/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { bearerIn, type Caller, callerOf, refuseForgery } from '../callers.ts'
import type { ClientWork } from '../clients/work.ts'
import { answered, HttpError, mindRefusal } from '../errors.ts'
import { runBatchAsync, runLowstate } from '../lowstate.ts'
import { requestPeer } from '../peer.ts'
import { type ApiService, clientWork } from '../service.ts'

export interface V1Env {
  Bindings: HttpBindings
  Variables: { call: V1Call }
}

export type V1App = OpenAPIHono<V1Env>

type Family = 'runner' | 'wheel'

const CLIENTS: Readonly<Record<Family, readonly string[]>> = {
  runner: ['runner', 'runner_async'],
  wheel: ['wheel', 'wheel_async'],
}

export class V1Call {
  readonly service: ApiService
  readonly peer: Peer
  readonly caller: Caller
  /** The session; or an equivalent if the caller sent a Salt token. */
  readonly session: ApiSession
  /** The body as Salt values, which distinguish 1.0 and 1. */
  body: Dict = new Map()
  /** The number of the last event that the API had heard before it read the answer. */
  eventNumber: number
  private readonly request: Request

  private constructor(service: ApiService, c: Context, caller: Caller, session: ApiSession) {
    this.service = service
    this.eventNumber = service.master.events.last
    this.request = c.req.raw
    this.peer = requestPeer(c)
    this.caller = caller
    this.session = session
  }

  /** Authenticate the caller of a request; throw if that fails. */
  static async of(service: ApiService, c: Context): Promise<V1Call> {
    const { headers } = c.req.raw
    const bearer = bearerIn(headers)
    const caller = bearer === undefined ? callerOf(headers, service.sessions) : bearerOf(service, bearer)
    const usable = service.settings.hasSessions ? caller : { ...caller, session: undefined }
    const session = usable.session ?? (bearer === undefined ? undefined : await tokenSession(service, bearer, c))
    if (!session) throw new HttpError(401, 'Send the id of a session, or a token of Salt')
    refuseForgery(c.req.raw, usable, service.settings.corsOrigins)
    return new V1Call(service, c, usable, session)
  }

  get user(): string {
    return this.session.user
  }

  /** The caller as the owner of jobs. */
  get owner(): JobOwner {
    return { user: this.session.user, eauth: this.session.eauth }
  }

  /** Whether the caller may call a function of the master. */
  async may(family: Family, fun: string, kwargs: Record<string, Value> = {}, args: Value[] = []): Promise<boolean> {
    if (!this.isEnabled(CLIENTS[family])) return false
    const load: Array<[Value, Value]> = [
      ['cmd', 'judge'],
      ['family', family],
      ['fun', fun],
      ['arg', args],
      ['kwarg', dictFrom(kwargs)],
      ['token', this.session.token],
    ]
    const judged = await this.service.master.command(new Map(load), this.peer)
    return isDict(judged) && judged.has('user')
  }

  /** Throw unless the caller may call a function of the master. */
  async need(family: Family, fun: string, kwargs: Record<string, Value> = {}, args: Value[] = []): Promise<void> {
    this.needClient(...CLIENTS[family])
    if (await this.may(family, fun, kwargs, args)) return
    throw await this.refused(`This needs the right to call the ${family} function ${fun}`)
  }

  /** Throw unless one of some clients is enabled by the options of the master. */
  needClient(...clients: readonly string[]): void {
    if (this.isEnabled(clients)) return
    throw new HttpError(403, `The client ${clients[0]} is disabled: the option netapi_enable_clients does not name it`)
  }

  /** Whether the options of the master let callers use one of some clients. */
  isEnabled(clients: readonly string[]): boolean {
    const enabled = option(this.service.master.access.opts, 'netapi_enable_clients')
    return isList(enabled) && clients.some((name) => enabled.includes(name))
  }

  /** Run a chunk of lowstate with the rights of the caller. */
  async run(chunk: Record<string, Value>): Promise<Value> {
    this.needClient(str(chunk['client']!))
    return this.judged(chunk, async (low) => {
      const [result = null] = await runLowstate(this.work, [low])
      return readValue(result)
    })
  }

  /** Begin a batch with the rights of the caller. */
  async beginBatch(chunk: Record<string, Value>): Promise<Value> {
    this.needClient('local_batch', 'local_async')
    return this.judged({ ...chunk, client: 'local_batch' }, (low) => runBatchAsync(this.work, low))
  }

  private get work(): ClientWork {
    return clientWork(this.service, this.peer, this.request.signal)
  }

  private async judged(chunk: Record<string, Value>, run: (low: Dict) => Promise<Value>): Promise<Value> {
    try {
      return await run(new Map<Value, Value>([...Object.entries(chunk), ['token', this.session.token]]))
    } catch (error) {
      if (!(error instanceof HttpError) || error.refusal === undefined || error.status !== 401) throw error
      const fields = ['ret', 'metadata'].some((name) => name in chunk) ? ' and to set fields of jobs (@publish)' : ''
      throw await this.refused(`This needs the right to call ${str(chunk['fun'] ?? '')}${fields}`)
    }
  }

  /** Send a command to the master that the master judges; it says itself which right is missing. */
  async ask(command: Record<string, Value>): Promise<Dict> {
    const load = new Map<Value, Value>([...Object.entries(command), ['token', this.session.token]])
    try {
      return answered(await this.service.master.command(load, this.peer))
    } catch (error) {
      if (!(error instanceof HttpError) || error.refusal === undefined || error.status !== 401) throw error
      throw await this.refused(error.message)
    }
  }

  /** A missing right; where the token is not valid any more, that. */
  private async refused(detail: string): Promise<HttpError> {
    const token = await tokenRecord(this.service, this.session.token, this.peer)
    return token ? new HttpError(403, detail) : new HttpError(401, 'The token of the session is not valid any more')
  }

  /** Return the master's data about the caller's token. */
  async token(): Promise<Dict> {
    return (await tokenRecord(this.service, this.session.token, this.peer)) ?? new Map()
  }
}

const bearerOf = ({ sessions }: ApiService, id: string): Caller => ({ id, session: sessions.find(id), byCookie: false })

async function tokenRecord({ master }: ApiService, token: string, peer: Peer): Promise<Dict | undefined> {
  const load: Array<[Value, Value]> = [
    ['cmd', 'get_token'],
    ['token', token],
  ]
  const record = await master.command(new Map(load), peer)
  mindRefusal(record)
  return isDict(record) && record.size > 0 ? record : undefined
}

async function tokenSession(service: ApiService, token: string, c: Context): Promise<ApiSession | undefined> {
  const record = await tokenRecord(service, token, requestPeer(c))
  if (!record) return undefined
  const expires = numberOf(record.get('expire') ?? null) ?? 0
  return { token, user: str(record.get('name') ?? ''), eauth: str(record.get('eauth') ?? ''), expires }
}
