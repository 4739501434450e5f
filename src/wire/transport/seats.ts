// The connections of one listener, and the choice of a connection to close when the port is full. A connection belongs
// to one of three classes: strangers; connections of this machine to itself; and proven ones, of accepted minions and
// recognised users. Each class has a share of the places and can use free places of the others. When the port is full,
// the first class above its share loses the longest idle connection of the host, or the owner, with most connections.
import type { Socket } from 'node:net'
import { type Log, Rates, silentLog } from '../../base/mod.ts'
import { RAISE_LIMIT } from './descriptors.ts'
import { limitedHost } from './hosts.ts'
import type { Peer } from './transport.ts'

/** The share of each class in the places, in the order in which the classes lose connections. */
const SHARES = { stranger: 1 / 8, local: 1 / 8, proven: 3 / 4 } as const
const CLASSES = ['stranger', 'local', 'proven'] as const

type SeatClass = (typeof CLASSES)[number]

/** Milliseconds after which a silent connection is closed that has proven nothing. */
const STRANGER_IDLE_MS = 60_000
/** Precision of the order of idle connections, as a part of the idle limit. */
const EXACTNESS = 1 / 60

/** One connection of a listener. */
export class Seat {
  readonly socket: Socket
  readonly peer: Peer
  readonly host: string
  /** Whether a request waits for its answer. */
  isBusy: () => boolean = () => false
  /** In milliseconds of `performance.now()`. */
  heardAt: number = performance.now()
  class: SeatClass
  /** Connections of one key compete with each other first. */
  key: string
  private readonly seats: Seats

  constructor(seats: Seats, socket: Socket, peer: Peer, isLocal: boolean) {
    this.seats = seats
    this.socket = socket
    this.peer = peer
    this.host = limitedHost(socket.remoteAddress)
    this.class = isLocal ? 'local' : 'stranger'
    this.key = this.host
  }

  /** Note that something came or was answered now, in milliseconds of `performance.now()`. */
  heard(now: number): void {
    if (now - this.heardAt < this.seats.idleMs * EXACTNESS) return
    this.heardAt = now
    this.seats.renew(this)
  }

  /** Note that a request on this connection came from an accepted minion, or from a user who may log in. */
  prove(owner: string): void {
    if (this.class !== 'proven' || this.key !== owner) this.seats.move(this, owner)
  }
}

/** Seats by key, each key's in the order of their last message; finds the key with most seats. */
class SeatPool {
  size = 0
  readonly byKey = new Map<string, Set<Seat>>()
  /** The keys with so many seats, by that number. */
  private readonly ranks: Array<Set<string>> = [new Set()]

  add(seat: Seat): void {
    const seats = this.byKey.get(seat.key) ?? new Set()
    this.rank(seat.key, seats.size, seats.size + 1)
    this.byKey.set(seat.key, seats.add(seat))
    this.size++
  }

  delete(seat: Seat): boolean {
    const seats = this.byKey.get(seat.key)
    if (seats?.delete(seat) !== true) return false
    this.rank(seat.key, seats.size + 1, seats.size)
    if (seats.size === 0) this.byKey.delete(seat.key)
    this.size--
    return true
  }

  renew(seat: Seat): void {
    const seats = this.byKey.get(seat.key)
    if (seats?.delete(seat) === true) seats.add(seat)
  }

  /** Whether no key has more seats than this one. */
  isLargest(key: string): boolean {
    return this.byKey.get(key)?.size === this.ranks.length - 1
  }

  /**
   * Return the longest idle seat of the key with most seats; among equal keys, of the one that has had them for
   * longest.
   */
  idlest(): Seat | undefined {
    const [key = ''] = this.ranks.at(-1) ?? []
    const [seat] = this.byKey.get(key) ?? []
    return seat
  }

  private rank(key: string, before: number, now: number): void {
    this.ranks[before]!.delete(key)
    if (now === this.ranks.length) this.ranks.push(new Set())
    if (now > 0) this.ranks[now]!.add(key)
    while (this.ranks.length > 1 && this.ranks.at(-1)!.size === 0) this.ranks.pop()
  }
}

