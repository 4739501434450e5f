// A master as a member of a cluster: its NATS server, the log of all masters, their shared state, and its place in both. A master
// that cannot reach the others starts all the same if it was a member before; it serves files and pillar and refuses changes.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brineVersion, isAnyError, type Log, makeOwnFolder, recover, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type DataCache, type PkiKeys, quorumMark } from '../store/mod.ts'
import { Claims } from './claims.ts'
import { ClusterLog, type ClusterRecord, type LogGap, type LogPlace, NoQuorumError } from './cluster-log.ts'
import { type Comparable, Comparison } from './comparison.ts'
import { Contact } from './contact.ts'
import { hasIdentity, joinIdentity } from './identity.ts'
import { KeySync } from './key-sync.ts'
import { Membership } from './membership.ts'
import { checkServer, Nats, type StreamConfig } from './nats.ts'
import { NatsServer } from './nats-server.ts'
import { ReplicatedCache } from './replicated-cache.ts'
import { nonceOf, Seal } from './seal.ts'
import { ServerWatch } from './server-watch.ts'
import { type ClusterSettings, clusterSettings, type SupervisedServer } from './settings.ts'
import { ClusterState } from './state.ts'

/** Milliseconds that a member waits for the others at its start, and then goes on without them. */
const START_MS = 10_000
/** Milliseconds between two looks for others, and between two lines of the log about it. */
const JOIN_MS = 300
const TELL_MS = 10_000
const KEEP_MS = 1000
/** Milliseconds without a majority after which the own NATS server is started anew, and more for each member of the list. */
const RESTART_MS = 20_000
const RESTART_APART_MS = 15_000
/** The same for servers that have a leader which does not see them; the time doubles with each start. */
const UNPLACED_MS = 4000
const MOST_RESTARTS = 4
const LOOK_MS = 1000
/**
 * Milliseconds after the loss of the majority was noticed, which takes six seconds, until changes are refused at once. A new leader is
 * found in less than ten seconds.
 */
const REFUSE_AT_ONCE_MS = 4000

export interface ClusterParts {
  opts: Dict
  log: Log
  keys: PkiKeys
}

/** Carries out the records of the log on a master. */
export interface ClusterWork {
  apply(record: ClusterRecord): Promise<void> | void
  /** The last event and the last return that this master has. */
  last(): LastKept
  /** Resolves when every event so far is in the journal; rejects when the disk does not take them. */
  kept(): Promise<void>
  /** The data that is regularly compared with the other masters. */
  comparable?: Comparable
}

/** Why a master cannot serve its minions: it hears no other master, or cannot carry out the records of the log. */
export type Trouble = 'deaf' | 'stuck'

/** Places in the stores of a master. */
export interface LastKept {
  /** The number of an event in the journal. */
  event: number
  /** The number of a return in the job store. */
  returned: number
}

interface Joined {
  nats: Nats
  state: ClusterState
  /** The last place in the log. */
  last: number
  /** The time of the servers less that of the clock of this process that never jumps. */
  ahead: number
}

interface Begun extends Joined {
  log: ClusterLog
  membership: Membership
  keys: KeySync
  contact: Contact
  comparison: Comparison | undefined
}

/** The last event and the last return are those before the last message was worked on. */
interface Place extends LogPlace, LastKept {
  /** The place in the stream of the shared state up to which data about minions was taken. */
  state: number
}

export class Cluster {
  readonly settings: ClusterSettings
  private readonly parts: ClusterParts
  private server: NatsServer | undefined
  private serverWatch: ServerWatch | undefined
  private readonly streams: { log: StreamConfig; state: StreamConfig }
  private joining!: Promise<Joined>
  private begun: Begun | undefined
  private beginning: Promise<void> | undefined
  /** Whether this master stops. */
  isClosed = false
  private failure: Error | undefined
  private readonly place: Place
  private timer: NodeJS.Timeout | undefined
  private readonly leases = new Map<string, () => Dict>()
  private cache: ReplicatedCache | undefined
  private watch: NodeJS.Timeout | undefined
  /** When this master reached a majority, or its server was started anew, in milliseconds. */
  private seen: number = performance.now()
  /** Whether a leader is there that does not see enough servers: one of them may have lost the others when all started. */
  private isUnplaced = false
  private restarts = 0
  private alone: number = performance.now()
  /** Whether the place could not be noted, such as when a disk is full. */
  private isUnkept = false
  private readonly troubles = new Set<Trouble>()
  /** Called when this master cannot serve its minions as the others can, with the reason, and when it can again. */
  onTrouble: (trouble: Trouble | undefined) => void = () => {}
  /** How many records of the log, or returns in the job store, were missing here. */
  readonly gaps = { repaired: 0, lost: 0 }
  /** Called when some were missing. */
  onGap: (gap: LogGap) => void = () => {}

