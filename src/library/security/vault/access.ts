// Requests with a token: from the cache as long as it lasts, renewed before it ends, got anew when it has ended or is refused. All
// requests of an identity share one login.
import { type Dict, fromPlain, isDict, markTexts, toPlain, type Value } from '../../../data/mod.ts'
import { errorsIn, objectAt, type Question, type Surroundings, VaultClient } from './client.ts'
import type { AuthConfig, CacheConfig, ClientConfig, JsonObject, ServerConfig } from './config.ts'
import { now } from './durations.ts'
import { isVaultError, statusError, VaultError } from './errors.ts'
import { hasUses, isUsable, lasts, renewed, type Token } from './records.ts'
import type { Store } from './store.ts'

/** The settings of a connection. */
export interface Connection {
  server: ServerConfig
  client: ClientConfig
  auth: Pick<AuthConfig, 'minimumTtl' | 'renewIncrement'>
  cache: CacheConfig
}

/** The source of an identity's tokens. */
export interface Entrance {
  readonly connection: Connection
  readonly store: Store
  /** Get a new token. */
  enter(client: VaultClient): Promise<Token>
  /** Whether `enter` returns another token each time; a token of the configuration stays as it is. */
  readonly isRenewed: boolean
  /** Forget where tokens come from, as when the master has another configuration now. */
  forget?(): Promise<void>
}

export type Asked = Omit<Question, 'token'>

/** Policies that have changed since a token was got less than so many seconds ago are not reckoned with. */
const NEW_SECONDS = 60

/** Whether the policies of a valid token forbid a request; a token that is not valid is refused in other words. */
const isDenial = (body: Dict): boolean =>
  /^(1 error occurred:\s*\* permission denied|preflight capability check returned 403.*)\s*$/s.test(
    errorsIn(body).join('\n'),
  )

/** Paths that Vault serves without counting a use of the token. */
const isUncounted = (path: string): boolean => path.startsWith('sys/internal/ui/mounts')

export class VaultAccess {
  readonly client: VaultClient
  readonly connection: Connection
  readonly store: Store
  readonly parts: Surroundings
  private readonly entrance: Entrance

  constructor(parts: Surroundings, entrance: Entrance) {
    this.parts = parts
    this.entrance = entrance
    this.connection = entrance.connection
    this.store = entrance.store
    this.client = new VaultClient(parts, this.connection.server, this.connection.client)
  }

  /** Ask as this identity; fail when the server refuses. */
  async ask(question: Asked): Promise<Dict> {
    const { token, isFresh } = await this.token()
    const reply = await this.send(question, token)
    if (reply.status < 300) return reply.body
    const mayEnterAgain = !isFresh && this.entrance.isRenewed && this.connection.cache.clearOnUnauthorized
    const isNew = now() - (this.store.kept.tokenTime ?? 0) < NEW_SECONDS
    if (reply.status !== 403 || !mayEnterAgain || (isNew && isDenial(reply.body))) throw refused(reply, question)
    this.parts.log('info', 'Permission denied from vault. Retrying with new credentials')
    await this.forgetToken()
    const again = await this.send(question, (await this.token()).token)
    if (again.status < 300) return again.body
    throw refused(again, question)
  }

  /** Ask by the words that functions use. */
  get = (path: string, params?: Record<string, string>): Promise<Dict> =>
    this.ask({ method: 'GET', path, ...(params && { params }) })

  list = (path: string): Promise<Dict> => this.ask({ method: 'LIST', path })

  post = (path: string, payload?: Value, more: Partial<Asked> = {}): Promise<Dict> =>
    this.ask({ method: 'POST', path, ...(payload !== undefined && { payload }), ...more })

  delete = (path: string): Promise<Dict> => this.ask({ method: 'DELETE', path })

