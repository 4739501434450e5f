// One query: Salt's `http.query` with its parameters and result. Parameters that are useless from a template or a
// command line (streams, cookie files, rendered headers) are accepted if they have no effect, else refused.

import { BrineError, SALT_VERSION } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  type Dict,
  isDict,
  iterate,
  numberOf,
  SaltError,
  splitLines,
  str,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
import { fromNodeError, isHostError } from '../host/mod.ts'
import { bodyText, decoderFor, decodeText, isDecoder, isTooLong, LONGEST_TEXT, unknownDecoder } from './decode.ts'
import { HttpFailure, type HttpRequest, type HttpResponse, type SendHttp } from './request.ts'
import { concatUrl, encodeForm } from './url.ts'

const REFUSED = ['data_render', 'header_render', 'stream', 'handle', 'formdata']

/** Arguments by name; missing ones are None. */
class QueryArguments {
  private readonly given: ReadonlyMap<string, Value>

  constructor(given: ReadonlyMap<string, Value>) {
    this.given = given
    for (const name of REFUSED) {
      if (this.truthy(name)) throw new SaltError('SaltInvocationError', `An HTTP query cannot take ${name}`)
    }
  }

  value(name: string): Value {
    return this.given.get(name) ?? null
  }

  text(name: string, otherwise: string): string {
    const value = this.value(name)
    return value === null ? otherwise : str(value)
  }

  truthy(name: string): boolean {
    return truthy(this.value(name))
  }
}

const AGENT = `Salt/${SALT_VERSION}`

/** The environment of a query: the files that its parameters name, and the network. */
export interface HttpMachine {
  read(path: string): Promise<Uint8Array>
  write(path: string, text: string): Promise<void>
  send: SendHttp
}

export class HttpQuery {
  private readonly machine: HttpMachine
  private readonly args: QueryArguments
  private readonly opts: ReadonlyMap<Value, Value>

  constructor(machine: HttpMachine, opts: ReadonlyMap<Value, Value>, parameters: ReadonlyMap<string, Value>) {
    this.machine = machine
    this.args = new QueryArguments(parameters)
    const own = this.args.value('opts')
    this.opts = isDict(own) ? own : opts
  }

  async run(): Promise<Dict> {
    const { args } = this
    if (args.value('test') === true && args.value('test_url') === null) return new Map()
    const answer: Dict = new Map()
    if (args.value('test') === true) answer.set('test', true)
    const request = await this.request()
    let response: HttpResponse
    let body: Value
    try {
      response = await this.machine.send(request)
      body = bodyText(response, { asText: args.value('decode_body') !== false, most: request.maxBody })
    } catch (error) {
      return this.failed(answer, error)
    }
    if (response.status >= 300 && args.value('raise_error') !== false) {
      answer.set('status', response.status)
      answer.set('error', `HTTP ${response.status}: ${response.reason}`)
      answer.set('body', body)
      return answer
    }
    answer.set('body', body)
    return this.answered(answer, response, body)
  }

  private async answered(answer: Dict, { status, headers }: HttpResponse, body: Value): Promise<Dict> {
    const { args } = this
    await this.write('text_out', body)
    if (args.value('status') === true) answer.set('status', status)
    if (args.value('headers') === true) answer.set('headers', new Map<Value, Value>(headers))
    let wantsText = args.value('text') === true
    if (args.value('decode') === true) {
      const asked = args.text('decode_type', 'auto')
      const kind = asked === 'auto' ? decoderFor(headers) : asked
      if (!isDecoder(kind)) return answer.set('error', unknownDecoder())
      if (isTooLong(str(body), kind)) return answer.set('error', `The answer is too long to decode as ${kind}`)
      if (kind === 'plain') wantsText = true
      else answer.set('dict', decodeText(str(body), kind))
      await this.write('decode_out', body)
    }
    if (wantsText) answer.set('text', body)
    return answer
  }

  private async write(parameter: string, body: Value): Promise<void> {
    const path = textOf(this.args.value(parameter))
    if (path !== undefined) await this.machine.write(path, str(body))
  }

  private failed(answer: Dict, error: unknown): Dict {
    if (error instanceof HttpFailure) return answer.set('status', 599).set('error', `HTTP 599: ${error.message}`)
    const known = fromNodeError(error)
    if (!isHostError(known) && !isNodeFailure(error)) throw error
    if (this.args.value('status') === true) answer.set('status', 0)
    return answer.set('error', (known as Error).message)
  }

