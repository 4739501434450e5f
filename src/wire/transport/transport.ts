// The interface of all transports: requests with answers, and publications. Requests are values, because on tcp an
// envelope is a part of a frame; publications are bytes, which all subscribers share.
import type { Server } from 'node:net'
import type { Log } from '../../base/mod.ts'
import type { Value } from '../../data/mod.ts'
import type { ConnectionWatch } from './outage.ts'
import type { Pauses } from './redial.ts'

/** An address to listen on or to connect to: a port of a host, or a Unix socket. */
export type Endpoint = { host: string; port: number } | { path: string; mode?: number }

/** The sender of a request. */
export interface Peer {
  /** `192.0.2.7:40312`; empty on a Unix socket. */
  readonly address: string
  /** The address without its port; the /64 network of an IPv6 address. */
  readonly host?: string
  /** Note that a request was of this accepted minion, and not a recorded one. */
  prove?(id: string): void
  /** Note that a request came from a user who may log in. */
  recognise?(user: string): void
}

/** Returns the answer to a request. An error is logged and answered with Salt's text. */
export type RequestHandler = (message: Value, peer: Peer) => unknown

/** The `ssl` option as Salt has it. */
export interface TlsSettings {
  certfile?: string | undefined
  keyfile?: string | undefined
  ca_certs?: string | undefined
  cert_reqs?: string | undefined
  ssl_version?: string | undefined
  ciphers?: string | undefined
  /** Further authorities: files, folders of files, or certificates themselves. */
  verify_locations?: readonly VerifyLocation[] | undefined
}

export interface VerifyLocation {
  kind: 'cafile' | 'capath' | 'cadata'
  value: string
}

export interface SocketOptions {
  /** Seconds of silence before the system probes the peer; false turns probing off. */
  keepaliveIdle?: number | false | undefined
  ssl?: TlsSettings | undefined
  /** The address of this machine to connect from. */
  sourceAddress?: string | undefined
  /** The port of this machine to connect from. */
  sourcePort?: number | undefined
  /** The most bytes of one message; a peer that announces more is cut off before anything is stored. */
  maxMessageBytes?: number | undefined
  log?: Log | undefined
}

export interface ListenOptions extends SocketOptions {
  backlog?: number | undefined
  /** The most connections of the listener; `seats.ts` says which one is closed beyond that. */
  maxConnections?: number | undefined
  /** Whether the peers are subscribers. A subscriber sends nothing, so its silence is no reason to close the connection. */
  forSubscribers?: boolean | undefined
  /** Milliseconds after which a silent connection is closed that has proven nothing. */
  idleTimeout?: number | undefined
  /** Milliseconds that a peer has to introduce itself. */
  handshakeTimeout?: number | undefined
}

export interface RequestListenOptions extends ListenOptions {
  /** Requests of one connection that may wait for their answers; then it is not read any further. */
  maxInFlight?: number | undefined
}

export interface RequestListener {
  /** The actual address: the port is known even if 0 was requested. */
  readonly endpoint: Endpoint
  readonly connections: number
  close(): Promise<void>
}

export interface RequestOptions {
  /** Seconds until an answer must arrive, per try. */
  timeout?: number | undefined
  tries?: number | undefined
}

export interface RequestClientOptions extends SocketOptions {
  /** Connections that may be open at once; each carries one request at a time. */
  maxConnections?: number | undefined
  reconnectDelay?: Pauses | undefined
  watch?: ConnectionWatch | undefined
}

export interface RequestClient {
  /** Sends the message and gives the answer; fails with `SaltReqTimeoutError` when none comes. */
  request(message: unknown, options?: RequestOptions): Promise<Value>
  /**
   * Return for how many milliseconds the peer has not answered a heartbeat, and send one if none is in progress.
   * Returns 0 without a connection, or if the peer does not support heartbeats. Absent on transports without
   * heartbeats.
   */
  beat?(): number
  close(): void
}

