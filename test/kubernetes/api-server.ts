// A small Kubernetes API server for tests: objects with versions, server-side apply, dry runs, pages, watches, tokens and client
// certificates. `cases.test.ts` checks it, and a real API server with the same cases.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { KINDS, NODE } from '../../src/library/containers/kubernetes/kinds.ts'
import { freePort } from '../free-port.ts'
import { type ExecOptions, serveExec } from './exec-server.ts'
import { type Fields, isObject, type Json, jsonPatch, mergePatch, strategicPatch } from './fields.ts'
import { metadataOf, type Place, StatusError, Store, type Type } from './store.ts'

export interface ApiOptions {
  tls?: ServerOptions
  /** Users by their tokens. Default: every request is permitted. */
  tokens?: ReadonlyMap<string, string>
  /** Answers that replace those of the next requests, in order. */
  faults?: { status: number; headers?: Record<string, string> }[]
  /** How commands run in pods. Default: there are none. */
  exec?: ExecOptions
}

const EVENTS: Type = { apiVersion: 'v1', kind: 'Event', plural: 'events', isNamespaced: true }

interface Request {
  method: string
  url: URL
  body: Json
  type: string
  user: string
}

export class ApiServer {
  readonly store = new Store()
  readonly url: string
  readonly requests: string[] = []
  private readonly types: Type[] = [...KINDS, NODE, EVENTS].map(({ apiVersion, kind, plural, isNamespaced }) => ({
    apiVersion,
    kind,
    plural,
    isNamespaced,
  }))
  private readonly server: Server
  private readonly options: ApiOptions

  private constructor(server: Server, url: string, options: ApiOptions) {
    this.server = server
    this.url = url
    this.options = options
  }

