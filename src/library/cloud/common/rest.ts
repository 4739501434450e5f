// The JSON interface of a provider: requests with its token, again where it says that it is busy, errors in its words.
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** Address that paths are appended to. */
  base: string
  /** Headers of each request, such as the one with the token. */
  headers: () => Promise<Record<string, string>> | Record<string, string>
  verify?: boolean
}

const ATTEMPTS = 10
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 20_000
const BUSY = new Set([429, 500, 502, 503, 504])
/** Of these a creation may have been carried out: sent again, it would make a second machine. */
const UNCERTAIN = new Set([500, 502, 504])
export const MOST_PAGES = 10_000
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

  /** Send a request; undefined means that the provider has no such thing. */
  async find(method: Method, path: string, body?: Plain): Promise<Dict | undefined> {
    const answer = await this.send(method, path, body)
    if (answer.status === NOT_FOUND) return undefined
    const value = answer.text === '' ? null : parsed(answer.text)
    if (answer.status >= 300) {
      throw exit(
        `${method} ${this.options.base}${path} failed with status ${answer.status}: ${problemOf(value, answer.text)}`,
      )
    }
    return isDict(value) ? value : new Map()
  }

  private async send(method: Method, path: string, body?: Plain): Promise<WebAnswer> {
    const { base, headers, verify } = this.options
    for (let attempt = 1; ; attempt++) {
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await askWeb(this.ctx, {
        url: `${base}${path}`,
        method,
        headers: { accept: 'application/json', ...json, ...(await headers()) },
        ...(body !== undefined && { body: dumpJson(fromPlain(body)) }),
        ...(verify !== undefined && { verify }),
      })
      if (!BUSY.has(answer.status) || attempt >= ATTEMPTS) return answer
      if (method === 'POST' && UNCERTAIN.has(answer.status)) return answer
      this.ctx.log('debug', `${method} ${base}${path} is busy (${answer.status}); attempt ${attempt}`)
      const pause = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
      await sleep(pause, undefined, { signal: this.ctx.signal })
    }
  }
}

export const exit = (message: string): SaltError => new SaltError('SaltCloudSystemExit', message)

function parsed(text: string): Value {
  try {
    return loadJson(text)
  } catch {
    // the status says what happened
    return null
  }
}

/** Return what a provider says is wrong. */
function problemOf(value: Value, text: string): string {
  if (!isDict(value)) return text.slice(0, SHOWN)
  const inner = value.get('error') ?? value.get('errors') ?? null
  const message = value.get('message') ?? (isDict(inner) ? (inner.get('message') ?? dumpJson(inner)) : inner)
  return message ? str(message) : text.slice(0, SHOWN)
}

/** Return the dicts of a list in an answer. */
export function rowsOf(answer: Dict, key: string): Dict[] {
  const list = answer.get(key) ?? []
  return isList(list) ? list.filter(isDict) : []
}

/** Return what lies at a path of keys; None where it leads nowhere. */
export function at(value: Value, ...path: (string | number)[]): Value {
  let found = value
  for (const key of path) {
    if (typeof key === 'number') found = isList(found) ? (found[key] ?? null) : null
    else found = isDict(found) ? (found.get(key) ?? null) : null
  }
  return found
}

/** Return rows by a field that names them. */
export const byField = (rows: readonly Dict[], field: string): Dict =>
  new Map(rows.map((row): [Value, Value] => [str(row.get(field) ?? null), row]))

/** Return the text of a file that a machine gets to read, or the text that is given. */
export async function userData(
  { host }: CloudContext,
  text: string | null,
  file: string | null,
): Promise<string | null> {
  return file === null ? text : Buffer.from(await host.read(file)).toString()
}
