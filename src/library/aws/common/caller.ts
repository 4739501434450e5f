// The caller for all services of AWS, with their three kinds of requests. All requests are signed here; requests to a
// busy service are retried after a growing, randomised pause.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  decodeBytes,
  dumpJson,
  failure,
  fromPlain,
  isDict,
  loadJson,
  misuse,
  numberOf,
  type Plain,
  str,
  type Value,
} from '../../../data/mod.ts'
import { type AwsKey, signAws } from '../../../sdk/mod.ts'
import { AwsAnswer } from './answer.ts'
import { findKey, keepKey, type RoleRequest, sharedFiles } from './credentials.ts'
import { AwsError, isBusy } from './errors.ts'
import { formText, type Parameters } from './form.ts'
import { type AwsContext, type AwsLogin, type AwsSettings, settingsOf } from './login.ts'
import type { TimedKey } from './metadata.ts'
import { addressOf, type ServiceName, serviceOf } from './services.ts'

/** A request by method and path. */
export interface RestRequest {
  /** Name of the operation, for errors. */
  action: string
  method: string
  /** Begins with a slash; each part of it is escaped already. */
  path: string
  query?: Parameters
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Prefix of the host name, such as the bucket in S3. */
  subdomain?: string
}

export interface RestAnswer {
  status: number
  /** By name in lower case. */
  headers: ReadonlyMap<string, string>
  body: Uint8Array
}

interface Address {
  origin: string
  isOwn: boolean
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 20_000
const ATTEMPTS = 6
const MOST_PAGES = 10_000
/** Size limit of answers, except objects of S3. */
const MOST_BYTES = 256 * 1024 * 1024

export class AwsCaller {
  readonly settings: AwsSettings
  private readonly ctx: AwsContext
  private readonly name: ServiceName
  private address: Address | undefined
  /** Maximum number of attempts for a request. */
  attempts: number
  /** Whether requests carry a signature. */
  isSigned = true

  constructor(ctx: AwsContext, name: ServiceName, settings: AwsSettings, attempts: number = ATTEMPTS) {
    this.ctx = ctx
    this.name = name
    this.settings = settings
    this.attempts = attempts
  }

  /** Return a caller of a service, with the parameters of a function completed by options, pillar and profile. */
  static of(ctx: AwsContext, name: ServiceName, login: AwsLogin, optionPrefix: string = name): AwsCaller {
    return new AwsCaller(ctx, name, settingsOf(ctx, optionPrefix, login))
  }

  get region(): string {
    return this.settings.region
  }

  /** Call an action of a service with forms. */
  async query(action: string, parameters: Parameters = {}): Promise<AwsAnswer> {
    const { version, isFlat = false } = serviceOf(this.name)
    const body = formText({ Action: action, Version: version, ...parameters }, isFlat)
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const answer = await this.rest({ action, method: 'POST', path: '/', headers, body })
    return this.xml(action, answer)
  }

  /** Call an action page by page. The token is at a path of the answer and goes into a parameter. */
  async *pages(action: string, parameters: Parameters, token: { at: string; into: string }): AsyncGenerator<AwsAnswer> {
    let next: string | null = null
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer: AwsAnswer = await this.query(action, { ...parameters, ...(next && { [token.into]: next }) })
      yield answer
      next = answer.text(token.at)
      if (next === null) return
    }
    throw failure(`${this.name} ${action} does not come to an end after ${MOST_PAGES} pages`)
  }

  /** Return all rows of a list over its pages. */
  async rows(
    action: string,
    parameters: Parameters,
    list: string,
    token: { at: string; into: string },
  ): Promise<AwsAnswer[]> {
    const rows: AwsAnswer[] = []
    for await (const page of this.pages(action, parameters, token)) rows.push(...page.rows(list))
    return rows
  }

