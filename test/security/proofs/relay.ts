// An attacker on the network between a minion and one port of its master: sees every message of both directions, keeps,
// changes and drops them, and inserts others.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { CARRIERS, type Unit } from './carriers.ts'

export type Direction = 'to minion' | 'to master'

/** Returns the data to forward in place of a unit. */
export type Meddle = (unit: Unit, direction: Direction) => Buffer[]

/** Where relays listen; the master has the same ports at 127.0.0.1. */
export const RELAY_ADDRESS = '127.0.0.2'

const MOST_RECORDED = 1000

export class Relay {
  /** Messages that minions were sent, in their order. */
  readonly recorded: Buffer[] = []
  meddle: Meddle = ({ raw }) => [raw]
  private readonly server: Server
  private readonly pairs = new Set<{ minion: Socket; master: Socket }>()
  private readonly port: number
  private readonly transport: string

  private constructor(port: number, transport: string) {
    this.port = port
    this.transport = transport
    this.server = createServer((minion) => this.join(minion))
  }

  /** Listens on the master's port number, at the address that minions take for their master's. */
  static async open(port: number, transport = 'zeromq'): Promise<Relay> {
    const relay = new Relay(port, transport)
    await new Promise<void>((done, fail) => relay.server.once('error', fail).listen(port, RELAY_ADDRESS, done))
    return relay
  }

  private join(minion: Socket): void {
    const master = connect(this.port, '127.0.0.1')
    const pair = { minion, master }
    this.pairs.add(pair)
    const end = (): void => {
      this.pairs.delete(pair)
      minion.destroy()
      master.destroy()
    }
    for (const socket of [minion, master]) socket.on('error', end).on('close', end)
    this.pass(master, minion, 'to minion')
    this.pass(minion, master, 'to master')
  }

  private pass(from: Socket, to: Socket, direction: Direction): void {
    const cut = CARRIERS[this.transport]!.cutter()
    from.on('data', (bytes: Buffer) => {
      for (const unit of cut(bytes)) {
        if (direction === 'to minion' && unit.body) this.record(unit.raw)
        for (const piece of this.meddle(unit, direction)) if (to.writable) to.write(piece)
      }
    })
  }

  private record(raw: Buffer): void {
    this.recorded.push(Buffer.from(raw))
    if (this.recorded.length > MOST_RECORDED) this.recorded.shift()
  }

  /** Sends bytes to every connected minion as if they came from the master. */
  inject(...pieces: Buffer[]): void {
    for (const { minion } of this.pairs) for (const piece of pieces) minion.write(piece)
  }

  /** Sends a packet to every connected minion as a publication. */
  publish(packet: Buffer): void {
    this.inject(CARRIERS[this.transport]!.publication(packet))
  }

  /** Ends all connections. */
  cut(): void {
    for (const { minion, master } of this.pairs) {
      minion.destroy()
      master.destroy()
    }
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((done) => this.server.close(done))
  }
}
