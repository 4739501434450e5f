// A provider of the tests: a listener of HTTP that answers in the shapes that providers document, and the calls of salt-cloud to its driver.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain } from '../../src/data/mod.ts'
import { type Host, MemoryHost } from '../../src/host/mod.ts'
import {
  boundSettings,
  type CloudAccount,
  type CloudDriver,
  type CloudNode,
  type CloudSteps,
  toValue,
  tryDriver,
} from '../../src/sdk/mod.ts'

export type Json = Record<string, unknown>

export interface Asked {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** The body, of JSON or of a form. */
  body: Json
}

/** An answer with another status than 200. */
export class Reply {
  readonly status: number
  readonly json: unknown
  readonly headers: Record<string, string>

  constructor(status: number, json: unknown = {}, headers: Record<string, string> = {}) {
    this.status = status
    this.json = json
    this.headers = headers
  }
}

/** Answer a request; undefined is status 404. */
export type Provider = (asked: Asked) => Json | Reply | undefined

export interface Listener {
  readonly url: string
  provider: Provider
  /** Answers to the next requests, which are not carried out. */
  refusing: Reply[]
  /** The answer to the next request that this names, after it was carried out. */
  late: { method: string; path: string; reply: Reply } | undefined
  /** All requests so far. */
  asked: Asked[]
}

/** Run a listener while the tests of a file run. */
export function startListener(): Listener {
  const listener = {
    url: '',
    provider: () => undefined,
    refusing: [],
    late: undefined,
    asked: [],
  } as Listener & { url: string }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { pathname: path, searchParams: query } = new URL(request.url!, listener.url)
    const isForm = request.headers['content-type']?.includes('form') === true
    const body: Json = text === '' ? {} : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
    const asked = { method: request.method!, path, query, headers: request.headers, body }
    listener.asked.push(asked)
    let answer = listener.refusing.shift() ?? listener.provider(asked)
    const { late } = listener
    if (late?.method === asked.method && late.path === path) {
      answer = late.reply
      listener.late = undefined
    }
    const { status, json, headers } =
      answer instanceof Reply ? answer : new Reply(answer === undefined ? 404 : 200, answer)
    response.writeHead(status, headers).end(json === undefined ? '{}' : JSON.stringify(json))
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    listener.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())
  return listener
}

const dict = (plain: Plain): Dict => fromPlain(plain) as Dict

export interface Told extends CloudSteps {
  /** Events that were fired, with their data as text. */
  readonly events: string[]
  readonly shown: string[]
  /** The stored facts of the creation. */
  noted: Dict
}

/** Record the reports of a creation to the user and to its record. */
export function watchSteps(): Told {
  const told: Told = {
    events: [],
    shown: [],
    noted: new Map(),
    report: async (event, data) => {
      told.events.push(event)
      told.shown.push(JSON.stringify(toPlain(data ?? new Map())))
    },
    note: async (facts) => {
      told.noted = new Map([...told.noted, ...facts])
    },
  }
  return told
}

export const open = (
  driver: CloudDriver,
  settings: Plain,
  host: Host = new MemoryHost(),
  signal?: AbortSignal,
): Promise<CloudAccount> =>
  tryDriver(driver, { provider: dict(settings), host, ...(signal && { context: { signal } }) })

export function create(
  driver: CloudDriver,
  account: CloudAccount,
  name: string,
  settings: Plain,
  steps: CloudSteps = watchSteps(),
): Promise<CloudNode> {
  const written = dict({ wait_for_ip_interval: 0, ...(settings as object) })
  const bound = boundSettings(driver.machine, written, name)
  return account.create({ name, profile: 'web', written, token: `t-${name}`, settings: bound }, steps)
}

export async function act(
  driver: CloudDriver,
  account: CloudAccount,
  action: string,
  name: string,
  args: Plain = {},
): Promise<unknown> {
  const node = (await account.nodes()).find((one) => one.name === name)!
  const declared = driver.actions![action]!
  const bound = boundSettings(declared.args ?? {}, dict(args), action)
  return toPlain(toValue(await declared.run(account, node, bound, watchSteps())))
}

/** Ask a function of the provider. */
export async function ask(
  driver: CloudDriver,
  account: CloudAccount,
  name: string,
  args: Plain = {},
): Promise<unknown> {
  const declared = driver.functions![name]!
  const bound = boundSettings(declared.args ?? {}, dict(args), name)
  return toPlain(toValue(await declared.run(account, bound)))
}

export const namesOf = async (account: CloudAccount): Promise<string[]> =>
  (await account.nodes()).map(({ name }) => name)
