// A small server in place of Vault for tests: tokens, policies, approles, entities, kv of both versions, wrapping,
// leases, namespaces and the seal. `cases.ts` has its answers, and the same cases can be sent to a real server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Answer, DENIED, data, empty, NO_TOKEN, refusal } from './answers.ts'
import { AppRoles, Entities } from './approle.ts'
import { DatabaseEngine, Leases } from './database-engine.ts'
import { GpgEngine } from './gpg-engine.ts'
import { type Engine, KvOne, KvTwo } from './kv-engine.ts'
import { PkiEngine } from './pki-engine.ts'
import { PluginCatalog } from './plugin-catalog.ts'
import { allows, type Capability, DEFAULT_POLICY } from './policy.ts'
import { SshEngine } from './ssh-engine.ts'
import { newId, spanOf, type Token, Tokens } from './tokens.ts'

type Fields = Record<string, unknown>

/** The content of one namespace; the root namespace is ''. */
interface Space {
  engines: Map<string, { type: string; version: string; engine: Engine }>
  roles: Map<string, AppRoles>
  policies: Map<string, string>
  tokenRoles: Map<string, Fields>
}

interface Wrapped {
  body: Fields
  path: string
  created: number
  ttl: number
}

export interface SeenRequest {
  method: string
  path: string
  status: number
  token: string
}

const CAPABILITIES: Readonly<Record<string, Capability>> = {
  GET: 'read',
  LIST: 'list',
  DELETE: 'delete',
  PATCH: 'patch',
}

export class VaultServer {
  readonly seen: SeenRequest[] = []
  readonly rootToken: string
  readonly unsealKeys: string[] = ['key-one', 'key-two']
  /** Statuses that the next requests are answered with, before anything else is looked at. */
  readonly failures: number[] = []
  isSealed = false
  private progress = 0
  private readonly tokens = new Tokens()
  private readonly plugins = new PluginCatalog()
  private readonly entities = new Entities()
  readonly leases = new Leases()
  private readonly spaces = new Map<string, Space>()
  private readonly wrapped = new Map<string, Wrapped>()
  private readonly server: Server

  private constructor(tls?: { key: string; cert: string }) {
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.take(request, response)
    this.server = tls ? createTlsServer(tls, listener) : createServer(listener)
    const root = this.tokens.create({ policies: ['root'], path: 'auth/token/root' })
    root.expires = 0
    this.rootToken = root.id
    this.space('')
  }