export interface SeatSettings {
  /** The most connections. */
  most: number
  /**
   * Whether the peers are subscribers. Subscribers send nothing, so a full port keeps the connected ones and refuses
   * new ones.
   */
  forSubscribers?: boolean | undefined
  /** Milliseconds after which a silent connection is closed that has proven nothing. */
  idleMs?: number | undefined
  log?: Log | undefined
}

export class Seats {
  readonly idleMs: number
  private readonly settings: SeatSettings
  private readonly classes = { stranger: new SeatPool(), local: new SeatPool(), proven: new SeatPool() }
  /** By the addresses of both ends: TLS has a different socket object than the accepted connection. */
  private readonly byEnds = new Map<string, Seat>()
  private readonly lines = new Rates({ perSecond: 1 / 60, burst: 1 })
  private readonly sweeping: NodeJS.Timeout | undefined
  private isAway = false

  constructor(settings: SeatSettings) {
    this.settings = settings
    this.idleMs = settings.idleMs ?? STRANGER_IDLE_MS
    if (settings.forSubscribers) return
    this.sweeping = setInterval(() => this.sweep(), this.idleMs / 4).unref()
  }

  get size(): number {
    return CLASSES.reduce((sum, name) => sum + this.classes[name].size, 0)
  }

  /** Add an accepted connection; if there are too many, close it or another one. */
  add(socket: Socket): void {
    const peer = peerOf(socket)
    const { remoteAddress, localAddress } = socket
    // a Unix socket, or a connection that is over already
    if (remoteAddress === undefined) return
    if (this.isAway) {
      socket.destroy()
      return
    }
    const seat = new Seat(this, socket, peer, remoteAddress === localAddress)
    const ends = endsOf(socket)
    this.byEnds.set(ends, seat)
    this.classes[seat.class].add(seat)
    socket.once('close', () => {
      this.classes[seat.class].delete(seat)
      if (this.byEnds.get(ends) === seat) this.byEnds.delete(ends)
    })
    this.relieve(seat)
  }

  /** Return the seat of a connection. */
  of(socket: Socket): Seat {
    return this.byEnds.get(endsOf(socket)) ?? new Seat(this, socket, peerOf(socket), true)
  }

  renew(seat: Seat): void {
    this.classes[seat.class].renew(seat)
  }

  /** Count a seat as proven. */
  move(seat: Seat, owner: string): void {
    if (!this.classes[seat.class].delete(seat)) return
    seat.class = 'proven'
    seat.key = owner
    this.classes.proven.add(seat)
  }

  /** Close all connections, and each new one at once, until this is called with false. */
  turnAway(isAway: boolean): void {
    this.isAway = isAway
    if (isAway) for (const { socket } of [...this.byEnds.values()]) socket.destroy()
  }

  close(): void {
    clearInterval(this.sweeping)
  }

  private relieve(newcomer: Seat): void {
    const { most, forSubscribers, log = silentLog } = this.settings
    if (this.size <= most) return
    const name = CLASSES.find((each) => this.classes[each].size > SHARES[each] * most) ?? 'stranger'
    const pool = this.classes[name]
    const isKept = forSubscribers && newcomer.class === name && pool.isLargest(newcomer.key)
    const victim = isKept ? newcomer : (pool.idlest() ?? newcomer)
    if (this.lines.take('full')) {
      const whose = `${pool.byKey.get(victim.key)?.size ?? 1} are of ${victim.key}`
      log(
        'error',
        `There are ${most} connections, as many as there may be (${whose}): connections are closed. ${RAISE_LIMIT}`,
      )
    }
    pool.delete(victim)
    victim.socket.destroy()
  }

  /** Close unproven connections that have been silent for long. */
  private sweep(): void {
    const since = performance.now() - this.idleMs
    for (const { byKey } of [this.classes.stranger, this.classes.local]) {
      for (const seats of byKey.values()) {
        for (const seat of seats) {
          if (seat.heardAt > since) break
          if (!seat.isBusy()) seat.socket.destroy()
        }
      }
    }
  }
}

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`

export function peerOf(socket: Socket): Peer {
  const { remoteAddress, remotePort } = socket
  if (remoteAddress === undefined) return { address: '' }
  return {
    address: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
    host: limitedHost(remoteAddress),
  }
}
