// Jobs for programs on the master's machine. The client listens before it publishes, so that no return is missed.
import { isLogged, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, type Value } from '../data/mod.ts'
import { publishedTarget } from '../match/mod.ts'
import type { MinionReturn, Published } from '../sdk/mod.ts'
import { type CollectOptions, collectReturns, type EventSource } from './collect.ts'
import { ClientError } from './errors.ts'
import { LastingEvents } from './lasting-events.ts'
import { localKey } from './local-key.ts'
import { MasterRequests } from './master-requests.ts'
import { MuteEvents } from './mute-events.ts'
import { storedBatch } from './stored-jobs.ts'
import { isOfJob } from './syndic-lists.ts'

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
  /** Sent in place of the key of the user of this program. */
  credentials?: Dict
}

/** Marks requests of Brine's client. Salt's client reads jobs from files of the master, Brine's does not. A Salt master ignores the mark. */
const OWN_CLIENT = ['client', 'brine'] as const

/** Whether a request to publish comes from our client. */
export const isOfOurClient = (load: Dict): boolean => load.get(OWN_CLIENT[0]) === OWN_CLIENT[1]

/** The names of refusals that callers distinguish. */
const REFUSALS = ['AuthorizationError', 'SaltInvocationError', 'StorageError'] as const

const NO_BATCHES =
  'This master does no batches: it is not a Brine master. Run the command without --batch-size on parts of the target, or use the salt program of that master.'

export class LocalClient {
  readonly opts: Dict
  private readonly log: Log
  private readonly bus: LastingEvents | MuteEvents
  private readonly requests: MasterRequests

  static async open(opts: Dict, log: Log): Promise<LocalClient> {
    const bus = await LastingEvents.open(opts, log, isOfJob).catch((error) => MuteEvents.inPlaceOf(error, log))
    return new LocalClient(opts, log, bus, await MasterRequests.open(opts, log))
  }

  private constructor(opts: Dict, log: Log, bus: LastingEvents | MuteEvents, requests: MasterRequests) {
    this.opts = opts
    this.log = log
    this.bus = bus
    this.requests = requests
  }

  close(): void {
    this.bus.close()
    this.requests.close()
  }

  /** Sends a command to the master. */
  command(load: Dict, timeout = 15): Promise<Value> {
    return this.requests.command(load, timeout)
  }

  async publish(request: PublishRequest): Promise<Published | undefined> {
    const { user, key } = localKey(this.opts)
    const kind = request.tgtType ?? 'glob'
    const resolved = publishedTarget(request.tgt, kind, this.opts)
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
    if (option(this.opts, 'order_masters')) load.set('to', request.timeout ?? option(this.opts, 'timeout'))
    load.set('user', user).set(...OWN_CLIENT)
    if (request.credentials) for (const [name, value] of request.credentials) load.set(name, value)
    this.bus.want(isOfJob)
    const published = this.answered(await this.command(load, request.timeout))
    if (published && isLogged(this.log, 'debug')) {
      this.log('debug', `Job ${published.jid} (${str(request.fun)}) was published to ${published.minions.join(', ')}`)
    }
    return published
  }

  /** Has the master do a job in batches, and gives its job id. The events of the job are kept from before it begins. */
  async beginBatch(load: Dict): Promise<string> {
    if (this.bus instanceof MuteEvents)
      throw new ClientError('SaltClientError', 'Nobody would see how the batch goes on')
    const { user, key } = localKey(this.opts)
    this.bus.want((tag) => isOfJob(tag) || tag.startsWith('salt/batch/'))
    const answer = await this.command(new Map([...load, ['cmd', 'batch'], ['key', key], ['user', user]]))
    this.mindRefusal(answer)
    const jid = isDict(answer) ? textOf(answer.get('jid') ?? null) : undefined
    if (!jid) throw new ClientError('NoBatches', NO_BATCHES)
    return jid
  }

  /** Events of a job and of its batch from now on. Events of other jobs that arrived before are included. */
  eventsOf(jid: string): EventSource {
    const prefixes = [`salt/job/${jid}/`, `salt/batch/${jid}/`]
    this.bus.want((tag) => prefixes.some((prefix) => tag.startsWith(prefix)))
    return this.bus
  }

  /** Return the stored state of a batch; undefined if there is none, or this user may not read it. */
  batchState(jid: string): Dict | undefined {
    return storedBatch(this.opts, jid)
  }

  private mindRefusal(answer: Value): void {
    const refusal = isDict(answer) ? answer.get('error') : undefined
    if (refusal === undefined || !isDict(refusal)) return
    const name = str(refusal.get('name') ?? '')
    const code = REFUSALS.find((known) => known === name) ?? 'AuthenticationError'
    throw new ClientError(code, str(refusal.get('message') ?? ''))
  }

  private answered(answer: Value): Published | undefined {
    this.mindRefusal(answer)
    const load = isDict(answer) ? answer.get('load') : undefined
    if (load === undefined || !isDict(load)) throw new ClientError('PublishError', `The master answered ${str(answer)}`)
    const minions = texts(load.get('minions'))
    if (load.get('jid') === null || load.has('error')) {
      if (load.has('reason')) this.log('error', str(load.get('reason')!))
      return undefined
    }
    const reconnecting = {
      ids: texts(load.get('reconnecting')),
      seconds: numberOf(load.get('deliver_within') ?? 0) ?? 0,
    }
    return {
      jid: str(load.get('jid')!),
      minions,
      missing: texts(load.get('missing')),
      ...(reconnecting.ids.length > 0 && { reconnecting }),
      ...this.syndicsIn(load),
    }
  }

  /** A master of Salt does not say which syndics it has. */
  private syndicsIn(load: Dict): Pick<Published, 'syndics'> {
    if (!option(this.opts, 'order_masters')) return {}
    const seconds = option(this.opts, 'syndic_wait')
    return { syndics: { seconds, ...(load.has('syndics') && { ids: texts(load.get('syndics')) }) } }
  }

  /** Yield returns as they arrive, then the minions that did not return. */
  async *collect(published: Published, options: CollectOptions): AsyncGenerator<MinionReturn> {
    const began = performance.now()
    const asks = (jid: string, ids: string[]): Promise<string | undefined> => this.askWhoRuns(jid, ids)
    const onUntold = (syndics: readonly string[]): void => {
      this.log(
        'warning',
        `Syndics did not tell which of their minions job ${published.jid} is for: ${syndics.join(', ')}`,
      )
    }
    for await (const gathered of collectReturns(this.bus, asks, published, { onUntold, ...options })) {
      if (isLogged(this.log, 'debug')) {
        const end = gathered.data ? 'returned' : `did not return (${gathered.reason})`
        const seconds = ((performance.now() - began) / 1000).toFixed(3)
        this.log('debug', `Job ${published.jid}: minion ${gathered.id} ${end} after ${seconds} s`)
      }
      yield gathered
    }
  }

  private async askWhoRuns(jid: string, ids: string[]): Promise<string | undefined> {
    const published = await this.publish({ tgt: ids, tgtType: 'list', fun: 'saltutil.find_job', arg: [jid] })
    return published?.jid
  }
}

const texts = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])