  static async start(tls?: { key: string; cert: string }): Promise<VaultServer> {
    const server = new VaultServer(tls)
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  /** Return the number of requests to a path. */
  count(path: RegExp): number {
    return this.seen.filter((request) => path.test(request.path)).length
  }

  private space(name: string): Space {
    let space = this.spaces.get(name)
    if (!space) {
      space = {
        engines: new Map(),
        roles: new Map(),
        policies: new Map([['default', DEFAULT_POLICY]]),
        tokenRoles: new Map(),
      }
      this.spaces.set(name, space)
    }
    return space
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://vault')
    const path = decodeURIComponent(url.pathname).replace(/^\/v1\//, '')
    const method = url.searchParams.get('list') === 'true' ? 'LIST' : (request.method ?? 'GET').replace('PUT', 'POST')
    const header = (name: string): string => String(request.headers[name] ?? '')
    let answer: Answer
    try {
      const text = Buffer.concat(chunks).toString()
      const body = (text === '' ? {} : JSON.parse(text)) as Fields
      answer =
        hasWrongType(request) ??
        this.answer({
          method,
          path,
          body,
          query: url.searchParams,
          token: header('x-vault-token'),
          namespace: header('x-vault-namespace'),
        })
    } catch (error) {
      answer = refusal(400, `failed to parse JSON input: ${String(error)}`)
    }
    this.seen.push({ method, path, status: answer.status, token: header('x-vault-token') })
    const shown = this.shown(answer, header('x-vault-wrap-ttl'), path)
    response.writeHead(shown.status, { 'content-type': 'application/json' })
    response.end(shown.body === undefined ? undefined : `${JSON.stringify(shown.body)}\n`)
  }

  /** An answer as it is sent, wrapped where that is wanted. */
  private shown(answer: Answer, wrap: string, path: string): { status: number; body?: Fields } {
    const { status, errors, more, auth = null, lease = 0, leaseId = '', renewable = false } = answer
    if (errors) return { status, body: { errors } }
    if (status === 204) return { status }
    const body: Fields = {
      request_id: newId(),
      lease_id: leaseId,
      renewable,
      lease_duration: lease,
      data: answer.data ?? null,
      wrap_info: null,
      warnings: null,
      auth,
      ...more,
    }
    if (wrap === '' || (answer.data === undefined && auth === null))
      return { status, body: more && !('data' in answer) && !auth ? more : body }
    const token = this.tokens.create({ policies: ['response-wrapping'], path, ttl: spanOf(wrap) })
    this.wrapped.set(token.id, { body, path, created: Date.now(), ttl: spanOf(wrap) })
    const info = {
      token: token.id,
      accessor: token.accessor,
      ttl: spanOf(wrap),
      creation_time: new Date().toISOString(),
      creation_path: path,
      ...(auth !== null && { wrapped_accessor: (auth as Fields).accessor }),
    }
    return {
      status,
      body: {
        request_id: '',
        lease_id: '',
        renewable: false,
        lease_duration: 0,
        data: null,
        wrap_info: info,
        warnings: null,
        auth: null,
      },
    }
  }

  private answer(request: Request): Answer {
    const failure = this.failures.shift()
    if (failure !== undefined) return refusal(failure, 'a failure that was ordered')
    const { path, token: id } = request
    if (path === 'sys/unseal') return this.unseal(request.body)
    if (path === 'sys/seal-status') return { status: 200, more: this.sealStatus() }
    if (path === 'sys/health')
      return {
        status: this.isSealed ? 503 : 200,
        more: { initialized: true, sealed: this.isSealed, standby: this.isSealed },
      }
    if (this.isSealed) return refusal(503, 'Vault is sealed')
    if (path.startsWith('sys/wrapping/')) return this.wrapping(request)
    const login = /^auth\/([^/]+)\/login$/.exec(path)
    if (login)
      return (
        this.space(request.namespace).roles.get(login[1]!)?.login(request.body, login[1]!, request.namespace) ??
        NO_HANDLER(path)
      )
    if (id === '') return refusal(403, 'permission denied')
    const token = this.tokens.find(id)
    if (!token) return NO_TOKEN
    if (path.startsWith('sys/internal/ui/mounts/'))
      return this.mountOf(path.slice('sys/internal/ui/mounts/'.length), token, request)
    if (this.wrapped.has(id)) {
      // a wrapping token has one use
      this.tokens.revoke(id)
      return DENIED
    }
    const isAllowed = this.mayDo(token, request)
    this.tokens.used(token)
    return isAllowed ? this.route(request, token) : DENIED
  }

  private rulesOf(token: Token): string[] {
    const space = this.space(token.namespace)
    return token.policies.flatMap((name) => space.policies.get(name) ?? [])
  }

  private isRoot(token: Token): boolean {
    return token.policies.includes('root')
  }

  private mayDo(token: Token, { method, path, namespace }: Request): boolean {
    if (this.isRoot(token)) return true
    if (token.namespace !== namespace) return false
    const wanted = CAPABILITIES[method]
    const place = method === 'LIST' && !path.endsWith('/') ? `${path}/` : path
    if (wanted)
      return (
        allows(this.rulesOf(token), path, wanted) || (method === 'LIST' && allows(this.rulesOf(token), place, 'list'))
      )
    return allows(this.rulesOf(token), path, 'update') || allows(this.rulesOf(token), path, 'create')
  }

  private mountOf(path: string, token: Token, { namespace }: Request): Answer {
    const space = this.space(namespace)
    const root = [...space.engines.keys()].find((mount) => `${path}/`.startsWith(mount))
    const denied = refusal(
      403,
      `preflight capability check returned 403, please ensure client's policies grant access to path "${path}/"`,
    )
    if (root === undefined) return denied
    const rules = this.rulesOf(token).join('\n')
    const isGranted =
      this.isRoot(token) ||
      (token.namespace === namespace &&
        [...rules.matchAll(/path\s+"([^"]+)"/g)].some(
          ([, rule]) => rule!.startsWith(root) || (rule!.endsWith('*') && root.startsWith(rule!.slice(0, -1))),
        ))
    if (!isGranted) return denied
    const { type, version } = space.engines.get(root)!
    return data({
      path: root,
      type,
      options: version === '' ? null : { version },
      accessor: `${type}_${root}`,
      local: false,
      seal_wrap: false,
      description: '',
    })
  }

  private route(request: Request, token: Token): Answer {
    const { method, path, body, query, namespace } = request
    const space = this.space(namespace)
    if (path.startsWith('auth/token/roles/')) return this.tokenRole(space, path.slice('auth/token/roles/'.length), body)
    if (path.startsWith('auth/token/')) {
      const isFree = this.isRoot(token) || allows(this.rulesOf(token), path, 'sudo')
      return this.tokens.handle(path.slice('auth/token/'.length), body, token, isFree, space.tokenRoles)
    }
    if (path.startsWith('identity/')) return this.entities.handle(method, path.slice('identity/'.length), body)
    if (path.startsWith('sys/plugins/'))
      return this.plugins.handle(method, path.slice('sys/plugins/'.length), body, query)
    if (path.startsWith('sys/')) return this.system(method, path.slice('sys/'.length), body, space)
    const [, mount, rest] = /^auth\/([^/]+)\/(.*)$/.exec(path) ?? []
    if (mount !== undefined) return space.roles.get(mount)?.handle(method, rest!, body) ?? NO_HANDLER(path)
    const root = [...space.engines.keys()].find((engine) => path.startsWith(engine))
    if (root === undefined) return NO_HANDLER(path)
    return space.engines.get(root)!.engine.handle(method, path.slice(root.length), body, query)
  }

  private tokenRole(space: Space, name: string, body: Fields): Answer {
    space.tokenRoles.set(name, body)
    return empty
  }

  private system(method: string, path: string, body: Fields, space: Space): Answer {
    const [kind, ...rest] = path.split('/')
    const name = rest.join('/')
    switch (kind) {
      case 'policy':
      case 'policies':
        return this.policy(method, kind === 'policies' ? name.replace(/^acl\/?/, '') : name, body, space)
      case 'mounts':
        return this.mount(method, name, body, space)
      case 'auth':
        return this.authMount(method, name, body, space)
      case 'leases':
        return this.leases.handle(name, body)
      case 'namespaces':
        this.space(name)
        return data({ path: `${name}/` })
      case 'seal':
        this.isSealed = true
        return empty
      default:
        return NO_HANDLER(`sys/${path}`)
    }
  }

  private policy(method: string, given: string, body: Fields, { policies }: Space): Answer {
    const name = given.toLowerCase()
    if (name === '') {
      const names = [...[...policies.keys()].sort(), 'root']
      return { ...data({ keys: names, policies: names }), more: { keys: names, policies: names } }
    }
    if (method === 'GET') {
      const rules = policies.get(name)
      return rules === undefined ? refusal(404) : { ...data({ name, rules }), more: { name, rules } }
    }
    if (method === 'DELETE') policies.delete(name)
    else {
      const rules = body.policy ?? body.rules
      if (typeof rules !== 'string' || rules === '') return refusal(400, "'policy' parameter not supplied or empty")
      policies.set(name, rules)
    }
    return empty
  }

  private mount(method: string, name: string, body: Fields, { engines }: Space): Answer {
    const root = `${name.replace(/\/$/, '')}/`
    if (method === 'DELETE') engines.delete(root)
    else {
      if (engines.has(root)) return refusal(400, `path is already in use at ${root}`)
      const version = body.type === 'kv' ? String((body.options as Fields | undefined)?.version ?? '1') : ''
      const kv = version === '2' ? new KvTwo() : new KvOne()
      engines.set(root, {
        type: String(body.type),
        version,
        engine: this.engine(String(body.type), root) ?? kv,
      })
    }
    return empty
  }

  private engine(type: string, root: string): Engine | undefined {
    if (type === 'database') return new DatabaseEngine(this.leases, root)
    if (type === 'ssh') return new SshEngine()
    if (type === 'gpg') return new GpgEngine()
    return type === 'pki' ? new PkiEngine() : undefined
  }

  private authMount(method: string, name: string, body: Fields, space: Space): Answer {
    if (name === '') {
      const shown = Object.fromEntries(
        [...space.roles].map(([mount, { accessor }]) => [`${mount}/`, { accessor, type: 'approle' }]),
      )
      return { ...data(shown), more: shown }
    }
    if (method === 'DELETE') space.roles.delete(name)
    else if (body.type !== 'approle') return refusal(400, `plugin not found in the catalog: ${String(body.type)}`)
    else space.roles.set(name, new AppRoles(this.tokens, (accessor, alias) => this.entities.of(accessor, alias)))
    return empty
  }

  private wrapping({ path, body, token: header }: Request): Answer {
    const id = typeof body.token === 'string' ? body.token : header
    const kept = this.tokens.find(id) && this.wrapped.get(id)
    if (!kept) return refusal(400, 'wrapping token is not valid or does not exist')
    if (path === 'sys/wrapping/lookup') {
      return data({
        creation_path: kept.path,
        creation_time: new Date(kept.created).toISOString(),
        creation_ttl: kept.ttl,
      })
    }
    if (path !== 'sys/wrapping/unwrap') return NO_HANDLER(path)
    this.wrapped.delete(id)
    this.tokens.revoke(id)
    return { status: 200, more: kept.body, data: kept.body.data, auth: kept.body.auth ?? null }
  }

  private unseal({ key, reset }: Fields): Answer {
    if (reset === true) this.progress = 0
    else if (typeof key !== 'string' || key === '')
      return refusal(400, "'key' must be specified in request body as JSON, or 'reset' set to true")
    else if (this.isSealed) {
      if (!this.unsealKeys.includes(key)) return refusal(400, "'key' must be a valid hex or base64 string")
      this.progress++
      if (this.progress >= 2) {
        this.isSealed = false
        this.progress = 0
      }
    }
    return { status: 200, more: this.sealStatus() }
  }

  private sealStatus(): Fields {
    return {
      type: 'shamir',
      initialized: true,
      sealed: this.isSealed,
      t: 2,
      n: 2,
      progress: this.progress,
      version: 'stand-in',
    }
  }
}

interface Request {
  method: string
  path: string
  body: Fields
  query: URLSearchParams
  token: string
  namespace: string
}

/** Vault takes a PATCH of one type only. */
function hasWrongType({ method, headers }: IncomingMessage): Answer | undefined {
  const type = headers['content-type'] ?? ''
  if (method !== 'PATCH' || type === 'application/merge-patch+json') return undefined
  return refusal(415, `PATCH requires Content-Type of application/merge-patch+json, provided ${type}`)
}

const NO_HANDLER = (path: string): Answer => refusal(404, `no handler for route '${path}'`)