/** Another process that takes subscribers of the same port. */
export interface Relief {
  /** Its subscribers that a publication reaches now. */
  readonly reached: number
  publish(packet: Uint8Array, ids?: readonly string[]): void
  turnAway(isAway: boolean): void
  /** Resolves when it has ended, for any reason. */
  ended: Promise<void>
}

export interface ReliefOptions {
  /** How many subscribers this process keeps. */
  after: number
  /** Hands the listening socket on; done when the other process accepts. The signal ends that process. */
  start(server: Server, signal: AbortSignal): Promise<Relief>
}

export interface PublisherOptions extends ListenOptions {
  /** zeromq: the process for further subscribers, because the number of open files per process is limited. */
  relief?: ReliefOptions | undefined
  /** Messages that may wait for one subscriber; further ones are dropped for it. */
  highWaterMark?: number | undefined
  /** Milliseconds between heartbeats, and until a silent peer is given up; 0 for none. */
  heartbeatInterval?: number | undefined
  heartbeatTimeout?: number | undefined
  /** Topics in front of publications (`zmq_filtering`). */
  filtering?: boolean | undefined
  /** Syndics get everything that has topics. */
  orderMasters?: boolean | undefined
  /** tcp: reads a subscriber's introduction and gives its minion id. */
  identify?: (message: Value) => Promise<string | undefined> | string | undefined
  onConnect?: ((peer: Peer) => void) | undefined
  onDisconnect?: (peer: Peer, id: string | undefined) => void
  /** Called when a subscriber requested a topic (zeromq), or named its minion (tcp). */
  onSubscribe?: ((topic: string, peer: Peer) => void) | undefined
}

export interface Publisher {
  readonly endpoint: Endpoint
  /** Open connections of this process. */
  readonly subscribers: number
  /** Subscribers that a publication reaches now, in all processes. */
  readonly reached: number
  /** Messages that were dropped because a subscriber did not read. */
  readonly dropped: number
  /** Whether it can send to single minions by id. */
  readonly supportsTopics: boolean
  /** Sends to all, or to the minions with these ids. */
  publish(packet: Uint8Array, ids?: readonly string[]): void
  /** Close all connections, and each new one at once, until this is called with false. */
  turnAway(isAway: boolean): void
  close(): Promise<void>
}

export interface SubscriberOptions extends SocketOptions {
  /**
   * zeromq: milliseconds of silence until a heartbeat is sent, and until the connection counts as lost; 0 for never.
   */
  heartbeatInterval?: number | undefined
  heartbeatTimeout?: number | undefined
  onMessage: (packet: Uint8Array) => void
  onConnect?: (() => void) | undefined
  onDisconnect?: (() => void) | undefined
  /** The minion id; with `filtering`, the subscribed topics derive from it. */
  id: string
  filtering?: boolean | undefined
  syndic?: boolean | undefined
  /**
   * zeromq: a topic per connection, on which nothing is published; with it the minion tells the master which connection
   * is its own.
   */
  mark?: (() => string) | undefined
  /** tcp: returns the introduction to send after connecting. */
  introduce?: (() => Promise<unknown> | unknown) | undefined
  reconnectDelay?: Pauses | undefined
  watch?: ConnectionWatch | undefined
}

export interface Subscriber {
  readonly connected: boolean
  close(): void
}

export interface Transport {
  readonly name: string
  listen(endpoint: Endpoint, handler: RequestHandler, options?: RequestListenOptions): Promise<RequestListener>
  connect(endpoint: Endpoint, options?: RequestClientOptions): RequestClient
  publisher(endpoint: Endpoint, options?: PublisherOptions): Promise<Publisher>
  subscribe(endpoint: Endpoint, options: SubscriberOptions): Subscriber
}

export const MAX_MESSAGE_BYTES: number = 1 << 28
/**
 * How many values of a message are decoded: enough for the envelope, publications of programs, and requests of minions.
 * More would delay other requests.
 */
export const MAX_VALUES = 250_000
export const REQUEST_TIMEOUT = 60
export const REQUEST_TRIES = 3

/** The master's answer after an internal error. */
export const HANDLER_FAILED = 'Some exception handling minion payload'
