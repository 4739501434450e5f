// The connection to NATS, and the few requests of JetStream that a cluster needs: create a stream, append a message with
// compare-and-set, read the message after a place. Reading needs no consumer on a server, so there is none that could be lost with
// its leader: any replica of a stream answers, and a request that is not answered is sent again.
import { readFileSync } from 'node:fs'
import type { ConnectionOptions, Msg, NatsConnection } from '@nats-io/transport-node'
import { BrineError, type Log, toError } from '../base/mod.ts'
import type { ClusterSettings } from './settings.ts'

type Library = typeof import('@nats-io/transport-node')

/** The oldest server that keeps what it acknowledged when a leader changes. */
const OLDEST = [2, 10, 23] as const
const REQUEST_MS = 2000
/** Bytes of a message that a server should take: returns of minions may be so large. */
const WANTED_PAYLOAD = 16 << 20
/** JetStream's codes of errors. */
const WRONG_LAST_SEQUENCE = 10071
const STREAM_NAME_IN_USE = 10058
/** JetStream's status of a message that is not there. */
const NOT_FOUND = 404

/** A message of a stream. */
export interface StreamMessage {
  seq: number
  subject: string
  data: Uint8Array
  /** When the server took it, in milliseconds since 1970 by the server's clock. */
  time: number
}

export interface StreamConfig {
  name: string
  subjects: string[]
  num_replicas: number
  max_age?: number
  max_bytes?: number
  max_msgs_per_subject?: number
}

export interface AppendOptions {
  /** The place of the last message of this subject; 0 for none. Another one makes the server refuse the message. */
  after?: number
  timeout?: number
}

interface ApiError {
  code: number
  err_code: number
  description: string
}

interface ApiAnswer {
  error?: ApiError
  seq?: number
  state?: { first_seq: number; last_seq: number }
  /** The time of the server. */
  ts?: string
  config?: StreamConfig
  /** The servers that have the stream; the leader is no replica. */
  cluster?: { leader?: string; replicas?: Array<{ name: string; current: boolean; lag?: number }> }
  /** The data in base64. */
  message?: { seq: number; subject: string; data?: string; time: string }
}

/** The state of a server, from a connection to it. */
export interface ServerState {
  /** Whether it takes part in streams. */
  hasStreams: boolean
  /** How many messages its copy of a stream is behind, according to the leader; undefined if no leader answers. */
  behind: number | undefined
}

/** The value was changed by another member meanwhile. */
export class ConflictError extends BrineError<string> {
  constructor(subject: string) {
    super('ClusterConflict', `Another master changed ${subject} meanwhile`)
  }
}

/** Load the client; it is an optional dependency, and only masters of a cluster need it. */
async function library(): Promise<Library> {
  try {
    const loaded = await import('@nats-io/transport-node')
    // a bundle has the parts of a CommonJS module under its default
    return 'connect' in loaded ? loaded : (loaded as { default: Library }).default
  } catch (error) {
    const hint = 'Install it beside Brine: npm install @nats-io/transport-node'
    throw new BrineError('ClusterLibrary', `The NATS client is not installed: ${toError(error).message}`, { hint })
  }
}

/** How to log in to the servers of a cluster, and their certificates. */
export function connectionOptions({ login, tls }: Pick<ClusterSettings, 'login' | 'tls'>): ConnectionOptions {
  const { creds: _creds, ...plain } = login
  if (!tls) return plain
  return {
    ...plain,
    tls: {
      ...(tls.ca !== undefined && { caFile: tls.ca }),
      ...(tls.cert !== undefined && { certFile: tls.cert }),
      ...(tls.key !== undefined && { keyFile: tls.key }),
      // servers that masters start use TLS from the first byte, so that an attacker cannot prevent it
      ...(tls.servername !== undefined && { servername: tls.servername, handshakeFirst: true }),
    },
  }
}

/** Connect to the first of the servers that answers. */
async function connected(lib: Library, settings: ClusterSettings, servers: string[]): Promise<NatsConnection> {
  const { creds } = settings.login
  return lib.connect({
    servers,
    name: `brine master ${settings.member}`,
    ...connectionOptions(settings),
    ...(creds !== undefined && { authenticator: lib.credsAuthenticator(readFileSync(creds)) }),
    noRandomize: true,
    ignoreClusterUpdates: true,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: REQUEST_MS,
    pingInterval: 1500,
    maxPingOut: 2,
  })
}

/** Something that listens on a subject. */
export interface Listening {
  unsubscribe(): void
}

interface Listener extends Listening {
  listen(connection: NatsConnection): void
}