  /** Return the request to send. */
  async request(): Promise<HttpRequest> {
    const { args } = this
    const url = args.value('test') === true ? args.text('test_url', '') : args.text('url', '')
    const method = args.text('method', 'GET')
    const body = await this.body()
    const headers = await this.headers()
    if (method === 'POST' && ![...headers.keys()].some((name) => name.toLowerCase() === 'content-type')) {
      headers.set('Content-Type', 'application/x-www-form-urlencoded')
    }
    const proxy = this.proxy(url)
    return {
      url: args.truthy('params') ? concatUrl(url, args.value('params')) : url,
      method,
      headers,
      body,
      connectTimeout: option(this.opts, 'http_connect_timeout'),
      timeout: option(this.opts, 'http_request_timeout'),
      maxBody: Math.min(
        option(this.opts, 'http_max_body'),
        numberOf(args.value('max_body')) ?? Number.POSITIVE_INFINITY,
        args.value('decode_body') === false ? Number.POSITIVE_INFINITY : LONGEST_TEXT,
      ),
      tls: await this.tls(),
      ...(proxy && { proxy }),
    }
  }

  private async body(): Promise<Uint8Array | undefined> {
    const file = textOf(this.args.value('data_file'))
    const data = file === undefined ? this.args.value('data') : await this.machine.read(file)
    if (data === null) return undefined
    if (data instanceof Uint8Array) return data
    return Buffer.from(isDict(data) ? encodeForm(data) : str(data))
  }

  private async headers(): Promise<Map<string, string>> {
    const { args } = this
    const file = textOf(args.value('header_file'))
    const headers = new Map<string, string>()
    const dict = args.value('header_dict')
    if (isDict(dict)) for (const [name, value] of dict) headers.set(str(name), str(value))
    const listed =
      file === undefined ? args.value('header_list') : splitLines(Buffer.from(await this.machine.read(file)).toString())
    for (const header of listed === null ? [] : iterate(listed)) {
      const [name, value] = str(header).split(':') as [string, string?]
      if (value !== undefined) headers.set(name.trim(), value.trim())
    }
    const agent = args.text('agent', AGENT)
    headers.set('User-agent', agent === AGENT ? `${agent} http.query()` : agent)
    const authorization = this.authorization()
    if (authorization !== undefined) headers.set('Authorization', authorization)
    return headers
  }

  private authorization(): string | undefined {
    const [username, password] = [this.args.value('username'), this.args.value('password')]
    return username === null ? undefined : basic(str(username), password === null ? '' : str(password))
  }

  private async tls(): Promise<HttpRequest['tls']> {
    const given = this.args.value('verify_ssl') ?? this.opts.get('verify_ssl') ?? true
    const bundle = textOf(this.args.value('ca_bundle') ?? option(this.opts, 'ca_bundle') ?? null)
    const cert = this.args.value('cert') ?? this.opts.get('cert') ?? null
    const [certFile, keyFile] = Array.isArray(cert) ? cert.map(str) : [textOf(cert)]
    const read = (path: string) => this.machine.read(path)
    return {
      verify: truthy(given),
      ...(bundle !== undefined && { ca: bundle.includes(PEM) ? Buffer.from(bundle) : await read(bundle) }),
      ...(certFile !== undefined && { cert: await read(certFile), key: await read(keyFile ?? certFile) }),
    }
  }

  private proxy(url: string): HttpRequest['proxy'] {
    const [host, port] = [option(this.opts, 'proxy_host'), option(this.opts, 'proxy_port')]
    if (host === '' || port === 0) return undefined
    if (option(this.opts, 'no_proxy').includes(new URL(url).hostname)) return undefined
    const [username, password] = [option(this.opts, 'proxy_username'), option(this.opts, 'proxy_password')]
    const authorization = username && password ? basic(username, password) : undefined
    return { host, port, ...(authorization !== undefined && { authorization }) }
  }
}

/** Certificates may be given as text in place of a file. */
const PEM = '-----BEGIN CERTIFICATE-----'

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Whether a failure has only a Node error code, such as an untrusted certificate. */
const isNodeFailure = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof BrineError) && 'code' in error
