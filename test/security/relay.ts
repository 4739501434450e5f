// An attacker on the network between a minion and its master: listens where the minion expects the master, forwards
// everything, and can change, hold, repeat and add messages. It is an accepted minion itself, so it has the publish
// key.
import { join } from 'node:path'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, type Value } from '../../src/data/mod.ts'
import { Crypticle, MasterChannel, openTransport, type Publisher, type RequestClient } from '../../src/wire/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'

const MASTER = '127.0.0.1'
export const RELAY = '127.0.0.2'

interface Ports {
  pub: number
  ret: number
}

export class Relay {
  /** Modify data of the minion. */
  onRequest: (message: Dict) => Dict = (message) => message
  /** Modify answers of the master. */
  onReply: (reply: Value, request: Dict) => Value = (reply) => reply
  /** Publications are kept back. */
  withholds = false
  /** All publications of the master, as they came. */
  readonly recorded: Uint8Array[] = []
  channel!: MasterChannel
  client!: RequestClient
  private publisher!: Publisher
  private readonly closings: Array<() => unknown> = []

  static async open(ports: Ports, transportName: string, root: string): Promise<Relay> {
    const relay = new Relay()
    const transport = await openTransport(transportName)
    relay.client = transport.connect({ host: MASTER, port: ports.ret })
    const [, , key] = await trialKeys()
    const settings = { id: 'evil', key: key!, pkiDir: join(root, 'evil') }
    relay.channel = new MasterChannel({ client: transport.connect({ host: MASTER, port: ports.ret }), settings })
    await relay.channel.authenticate()
    const listener = await transport.listen({ host: RELAY, port: ports.ret }, (message) => relay.pass(message), {})
    relay.publisher = await transport.publisher({ host: RELAY, port: ports.pub }, { identify: async () => undefined })
    await new Promise<void>((onConnect) => {
      const subscriber = transport.subscribe(
        { host: MASTER, port: ports.pub },
        {
          id: 'evil',
          onMessage: (packet) => relay.hear(Buffer.from(packet)),
          introduce: async () => relay.channel.introduction(),
          onConnect,
        },
      )
      relay.closings.push(() => subscriber.close())
    })
    relay.closings.push(
      () => listener.close(),
      () => relay.publisher.close(),
      () => relay.channel.close(),
      () => relay.client.close(),
    )
    return relay
  }

  /** Puts a packet onto the minion's line. */
  inject(packet: Uint8Array | Record<string, unknown>): void {
    const bytes = packet instanceof Uint8Array ? packet : encodeMsgpack(new Map(Object.entries(packet)), 'wire')
    this.publisher.publish(bytes)
  }

  /** Seals a load as only accepted minions and the master can. */
  seal(load: Dict): Buffer {
    return new Crypticle(this.channel.credentials!.aes).seal(load)
  }

  async close(): Promise<void> {
    for (const close of this.closings.splice(0)) await close()
  }

  private async pass(message: Value): Promise<Value> {
    const sent = isDict(message) ? this.onRequest(message) : message
    return this.onReply(await this.client.request(sent, { timeout: 60, tries: 1 }), message as Dict)
  }

  private hear(packet: Uint8Array): void {
    this.recorded.push(packet)
    if (!this.withholds) this.publisher.publish(packet)
  }
}

/** The fields of a packet. */
export const fieldsOf = (packet: Uint8Array): Dict => decodeMsgpack(packet, { dialect: 'wire' }) as Dict