  static async start(options: ApiOptions = {}): Promise<ApiServer> {
    const port = await freePort()
    let api: ApiServer | undefined
    const handle = (request: IncomingMessage, response: ServerResponse): void => void api!.handle(request, response)
    const server = options.tls
      ? createTlsServer({ requestCert: true, rejectUnauthorized: false, ...options.tls }, handle)
      : createServer(handle)
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) =>
      api!.upgrade(request, stream, head),
    )
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    api = new ApiServer(server as Server, `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`, options)
    for (const name of ['default', 'kube-system']) api.put('namespaces', name, { status: { phase: 'Active' } })
    return api
  }

  /** Put an object in place without a request. */
  put(plural: string, name: string, fields: Fields, namespace?: string): void {
    const type = this.types.find((one) => one.plural === plural)!
    this.store.create({ type, namespace, name }, { metadata: {}, ...fields }, 'test', 'Update', false)
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(message.url!, this.url)
      this.requests.push(`${message.method} ${url.pathname}${url.search}`)
      const text = await read(message)
      const fault = this.options.faults?.shift()
      if (fault) {
        for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value)
        throw new StatusError(fault.status, 'Fault', 'a fault of the test')
      }
      if (/protobuf/.test(message.headers['content-type'] ?? '')) {
        throw new StatusError(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format')
      }
      const request = {
        method: message.method!,
        url,
        body: text === '' ? null : (JSON.parse(text) as Json),
        type: message.headers['content-type'] ?? '',
        user: this.userOf(message),
      }
      this.answer(request, response)
    } catch (error) {
      send(response, statusOf(error))
    }
  }

  /** Answer a request for a WebSocket: commands in pods have one. */
  private upgrade(message: IncomingMessage, stream: Duplex, head: Buffer): void {
    try {
      const url = new URL(message.url!, this.url)
      this.requests.push(`${message.method} ${url.pathname}${url.search}`)
      const user = this.userOf(message)
      const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/.exec(url.pathname) ?? []
      const { exec } = this.options
      if (name === undefined || exec === undefined) throw new StatusError(404, 'NotFound', 'not found')
      if (exec.forbidden?.has(user)) {
        const what = `cannot get resource "pods/exec" in API group "" in the namespace "${namespace}"`
        throw new StatusError(403, 'Forbidden', `pods "${name}" is forbidden: User "${user}" ${what}`)
      }
      const pod = this.store.get({ type: this.types.find((type) => type.plural === 'pods')!, namespace, name }).object
      checkContainer(pod, name, url.searchParams.get('container'))
      serveExec(message, stream, head, url, exec)
    } catch (error) {
      const [code, body] = statusOf(error)
      stream.end(`HTTP/1.1 ${code} Refused\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}`)
    }
  }

  private userOf(message: IncomingMessage): string {
    if (!this.options.tokens && !this.options.tls) return 'anyone'
    const header = message.headers.authorization ?? ''
    const user = this.options.tokens?.get(header.replace(/^Bearer /, ''))
    if (user !== undefined) return user
    const socket = message.socket as TLSSocket
    const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined
    if (subject?.CN) return String(subject.CN)
    throw new StatusError(401, 'Unauthorized', 'Unauthorized')
  }

  private answer(request: Request, response: ServerResponse): void {
    const { pathname } = request.url
    if (['/healthz', '/readyz', '/livez'].includes(pathname)) return void response.end('ok')
    const discovered = this.discovery(pathname)
    if (discovered) return send(response, [200, discovered])
    const parts =
      /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+\/[^/]+))(?:\/namespaces\/(?<namespace>[^/]+)(?=\/.))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/.exec(
        pathname,
      )?.groups
    const apiVersion = parts?.['core'] ?? parts?.['group']
    const type = this.allTypes().find((one) => one.apiVersion === apiVersion && one.plural === parts!['plural'])
    if (!parts || !type) return send(response, [404, '404 page not found\n'])
    const [namespace, name] = [parts['namespace'], parts['name']].map((part) =>
      part === undefined ? undefined : decodeURIComponent(part),
    )
    if (name === undefined) return this.collection(request, response, type, namespace)
    send(response, this.single(request, { type, namespace, name }, parts['sub']))
  }

  /** Kinds of custom resources are those of the definitions that are stored. */
  private allTypes(): Type[] {
    const definitions = this.store.list(this.types.find((type) => type.kind === 'CustomResourceDefinition')!, undefined)
    const custom = definitions.flatMap((definition) => {
      const spec = definition['spec'] as {
        group: string
        names: { kind: string; plural: string }
        scope: string
        versions: { name: string }[]
      }
      return spec.versions.map(({ name }) => ({
        apiVersion: `${spec.group}/${name}`,
        kind: spec.names.kind,
        plural: spec.names.plural,
        isNamespaced: spec.scope === 'Namespaced',
      }))
    })
    return [...this.types, ...custom]
  }

  private discovery(path: string): Json | undefined {
    if (path === '/version') return { major: '1', minor: '37', gitVersion: 'v1.37.0-test', platform: 'linux/amd64' }
    if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
    const groups = [...new Set(this.allTypes().map(({ apiVersion }) => apiVersion))].filter((version) =>
      version.includes('/'),
    )
    if (path === '/apis') {
      const listed = groups.map((groupVersion) => {
        const [name, version] = groupVersion.split('/') as [string, string]
        return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
      })
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: listed }
    }
    const apiVersion = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))$/.exec(path)?.slice(1).find(Boolean)
    if (apiVersion === undefined || (apiVersion !== 'v1' && !groups.includes(apiVersion))) return undefined
    const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
    const resources = this.allTypes()
      .filter((type) => type.apiVersion === apiVersion)
      .map(({ kind, plural, isNamespaced }) => ({
        name: plural,
        singularName: kind.toLowerCase(),
        namespaced: isNamespaced,
        kind,
        verbs,
      }))
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources }
  }

  private collection(request: Request, response: ServerResponse, type: Type, namespace: string | undefined): void {
    const { method, url, body } = request
    if (method === 'GET' && url.searchParams.get('watch')) return this.watch(url, response, type, namespace)
    if (method === 'GET') return send(response, [200, this.page(url, type, namespace)])
    if (method !== 'POST')
      throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource')
    const object = body as Fields
    const name = String(metadataOf(object)['name'] ?? '')
    if (name === '')
      throw new StatusError(
        422,
        'Invalid',
        `${type.kind} "" is invalid: metadata.name: Required value: name or generateName is required`,
      )
    this.demandNamespace(type, namespace)
    validate(type, object)
    const made = this.store.create({ type, namespace, name }, object, managerOf(request), 'Update', isDry(url))
    send(response, [201, made])
  }

  private demandNamespace(type: Type, namespace: string | undefined): void {
    const namespaces = this.types.find((one) => one.plural === 'namespaces')!
    if (type.isNamespaced && !this.store.find({ type: namespaces, namespace: undefined, name: namespace ?? '' })) {
      throw this.store.notFound({ type: namespaces, name: namespace ?? '' })
    }
  }

  private single(request: Request, place: Place, sub: string | undefined): [number, Json] {
    const { method, url, body } = request
    if (sub === 'scale') return this.scale(request, place)
    if (sub === 'eviction') return [201, statusBody(this.store.remove(place, isDry(url)), place)]
    if (sub === 'log') return [200, `log of ${place.name}\n`]
    if (method === 'GET') return [200, this.store.get(place).object]
    if (method === 'DELETE') return [200, this.remove(place, isDry(url))]
    const manager = managerOf(request)
    if (method === 'PATCH' && request.type.startsWith('application/apply-patch')) return this.applied(request, place)
    const old = this.store.get(place).object
    const next =
      method === 'PUT' ? { ...(body as Fields), status: old['status'] ?? {} } : (patched(request, old) as Fields)
    if (method === 'PUT' && old['status'] === undefined) delete (next as Fields)['status']
    validate(place.type, next as Fields)
    return [200, this.store.update(place, next as Fields, manager, isDry(url))]
  }

  private applied({ url, body }: Request, place: Place): [number, Json] {
    const manager = url.searchParams.get('fieldManager')
    if (!manager)
      throw new StatusError(
        422,
        'Invalid',
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      )
    const options = { manager, force: url.searchParams.get('force') === 'true', dryRun: isDry(url) }
    const old = this.store.find(place)
    this.demandNamespace(place.type, place.namespace)
    validate(place.type, (old ? strategicPatch(old.object, body) : body) as Fields)
    const object = this.store.apply(place, body as Fields, options)
    return [old ? 200 : 201, object]
  }

  private remove(place: Place, dryRun: boolean): Json {
    const gone = this.store.remove(place, dryRun)
    if (place.type.plural === 'namespaces' && !dryRun) {
      for (const type of this.allTypes().filter((one) => one.isNamespaced)) {
        for (const object of this.store.list(type, place.name))
          this.store.remove({ type, namespace: place.name, name: String(metadataOf(object)['name']) }, false)
      }
    }
    return statusBody(gone, place)
  }

  private scale({ body, url, ...request }: Request, place: Place): [number, Json] {
    const old = this.store.get(place).object
    const next = mergePatch(old, { spec: { replicas: ((body as Fields)['spec'] as Fields)['replicas']! } }) as Fields
    const made = this.store.update(place, next, managerOf({ body, url, ...request }), isDry(url))
    const { name, namespace } = metadataOf(made)
    return [
      200,
      {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: name!, namespace: namespace ?? '' },
        spec: { replicas: (made['spec'] as Fields)['replicas']! },
        status: { replicas: 0 },
      },
    ]
  }

  private page(url: URL, type: Type, namespace: string | undefined): Json {
    const all = this.store.list(type, namespace).filter(selected(url))
    const limit = Number(url.searchParams.get('limit') ?? 0) || all.length
    const token = url.searchParams.get('continue')
    const { start, version } = token
      ? (JSON.parse(Buffer.from(token, 'base64').toString()) as { start: number; version: number })
      : { start: 0, version: this.store.version }
    if (token && version < this.store.compacted) {
      throw new StatusError(
        410,
        'Expired',
        'The provided continue parameter is too old to display a consistent list result.',
      )
    }
    const isMore = start + limit < all.length
    const next = Buffer.from(JSON.stringify({ start: start + limit, version })).toString('base64')
    return {
      kind: `${type.kind}List`,
      apiVersion: type.apiVersion,
      metadata: {
        resourceVersion: String(version),
        ...(isMore && { continue: next, remainingItemCount: all.length - start - limit }),
      },
      items: all.slice(start, start + limit).map(({ apiVersion: _version, kind: _kind, ...rest }) => rest),
    }
  }

  private watch(url: URL, response: ServerResponse, type: Type, namespace: string | undefined): void {
    let from = Number(url.searchParams.get('resourceVersion') || this.store.version)
    const isWanted = selected(url)
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    const write = (change: string, object: Json): void =>
      void response.write(`${JSON.stringify({ type: change, object })}\n`)
    const end = (): void => {
      this.store.changed.off('change', tell)
      clearTimeout(timer)
      response.end()
    }
    const tell = (): void => {
      if (from < this.store.compacted) {
        const [, status] = statusOf(
          new StatusError(410, 'Expired', `too old resource version: ${from} (${this.store.compacted})`),
        )
        write('ERROR', status)
        return end()
      }
      for (const entry of this.store.history.filter(({ version }) => version > from)) {
        from = entry.version
        const isMine =
          entry.plural === type.plural &&
          entry.apiVersion === type.apiVersion &&
          (namespace === undefined || entry.namespace === namespace)
        if (isMine && isWanted(entry.object)) write(entry.type, entry.object)
      }
      if (url.searchParams.get('allowWatchBookmarks')) {
        from = this.store.version
        write('BOOKMARK', { kind: type.kind, apiVersion: type.apiVersion, metadata: { resourceVersion: String(from) } })
      }
    }
    const timer = setTimeout(end, Number(url.searchParams.get('timeoutSeconds') ?? 300) * 1000)
    this.store.changed.on('change', tell)
    response.on('close', end)
    tell()
  }
}

