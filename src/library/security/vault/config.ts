// The option `vault`, in the form of Salt up to 3006 and in that of saltext-vault: both are parsed into one typed
// configuration. Unknown names and invalid values are reported, with the path of the field.
import { isPlainObject, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { readSeconds } from './durations.ts'
import { invalidConfig } from './errors.ts'

export type Json = Plain
export type JsonObject = { [key: string]: Json }

export interface ServerConfig {
  url: string
  /** Other addresses of the same server that minions may use. */
  urlAlts: string[]
  namespace: string | null
  /** False, the path of a file of certificates, or certificates as text; null and true mean those of the system. */
  verify: boolean | string | null
}

export interface ClientConfig {
  connectTimeout: number
  readTimeout: number
  maxRetries: number
  backoffFactor: number
  backoffMax: number
  backoffJitter: number
  retryPost: boolean
  retryStatus: number[]
  respectRetryAfter: boolean
  retryAfterMax: number
}

export type AuthMethod = 'token' | 'approle' | 'wrapped_token'

export interface AuthConfig {
  method: AuthMethod
  /** A token, or the answer to a wrapping request. */
  token: Json
  /** The file with the token, such as a sink of the Vault agent. */
  tokenFile: string | null
  roleId: Json
  /** For a configuration from the master: whether a secret id is needed. */
  secretId: Json
  approleMount: string
  approleName: string
  /** Seconds. */
  minimumTtl: number
  /** Seconds; null for the server's default, false for never. */
  renewIncrement: number | null | false
}

export interface CacheConfig {
  backend: 'session' | 'disk'
  clearAttemptRevocation: number | false
  clearOnUnauthorized: boolean
  /** Seconds for which a configuration of the master is cached; null for no limit. */
  config: number | null
  kvMetadata: number | 'connection' | null
  secret: number | 'ttl'
}

export interface IssueConfig {
  type: 'token' | 'approle'
  allowOverride: boolean
  blockMinions: boolean
  /** Time for unwrapping by a minion, in Vault's notation; false for no wrapping. */
  wrap: string | false
  approle: { mount: string; params: JsonObject }
  token: { roleName: string | null; params: JsonObject }
}

export interface VaultConfig {
  server: ServerConfig
  client: ClientConfig
  auth: AuthConfig
  cache: CacheConfig
  issue: IssueConfig
  issueParams: JsonObject
  keys: string[]
  metadata: { entity: Map<string, string>; secret: Map<string, string> }
  policies: { assign: string[]; cacheTime: number; refreshPillar: boolean | null }
  location: 'local' | 'master' | null
  /** Notes about the configuration for the operator. */
  notes: string[]
}

/** A section of the configuration, with its path. Names that are never read are noted as unknown. */
class Section {
  private readonly fields: JsonObject
  private readonly path: string
  private readonly asked = new Set<string>()

  constructor(fields: JsonObject, path: string) {
    this.fields = fields
    this.path = path
  }

  private at(name: string): string {
    return this.path === '' ? name : `${this.path}:${name}`
  }

  raw(name: string): Json | undefined {
    this.asked.add(name)
    return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined
  }

  private wrong(name: string, wanted: string): never {
    throw invalidConfig(`${this.at(name)} must be ${wanted}`)
  }

  section(name: string): Section {
    const value = this.raw(name) ?? {}
    if (!isPlainObject(value)) return this.wrong(name, 'a mapping')
    return new Section(value as JsonObject, this.at(name))
  }

  object(name: string): JsonObject {
    const value = this.raw(name) ?? {}
    return isPlainObject(value) ? (value as JsonObject) : this.wrong(name, 'a mapping')
  }

  text(name: string): string | null {
    const value = this.raw(name) ?? null
    if (value === null || typeof value === 'string') return value
    return typeof value === 'number' ? String(value) : this.wrong(name, 'a text')
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.raw(name) ?? otherwise
    return typeof value === 'boolean' ? value : this.wrong(name, 'true or false')
  }

  number(name: string, otherwise: number, most: number): number {
    const value = this.raw(name) ?? otherwise
    if (typeof value !== 'number' || !(value >= 0)) return this.wrong(name, 'a number')
    return Math.min(value, most)
  }

  seconds(name: string, otherwise: number): number {
    return readSeconds(this.raw(name) ?? otherwise) ?? this.wrong(name, 'seconds, or a time such as 30s or 24h')
  }

  texts(name: string): string[] | undefined {
    const value = this.raw(name) ?? undefined
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.wrong(name, 'a list')
    return value.map((item) => (typeof item === 'string' ? item : this.wrong(name, 'a list of texts')))
  }

  choice<const T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const value = this.raw(name) ?? otherwise
    const found = choices.find((choice) => choice === value)
    return found ?? this.wrong(name, `one of ${choices.join(', ')}`)
  }

  /** Return a note for each name that was never read. */
  unknown(): string[] {
    const names = Object.keys(this.fields).filter((name) => !this.asked.has(name))
    return names.map((name) => `vault:${this.at(name)} is not known and has no effect`)
  }
}

