// Access tokens that end: each is kept until shortly before its end, and requests that come together wait for one token.
import { isAnyError, recover } from '../../../base/mod.ts'
import { type Dict, float, isDict, loadJson, markSecret, numberOf, str, type Value } from '../../../data/mod.ts'

import type { CloudContext } from '../../../sdk/mod.ts'
import { exit } from './rest.ts'

/** A token is renewed this long before it ends. */
const EARLY_MS = 120_000
const MOST_BYTES = 1 << 20

/** Return the answer of an identity service to a request for a token. */
type Fetch = () => Promise<Dict>

export class Tokens {
  private readonly fetch: Fetch
  private kept: Promise<{ text: string; ends: number }> | undefined

  constructor(fetch: Fetch) {
    this.fetch = fetch
  }

  /** Return the headers of a request. */
  async headers(): Promise<Record<string, string>> {
    let token = await this.get()
    if (token.ends - EARLY_MS < Date.now()) {
      this.renew()
      token = await this.get()
    }
    return { authorization: `Bearer ${token.text}` }
  }

  /** Drop the token, because the provider refused it. Return that there will be another one. */
  renew(): boolean {
    this.kept = undefined
    return true
  }

  private get(): Promise<{ text: string; ends: number }> {
    if (this.kept) return this.kept
    const getting = this.fetch().then(read)
    this.kept = getting
    getting.catch(() => {
      if (this.kept === getting) this.kept = undefined
    })
    return getting
  }
}

function read(answer: Dict): { text: string; ends: number } {
  const token = answer.get('access_token')
  if (typeof token !== 'string' || token === '') throw exit('The identity service answers without a token')
  markSecret(token)
  // Azure writes the seconds as a text
  const seconds = numberOf(answer.get('expires_in') ?? null) ?? Number(str(answer.get('expires_in') ?? 0))
  return { text: token, ends: Date.now() + (Number.isFinite(seconds) ? seconds : 0) * 1000 }
}

/**
 * Query the metadata service of the machine on which salt-cloud runs, without a proxy and with a short timeout. Return
 * undefined if there is no such service.
 */
export async function askMetadata(
  { opts, http }: Pick<CloudContext, 'opts' | 'http'>,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: Value } | undefined> {
  const own: Dict = new Map(opts)
  own.set('http_connect_timeout', float(2)).set('http_request_timeout', float(10)).set('proxy_host', '')
  const answer = await http.query(
    new Map<string, Value>([
      ['url', url],
      ['header_dict', new Map<Value, Value>(Object.entries(headers))],
      ['raise_error', false],
      ['status', true],
      ['opts', own],
      ['max_body', MOST_BYTES],
    ]),
  )
  const text = answer.get('body')
  if (answer.has('error') || text === undefined) return undefined
  return { status: numberOf(answer.get('status') ?? 0) ?? 0, body: jsonOrText(str(text)) }
}

function jsonOrText(text: string): Value {
  return recover(isAnyError, text, () => loadJson(text))
}

/** Return the token in the answer of a metadata service. `who` is the name of the service in errors. */
export function metadataToken(answer: { status: number; body: Value } | undefined, who: string, hint: string): Dict {
  if (answer === undefined) throw exit(`${who} does not answer: ${hint}`)
  const { status, body } = answer
  if (status === 200 && isDict(body)) return body
  const problem = isDict(body) ? (body.get('error_description') ?? body.get('error') ?? null) : body
  throw exit(`${who} gives no token (status ${status}): ${str(problem).slice(0, 300)}`)
}
