// The JSON interface of a provider: requests with its token, retries when it is busy, and its error texts.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAnyError, recover } from '../../../base/mod.ts'
import {
  type Dict,
  dumpJson,
  fromPlain,
  isDict,
  isList,
  loadJson,
  type Plain,
  SaltError,
  str,
  type Value,
} from '../../../data/mod.ts'
import { askWeb, type CloudContext, type WebAnswer } from '../../../sdk/mod.ts'

interface RestOptions {
  /** Address that paths are appended to, without a slash at its end. */
  base: string
  /** Headers of each request, such as the token. */
  headers: () => Promise<Record<string, string>> | Record<string, string>
  /** The settings that the login comes from, for the error when the provider refuses it: `'key'`. */
  login?: string
  /** Forget the token, because the provider refused it; true means that `headers` will return a new one. */
  renew?: () => boolean
  verify?: boolean
  /** File of the certificates to trust. */
  ca?: string | null
  /** Whether bodies are forms in place of JSON. */
  isForm?: boolean
  /** Whether a POST may be repeated after an error: it has a unique id, or creates nothing. */
  repeatsPosts?: boolean
  /** Whether an answer with an unusual status means that the provider is busy. */
  isBusy?: (answer: WebAnswer) => boolean
  /** Statuses for a busy provider, if they are not the usual ones. */
  busy?: ReadonlySet<number>
}

const ATTEMPTS = 10
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 20_000
/** The longest pause that a provider may ask for. */
const LONGEST_ASKED_MS = 120_000
const BUSY = new Set([429, 500, 502, 503, 504])
/**
 * A creation is repeated only after these: after other errors it may have been carried out, and a second machine would
 * be created.
 */
const NOT_CARRIED_OUT = new Set([429, 503])
const MOST_PAGES = 10_000
const UNAUTHORIZED = 401
const NOT_FOUND = 404
const SHOWN = 300

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export class RestCloud {
  private readonly ctx: CloudContext
  private readonly options: RestOptions

  constructor(ctx: CloudContext, options: RestOptions) {
    this.ctx = ctx
    this.options = options
  }

  /** Send a request and return its answer, which is a dict unless the provider answers with nothing. */
  async ask(method: Method, path: string, body?: Plain): Promise<Dict> {
    const found = await this.find(method, path, body)
    if (found === undefined) throw exit(`${this.options.base}${path} does not exist`)
    return found
  }

  /** Send a request; undefined means that the object does not exist. */
  async find(method: Method, path: string, body?: Plain): Promise<Dict | undefined> {
    const answer = await this.reply(method, path, body)
    if (answer.status === NOT_FOUND) return undefined
    const request = `${method} ${this.options.base}${path}`
    if (answer.status >= 300) throw this.refusal(request, answer)
    return method !== 'GET' && answer.text.trim() === '' ? new Map() : this.objectOf(request, answer)
  }

  /** Return the object of a successful reply: the page of a proxy must not count as an empty list, or as a machine that is gone. */
  objectOf(request: string, answer: WebAnswer): Dict {
    const value = bodyOf(answer)
    if (isDict(value)) return value
    throw exit(`${request} is answered without a JSON object: ${answer.text.slice(0, SHOWN)}`)
  }

  /** Send a request and return the reply of any status, with its headers. */
  async reply(method: Method, path: string, body?: Plain): Promise<WebAnswer> {
    const answer = await this.send(method, path, body)
    if (answer.status !== UNAUTHORIZED || this.options.renew?.() !== true) return answer
    return this.send(method, path, body)
  }

  /** Return the error of a reply that is no success. */
  refusal(request: string, answer: WebAnswer): SaltError {
    const problem = problemOf(bodyOf(answer), answer.text)
    const { login } = this.options
    if (answer.status === UNAUTHORIZED && login !== undefined) {
      return exit(
        `The provider '${this.ctx.alias}' cannot log in: ${this.options.base} refuses the login of the setting ${login}: ${problem}`,
      )
    }
    return exit(`${request} failed with status ${answer.status}: ${problem}`)
  }

  /** The prefix of all paths. */
  get root(): string {
    return withoutSlash(new URL(this.options.base).pathname)
  }

  /** Return a link to a further page as a path: a link to another server would send the token there. */
  pathOf(link: string): string {
    const { base } = this.options
    const { root } = this
    const found = new URL(link, base)
    if (found.origin !== new URL(base).origin || !`${found.pathname}/`.startsWith(`${root}/`)) {
      throw exit(`${base} answers with a link to ${found.origin}${found.pathname}, which is another service`)
    }
    return `${found.pathname.slice(root.length)}${found.search}`
  }

  private async send(method: Method, path: string, body?: Plain): Promise<WebAnswer> {
    const { base, headers, verify, ca, isForm, repeatsPosts, busy = BUSY } = this.options
    const content = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const encode = isForm ? formOf : (plain: Plain) => dumpJson(fromPlain(plain))
    for (let attempt = 1; ; attempt++) {
      const answer = await askWeb(this.ctx, {
        url: `${base}${path}`,
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': content }),
          ...(await headers()),
        },
        ...(body !== undefined && { body: encode(body) }),
        ...(verify !== undefined && { verify }),
        ...(ca && { ca }),
      })
      const isBusy = busy.has(answer.status) || this.options.isBusy?.(answer) === true
      if (!isBusy || attempt >= ATTEMPTS) return answer
      if (method === 'POST' && !NOT_CARRIED_OUT.has(answer.status) && repeatsPosts !== true) return answer
      this.ctx.log('debug', `${method} ${base}${path} is busy (${answer.status}); attempt ${attempt}`)
      await sleep(pauseBefore(attempt, answer), undefined, { signal: this.ctx.signal })
    }
  }
}

