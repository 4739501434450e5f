// A master and a minion on one transport, for tests: everything real but the keys' store.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, type Value } from '../data/mod.ts'
import { MasterChannel, type MinionSettings, PublicationReceiver, type SignInOutcome } from './client/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from './crypto/mod.ts'
import {
  MemoryKeyStore,
  masterIdentity,
  PublishChannel,
  PublishSecret,
  RequestChannel,
  type RequestChannelOptions,
  SessionKeys,
  subscriberIdentity,
} from './server/mod.ts'
import { openTransport } from './transport/open.ts'
import type {
  Publisher,
  PublisherOptions,
  RequestHandler,
  RequestListener,
  TlsSettings,
  Transport,
} from './transport/transport.ts'

const wire = { dialect: 'wire' } as const

/** Return the answers of a channel without the offer, with Salt's signature. */
function saltAnswers(handle: RequestHandler, key: RsaPrivateKey): RequestHandler {
  return async (message, peer) => {
    const sent = isDict(message) ? message.get('load') : undefined
    if (isDict(sent ?? null)) (sent as Dict).delete('brine')
    const answer = await handle(message, peer)
    const load = answer instanceof Map ? answer.get('load') : undefined
    if (!(answer instanceof Map) || !(load instanceof Uint8Array)) return answer
    const inner = decodeMsgpack(load, wire) as Dict
    inner.delete('brine')
    const bytes = encodeMsgpack(inner, 'wire')
    return new Map(answer).set('load', bytes).set('sig', await key.sign(bytes))
  }
}

function saltPublisher(publisher: Publisher): Publisher {
  const publish = (bytes: Uint8Array, ids?: readonly string[]): void => {
    const packet = decodeMsgpack(bytes, wire) as Map<Value, Value>
    packet.delete('brine')
    publisher.publish(encodeMsgpack(packet, 'wire'), ids)
  }
  return Object.create(publisher, { publish: { value: publish } }) as Publisher
}

let pairs: Promise<RsaPrivateKey[]> | undefined

/** Return a few key pairs, generated once: generating takes longer than using them. */
export function trialKeys(): Promise<RsaPrivateKey[]> {
  pairs ??= Promise.all([0, 1, 2].map(async () => new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)))
  return pairs
}

export interface TrialOptions {
  transport?: string
  channel?: Partial<RequestChannelOptions>
  publisher?: PublisherOptions
  ssl?: TlsSettings
  filtering?: boolean
  /** The master answers and publishes as Salt's does: it offers no signatures with a context. */
  asSalt?: boolean
  /** The clock of the session keys. */
  now?: () => number
}

const HOST = '127.0.0.1'

export class WireTrial {
  readonly directory = mkdtempSync(join(tmpdir(), 'brine-wire-'))
  readonly keys = new MemoryKeyStore()
  readonly secret = new PublishSecret()
  readonly logs: string[] = []
  readonly events: Dict[] = []
  readonly sessions: SessionKeys
  transport!: Transport
  listener!: RequestListener
  publisher!: Publisher
  requests!: RequestChannel
  publications!: PublishChannel
  /** Answers requests as Salt's master does. */
  asSalt!: RequestHandler
  private readonly ending: Array<() => unknown> = []
  private readonly options: TrialOptions

  private constructor(options: TrialOptions) {
    this.options = options
    this.sessions = new SessionKeys({ cachedir: this.directory, now: options.now ?? Date.now })
  }

  static async start(options: TrialOptions = {}): Promise<WireTrial> {
    const trial = new WireTrial(options)
    await trial.listen()
    return trial
  }

  readonly log = (level: string, text: string): void => {
    this.logs.push(`${level}: ${text}`)
  }

  private async listen(): Promise<void> {
    const { options, keys, secret, sessions, log } = this
    const [masterKey] = await trialKeys()
    const identity = masterIdentity(masterKey!)
    const sockets = { log, ...(options.ssl ? { ssl: options.ssl } : {}) }
    this.transport = await openTransport(options.transport)
    this.publisher = await this.transport.publisher(
      { host: HOST, port: 0 },
      {
        ...sockets,
        filtering: options.filtering === true,
        identify: subscriberIdentity(keys, secret),
        ...options.publisher,
      },
    )
    const port = 'port' in this.publisher.endpoint ? this.publisher.endpoint.port : 0
    this.requests = new RequestChannel({
      identity,
      keys,
      secret,
      sessions,
      publishPort: port,
      log,
      onAuth: (event) => this.events.push(event),
      handlers: { clear: (load) => load, aes: (load) => load },
      ...options.channel,
    })
    this.asSalt = saltAnswers(this.requests.handle, masterKey!)
    const handle = options.asSalt ? this.asSalt : this.requests.handle
    this.listener = await this.transport.listen({ host: HOST, port: 0 }, handle, sockets)
    this.publications = new PublishChannel({
      publisher: options.asSalt ? saltPublisher(this.publisher) : this.publisher,
      identity,
      secret,
      resolve: (target) => [target],
    })
  }

  /** A minion's channel; its first key is accepted. */
  async minion(
    id = 'm1',
    settings: Partial<MinionSettings> = {},
    onOutcome?: (outcome: SignInOutcome) => unknown,
  ): Promise<MasterChannel> {
    const [, key] = await trialKeys()
    if (this.keys.fetch(id) === undefined) this.keys.store(id, { state: 'accepted', pub: key!.publicKey.pem })
    const client = this.transport.connect(this.listener.endpoint, {
      log: this.log,
      ...(this.options.ssl ? { ssl: this.options.ssl } : {}),
    })
    const channel = new MasterChannel({
      client,
      log: this.log,
      settings: { id, key: key!, pkiDir: join(this.directory, id), acceptanceWaitTime: 0.01, ...settings },
      ...(onOutcome === undefined ? {} : { onOutcome }),
    })
    this.ending.push(() => channel.close())
    return channel
  }

  /** Return a list that receives a minion's publications; resolves when it is connected. */
  async subscribe(channel: MasterChannel): Promise<Dict[]> {
    const heard: Dict[] = []
    await new Promise<void>((resolve) => {
      const receiver = new PublicationReceiver({
        channel,
        transport: this.transport,
        endpoint: this.publisher.endpoint,
        filtering: this.options.filtering === true,
        log: this.log,
        onConnect: resolve,
        onLoad: (load) => void heard.push(load),
        reconnectDelay: () => 20,
        ...(this.options.ssl ? { ssl: this.options.ssl } : {}),
      })
      this.ending.push(() => receiver.close())
    })
    return heard
  }

  async stop(): Promise<void> {
    for (const end of this.ending.splice(0)) await end()
    await this.listener.close()
    await this.publisher.close()
    rmSync(this.directory, { recursive: true })
  }
}
