// Requests to an API server: retries, errors from Status objects, pages of lists, and watches that resume where they
// ended.
import { setTimeout as sleep } from 'node:timers/promises'
import { recover } from '../../../../base/mod.ts'
import {
  type Dict,
  dumpJson,
  failure,
  isDict,
  isList,
  loadJson,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import type { HttpRequest, HttpSocket, HttpStream, HttpUpgrade } from '../../../../sdk/mod.ts'
import { type Cluster, clusterOf } from './cluster.ts'
import { proofFor } from './credentials.ts'
import { Settings, type Surroundings } from './settings.ts'

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Parameters of the query; a list is a parameter that comes several times. */
  params?: Readonly<Record<string, string | readonly string[] | undefined>>
  body?: Value
  /** Media type of the body; JSON unless given. */
  type?: string
  signal?: AbortSignal
}

/** An error of the API server, with the status and the reason of its answer. */
export class ApiError extends SaltError {
  readonly status: number
  readonly apiReason: string

  constructor(status: number, reason: string, message: string) {
    super('CommandExecutionError', message)
    this.status = status
    this.apiReason = reason
  }
}

export const isStatus = (error: unknown, status: number): error is ApiError =>
  error instanceof ApiError && error.status === status

const MOST_BYTES = 64 * 1024 * 1024
/** Bytes of one message of a WebSocket. Servers send 32 KiB at a time. */
const MOST_MESSAGE = 16 * 1024 * 1024
const TRIES = 4
/** Most seconds to wait before a request is sent again. */
const MOST_WAIT = 30
/** Objects in one page of a list. */
const PAGE = 500
const MOST_PAGES = 10_000
/** Seconds that a watch may be quiet before it is opened again. */
const WATCH_SECONDS = 300

export class KubernetesClient {
  readonly cluster: Cluster
  private readonly ctx: Surroundings

  constructor(ctx: Surroundings, cluster: Cluster) {
    this.ctx = ctx
    this.cluster = cluster
  }

  /** Open a client for the settings of a call. */
  static async open(ctx: Surroundings, kwargs: ReadonlyMap<string, Value>): Promise<KubernetesClient> {
    return new KubernetesClient(ctx, await clusterOf(ctx, await Settings.open(ctx, kwargs)))
  }

  /** Ask for JSON. Fails with an ApiError when the server refuses. */
  async ask(ask: Ask): Promise<Dict> {
    const answer = loadJson(await this.text(ask))
    if (!isDict(answer)) throw failure(`The API server answers ${ask.path} with no object`)
    return answer
  }

  /** Request text, such as the log of a pod. */
  async text(ask: Ask): Promise<string> {
    return collect(await this.open(ask))
  }

  /** Return an object; undefined if it does not exist. */
  async find(path: string): Promise<Dict | undefined> {
    return recover(
      (error) => isStatus(error, 404),
      undefined,
      () => this.ask({ path }),
    )
  }