  private constructor(parts: ClusterParts) {
    this.parts = parts
    this.settings = clusterSettings(parts.opts)
    makeOwnFolder(this.settings.folder)
    this.place = this.readPlace()
    const { name, members } = this.settings
    const num_replicas = Math.min(members.length, members.length < 5 ? 3 : 5)
    const base = `brine.${name}`
    const seconds = option(parts.opts, 'event_journal_max_age')
    const log = { name: `brine-${name}-log`, subjects: [`${base}.log`], num_replicas, max_age: seconds * 1e9 }
    this.streams = {
      log: { ...log, max_bytes: option(parts.opts, 'event_journal_max_size') },
      state: {
        name: `brine-${name}-state`,
        subjects: [`${base}.state.>`, `${base}.bank.>`],
        num_replicas,
        max_msgs_per_subject: 1,
      },
    }
    if (members.length === 2)
      parts.log('warning', 'A cluster of two masters takes no changes when one of them is away: add a third')
  }

  /** Start the server and join the others. A master that has no key of the cluster yet waits for a majority. */
  static async open(parts: ClusterParts): Promise<Cluster> {
    const cluster = new Cluster(parts)
    const { settings } = cluster
    cluster.markAlone(true)
    if (settings.supervised) await cluster.openServer(settings.supervised)
    cluster.watch = setInterval(() => cluster.look(), LOOK_MS).unref()
    cluster.joining = cluster.join()
    cluster.joining.catch((error: unknown) => {
      cluster.failure = toError(error)
    })
    const stop = (): void => {
      cluster.isClosed = true
    }
    const signals = ['SIGTERM', 'SIGINT'] as const
    for (const signal of signals) process.once(signal, stop)
    try {
      const joined = await (hasIdentity(parts.opts)
        ? Promise.race([cluster.joining, sleep(START_MS)])
        : cluster.joining)
      if (joined === undefined)
        parts.log('error', 'The masters of the cluster cannot be reached: this master starts without them')
    } catch (error) {
      await cluster.close()
      throw error
    } finally {
      for (const signal of signals) process.off(signal, stop)
    }
    return cluster
  }

  private async openServer(supervised: SupervisedServer): Promise<void> {
    const { settings } = this
    const { log } = this.parts
    const server = await NatsServer.open(settings, supervised, log)
    this.server = server
    this.serverWatch = new ServerWatch({
      name: settings.member,
      folder: supervised.folder,
      ask: () => Nats.stateOfFirst(settings, this.streams.log.name),
      restart: () => server.restart(),
      connection: () => this.begun?.nats,
      log,
    })
  }

  /**
   * Return the data about minions of all masters: local changes in some banks go to the other masters, and theirs to
   * the local cache.
   */
  shared(local: DataCache, isShared: (bank: string) => boolean): ReplicatedCache {
    this.cache = new ReplicatedCache(local, this.parts.log, isShared)
    const { cache } = this
    const subject = this.streams.state.subjects[1]!
    const { log } = this.parts
    this.joining.then(
      ({ nats }) => {
        const parts = {
          nats,
          seal: new Seal(this.settings.sealKey),
          stream: this.streams.state.name,
          subject,
          last: 0,
          log,
        }
        const after = this.place.state
        if (!this.isClosed) cache.follow(after, (hear) => new ClusterState({ ...parts, after, hear }))
      },
      () => {},
    )
    return cache
  }