export class Nats {
  private connection: NatsConnection
  private readonly library: Library
  private readonly settings: ClusterSettings
  private readonly listeners = new Set<Listener>()
  private renewing: Promise<void> | undefined
  private isClosed = false

  private constructor(connection: NatsConnection, library: Library, settings: ClusterSettings) {
    this.connection = connection
    this.library = library
    this.settings = settings
  }

  /** Connect to one of the servers, and wait until one answers. */
  static async connect(settings: ClusterSettings): Promise<Nats> {
    const lib = await library()
    return new Nats(await connected(lib, settings, settings.servers), lib, settings)
  }

  /** Query the first of the servers over a separate connection; undefined if it does not answer. */
  static async stateOfFirst(settings: ClusterSettings, stream: string): Promise<ServerState | undefined> {
    let nats: Nats | undefined
    try {
      nats = await Nats.connect({ ...settings, servers: settings.servers.slice(0, 1) })
      const hasStreams = nats.connection.info?.jetstream === true
      return { hasStreams, behind: hasStreams ? await nats.behind(stream) : undefined }
    } catch {
      return undefined
    } finally {
      await nats?.close()
    }
  }

  /** How many messages the copy of the connected server is behind the leader; undefined if unknown. */
  private async behind(stream: string): Promise<number | undefined> {
    const { cluster } = await this.api(`STREAM.INFO.${stream}`, {})
    const { name } = this.server
    if (cluster === undefined || cluster.leader === name) return cluster && 0
    const own = cluster.replicas?.find((each) => each.name === name)
    return own && (own.current ? 0 : Math.max(1, own.lag ?? 1))
  }

  get server(): { name: string; version: string; maxPayload: number } {
    const { server_name = '', version = '0', max_payload = 1 << 20 } = this.connection.info ?? {}
    return { name: server_name, version, maxPayload: max_payload }
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.connection.close()
  }

  /**
   * Connect anew: to the own server if it answers, or to another one than now. The connection of the library looks for a server by itself
   * only when it is down, and for hours not when the clock went back.
   */
  renew(where: 'own' | 'other'): void {
    this.renewing ??= this.replace(where)
      // no server answers: the present connection stays
      .catch(() => {})
      .finally(() => {
        this.renewing = undefined
      })
  }

  private async replace(where: 'own' | 'other'): Promise<void> {
    const { servers } = this.settings
    const present = where === 'own' ? undefined : this.connection.getServer()
    const others = servers.filter((each) => each !== present)
    const fresh = await connected(this.library, this.settings, [
      ...others,
      ...servers.filter((each) => each === present),
    ])
    if (this.isClosed) return fresh.close()
    const old = this.connection
    this.connection = fresh
    for (const listener of this.listeners) listener.listen(fresh)
    await old.close()
  }

  /** Call `hear` for every message on a subject, whether a stream keeps it or not. */
  listen(subject: string, hear: (msg: Msg) => void): Listening {
    const callback = (error: Error | null, msg: Msg): void => {
      if (error === null) hear(msg)
    }
    let present: Listening
    const listener: Listener = {
      listen: (connection) => {
        present = connection.subscribe(subject, { callback })
      },
      unsubscribe: () => {
        this.listeners.delete(listener)
        present.unsubscribe()
      },
    }
    this.listeners.add(listener)
    listener.listen(this.connection)
    return listener
  }

  /** Send a message that is not stored, to the members that listen now. */
  send(subject: string, data: Uint8Array): void {
    if (!this.connection.isClosed()) this.connection.publish(subject, data)
  }

  private async api(name: string, body: unknown): Promise<ApiAnswer> {
    const reply = await this.connection.request(`$JS.API.${name}`, JSON.stringify(body), { timeout: REQUEST_MS })
    return reply.json<ApiAnswer>()
  }

  /** Create a stream, or bring an existing one to these settings. */
  async ensureStream(config: StreamConfig): Promise<void> {
    const full = { ...config, storage: 'file', retention: 'limits', discard: 'old', allow_direct: true }
    let { error } = await this.api(`STREAM.CREATE.${config.name}`, full)
    if (error?.err_code === STREAM_NAME_IN_USE) ({ error } = await this.api(`STREAM.UPDATE.${config.name}`, full))
    if (error) throw apiFailure(`Cannot create the stream ${config.name}`, error)
  }

  /**
   * The places of the first and the last message of a stream, the server's time in milliseconds since 1970, and whether a server leads the
   * stream: without one, a server that is cut off tells of its own copy.
   */
  async extent(stream: string): Promise<{ first: number; last: number; time: number; isLed: boolean }> {
    const { error, state, ts, cluster } = await this.api(`STREAM.INFO.${stream}`, {})
    if (error || !state) throw apiFailure(`Cannot ask for the stream ${stream}`, error)
    const isLed = cluster === undefined || Boolean(cluster.leader)
    return { first: state.first_seq, last: state.last_seq, time: (ts && Date.parse(ts)) || Date.now(), isLed }
  }

