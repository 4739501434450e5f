// The options of the API. Salt has three servers with separate options (`rest_cherrypy`, `rest_tornado`, `rest_wsgi`);
// here one server reads all of them.
import { BrineError, type Log } from '../base/mod.ts'
import { API_KINDS, type ApiKind } from '../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../data/mod.ts'
import type { Peer } from '../wire/mod.ts'
import { HttpError } from './errors.ts'

export interface TlsFiles {
  certificate: string
  key: string
  chain?: string
}

export interface ApiSettings {
  kind: ApiKind
  host: string
  port: number
  /** Connections that may wait to be taken. */
  backlog: number
  tls?: TlsFiles
  /** Whether unexpected errors show their trace to the caller. */
  debug: boolean
  /** The path of web hooks, without a slash at its end. */
  webhookUrl: string
  webhookAuth: boolean
  /** Bytes of a request body. */
  maxBody: number
  collectStats: boolean
  statsAuth: boolean
  staticFolder?: string
  staticPath: string
  /** Whether sessions are enabled: `/login`, `/logout`, `/minions` and `/jobs`. */
  hasSessions: boolean
  /** Whether callers send their credentials with each chunk of `POST /`. */
  isWsgi: boolean
  app?: string
  appPath: string
  /** A prefix of all paths, such as `/salt`; empty for none. */
  prefix: string
  favicon?: string
  /** Addresses that may send requests; undefined for all. */
  authorizedIps?: ReadonlySet<string>
  /** Addresses from which users may log in, by user or `*`; undefined for all. */
  loginAddresses?: ReadonlyMap<string, ReadonlySet<string>>
  accessLog?: string
  errorLog?: string
  /** Origins that pages may come from; undefined for all. */
  corsOrigins?: ReadonlySet<string>
  /** Whether `/ws` and the sockets of rest_tornado are enabled. */
  websockets: boolean
}

const BODY_BYTES = 1_048_576

/** Options that mean something to Salt's servers, which have threads and processes, and nothing here. */
const WITHOUT_EFFECT = ['thread_pool', 'num_processes', 'expire_responses']

/** Reads the fields of one server's options, and names the field that is wrong. */
class Fields {
  private readonly kind: ApiKind
  private readonly given: Dict

  constructor(kind: ApiKind, given: Dict) {
    this.kind = kind
    this.given = given
  }

  private wrong(name: string, wanted: string): BrineError {
    return new BrineError('BadSetting', `The option ${this.kind}: ${name} must be ${wanted}`)
  }

  has(name: string): boolean {
    return (this.given.get(name) ?? null) !== null
  }

  flag(name: string, usual = false): boolean {
    return truthy(this.given.get(name) ?? usual)
  }

  text(name: string, usual = ''): string {
    const value = this.given.get(name) ?? null
    if (value === null) return usual
    if (typeof value !== 'string') throw this.wrong(name, 'text')
    return value
  }

  count(name: string, usual: number, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.given.get(name) ?? null
    const number = value === null ? usual : (numberOf(value) ?? Number(str(value)))
    if (!Number.isInteger(number) || number < 0 || number > most) throw this.wrong(name, `a number from 0 to ${most}`)
    return number
  }

  /** A path of a URL: with a slash in front and none at the end. */
  path(name: string, usual: string): string {
    const inner = this.text(name, usual).replace(/^\/+|\/+$/g, '')
    return inner === '' ? '' : `/${inner}`
  }

  names(name: string): ReadonlySet<string> | undefined {
    const value = this.given.get(name) ?? null
    if (!truthy(value)) return undefined
    return namesOf(value, () => this.wrong(name, 'a list'))
  }

  dict(name: string): Dict | undefined {
    const value = this.given.get(name) ?? null
    if (value === null) return undefined
    if (!isDict(value)) throw this.wrong(name, 'a mapping')
    return value
  }
}

function namesOf(value: Value, wrong: () => Error): ReadonlySet<string> {
  if (isList(value)) return new Set(value.map(str))
  if (typeof value === 'string') return new Set([value])
  throw wrong()
}

/** Return the settings of every server in the options; a server that cannot start is logged. */
export function readSettings(opts: Dict, log: Log): ApiSettings[] {
  return API_KINDS.flatMap((kind) => {
    const given = opts.get(kind) ?? null
    if (given === null) return []
    if (!isDict(given)) throw new BrineError('BadSetting', `The option ${kind} must be a mapping`)
    const settings = readServer(kind, new Fields(kind, given), log)
    for (const name of WITHOUT_EFFECT.filter((each) => given.has(each)))
      log('info', `The option ${kind}: ${name} has no effect: one process without threads answers all requests`)
    return settings ? [settings] : []
  })
}