  /** Return all objects of a list, page by page, with the version at which the list was made. */
  async list(path: string, params: Ask['params'] = {}): Promise<{ items: Dict[]; version: string }> {
    const items: Dict[] = []
    let next: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await this.ask({ path, params: { limit: String(PAGE), ...params, continue: next } })
      const [listed, metadata] = [answer.get('items') ?? null, answer.get('metadata') ?? null]
      if (isList(listed)) items.push(...listed.filter(isDict))
      const meta: Dict = isDict(metadata) ? metadata : new Map()
      next = truthy(meta.get('continue') ?? null) ? str(meta.get('continue')!) : undefined
      if (next === undefined) return { items, version: str(meta.get('resourceVersion') ?? '') }
    }
    throw failure(`The list ${path} does not come to an end after ${MOST_PAGES} pages`)
  }

  /**
   * Watch a list from a version on, until `signal` is aborted: bookmarks move the version on, a stream that ends is opened again. A version
   * that the server no longer has ends the watch with an ApiError of status 410.
   */
  async *watch(
    path: string,
    from: string,
    { signal, params = {} }: { signal: AbortSignal; params?: Ask['params'] },
  ): AsyncGenerator<Change> {
    let version = from
    while (!signal.aborted) {
      try {
        const stream = await this.open({
          path,
          signal,
          params: {
            ...params,
            watch: '1',
            allowWatchBookmarks: 'true',
            timeoutSeconds: String(WATCH_SECONDS),
            resourceVersion: version,
          },
        })
        let isQuiet = true
        for await (const line of linesOf(stream.body)) {
          const change = changeOf(line)
          isQuiet = false
          version = versionOf(change.object) || version
          yield { ...change, version }
        }
        // limit the rate of requests to a server that ends each stream at once
        if (isQuiet) await sleep(1000, undefined, { signal }).catch(() => undefined)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ApiError) throw error
        this.ctx.log('debug', `The watch of ${path} is opened again: ${(error as Error).message}`)
        await sleep(1000, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** Open a WebSocket that speaks one of the subprotocols. The signal of the request ends it. */
  async socket(ask: Ask & { signal: AbortSignal }, protocols: readonly string[]): Promise<HttpSocket> {
    const { socket } = await this.insist(ask, (request) =>
      this.ctx.http.upgrade({ ...request, timeout: Number.POSITIVE_INFINITY, maxBody: MOST_MESSAGE }, protocols),
    )
    if (socket === undefined) throw failure(`The API server answers ${ask.path} without a WebSocket`)
    return socket
  }

  /** Send a request and return its answer when it is a good one. */
  private open(ask: Ask): Promise<HttpStream> {
    return this.insist(ask, (request) => this.ctx.http.open(request))
  }

  /** Send a request, again where the server asks for that. Fails with an ApiError when the server refuses. */
  private async insist<T extends HttpUpgrade>(ask: Ask, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    let isFresh = false
    for (let count = 1; ; count++) {
      const stream = await this.send(ask, isFresh, send)
      if (stream.status < 300) return stream
      const text = await collect(stream)
      const mayAgain = count < TRIES && (stream.status === 429 || (stream.status >= 500 && isRepeatable(ask)))
      if (stream.status === 401 && this.cluster.identity.exec !== undefined && !isFresh) {
        isFresh = true
        continue
      }
      if (!mayAgain || (stream.status === 429 && isEviction(ask))) throw errorOf(ask, stream.status, text)
      const asked = Number(stream.headers.get('Retry-After'))
      const seconds = Number.isFinite(asked) && asked > 0 ? asked : 2 ** (count - 1) / 2
      this.ctx.log(
        'debug',
        `The API server answers ${stream.status}: asking again in ${Math.min(seconds, MOST_WAIT)} seconds`,
      )
      await sleep(Math.min(seconds, MOST_WAIT) * 1000, undefined, ask.signal && { signal: ask.signal })
    }
  }

  private async send<T>(ask: Ask, isFresh: boolean, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    const { tls, proxy, timeout, server } = this.cluster
    const { headers, cert, key } = await proofFor(this.ctx, this.cluster, isFresh)
    const isWatch = ask.params?.watch !== undefined
    const request: HttpRequest = {
      url: `${server}${ask.path}${query(ask.params ?? {})}`,
      method: ask.method ?? 'GET',
      headers: new Map([
        ['Accept', 'application/json, */*'],
        ['User-Agent', 'Brine kubernetes'],
        ...(ask.body === undefined ? [] : [['Content-Type', ask.type ?? 'application/json'] as const]),
        ...Object.entries(headers),
      ]),
      body: ask.body === undefined ? undefined : Buffer.from(dumpJson(ask.body)),
      connectTimeout: timeout,
      timeout: isWatch ? WATCH_SECONDS + timeout : timeout,
      maxBody: MOST_BYTES,
      tls: { ...tls, ...(cert && { cert }), ...(key && { key }) },
      ...(proxy && { proxy }),
      ...(ask.signal && { signal: ask.signal }),
    }
    try {
      return await send(request)
    } catch (error) {
      if (error instanceof SaltError || ask.signal?.aborted) throw error
      throw failure(`The API server ${server} does not answer: ${(error as Error).message}`)
    }
  }
}

/** An event of a watch: `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`, and the version to continue from. */
export interface Change {
  type: string
  object: Dict
  version: string
}

const versionOf = (object: Dict): string => {
  const metadata = object.get('metadata') ?? null
  return isDict(metadata) ? str(metadata.get('resourceVersion') ?? '') : ''
}

function changeOf(line: string): Change {
  const change = loadJson(line)
  const object = isDict(change) ? (change.get('object') ?? null) : null
  if (!isDict(change) || !isDict(object)) throw failure('The API server sends a change without an object')
  const type = str(change.get('type') ?? '')
  if (type === 'ERROR')
    throw new ApiError(
      Number(object.get('code') ?? 500),
      str(object.get('reason') ?? ''),
      str(object.get('message') ?? ''),
    )
  return { type, object, version: '' }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let kept: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    kept.push(piece)
    size += piece.length
    if (size > MOST_BYTES) throw failure('The API server sends a line that is too long')
    // pieces of a long line are joined once
    if (!piece.includes(10)) continue
    let rest = Buffer.concat(kept)
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString()
      rest = rest.subarray(end + 1)
      if (line.trim() !== '') yield line
    }
    kept = [rest]
    size = rest.length
  }
}

async function collect({ body }: HttpStream): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > MOST_BYTES) throw failure('The API server sends an answer that is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/**
 * Return whether a request may be repeated: a second creation or deletion finds the result of the first one, and a
 * command would run again.
 */
const isRepeatable = ({ method = 'GET', path }: Ask): boolean =>
  ['GET', 'PATCH', 'PUT'].includes(method) && !path.endsWith('/exec')

/** An eviction that a disruption budget forbids is refused with 429: that is an answer. */
const isEviction = ({ path }: Ask): boolean => path.endsWith('/eviction')

function query(params: NonNullable<Ask['params']>): string {
  const given = Object.entries(params).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

const SHOWN = 1000

/** Return the error of an answer: the message of its Status object, or the start of its text. */
function errorOf({ method = 'GET', path }: Ask, status: number, text: string): ApiError {
  let answer: Value = null
  try {
    answer = loadJson(text)
  } catch {
    // a proxy or another server answers with a page
  }
  const reason = isDict(answer) ? str(answer.get('reason') ?? '') : ''
  const message = isDict(answer) ? str(answer.get('message') ?? '') : text.slice(0, SHOWN)
  const about = status === 401 ? ' (the credentials are missing or not valid)' : ''
  return new ApiError(
    status,
    reason,
    `The API server refuses ${method} ${path} with status ${status}${about}: ${message || reason}`,
  )
}
