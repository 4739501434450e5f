// A minion's side of publications: opens them in their order, and when one was made with a key we do not have signs in
// again and tries once more.
import { type Log, silentLog, toError } from '../../base/mod.ts'
import { type Dict, decodeMsgpack, isDict, type Value } from '../../data/mod.ts'
import { DEFAULT_SIGNING } from '../crypto/mod.ts'
import { bytesOf, dictOf, textField } from '../envelope.ts'
import { isWireError, WireError } from '../errors.ts'
import type { Endpoint, SocketOptions, Subscriber, Transport } from '../transport/transport.ts'
import type { MasterChannel } from './master-channel.ts'

export interface PublicationOptions extends SocketOptions {
  channel: MasterChannel
  transport: Transport
  endpoint: Endpoint
  /** A publication for us to look at; targets are not yet checked. */
  onLoad: (load: Dict) => void | Promise<void>
  onConnect?: (() => void) | undefined
  onDisconnect?: (() => void) | undefined
  filtering?: boolean | undefined
  syndic?: boolean | undefined
  reconnectDelay?: ((attempt: number) => number) | undefined
  heartbeatInterval?: number | undefined
  heartbeatTimeout?: number | undefined
  log?: Log | undefined
}

export class PublicationReceiver {
  private readonly options: PublicationOptions
  private readonly subscriber: Subscriber
  private readonly log: Log
  private last: Promise<void> = Promise.resolve()
  private wasConnected = false
  private closed = false

  constructor(options: PublicationOptions) {
    this.options = options
    this.log = options.log ?? silentLog
    const { channel, transport, endpoint, onLoad, ...rest } = options
    this.subscriber = transport.subscribe(endpoint, {
      ...rest,
      id: channel.settings.id,
      onMessage: (packet) => this.take(packet),
      introduce: () => this.introduce(),
    })
  }

  get connected(): boolean {
    return this.subscriber.connected
  }

  close(): void {
    this.closed = true
    this.subscriber.close()
  }

  /** On the tcp transport; after a break the master may be another one, with another key. */
  private async introduce(): Promise<unknown> {
    const { channel } = this.options
    if (this.wasConnected || channel.credentials === undefined) await channel.authenticate()
    this.wasConnected = true
    return channel.introduction()
  }

  private take(packet: Uint8Array): void {
    // the bytes may be a part of what the socket reads into
    const own = Buffer.from(packet)
    this.last = this.last.then(async () => {
      if (this.closed) return
      try {
        const load = await this.open(own)
        if (load !== undefined) await this.options.onLoad(load)
      } catch (error) {
        this.log('error', `Dropped a publication: ${toError(error).message}`)
      }
    })
  }

  private async open(bytes: Uint8Array): Promise<Dict | undefined> {
    const packet = dictOf(decodeMsgpack(bytes, { dialect: 'wire' }))
    if (packet?.get('enc') !== 'aes') return packet && dictOf(packet.get('load'))
    const sealed = bytesOf(packet.get('load'))
    if (sealed === undefined) throw new WireError('ProtocolError', 'The publication has no load')
    this.checkSignature(packet, sealed)
    const load = await this.decrypt(sealed)
    return load !== undefined && isDict(load) && load.size > 0 ? load : undefined
  }

  private async decrypt(sealed: Uint8Array): Promise<Value | undefined> {
    const { channel } = this.options
    try {
      if (channel.publications !== undefined) return channel.publications.open(sealed)
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
    }
    await channel.authenticate()
    try {
      return channel.publications!.open(sealed)
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
      this.log('error', 'Payload decryption failed even after re-authenticating with master')
      return undefined
    }
  }

  private checkSignature(packet: Dict, sealed: Uint8Array): void {
    const { channel } = this.options
    if (channel.settings.requireSignedPublications !== true) return
    const signature = bytesOf(packet.get('sig'))
    if (signature === undefined) {
      throw new WireError('AuthenticationError', 'Message signing is enabled but the payload has no signature.')
    }
    const algorithm = textField(packet, 'sig_algo') ?? DEFAULT_SIGNING
    if (channel.signIn.pin.key()?.verify(sealed, signature, algorithm) !== true) {
      throw new WireError('AuthenticationError', 'Message signature failed to validate.')
    }
  }
}