  /** Call an action of a service with JSON documents. */
  async json(action: string, parameters: Plain = {}): Promise<Value> {
    const { target, version } = serviceOf(this.name)
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${action}` }
    const body = dumpJson(fromPlain(parameters))
    const answer = await this.rest({ action, method: 'POST', path: '/', headers, body })
    return this.jsonOf(action, answer)
  }

  xml(action: string, { body }: RestAnswer): AwsAnswer {
    try {
      return AwsAnswer.parse(decodeBytes(body))
    } catch (error) {
      throw failure(`${this.name} ${action} answers with something that is no XML: ${String(error)}`)
    }
  }

  jsonOf(action: string, { body }: RestAnswer): Value {
    if (body.length === 0) return null
    try {
      return loadJson(decodeBytes(body))
    } catch (error) {
      throw failure(`${this.name} ${action} answers with something that is no JSON: ${String(error)}`)
    }
  }

  /** Send a request, and retry while the service is busy. Throw if the service refuses. */
  async rest(request: RestRequest): Promise<RestAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(request, attempt)
      if (answer !== undefined && answer.status < 300) return answer
      if (answer !== undefined) {
        const fault = this.faultOf(request.action, answer)
        if (attempt >= this.attempts || !isBusy(fault)) throw new AwsError(fault)
        this.ctx.log('debug', `${this.name} ${request.action} is busy (${fault.code}); attempt ${attempt}`)
      }
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt))
    }
  }

  /** Return the answer; undefined where the service was not reached and may be tried again. */
  private async send(request: RestRequest, attempt: number): Promise<RestAnswer | undefined> {
    const { method, path, query = {}, headers = {}, body = '', subdomain } = request
    const { signing, host, global, isFlat = true } = serviceOf(this.name)
    const { origin } = await this.place()
    const base = new URL(origin)
    if (subdomain) base.hostname = `${subdomain}.${base.hostname}`
    const words = formText(query, isFlat)
    const fullPath = `${base.pathname.replace(/\/+$/, '')}${path}`
    const signed = await signAws({
      method,
      server: base.host,
      path: fullPath,
      query: words,
      headers,
      body,
      service: signing ?? host,
      region: global && !this.settings.region.startsWith('cn-') ? global : this.settings.region,
      time: new Date(),
      login: this.isSigned ? await this.key() : undefined,
    })
    const { verify, ca } = this.settings
    const answer = await this.ctx.http.query(
      new Map<string, Value>([
        ['url', `${base.origin}${fullPath}${words === '' ? '' : `?${words}`}`],
        ['method', method],
        ['header_dict', new Map<Value, Value>(signed)],
        ['data', body === '' ? null : body],
        ['raise_error', false],
        ['status', true],
        ['headers', true],
        ['decode_body', false],
        ...(this.name === 's3' ? [] : [['max_body', MOST_BYTES] as [string, Value]]),
        ...(verify === undefined ? [] : [['verify_ssl', verify] as [string, Value]]),
        ...(ca === undefined ? [] : [['ca_bundle', ca] as [string, Value]]),
      ]),
    )
    const error = answer.get('error')
    if (error === undefined) return restAnswer(answer)
    if (attempt >= this.attempts) throw failure(`${this.name} at ${base.origin} does not answer: ${str(error)}`)
    return undefined
  }

  private faultOf(action: string, { status, body, headers }: RestAnswer): AwsError['fault'] {
    const text = decodeBytes(body)
    const named = { service: this.name, action, status }
    if (text.trimStart().startsWith('<')) {
      const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
      return { ...named, code: field('Code') ?? `http-${status}`, text: field('Message') ?? '' }
    }
    const kind = (headers.get('x-amzn-errortype') ?? '').split(':')[0]
    let code = kind || `http-${status}`
    let message = text.slice(0, SHOWN)
    if (text.startsWith('{')) {
      const value = loadJson(text)
      const found = (name: string): string => (isDict(value) ? str(value.get(name) ?? '') : '')
      code = kind || found('__type').split('#').pop() || found('code') || found('Type') || code
      message = found('message') || found('Message') || message
    }
    return { ...named, code, text: message }
  }

  /** Return the address of the service: of the settings, the environment, the shared files, or Amazon's. */
  async place(): Promise<Address> {
    this.address ??= await this.findPlace()
    return this.address
  }

  private async findPlace(): Promise<Address> {
    const env = await this.ctx.host.env()
    const own =
      this.settings.endpoint || env.get(`AWS_ENDPOINT_URL_${this.name.toUpperCase()}`) || env.get('AWS_ENDPOINT_URL')
    const section = env.get('AWS_PROFILE') || 'default'
    const found = own || (await sharedFiles(this.ctx, env)).get(section)?.get('endpoint_url')
    if (!found) return { origin: addressOf(this.name, this.settings.region), isOwn: false }
    if (!URL.canParse(found) || !/^https?:/.test(found))
      throw misuse(`The endpoint '${found}' is no address of http or https`)
    return { origin: found, isOwn: true }
  }

  private async key(): Promise<AwsKey | undefined> {
    const { settings, ctx } = this
    const { keyId = null, key: secret = null, token = null, roleArn = null, externalId = null } = settings
    // the secret is part of the name: a caller that knows only the key id gets no cached role
    const source = JSON.stringify([keyId, secret, token, roleArn, externalId])
    const key = await keepKey(source, async () => {
      const { key: found, role } = await findKey(ctx, settings)
      if (role !== undefined) return takeRole(ctx, settings, role, found)
      return found
    })
    if (key === undefined && this.name !== 's3') {
      throw misuse(
        `No authentication credentials found when attempting to make boto ${this.name} connection to region "${settings.region}".`,
      )
    }
    return key
  }
}

const SHOWN = 300

/** Take on a role with a key, or with a token of an identity provider. */
async function takeRole(
  ctx: AwsContext,
  settings: AwsSettings,
  role: RoleRequest,
  key: TimedKey | undefined,
): Promise<TimedKey> {
  const { roleArn, sessionName, externalId, webToken } = role
  const own = { ...settings, roleArn: undefined, endpoint: undefined }
  const base = { ...own, key: key?.key, keyId: key?.keyId, token: key?.token }
  const names = { RoleArn: roleArn, RoleSessionName: sessionName }
  const sts = new AwsCaller(ctx, 'sts', base)
  sts.isSigned = webToken === undefined
  const action = webToken === undefined ? 'AssumeRole' : 'AssumeRoleWithWebIdentity'
  const answer = await sts.query(action, { ...names, ExternalId: externalId, WebIdentityToken: webToken })
  const field = (name: string): string => answer.text(`${action}Result.Credentials.${name}`) ?? ''
  const ends = Date.parse(field('Expiration'))
  return {
    keyId: field('AccessKeyId'),
    key: field('SecretAccessKey'),
    token: field('SessionToken'),
    ends: Number.isNaN(ends) ? undefined : ends,
  }
}

function restAnswer(answer: ReadonlyMap<Value, Value>): RestAnswer {
  const body = answer.get('body') ?? ''
  const headers = answer.get('headers') ?? null
  return {
    status: numberOf(answer.get('status') ?? 0) ?? 0,
    headers: new Map(isDict(headers) ? [...headers].map(([name, value]) => [str(name).toLowerCase(), str(value)]) : []),
    body: body instanceof Uint8Array ? body : Buffer.from(str(body)),
  }
}