  private async join(): Promise<Joined> {
    const { log, opts } = this.parts
    let told = performance.now()
    for (;;) {
      let nats: Nats | undefined
      let state: ClusterState | undefined
      try {
        nats = await Nats.connect(this.settings)
        checkServer(nats.server, this.settings.isSyncSure, log)
        await nats.ensureStream(this.streams.log)
        await nats.ensureStream(this.streams.state)
        const shared = await nats.extent(this.streams.state.name)
        state = new ClusterState({
          nats,
          seal: new Seal(this.settings.sealKey),
          stream: this.streams.state.name,
          subject: this.streams.state.subjects[0]!,
          last: shared.last,
          log,
        })
        await state.atEnd
        await joinIdentity(opts, state, log)
        const { last, time } = await nats.extent(this.streams.log.name)
        const ahead = time - performance.now()
        await this.checkPlace(nats, last, shared.last)
        this.isUnplaced = false
        return { nats, state, last, ahead }
      } catch (error) {
        await state?.close()
        await nats?.close()
        const { code } = error as { code?: string }
        if (this.isClosed || (typeof code === 'string' && FINAL.has(code))) throw error
        this.isUnplaced = toError(error).message.includes('no suitable peers')
        if (performance.now() - told > TELL_MS) {
          told = performance.now()
          log(
            'warning',
            `Waiting for a majority of the cluster (${this.settings.members.join(', ')}): ${toError(error).message}`,
          )
        }
        await sleep(JOIN_MS)
      }
    }
  }

  /** Begin at the beginning of streams that were created anew: their places are others than those that were noted. */
  private async checkPlace(nats: Nats, last: number, lastState: number): Promise<void> {
    const { place } = this
    if (place.state > lastState) place.state = 0
    if (place.seq === 0) return
    const { name, subjects } = this.streams.log
    const there = await nats.next(name, place.seq, subjects[0]!)
    const isNew = there ? there.seq === place.seq && nonceOf(there.data) !== place.nonce : place.seq > last
    if (!isNew) return
    this.parts.log('error', 'The log of the cluster is a new one: this master reads it from its beginning')
    Object.assign(place, { seq: 0, state: 0 })
  }

  /** Restart the own server when it has no majority for long: it serves no streams, and may have lost the others. */
  private look(): void {
    if (this.hasQuorum) this.seen = performance.now()
    const apart = this.settings.members.indexOf(this.settings.address) + 1
    const limit = this.isUnplaced ? UNPLACED_MS * apart * 2 ** this.restarts : RESTART_MS + RESTART_APART_MS * apart
    if (!this.server || performance.now() - this.seen < limit) return
    this.seen = performance.now()
    this.restarts = Math.min(MOST_RESTARTS, this.restarts + 1)
    this.parts.log('warning', 'The NATS server finds no majority and is started anew')
    this.server.restart()
  }

  /** Carry out records from now on. */
  begin(work: ClusterWork): void {
    this.beginning = this.joining.then(
      (joined) => this.beginWith(joined, work),
      () => {},
    )
  }

  /** Resolves when this master has begun with the records of the others, or after some seconds without them. */
  async ready(): Promise<void> {
    await Promise.race([this.beginning, sleep(START_MS)])
  }

