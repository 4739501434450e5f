// The minions that listen to publications now, as far as this process can know. A Brine minion marks its connection
// with a random topic (zeromq) and sends the mark in a request, which proves its id; on tcp, the minion introduces its
// connection. For other minions only the address of their last request is known: if no subscriber has that address, the
// minion does not listen.
import type { Peer } from '../wire/mod.ts'

/** The form of a mark; no publication has such a topic. */
const MARK = /^brine-[0-9a-f]{32}$/

const isMark = (text: string): boolean => MARK.test(text)

/** How many minions are remembered with the time of their last disconnect. */
const MOST_LOST = 100_000

interface Connection {
  mark?: string
  id?: string
}

export class Connections {
  private readonly open = new Map<Peer, Connection>()
  private readonly marked = new Map<string, Peer>()
  private readonly byId = new Map<string, Set<Peer>>()
  private readonly lost = new Map<string, number>()
  /** Subscribers by their address. */
  private readonly hosts = new Map<string, Set<Peer>>()
  /** The address of the last request of each minion. */
  private readonly homes = new Map<string, string>()
  /** The same by address: a connection from an address that no minion has costs nothing. */
  private readonly residents = new Map<string, Set<string>>()
  private readonly topicsAreIds: boolean
  private readonly now: () => number
  /** Whether another process has connections, too. */
  isPartial: () => boolean = () => false
  /** Called with the minions that are newly connected when a connection subscribes. */
  onArrival: (ids: ReadonlySet<string>) => void = () => undefined

  /** `topicsAreIds` says that the transport knows the minion of a connection. */
  constructor(topicsAreIds = false, now: () => number = () => performance.now()) {
    this.topicsAreIds = topicsAreIds
    this.now = now
  }

  /** Handle a subscription to a topic, or the introduction of a minion. */
  onSubscribe = (topic: string, peer: Peer): void => {
    if (this.topicsAreIds) {
      this.bind(topic, peer)
      this.onArrival(new Set([topic]))
      return
    }
    if (!isMark(topic)) return this.onListener(peer)
    const before = this.open.get(peer)
    if (before?.mark !== undefined) this.marked.delete(before.mark)
    this.open.set(peer, { ...before, mark: topic })
    this.marked.set(topic, peer)
  }

  onDisconnect = (peer: Peer): void => {
    const host = peer.host ?? ''
    const peers = this.hosts.get(host)
    if (peers?.delete(peer) && peers.size === 0) this.hosts.delete(host)
    const connection = this.open.get(peer)
    if (connection === undefined) return
    this.open.delete(peer)
    // another connection may have subscribed to the same mark since
    if (connection.mark !== undefined && this.marked.get(connection.mark) === peer) this.marked.delete(connection.mark)
    if (connection.id !== undefined) this.unbind(connection.id, peer)
  }

  /** A minion proved its id in a request from an address. */
  noteHome(id: string, { host }: Peer): void {
    const before = this.homes.get(id)
    if (host === undefined || before === host) return
    this.homes.set(id, host)
    this.residents.set(host, (this.residents.get(host) ?? new Set()).add(id))
    const left = before === undefined ? undefined : this.residents.get(before)
    if (left?.delete(id) && left.size === 0) this.residents.delete(before!)
  }

  /** Whether a publication may have reached a minion; false only when it surely did not. */
  mayListen(id: string): boolean {
    if (this.byId.has(id)) return true
    if (this.lost.has(id) || this.topicsAreIds) return false
    if (this.isPartial()) return true
    const home = this.homes.get(id)
    return home === undefined || this.hosts.has(home)
  }

  /** A connection listens to all publications. */
  onListener = (peer: Peer): void => {
    const host = peer.host ?? ''
    const peers = this.hosts.get(host) ?? new Set()
    if (peers.has(peer)) return
    this.hosts.set(host, peers.add(peer))
    const ids = this.residents.get(host)
    if (ids !== undefined) this.onArrival(new Set(ids))
  }

  /** A minion proved that the connection with this mark is its own. Return whether that connection is known here. */
  claim(mark: string, id: string): boolean {
    const peer = this.marked.get(mark)
    if (peer === undefined) return false
    this.bind(id, peer)
    return true
  }

  /** Whether a minion listens; undefined when that is not known. */
  isConnected(id: string): boolean | undefined {
    return this.byId.has(id) || (this.lost.has(id) ? false : undefined)
  }

  /** Milliseconds since a minion lost its last connection; undefined while it listens or nothing is known. */
  lostFor(id: string): number | undefined {
    const since = this.lost.get(id)
    return since === undefined ? undefined : this.now() - since
  }

  private bind(id: string, peer: Peer): void {
    const connection = this.open.get(peer) ?? {}
    if (connection.id === id) return
    if (connection.id !== undefined) this.unbind(connection.id, peer)
    this.open.set(peer, { ...connection, id })
    this.byId.set(id, (this.byId.get(id) ?? new Set()).add(peer))
    this.lost.delete(id)
  }

  private unbind(id: string, peer: Peer): void {
    const peers = this.byId.get(id)
    if (!peers?.delete(peer) || peers.size > 0) return
    this.byId.delete(id)
    this.lost.delete(id)
    this.lost.set(id, this.now())
    if (this.lost.size > MOST_LOST) this.lost.delete(this.lost.keys().next().value!)
  }
}