  private async send(question: Asked, token: Token) {
    const reply = await this.client.send({ ...question, token: token.id })
    if (token.numUses > 0 && !isUncounted(question.path)) {
      token.useCount++
      if (this.store.kept.token === token) await (hasUses(token) ? this.store.write() : this.forgetToken())
    }
    return reply
  }

  /** Return a token that can be used once at least, and whether it is new. */
  async token(): Promise<{ token: Token; isFresh: boolean }> {
    const { store } = this
    const { minimumTtl, renewIncrement } = this.connection.auth
    const known = this.known()
    if (known && lasts(known, minimumTtl)) return { token: known, isFresh: false }
    if (known?.renewable && renewIncrement !== false && hasUses(known, 2)) {
      const later = await this.renew(known, renewIncrement)
      if (later && lasts(later, minimumTtl)) return { token: later, isFresh: false }
    }
    store.entering ??= this.enter().finally(() => {
      store.entering = undefined
    })
    return { token: await store.entering, isFresh: true }
  }

  private known(): Token | undefined {
    const { token, tokenTime = 0 } = this.store.kept
    const { secret } = this.connection.cache
    if (secret !== 'ttl' && now() - tokenTime > secret) return undefined
    return token && isUsable(token) ? token : undefined
  }

  private async enter(): Promise<Token> {
    this.parts.log('debug', `Vault: logging in at ${this.connection.server.url}`)
    let token: Token
    try {
      token = await this.entrance.enter(this.client)
    } catch (error) {
      if (!isVaultError(error, 'VaultConfigExpired') || !this.entrance.forget) throw error
      await this.entrance.forget()
      throw error
    }
    if (token.id === '') throw new VaultError('VaultException', 'Vault gave no token')
    markTexts([token.id])
    if (!isUsable(token, this.connection.auth.minimumTtl)) {
      this.parts.log('debug', 'Vault: new tokens last less than auth:token_lifecycle:minimum_ttl')
    }
    // a token with one use cannot serve another request; leases end with the token they belong to
    if (token.numUses !== 1) await this.store.save({ token, tokenTime: now(), leases: {} })
    return token
  }

  private async renew(token: Token, increment: number | null): Promise<Token | undefined> {
    const payload = fromPlain(increment === null ? {} : { increment })
    try {
      const body = await this.client.ask({
        method: 'POST',
        path: 'auth/token/renew-self',
        payload,
        token: token.id,
        isRepeatable: true,
      })
      const later = { ...renewed(token, objectAt(body, 'auth')), useCount: token.useCount + 1 }
      await this.store.save({ token: later })
      return later
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      this.parts.log('debug', `Vault: the token was not renewed: ${error.message}`)
      return undefined
    }
  }

  private async forgetToken(): Promise<void> {
    const { token: _token, tokenTime: _time, ...rest } = this.store.kept
    this.store.kept = rest
    await this.store.write()
  }

  /** Return the token to Vault: it and its leases become invalid within `delay` seconds. */
  async revoke(delay: number): Promise<void> {
    const { token } = this.store.kept
    if (!token || !this.entrance.isRenewed || !isUsable(token)) return
    const question: Question =
      delay > 1 && token.renewable && hasUses(token, 1)
        ? { method: 'POST', path: 'auth/token/renew-self', payload: fromPlain({ increment: delay }), token: token.id }
        : { method: 'POST', path: 'auth/token/revoke-self', token: token.id }
    try {
      await this.client.ask(question)
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      this.parts.log('debug', `Vault: the token was not revoked: ${error.message}`)
    }
  }
}

function refused({ status, body }: { status: number; body: Dict }, { path }: Asked): VaultError {
  return statusError(status, errorsIn(body), path)
}

/** Return the part `data` of an answer. */
export function dataOf(body: Dict): Dict {
  const data = body.get('data') ?? null
  return isDict(data) ? data : new Map()
}

/** The same as a plain object. */
export const plainData = (body: Dict): JsonObject => toPlain(dataOf(body)) as JsonObject