function readServer(all: Section, server: Section): ServerConfig {
  const verify = server.raw('verify') ?? all.raw('verify') ?? null
  if (verify !== null && typeof verify !== 'boolean' && typeof verify !== 'string') {
    throw invalidConfig('server:verify must be true, false, or the path of a file of certificates')
  }
  const namespace = server.text('namespace') ?? all.text('namespace')
  return {
    url: (server.text('url') ?? all.text('url') ?? '').replace(/\/+$/, ''),
    urlAlts: (server.texts('url_alts') ?? []).map((url) => url.replace(/\/+$/, '')),
    namespace: namespace === '' ? null : namespace,
    verify,
  }
}

function readClient(client: Section): ClientConfig {
  const status = client.raw('retry_status') ?? [412, 500, 502, 503, 504]
  if (!Array.isArray(status) || !status.every((code) => typeof code === 'number')) {
    throw invalidConfig('client:retry_status must be a list of numbers')
  }
  return {
    connectTimeout: client.number('connect_timeout', 9.2, 3600),
    readTimeout: client.number('read_timeout', 30, 3600),
    maxRetries: client.number('max_retries', 5, 10),
    backoffFactor: client.number('backoff_factor', 0.1, 3),
    backoffMax: client.number('backoff_max', 10, 60),
    backoffJitter: client.number('backoff_jitter', 0.2, 5),
    retryPost: client.flag('retry_post', false),
    retryStatus: status as number[],
    respectRetryAfter: client.flag('respect_retry_after', true),
    retryAfterMax: client.number('retry_after_max', 60, 3600),
  }
}

function readAuth(auth: Section): AuthConfig {
  const lifecycle = auth.section('token_lifecycle')
  const increment = lifecycle.raw('renew_increment') ?? null
  return {
    method: auth.choice('method', ['token', 'approle', 'wrapped_token'], 'token'),
    token: auth.raw('token') ?? null,
    tokenFile: auth.text('token_file'),
    roleId: auth.raw('role_id') ?? null,
    secretId: auth.raw('secret_id') ?? null,
    approleMount: auth.text('approle_mount') ?? 'approle',
    approleName: auth.text('approle_name') ?? 'salt-master',
    minimumTtl: lifecycle.seconds('minimum_ttl', 10),
    renewIncrement: increment === null || increment === false ? increment : lifecycle.seconds('renew_increment', 0),
  }
}

function readCache(auth: Section, cache: Section): CacheConfig {
  const backend = cache.text('backend') ?? auth.text('token_backend') ?? 'session'
  const revocation = cache.raw('clear_attempt_revocation') ?? 60
  const kv = cache.raw('kv_metadata')
  const secret = cache.raw('secret') ?? 'ttl'
  return {
    backend: backend === 'session' ? 'session' : 'disk',
    clearAttemptRevocation:
      revocation === false ? false : revocation === true ? 1 : cache.seconds('clear_attempt_revocation', 60),
    clearOnUnauthorized: cache.flag('clear_on_unauthorized', true),
    config: cache.raw('config') === null ? null : cache.seconds('config', 3600),
    kvMetadata:
      kv === null ? null : kv === undefined || kv === 'connection' ? 'connection' : cache.seconds('kv_metadata', 0),
    secret: secret === 'ttl' ? 'ttl' : cache.seconds('secret', 0),
  }
}

/** The default for minions: tokens for a minute, with any number of uses. */
const USUAL_TOKEN: Readonly<JsonObject> = { explicit_max_ttl: 60, num_uses: 0 }

const USUAL_APPROLE: Readonly<JsonObject> = {
  bind_secret_id: true,
  secret_id_num_uses: 1,
  secret_id_ttl: 60,
  token_explicit_max_ttl: 60,
  token_num_uses: 10,
}

function readIssue(all: Section, auth: Section, issue: Section): IssueConfig {
  const wrap = issue.raw('wrap') ?? '30s'
  if (wrap !== false && readSeconds(wrap) === undefined)
    throw invalidConfig('issue:wrap must be false, or a time such as 30s')
  const approle = issue.section('approle')
  const token = issue.section('token')
  const params = { ...token.object('params') }
  // the names of Salt up to 3006
  for (const [old, name] of [
    ['ttl', 'explicit_max_ttl'],
    ['uses', 'num_uses'],
  ] as const) {
    const value = auth.raw(old) ?? null
    if (value !== null && params[name] === undefined) params[name] = value
  }
  const isLimited = Object.values(params).some((value) => value !== null)
  return {
    type: issue.choice('type', ['token', 'approle'], 'token'),
    allowOverride: issue.flag('allow_minion_override_params', auth.flag('allow_minion_override', false)),
    blockMinions: issue.flag('block_minion_requests', false),
    wrap: wrap === false ? false : String(wrap),
    approle: {
      mount: approle.text('mount') ?? 'salt-minions',
      params: { ...USUAL_APPROLE, ...approle.object('params') },
    },
    token: {
      roleName: token.text('role_name') ?? all.text('role_name'),
      params: isLimited ? { num_uses: 1, ...params } : { ...USUAL_TOKEN },
    },
  }
}