  private async beginWith(joined: Joined, { apply, last: lastKept, kept, comparable }: ClusterWork): Promise<void> {
    if (this.isClosed) return
    const { nats, state, last, ahead } = joined
    const { opts, log, keys: pki } = this.parts
    const seal = new Seal(this.settings.sealKey)
    const { member, folder } = this.settings
    const clusterLog = new ClusterLog({
      nats,
      seal,
      stream: this.streams.log,
      member,
      place: this.place,
      last,
      time: ahead + performance.now(),
      log,
      // events of an earlier life count until all of its records have come again
      begins: async (isReplayed) => {
        // no more events while the journal does not take those before
        if (this.isUnkept) await kept()
        if (!isReplayed) Object.assign(this.place, lastKept())
      },
      apply,
      acked: () => this.begun?.membership.proveQuorum(),
      stuck: (isStuck) => this.trouble('stuck', isStuck),
      gap: (gap) => this.gap(gap),
    })
    const facts = (): Dict => this.facts(clusterLog)
    const membership = new Membership({ state, member, writer: clusterLog.writer, facts, log })
    for (const [name, note] of this.leases) membership.want(name, note)
    membership.onQuorum = (has) => this.markAlone(!has)
    const keys = new KeySync(state, pki, folder, log)
    const contact = new Contact({
      nats,
      seal,
      member,
      count: this.settings.members.length,
      subject: `brine.${this.settings.name}.beat`,
      onApart: (isApart) => this.trouble('deaf', isApart),
    })
    const subject = `brine.${this.settings.name}.compare`
    const comparison =
      comparable &&
      new Comparison({
        ...{ nats, seal, member, subject, comparable, log },
        isWell: () => this.hasQuorum && this.isCaughtUp,
        onGap: (gap) => this.gap(gap),
      })
    this.begun = { ...joined, log: clusterLog, membership, keys, contact, comparison }
    pki.guard = () => this.requireQuorum()
    this.timer = setInterval(() => void this.keepPlace(clusterLog, kept), KEEP_MS)
    await keys.start()
    await clusterLog.atEnd
    membership.start()
    await membership.firstBeat
    log('info', `This master is member ${member} of the cluster ${option(opts, 'cluster_id')}`)
  }

  private trouble(what: Trouble, isSo: boolean): void {
    if (this.settings.members.length === 1) return
    if (isSo) this.troubles.add(what)
    else this.troubles.delete(what)
    const [first] = this.troubles
    this.onTrouble(first)
  }

  private gap(gap: LogGap): void {
    this.gaps[gap.isRepaired ? 'repaired' : 'lost'] += gap.count ?? 1
    this.onGap(gap)
  }

  private facts(log: ClusterLog): Dict {
    const facts: Array<[Value, Value]> = [
      ['address', this.settings.address],
      ['id', option(this.parts.opts, 'id')],
      ['version', brineVersion()],
      ['place', log.place.seq],
      ['server', this.begun?.nats.server.name ?? ''],
      ['draining', this.isDraining],
    ]
    return new Map(facts)
  }

  /** Whether a majority of the cluster takes changes of this master. */
  get hasQuorum(): boolean {
    return this.begun?.membership.hasQuorum ?? false
  }

  /** Whether the records of the others have been carried out here. */
  get isCaughtUp(): boolean {
    return this.begun?.log.isCaughtUp ?? false
  }

  /** Why this master should get no requests; undefined when it should. */
  problem(): string | undefined {
    if (!this.hasQuorum) return 'quorum'
    if (this.isDraining) return 'draining'
    return this.isCaughtUp ? undefined : 'behind'
  }

  get isDraining(): boolean {
    return this.begun?.membership.isDraining ?? false
  }

  /** Whether a job id may be one of this master: ids of different masters never meet. */
  isOwnJid(jid: string): boolean {
    const { members, address } = this.settings
    return Number(jid.slice(14, 20)) % members.length === members.indexOf(address)
  }

  /** Give up leases and show as not ready, or take part again. */
  drain(isDraining: boolean): void {
    if (this.begun) this.begun.membership.isDraining = isDraining
  }

  /** Throws when this master reaches no majority. */
  requireQuorum(): void {
    if (this.hasQuorum || performance.now() - this.alone < REFUSE_AT_ONCE_MS) return
    throw this.refusal()
  }

  private refusal(): NoQuorumError {
    const { members } = this.settings
    const why = this.failure ? `: ${this.failure.message}` : ''
    return new NoQuorumError(
      `This master does not reach a majority of the cluster (${members.join(', ')}), so it takes no jobs and no changes of keys${why}`,
    )
  }

  /** Append a record to the log of all masters; resolves when the cluster will not lose it. */
  async append(fields: Dict, patience?: number): Promise<void> {
    this.requireQuorum()
    if (!this.begun) throw this.refusal()
    await this.begun.log.append(fields, patience)
  }

  /** The records of which one master at most makes each: claims and answers of the REST API. */
  get claims(): Claims {
    return new Claims(() => {
      this.requireQuorum()
      return this.cache?.values
    })
  }

  /** Send a record to the others in the background; return its mark. */
  share(fields: Dict): string | undefined {
    return this.begun?.log.share(fields)
  }