async function read(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

function send(response: ServerResponse, [code, body]: [number, Json]): void {
  const isText = typeof body === 'string'
  response
    .writeHead(code, { 'content-type': isText ? 'text/plain' : 'application/json' })
    .end(isText ? body : JSON.stringify(body))
}

function statusOf(error: unknown): [number, Json] {
  const known = error instanceof StatusError ? error : new StatusError(500, 'InternalError', (error as Error).message)
  return [
    known.code,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: known.message,
      reason: known.reason,
      code: known.code,
    },
  ]
}

function checkContainer(pod: Fields, name: string, container: string | null): void {
  const { containers } = pod['spec'] as { containers: { name: string }[] }
  const names = containers.map((one) => one.name)
  if (container ? names.includes(container) : names.length === 1) return
  const problem = container
    ? `container ${container} is not valid for pod ${name}`
    : `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`
  throw new StatusError(400, 'BadRequest', problem)
}

const statusBody = (object: Fields, { type, name }: Place): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { name, kind: type.plural, uid: metadataOf(object)['uid'] ?? '' },
})

const isDry = (url: URL): boolean => url.searchParams.get('dryRun') === 'All'

const managerOf = ({ url, user }: Request): string => url.searchParams.get('fieldManager') ?? user

function patched({ type, body }: Request, old: Fields): Json {
  if (type.startsWith('application/json-patch')) return jsonPatch(old, body as never)
  if (type.startsWith('application/merge-patch')) return mergePatch(old, body)
  if (type.startsWith('application/strategic-merge-patch')) return strategicPatch(old, body)
  throw new StatusError(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format')
}

const WORKLOADS = ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet']

/** Refuse requests like the real server, as far as tests need it. */
function validate(type: Type, object: Fields): void {
  const name = String(metadataOf(object)['name'] ?? '')
  const invalid = (field: string, problem: string): StatusError =>
    new StatusError(
      422,
      'Invalid',
      `${type.kind}${type.apiVersion.includes('/') ? `.${type.apiVersion.split('/')[0]}` : ''} "${name}" is invalid: ${field}: ${problem}`,
    )
  if (!/^[a-z0-9:]([-a-z0-9.:]*[a-z0-9])?$/.test(name))
    throw invalid(
      'metadata.name',
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
    )
  if (!WORKLOADS.includes(type.kind)) return
  const spec = isObject(object['spec']) ? object['spec'] : {}
  const selector = isObject(spec['selector']) ? spec['selector'] : undefined
  if (!selector) throw invalid('spec.selector', 'Required value')
  const template = isObject(spec['template']) ? spec['template'] : {}
  const labels = metadataOf(template)['labels'] ?? {}
  const matching = Object.entries((selector['matchLabels'] ?? {}) as Fields).every(
    ([key, value]) => (labels as Fields)[key] === value,
  )
  if (!matching)
    throw invalid(
      'spec.template.metadata.labels',
      `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``,
    )
}

/** Return whether an object fits the selectors of a request. */
function selected(url: URL): (object: Fields) => boolean {
  const terms = (name: string): [string, string][] =>
    (url.searchParams.get(name) ?? '')
      .split(',')
      .filter(Boolean)
      .map((term) => term.split(/==?/) as [string, string])
  const [fields, labels] = [terms('fieldSelector'), terms('labelSelector')]
  return (object) =>
    fields.every(
      ([path, value]) =>
        path
          .split('.')
          .reduce<Json | undefined>((place, part) => (isObject(place) ? place[part] : undefined), object) === value,
    ) && labels.every(([name, value]) => (metadataOf(object)['labels'] as Fields | undefined)?.[name] === value)
}