const patterns = (fields: JsonObject): Map<string, string> =>
  new Map(Object.entries(fields).map(([name, pattern]) => [name, String(pattern)]))

function readMetadata(all: Section): VaultConfig['metadata'] {
  const usual = {
    entity: { 'minion-id': '{minion}' },
    secret: { 'saltstack-jid': '{jid}', 'saltstack-minion': '{minion}', 'saltstack-user': '{user}' },
  }
  // a text is the path, as documents write it there; it is sent to Vault with each secret
  const path = all.raw('metadata')
  if (typeof path === 'string') {
    return { entity: patterns(usual.entity), secret: patterns({ ...usual.secret, path }) }
  }
  const metadata = all.section('metadata')
  return {
    entity: patterns({ ...usual.entity, ...metadata.object('entity') }),
    secret: patterns({ ...usual.secret, ...metadata.object('secret') }),
  }
}

function readPolicies(all: Section): VaultConfig['policies'] {
  const isList = Array.isArray(all.raw('policies'))
  const policies = isList ? new Section({}, 'policies') : all.section('policies')
  const refresh = policies.raw('refresh_pillar') ?? all.raw('policies_refresh_pillar') ?? null
  if (refresh !== null && typeof refresh !== 'boolean')
    throw invalidConfig('policies:refresh_pillar must be true, false or null')
  const assign = isList ? all.texts('policies') : policies.texts('assign')
  const oldTime = all.seconds('policies_cache_time', 60)
  return {
    assign: assign ?? ['saltstack/minions', 'saltstack/{minion}'],
    cacheTime: policies.seconds('cache_time', oldTime),
    refreshPillar: refresh,
  }
}

/** Return the unseal keys. Documents also put a template of paths there, which contains none. */
function readKeys(all: Section, notes: string[]): string[] {
  if (typeof all.raw('keys') !== 'string') return all.texts('keys') ?? []
  notes.push('vault:keys is a text and not a list of keys: vault.unseal has no key to send')
  return []
}

/** Read the option `vault`. */
export function readConfig(value: Value): VaultConfig {
  return readPlainConfig(value === null ? {} : toPlain(value))
}

export function readPlainConfig(plain: Json): VaultConfig {
  if (!isPlainObject(plain)) throw invalidConfig('vault must be a mapping')
  const all = new Section(plain as JsonObject, '')
  const [server, client, auth, cache, issue] = ['server', 'client', 'auth', 'cache', 'issue'].map((name) =>
    all.section(name),
  ) as [Section, Section, Section, Section, Section]
  const notes: string[] = []
  const config: VaultConfig = {
    server: readServer(all, server),
    client: readClient(client),
    auth: readAuth(auth),
    cache: readCache(auth, cache),
    issue: readIssue(all, auth, issue),
    issueParams: readOverrides(all, auth),
    keys: readKeys(all, notes),
    metadata: readMetadata(all),
    policies: readPolicies(all),
    location: all.raw('config_location') == null ? null : all.choice('config_location', ['local', 'master'], 'local'),
    notes,
  }
  if (cache.flag('expire_events', false))
    notes.push('vault:cache:expire_events has no effect: no such events are fired')
  for (const section of [all, server, client, auth, cache, issue]) notes.push(...section.unknown())
  return config
}

/** Return a minion's parameters for requests to its master: `issue_params`, and the names of Salt up to 3006. */
function readOverrides(all: Section, auth: Section): JsonObject {
  const [ttl, uses] = [auth.raw('ttl') ?? null, auth.raw('uses') ?? null]
  return {
    ...(ttl !== null && { explicit_max_ttl: ttl }),
    ...(uses !== null && { num_uses: uses }),
    ...all.object('issue_params'),
  }
}

/** Fail with the field that is missing for a connection of one's own. */
export function requireConnection({ server, auth }: VaultConfig): void {
  if (server.url === '') throw invalidConfig('server:url is required')
  if (auth.method === 'approle' && auth.roleId === null)
    throw invalidConfig('auth:role_id is required for approle auth')
  if (auth.method !== 'approle' && auth.token === null && auth.tokenFile === null) {
    throw invalidConfig('auth:token is required for token auth')
  }
}