  /** Resolves when the cluster has every record that was shared so far. */
  async flushed(): Promise<void> {
    await this.begun?.log.flushed()
  }

  /** Try to hold a lease from now on. */
  want(name: string, note: () => Dict = () => new Map()): void {
    this.leases.set(name, note)
    this.begun?.membership.want(name, note)
  }

  holds(name: string): boolean {
    return this.begun?.membership.holds(name) ?? false
  }

  /** Whether a process that wrote into the log has ended, or is without a majority. */
  isGone(writer: string): boolean {
    return this.begun?.membership.isGone(writer) ?? false
  }

  /** The state of members and leases, as seen by this member. */
  get membership(): Membership | undefined {
    return this.begun?.membership
  }

  /** The values that all members share. */
  get state(): ClusterState | undefined {
    return this.begun?.state
  }

  /** The name of this process in the log. */
  get writer(): string {
    return this.begun?.log.writer ?? ''
  }

  /** The NATS server that this master is connected to. */
  get serverText(): string {
    const server = this.begun?.nats.server
    return server ? `${server.name} ${server.version}` : ''
  }

  /** Where this master has carried out the log up to. */
  get logPlace(): number {
    return this.begun?.log.place.seq ?? this.place.seq
  }

  /** The last event and the last return that are surely kept whole; an earlier life may have been killed among later ones. */
  get sure(): LastKept {
    const { event, returned } = this.place
    return { event, returned }
  }

  private markAlone(isAlone: boolean): void {
    if (isAlone) this.alone = performance.now()
    const file = quorumMark(option(this.parts.opts, 'cachedir'))
    try {
      if (isAlone) writeFileSync(file, '', { mode: 0o600 })
      else rmSync(file, { force: true })
    } catch (error) {
      this.parts.log('debug', `Cannot write ${file}: ${toError(error).message}`)
    }
  }

  private get placeFile(): string {
    return join(this.settings.folder, 'place.json')
  }

  private readPlace(): Place {
    return recover(isAnyError, { seq: 0, seen: {}, event: 0, returned: 0, state: 0, nonce: '' }, () => {
      const read = JSON.parse(readFileSync(this.placeFile, 'utf8')) as Place
      const { seq, seen, event, returned = 0, state, nonce } = read
      return { seq, seen, event, returned, state, nonce }
    })
  }

  /** Note the place after its events are in the journal. */
  private async keepPlace(log: ClusterLog, kept: () => Promise<void>): Promise<void> {
    const place: Place = { ...log.place, ...this.sure, state: this.cache?.place ?? this.place.state }
    if (place.seq === this.place.seq && place.state === this.place.state) return
    try {
      await kept()
      writeFileSync(`${this.placeFile}.new`, JSON.stringify(place), { mode: 0o600 })
      renameSync(`${this.placeFile}.new`, this.placeFile)
      this.place.seq = place.seq
      this.place.state = place.state
      this.isUnkept = false
    } catch (error) {
      if (this.isUnkept) return
      this.isUnkept = true
      this.parts.log('warning', `Cannot note the place in the log of the cluster: ${toError(error).message}`)
    }
  }

  /** Stop; `kept` resolves when events are in the journal. */
  async close(kept: () => Promise<void> = async () => {}): Promise<void> {
    this.isClosed = true
    clearInterval(this.timer)
    clearInterval(this.watch)
    this.serverWatch?.close()
    this.parts.keys.guard = undefined
    const { begun } = this
    begun?.contact.close()
    begun?.comparison?.close()
    await begun?.keys.close()
    await this.cache?.close()
    await begun?.log.close()
    await begun?.membership.close()
    if (begun) await this.keepPlace(begun.log, kept)
    const joined = begun ?? (await Promise.race([this.joining.catch(() => undefined), sleep(JOIN_MS * 2)]))
    await joined?.state.close()
    await joined?.nats.close()
    await this.server?.close()
    this.markAlone(false)
  }
}

/** Errors that do not pass by themselves. */
const FINAL = new Set(['ClusterServer', 'ClusterLibrary', 'ClusterKey', 'ClusterSeal', 'AUTHORIZATION_VIOLATION'])