function readServer(kind: ApiKind, fields: Fields, log: Log): ApiSettings | undefined {
  const isWsgi = kind === 'rest_wsgi'
  if (!fields.has('port')) {
    log('error', `Not serving ${kind}: the option ${kind}: port is missing`)
    return undefined
  }
  const tls = tlsOf(kind, fields, log)
  if (tls === 'missing') return undefined
  const optional = {
    ...(tls && { tls }),
    ...textOption(fields, 'static', 'staticFolder'),
    ...textOption(fields, 'app', 'app'),
    ...textOption(fields, 'favicon', 'favicon'),
    ...textOption(fields, 'log_access_file', 'accessLog'),
    ...textOption(fields, 'log_error_file', 'errorLog'),
  }
  const ips = fields.names('authorized_ips')
  const acl = loginAddresses(kind, fields)
  const origins = fields.names('cors_origin')
  return {
    kind,
    host: fields.text(kind === 'rest_tornado' ? 'address' : 'host', isWsgi ? 'localhost' : '0.0.0.0'),
    port: fields.count('port', 0, 65_535),
    backlog: fields.count(fields.has('socket_queue_size') ? 'socket_queue_size' : backlogName(kind), 128),
    debug: fields.flag('debug'),
    webhookUrl: fields.path('webhook_url', '/hook'),
    webhookAuth: !fields.flag('webhook_disable_auth'),
    maxBody: fields.count('max_request_body_size', BODY_BYTES) || Number.POSITIVE_INFINITY,
    collectStats: fields.flag('collect_stats'),
    statsAuth: !fields.flag('stats_disable_auth'),
    staticPath: fields.path('static_path', '/static'),
    hasSessions: !isWsgi && fields.flag('enable_sessions', true),
    isWsgi,
    appPath: fields.path('app_path', '/app'),
    prefix: fields.path('root_prefix', '/'),
    websockets: kind === 'rest_tornado' ? fields.flag('websockets') : true,
    ...optional,
    ...(ips && { authorizedIps: ips }),
    ...(acl && { loginAddresses: acl }),
    ...(origins && !origins.has('*') && { corsOrigins: origins }),
  }
}

const backlogName = (kind: ApiKind): string => (kind === 'rest_tornado' ? 'backlog' : 'queue_size')

type TextName = 'staticFolder' | 'app' | 'favicon' | 'accessLog' | 'errorLog'

function textOption(fields: Fields, name: string, field: TextName): Partial<Record<TextName, string>> {
  const text = fields.text(name)
  return text === '' ? {} : { [field]: text }
}

function tlsOf(kind: ApiKind, fields: Fields, log: Log): TlsFiles | 'missing' | undefined {
  if (kind === 'rest_wsgi' || fields.flag('disable_ssl')) return undefined
  const [certificate, key, chain] = ['ssl_crt', 'ssl_key', 'ssl_chain'].map((name) => fields.text(name)) as [
    string,
    string,
    string,
  ]
  // rest_tornado takes a file with both
  if (kind === 'rest_tornado' && certificate !== '') return { certificate, key: key || certificate }
  if (certificate !== '' && key !== '') return { certificate, key, ...(chain !== '' && { chain }) }
  log('error', `Not serving ${kind}: set ${kind}: ssl_crt and ssl_key, or disable_ssl to serve without encryption`)
  return 'missing'
}

function loginAddresses(kind: ApiKind, fields: Fields): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const users = fields.dict('api_acl')?.get('users') ?? null
  if (!truthy(users)) return undefined
  const wrong = (): BrineError =>
    new BrineError('BadSetting', `The option ${kind}: api_acl: users must map users to lists of addresses`)
  if (!isDict(users)) throw wrong()
  return new Map([...users].map(([user, addresses]) => [str(user), namesOf(addresses, wrong)]))
}

/** Whether a user may log in from an address. */
export function mayLogIn({ loginAddresses: users }: ApiSettings, user: string, address: string): boolean {
  if (!users) return true
  const allowed = users.get(user) ?? users.get('*')
  return allowed !== undefined && (allowed.has(address) || allowed.has('*'))
}

/** Whether an address may send no requests. */
export const isRefused = ({ authorizedIps }: ApiSettings, { host = '' }: Peer): boolean =>
  authorizedIps !== undefined && !authorizedIps.has(host)

/** Refuse a request from an address that may send none. */
export function refuseAddress(settings: ApiSettings, peer: Peer): void {
  if (isRefused(settings, peer)) throw new HttpError(403, 'Bad IP')
}
