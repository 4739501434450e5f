// The connection of a minion to one master: requests and incoming publications.
import { lookup } from 'node:dns/promises'
import { type Log, namedLog, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import {
  ClearClient,
  type ConnectionWatch,
  MasterChannel,
  type MinionSettings,
  Outage,
  openTransport,
  PublicationReceiver,
  requestClientOptions,
  type SignInOutcome,
  subscriberOptions,
  type Transport,
} from '../wire/mod.ts'

export interface MasterAddress {
  host: string
  port: number
}

/** Parse `host`, `host:port` or `[v6]:port`; without a port, the one of the options is used. */
export function masterAddress(master: string, opts: Dict): MasterAddress {
  const fallback = Number(option(opts, 'master_port'))
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(master)
  if (bracketed) return { host: bracketed[1]!, port: bracketed[2] ? Number(bracketed[2]) : fallback }
  const parts = master.split(':')
  if (parts.length === 2) return { host: parts[0]!, port: Number(parts[1]) }
  return { host: master, port: fallback }
}

export interface LinkOptions {
  opts: Dict
  settings: MinionSettings
  log: Log
  address: MasterAddress
  /** Called with each reply to the sign-in; return false to stop waiting. */
  onOutcome?: (outcome: SignInOutcome) => unknown
  /** Called when the publish channel is lost. */
  onLost?: () => void
}

export class MasterLink {
  channel: MasterChannel
  private readonly options: LinkOptions
  private readonly transport: Transport
  private address: MasterAddress
  private receiver: PublicationReceiver | undefined

  static async open(options: LinkOptions): Promise<MasterLink> {
    const transport = await openTransport(option(options.opts, 'transport'))
    // report an unknown name before any connection attempt
    await lookup(options.address.host)
    return new MasterLink(options, transport)
  }

  private constructor(options: LinkOptions, transport: Transport) {
    this.options = options
    this.transport = transport
    this.address = options.address
    this.channel = this.openChannel()
  }

  private openChannel(): MasterChannel {
    const { settings, log, onOutcome, opts } = this.options
    const wire = namedLog(log, `salt.transport.${this.transport.name}`)
    const { host, port } = this.address
    wire('debug', `Connecting to the master at ${host}, port ${port}, by ${this.transport.name}`)
    const watch = this.watch(this.address)
    const client = this.transport.connect(this.address, { ...requestClientOptions(opts), log: wire, watch })
    return new MasterChannel({ client, settings, log, ...(onOutcome && { onOutcome }) })
  }

  private watch({ host, port }: MasterAddress): Outage {
    return new Outage(`master ${host.includes(':') ? `[${host}]` : host}:${port}`, this.options.log)
  }

  /** Switch this link to another master; later requests through it go to the new master. */
  move(address: MasterAddress): void {
    this.close()
    this.address = address
    this.channel = this.openChannel()
  }

  /** The watch of the connection for publications. */
  private listening(endpoint: MasterAddress): ConnectionWatch {
    const watch = this.watch(endpoint)
    const lost = (error: Error | undefined): void => {
      watch.lost(error)
      this.options.onLost?.()
    }
    return { works: () => watch.works(), failed: (error) => watch.failed(error), lost }
  }

  /** Whether the master is at this address. */
  isAt({ host, port }: MasterAddress): boolean {
    return this.address.host === host && this.address.port === port
  }

  /** Whether a master answers, without signing in. */
  async answers(address: MasterAddress, seconds: number): Promise<boolean> {
    const client = this.transport.connect(address, requestClientOptions(this.options.opts))
    try {
      await new ClearClient(client).send(new Map([['cmd', 'ping']]), { timeout: seconds, tries: 1 })
      return true
    } catch (error) {
      this.options.log('debug', `Master ${address.host} does not answer: ${toError(error).message}`)
      return false
    } finally {
      client.close()
    }
  }

  /** Send a request to the master. */
  readonly ask = (load: Dict, { raw = false } = {}): Promise<Value> => this.channel.send(load, { raw })

  /** Whether the master is one of Brine, as its last answer to a sign-in showed. */
  get isBrine(): boolean {
    return this.channel.credentials?.offer !== undefined
  }

  /** Listens to publications from now on. */
  listen(onLoad: (load: Dict) => void, onConnect: () => void): void {
    const { opts, log } = this.options
    const own = option(opts, 'publish_port')
    const port = this.channel.credentials?.publishPort ?? own
    const endpoint = { host: this.address.host, port }
    this.receiver = new PublicationReceiver({
      channel: this.channel,
      transport: this.transport,
      endpoint,
      onLoad,
      onConnect,
      watch: this.listening(endpoint),
      ...subscriberOptions(opts),
      log: namedLog(log, 'salt.channel.client'),
    })
  }

  get isListening(): boolean {
    return this.receiver?.connected ?? false
  }

  close(): void {
    this.receiver?.close()
    this.receiver = undefined
    this.channel.close()
  }
}