/** Return the milliseconds before the next attempt: those that the provider requests, or growing ones. */
function pauseBefore(attempt: number, { headers }: WebAnswer): number {
  const text = headers.get('retry-after')
  if (text !== undefined) {
    const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
    if (!Number.isNaN(asked)) return Math.min(Math.max(asked, 0), LONGEST_ASKED_MS)
  }
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
}

/** Return the fields of a body as a form; a list is a field that comes several times. */
function formOf(body: Plain): string {
  const form = new URLSearchParams()
  for (const [key, value] of Object.entries(body ?? {})) {
    for (const one of [value].flat()) form.append(key, typeof one === 'boolean' ? String(Number(one)) : String(one))
  }
  return form.toString()
}

export const exit = (message: string): SaltError => new SaltError('SaltCloudSystemExit', message)

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Return the interface of a provider that knows its user by a token. */
export const bearerCloud = (ctx: CloudContext, base: string, token: string, login: string): RestCloud =>
  new RestCloud(ctx, { base: withoutSlash(base), headers: () => ({ authorization: `Bearer ${token}` }), login })

/** Return the JSON of a reply; None where it has none. */
export function bodyOf({ text }: WebAnswer): Value {
  if (text === '') return null
  // the status describes the error
  return recover(isAnyError, null, () => loadJson(text))
}

/** Return the provider's error text. */
function problemOf(value: Value, text: string): string {
  const shown = text.slice(0, SHOWN)
  if (!isDict(value)) return shown
  const inner = value.get('error') ?? value.get('errors') ?? null
  const message = value.get('message') ?? (isDict(inner) ? (inner.get('message') ?? dumpJson(inner)) : inner)
  const errors = value.get('errors')
  if (message && errors !== undefined && isDict(errors) && value.has('message')) {
    const fields = [...errors].map(([field, problem]) => `${str(field)}: ${str(problem).trim()}`)
    return `${str(message).trim()} ${fields.join('; ')}`
  }
  if (message) return str(message).trim()
  // an answer whose only key is the kind of the error
  const [only] = value.values()
  return value.size === 1 && isDict(only ?? null) ? problemOf(only!, shown) : shown
}

/** Return the dicts of a list in an answer. */
export function rowsOf(answer: Dict, key: string): Dict[] {
  const list = answer.get(key) ?? []
  return isList(list) ? list.filter(isDict) : []
}

/** Return the value at a path of keys; None if it does not exist. */
export function at(value: Value, ...path: (string | number)[]): Value {
  let found = value
  for (const key of path) {
    if (typeof key === 'number') found = isList(found) ? (found[key] ?? null) : null
    else found = isDict(found) ? (found.get(key) ?? null) : null
  }
  return found
}

/** Return rows by a field with their name. */
export const byField = (rows: readonly Dict[], ...fields: string[]): Dict =>
  new Map(
    rows.map((row): [Value, Value] => [
      str(fields.map((field) => row.get(field)).find((one) => one != null) ?? null),
      row,
    ]),
  )

/** Return the rows of all pages; `next` fetches a page and returns the key of the following page, or None at the end. */
export async function allPages(
  path: string,
  first: Value,
  next: (page: Value, mark: string) => Promise<[rows: Dict[], following: Value]>,
): Promise<Dict[]> {
  const rows: Dict[] = []
  const mark = path.includes('?') ? '&' : '?'
  let page = first
  for (let count = 0; count < MOST_PAGES; count++) {
    const [found, following] = await next(page, mark)
    rows.push(...found)
    if (following === null) return rows
    page = following
  }
  throw exit(`The list ${path} does not come to an end`)
}
