// Requests to `/v1`, typed by the OpenAPI document: `schema.d.ts` is generated from it.
import type { paths } from './schema.d.ts'

/** The root of the API: the page is one folder below it, whatever prefix a proxy adds. */
export const ROOT = new URL('..', location.href.split('#')[0])

type Method = 'get' | 'post' | 'delete'
type PathsOf<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths]
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never

type JsonOf<R> = R extends { content: { 'application/json': infer B } } ? B : undefined
type Success<O> = O extends { responses: infer R }
  ? { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? JsonOf<R[S]> : never }[keyof R]
  : never

type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never
type PathOf<O> = O extends { parameters: { path: infer Q } } ? Q : never
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? B : never

interface Options<O> {
  params?: PathOf<O>
  query?: QueryOf<O>
  body?: BodyOf<O>
  signal?: AbortSignal
  headers?: Record<string, string>
}

export interface FieldError {
  field: string
  reason: string
}

/** An answer that is no success: `problem+json` of the server, or a server that cannot be reached. */
export class Problem extends Error {
  readonly status: number
  readonly fields: readonly FieldError[]

  constructor(status: number, message: string, fields: readonly FieldError[] = []) {
    super(message)
    this.status = status
    this.fields = fields
  }

  /** Whether the request may work when it is sent again later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429
  }
}

/** An answer with the number of the last event that it takes into account. */
export interface Answer<T> {
  data: T
  /** Events after this number are news to the data. */
  number: number
}

/** Called when an answer says that there is no session. */
let onLoggedOut: () => void = () => {}

export function whenLoggedOut(told: () => void): void {
  onLoggedOut = told
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text()
  let told: { detail?: unknown; title?: unknown; errors?: unknown } = {}
  try {
    told = JSON.parse(text)
  } catch {
    // a proxy answered with its own page
  }
  const fields = Array.isArray(told.errors) ? (told.errors as FieldError[]) : []
  const detail =
    typeof told.detail === 'string' ? told.detail : `The server answered with the status ${response.status}`
  return new Problem(response.status, detail, fields)
}

/** Aborts running reads when the user logs out, because the server would refuse them. */
let reads = new AbortController()
/** Resolves to whether the session ended, while the logout request runs. */
let ending: Promise<boolean> | undefined

/** End the session. A read that is under way, or begins meanwhile, is sent again only if the session goes on. */
export async function endSession(): Promise<void> {
  reads.abort()
  reads = new AbortController()
  const removed = remove('/v1/session')
  ending = removed.then(
    () => true,
    () => false,
  )
  try {
    await removed
  } finally {
    ending = undefined
  }
}

async function sendRead<O>(path: string, options: Options<O>): Promise<Answer<Success<O>>> {
  for (;;) {
    if (await ending) throw new Problem(401, 'The session has ended')
    const { signal } = reads
    try {
      return await send('get', path, {
        ...options,
        signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
      })
    } catch (error) {
      if (!signal.aborted || options.signal?.aborted) throw error
    }
  }
}

async function send<O>(method: Method, path: string, options: Options<O>): Promise<Answer<Success<O>>> {
  const { params = {}, query = {}, body, signal, headers = {} } = options as Options<never> & { query?: object }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  const url = new URL(filled.slice(1), ROOT)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  let response: Response
  try {
    response = await fetch(url, {
      method: method.toUpperCase(),
      credentials: 'same-origin',
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem(0, 'The server cannot be reached')
  }
  if (response.status === 401 && path !== '/v1/login') onLoggedOut()
  if (!response.ok) throw await problemOf(response)
  const number = Number(response.headers.get('Event-Number') ?? 0)
  const data = response.status === 204 ? undefined : await response.json()
  return { data: data as Success<O>, number }
}

/** Read a resource, with the number of the last event that the answer takes into account. */
export const read = <P extends PathsOf<'get'>>(path: P, options: Options<Operation<P, 'get'>> = {}) =>
  sendRead<Operation<P, 'get'>>(path, options)

/** Read a resource. */
export const get = async <P extends PathsOf<'get'>>(path: P, options: Options<Operation<P, 'get'>> = {}) =>
  (await read(path, options)).data

/** Send something to a resource. */
export const post = async <P extends PathsOf<'post'>>(path: P, options: Options<Operation<P, 'post'>> = {}) =>
  (await send<Operation<P, 'post'>>('post', path, options)).data

/** Delete a resource. */
const remove = async <P extends PathsOf<'delete'>>(path: P, options: Options<Operation<P, 'delete'>> = {}) =>
  (await send<Operation<P, 'delete'>>('delete', path, options)).data

/** The data of a resource. */
export type Data<P extends PathsOf<'get'>> = Success<Operation<P, 'get'>>

/** Read all pages of a list; `more` is called with each page. */
export async function readAll<T>(
  page: (cursor: string | undefined) => Promise<Answer<{ items: T[]; next: string | null }>>,
  more: (items: T[], number: number) => void,
): Promise<void> {
  let cursor: string | undefined
  do {
    const { data, number } = await page(cursor)
    more(data.items, number)
    cursor = data.next ?? undefined
  } while (cursor !== undefined)
}