  /** Append a message; resolves with its place when a majority of servers has it on disk. */
  async append(
    subject: string,
    data: Uint8Array,
    { after, timeout = REQUEST_MS }: AppendOptions = {},
  ): Promise<number> {
    const headers = this.library.headers()
    if (after !== undefined) headers.set('Nats-Expected-Last-Subject-Sequence', String(after))
    const reply = await this.connection.request(subject, data, { headers, timeout })
    const { error, seq } = reply.json<ApiAnswer>()
    if (error?.err_code === WRONG_LAST_SEQUENCE) throw new ConflictError(subject)
    // a place of 0 is no promise
    if (error || !seq) throw apiFailure(`A message on ${subject} was not kept`, error)
    return seq
  }

  /** The first message of a stream at or after a place, on a subject; undefined when none is there yet. */
  next(stream: string, seq: number, subject: string): Promise<StreamMessage | undefined> {
    return this.get(stream, { seq, next_by_subj: subject })
  }

  /** The same as the leader of the stream knows it: any other server may answer otherwise. */
  async nextOfLeader(stream: string, seq: number, subject: string): Promise<StreamMessage | undefined> {
    const { error, message } = await this.api(`STREAM.MSG.GET.${stream}`, { seq, next_by_subj: subject })
    if (error?.code === NOT_FOUND) return undefined
    if (error || !message) throw apiFailure(`The stream ${stream} cannot be read`, error)
    const { seq: place, subject: at, data = '', time } = message
    return { seq: place, subject: at, data: Buffer.from(data, 'base64'), time: Date.parse(time) }
  }

  /** Remove the messages of a subject up to a place. */
  async purge(stream: string, subject: string, seq: number): Promise<void> {
    const { error } = await this.api(`STREAM.PURGE.${stream}`, { filter: subject, seq: seq + 1 })
    if (error) throw apiFailure(`Messages on ${subject} cannot be removed`, error)
  }

  /** The last message of a subject. */
  last(stream: string, subject: string): Promise<StreamMessage | undefined> {
    return this.get(stream, { last_by_subj: subject })
  }

  private async get(stream: string, query: unknown): Promise<StreamMessage | undefined> {
    const subject = `$JS.API.DIRECT.GET.${stream}`
    const { headers, data } = await this.connection.request(subject, JSON.stringify(query), { timeout: REQUEST_MS })
    if (headers?.code === NOT_FOUND) return undefined
    const seq = Number(headers?.get('Nats-Sequence') || Number.NaN)
    if (!Number.isSafeInteger(seq)) {
      throw new BrineError(
        'ClusterRequest',
        `The stream ${stream} cannot be read: ${headers?.description || 'no answer'}`,
      )
    }
    const time = Date.parse(headers?.get('Nats-Time-Stamp') ?? '')
    return { seq, subject: headers?.get('Nats-Subject') ?? '', data, time }
  }
}

const apiFailure = (what: string, error: ApiError | undefined): BrineError =>
  new BrineError('ClusterRequest', `${what}: ${error?.description ?? 'the answer names no place'}`)

/** Refuse servers that lose what they acknowledged, and warn of those that may. */
export function checkServer({ name, version, maxPayload }: Nats['server'], isSyncSure: boolean, log: Log): void {
  const parts = version.split(/[.-]/).map(Number)
  const isOld = OLDEST.some(
    (least, index) =>
      parts[index]! < least && OLDEST.every((each, before) => before >= index || parts[before] === each),
  )
  if (isOld) {
    const risk = 'older servers may lose jobs and keys that they acknowledged'
    throw new BrineError(
      'ClusterServer',
      `NATS server ${name} has version ${version}; ${OLDEST.join('.')} is needed: ${risk}`,
    )
  }
  if (maxPayload < WANTED_PAYLOAD) {
    const risk = `jobs, returns and data about minions that are larger do not get into the cluster`
    log(
      'warning',
      `NATS server ${name} takes ${maxPayload} bytes in a message: ${risk}. Set 'max_payload: 64MB' on all servers`,
    )
  }
  if (!isSyncSure) {
    const risk = 'a power failure of several servers can lose jobs that were acknowledged'
    const how =
      "Set 'sync_interval: always' under 'jetstream' on all servers, and then 'sync_always: True' in cluster_nats"
    log(
      'warning',
      `Brine cannot see whether NATS server ${name} syncs its disk before it acknowledges: ${risk}. ${how}`,
    )
  }
}
