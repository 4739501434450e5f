// Jobs as programs on the master's machine have them done. Listening begins before publishing, so that no return can be
// missed. A minion that keeps silent is asked whether it still works on the job, and only then given up.
import type { Log } from '../base/mod.ts'
import { BusClient, type BusEvent, masterBusPaths } from '../bus/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, type Value } from '../data/mod.ts'
import { publishedTarget } from '../match/mod.ts'
import { ClearClient, openTransport } from '../wire/mod.ts'
import { ClientError } from './errors.ts'
import { localKey } from './local-key.ts'

export interface PublishRequest {
  tgt: Value
  tgtType?: string
  fun: Value
  arg: Value
  ret?: string
  jid?: string
  timeout?: number
  /** `delimiter`, `metadata`, credentials and the like. */
  kwargs?: Dict
  /** In place of the key of who runs this program. */
  credentials?: Dict
}

export interface Published {
  jid: string
  minions: string[]
  missing: string[]
}

/** What became of one minion of a job. */
export interface Gathered {
  id: string
  /** What it returned; undefined when it did not. */
  data?: Dict
  /** Why there is no return. */
  reason?: 'missing' | 'silent' | 'gone'
}

export interface CollectOptions {
  timeout: number
  gatherJobTimeout: number
  /** Hears who still works on the job, each time they were asked. */
  onRunning?: (ids: ReadonlySet<string>) => void
}

export class LocalClient {
  readonly opts: Dict
  private readonly bus: BusClient
  private readonly requests: ClearClient

  static async open(opts: Dict, log: Log): Promise<LocalClient> {
    const bus = await BusClient.open({ paths: masterBusPaths(opts), filter: () => false })
    const transport = await openTransport(textOf(opts.get('transport') ?? null) ?? 'zeromq')
    const port = numberOf(opts.get('ret_port') ?? 4506) ?? 4506
    return new LocalClient(opts, bus, new ClearClient(transport.connect({ host: addressOf(opts), port }, { log })))
  }

  private constructor(opts: Dict, bus: BusClient, requests: ClearClient) {
    this.opts = opts
    this.bus = bus
    this.requests = requests
  }

  close(): void {
    this.bus.close()
    this.requests.close()
  }

  /** Sends a command to the master. */
  async command(load: Dict, timeout = 15): Promise<Value> {
    return this.requests.send(load, { timeout, tries: 1 })
  }

  async publish(request: PublishRequest): Promise<Published | undefined> {
    const { user, key } = localKey(this.opts)
    const kind = request.tgtType ?? 'glob'
    const resolved =
      typeof request.tgt === 'string' ? publishedTarget(request.tgt, kind, this.opts) : { target: request.tgt, kind }
    const load: Dict = new Map<Value, Value>([
      ['cmd', 'publish'],
      ['tgt', resolved.target],
      ['fun', request.fun],
      ['arg', request.arg],
      ['key', key],
      ['tgt_type', resolved.kind],
      ['ret', request.ret ?? ''],
      ['jid', request.jid ?? ''],
    ])
    if (request.kwargs && request.kwargs.size > 0) load.set('kwargs', request.kwargs)
    load.set('user', user)
    if (request.credentials) for (const [name, value] of request.credentials) load.set(name, value)
    // the number of the job is not known yet, so all jobs are listened to until it is
    this.bus.want((tag) => tag.startsWith('salt/job/'))
    return this.answered(await this.command(load, request.timeout))
  }

  private answered(answer: Value): Published | undefined {
    const refusal = isDict(answer) ? answer.get('error') : undefined
    if (refusal !== undefined && isDict(refusal)) {
      const name =
        str(refusal.get('name') ?? '') === 'AuthorizationError' ? 'AuthorizationError' : 'AuthenticationError'
      throw new ClientError(name, str(refusal.get('message') ?? ''))
    }
    const load = isDict(answer) ? answer.get('load') : undefined
    if (load === undefined || !isDict(load)) throw new ClientError('PublishError', `The master answered ${str(answer)}`)
    const minions = texts(load.get('minions'))
    if (load.get('jid') === null || load.has('error')) return undefined
    return { jid: str(load.get('jid')!), minions, missing: texts(load.get('missing')) }
  }

  /** Returns as they come, and at the end those who did not return. */
  async *collect(published: Published, options: CollectOptions): AsyncGenerator<Gathered> {
    const { jid } = published
    const waiting = new Set(published.minions)
    const ours = new Set([jid])
    this.bus.want((tag) => ours.has(tag.split('/')[2] ?? ''))
    let limit = performance.now() + options.timeout * 1000
    let asked: { jid: string; running: Set<string> } | undefined
    while (waiting.size > 0) {
      const event = await this.bus.next(Math.max(0, (limit - performance.now()) / 1000))
      if (event) {
        const gathered = this.returnOf(event, jid)
        if (gathered && waiting.delete(gathered.id)) yield gathered
        else if (asked) this.noteAnswer(event, asked)
        continue
      }
      if (!this.bus.isOpen) throw new ClientError('SaltClientError', 'The connection to the master was lost')
      if (asked && asked.running.size === 0) break
      if (asked) options.onRunning?.(asked.running)
      asked = await this.whoRuns(jid, [...waiting])
      if (asked) ours.add(asked.jid)
      else break
      limit = performance.now() + options.gatherJobTimeout * 1000
    }
    for (const id of waiting) yield { id, reason: 'silent' }
    for (const id of published.missing) yield { id, reason: 'missing' }
  }

  private returnOf(event: BusEvent, jid: string): Gathered | undefined {
    const { tag, data } = event
    if (!tag.startsWith(`salt/job/${jid}/ret/`) || !data.has('return') || !data.has('id')) return undefined
    return { id: str(data.get('resource_id') ?? data.get('id')!), data }
  }

  private noteAnswer({ tag, data }: BusEvent, asked: { jid: string; running: Set<string> }): void {
    if (!tag.startsWith(`salt/job/${asked.jid}/ret/`)) return
    const answer = data.get('return') ?? null
    if (isDict(answer) && answer.size > 0) asked.running.add(str(data.get('id') ?? ''))
  }

  /** Asks minions whether they still work on a job. */
  private async whoRuns(jid: string, ids: string[]): Promise<{ jid: string; running: Set<string> } | undefined> {
    if (ids.length === 0) return undefined
    const { user, key } = localKey(this.opts)
    const answer = await this.command(
      new Map<Value, Value>([
        ['cmd', 'publish'],
        ['tgt', ids],
        ['fun', 'saltutil.find_job'],
        ['arg', [jid]],
        ['key', key],
        ['tgt_type', 'list'],
        ['ret', ''],
        ['jid', ''],
        ['user', user],
      ]),
    )
    const published = this.answered(answer)
    return published && { jid: published.jid, running: new Set() }
  }
}

/** The master listens on this address; any address means this machine. */
function addressOf(opts: Dict): string {
  const address = str(opts.get('interface') ?? '127.0.0.1')
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}

const texts = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])
