// A running minion: its own event bus, the jobs it carries out, and a peer for each master it has.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BrineError,
  claimFolder,
  guarded,
  type Log,
  makeOwnFolder,
  namedLog,
  PRIVATE_FOLDER,
  storageError,
} from '../base/mod.ts'
import { BusServer, BusTap, EventBus, eventStream, minionBusPaths, minionOrigin } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { Registry, RegistryContext } from '../loader/mod.ts'
import { reportExtensions } from '../pybridge/mod.ts'
import type { OverSsh } from '../runner/mod.ts'
import type { Schedule } from '../schedule/mod.ts'
import { type StorageMoment, StorageWatch } from '../store/mod.ts'
import { Telemetry, type Tracer } from '../telemetry/mod.ts'
import { warnOfIgnoredTls } from '../wire/mod.ts'
import { Beacons } from './beacons.ts'
import { listenForDuties } from './duties.ts'
import { openMinionEngines } from './engines.ts'
import { minionFunctions } from './functions.ts'
import { Jobs } from './jobs.ts'
import { settleOutboxes } from './left-outboxes.ts'
import { masterBeside } from './master-beside.ts'
import { findMaster } from './master-function.ts'
import { MasterWatch } from './master-watch.ts'
import { type MasterGroup, masterGroups } from './masters.ts'
import { MinionMetrics } from './metrics.ts'
import { OUTBOX, outboxOf } from './outbox.ts'
import { MasterPeer } from './peer.ts'
import { pingMaster, watchGrains } from './periodic.ts'
import type { ProxyDevice } from './proxy/device.ts'
import { addMineJob, holdReturns, keepDevice, openMinionSchedule, watchMaster } from './scheduled.ts'
import { signInSettings } from './settings.ts'
import { beginUpgrade, reportUpgrade, watchUpgrade } from './side-by-side.ts'
import { startupJob } from './startup.ts'

type Closing = () => unknown

/** The surroundings of a minion in its program. */
export interface MinionSurroundings {
  /** The command line that starts the minion again in the background. */
  startedAs?: readonly string[] | undefined
  /** Access of functions to a master on this machine. */
  overSsh?: OverSsh | undefined
  /** The device behind a proxy minion. */
  proxy?: ProxyDevice | undefined
}

export class Minion {
  readonly opts: Dict
  readonly bus: EventBus
  private readonly log: Log
  private readonly host: LocalHost
  private readonly storage: StorageWatch
  private readonly closings: Closing[] = []
  /** Resolves when everything on this machine that the minion needs is ready: its sockets and its key. */
  readonly started: Promise<void>
  private onStarted!: () => void
  private readonly over: Promise<string>
  private fatal!: (error: Error) => void
  private finish!: (why: string) => void
  private readonly startedAs: readonly string[] | undefined
  private readonly overSsh: OverSsh | undefined
  private readonly proxy: ProxyDevice | undefined
  private jobs!: Jobs
  private peers: MasterPeer[] = []
  private schedule: Schedule | undefined
  private hasBeacons = false
  private leads = false
  /** The functions for scheduled jobs and beacons: those of the first master, once the minion reached it. */
  private functions!: () => Promise<Registry>
  /** Sends the returns of scheduled jobs that ended before a master was reached. */
  private releaseReturns: () => void = () => undefined
  private isClosed = false
  private telemetry: Telemetry | undefined
  private metrics: MinionMetrics | undefined
  private tracer: Tracer | undefined
  private hasMasters = false

  constructor(opts: Dict, log: Log, { startedAs, overSsh, proxy }: MinionSurroundings = {}) {
    this.startedAs = startedAs
    this.overSsh = overSsh
    this.proxy = proxy
    if (proxy) this.closings.push(() => proxy.close())
    this.opts = opts
    this.host = new LocalHost({ cache: option(opts, 'cachedir') })
    this.log = log
    this.storage = new StorageWatch({ log, fire: (moment, data) => this.tellStorage(moment, data) })
    this.closings.push(() => this.storage.close())
    this.bus = new EventBus(namedLog(log, 'salt.utils.event'), 0, {
      ...minionOrigin(option(opts, 'id')),
      proof: 'process',
    })
    this.started = new Promise((done) => {
      this.onStarted = done
    })
    this.over = new Promise((done, fail) => {
      this.finish = done
      this.fatal = fail
    })
    // the caller may await this promise later or never
    this.over.catch(() => undefined)
  }

  /** Resolves when the minion is asked to end; rejects with the error that ends it, such as a rejected key. */
  get ended(): Promise<string> {
    return this.over
  }

  /**
   * Resolves when the minion listens to a master, or at once if it has none. If opening fails, everything is closed
   * again.
   */
  async open(): Promise<void> {
    try {
      await this.begin()
    } catch (error) {
      await this.close()
      throw storageError(error, option(this.opts, 'cachedir'))
    }
  }

  private async begin(): Promise<void> {
    const { opts, log, host } = this
    claimFolder(option(opts, 'cachedir'), PRIVATE_FOLDER, log)
    makeOwnFolder(option(opts, 'sock_dir'))
    const telemetry = this.openTelemetry()
    const events = namedLog(log, 'salt.utils.event')
    const server = new BusServer({ bus: this.bus, paths: minionBusPaths(opts), pubMode: 0o600, log: events })
    await server.open()
    this.closings.push(() => server.close())
    telemetry.health.lives(() => (server.isListening ? undefined : 'bus'))
    this.checkOpening()
    await this.waitToStart()
    const grains = await collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core') })
    opts.set('grains', grains)
    await findMaster({ opts, grains, host, log })
    this.checkOpening()
    const groups = masterGroups(opts, log)
    if (groups.length > 0) warnOfIgnoredTls(opts, log)
    reportExtensions(opts, log)
    const { storing } = this.storage
    const metrics = this.metrics && { metrics: this.metrics }
    this.jobs = new Jobs({ opts, log, storing, tracer: telemetry.tracer, ...metrics })
    // in open mode, the minion itself retries the master, not each request
    const settings = { ...(await signInSettings(opts)), authSafemode: false }
    this.checkOpening()
    this.onStarted()
    this.closings.push(await watchUpgrade(log))
    this.tracer = telemetry.tracer
    this.settleOutboxes(groups)
    this.peers = groups.map((group) => this.peer(group, groups, grains, settings))
    this.hasMasters = groups.length > 0
    this.closings.push(() => this.jobs.settle())
    const [first] = this.peers
    if (first) await this.beginEarly(first.opts, grains)
    const opened = this.peers.map((peer) => this.openPeer(peer))
    if (opened.length > 0) await Promise.race([Promise.any(opened).catch(reason), this.over])
    else await this.openAlone(grains)
  }

  /** Open the metrics, traces and health of this minion. */
  private openTelemetry(): Telemetry {
    const { opts, log, storage } = this
    const service = `salt-minion-${option(opts, 'id')}`
    const telemetry = new Telemetry({ opts, service, log: namedLog(log, 'salt.utils.metrics') })
    this.telemetry = telemetry
    this.closings.push(() => telemetry.close())
    telemetry.health.works(() => (storage.current.length > 0 ? 'storage' : undefined))
    telemetry.health.works(() => (this.leads ? undefined : 'starting'))
    telemetry.health.works(() =>
      this.hasMasters && !this.peers.some(({ isListening }) => isListening) ? 'master' : undefined,
    )
    if (!telemetry.hasMetrics) return telemetry
    const metrics = new MinionMetrics({ opts, log, storage, bus: this.bus })
    this.metrics = metrics
    this.closings.push(() => metrics.close())
    telemetry.add(() => metrics.families({ jobs: this.jobs, peers: this.peers, schedule: this.schedule }))
    return telemetry
  }

  /** Fire an event about this minion's disk here, and at its masters if they can be reached. */
  private tellStorage(moment: StorageMoment, data: Dict): void {
    const tag = `salt/minion/${option(this.opts, 'id')}/storage/${moment}`
    this.bus.fire(tag, new Map(data))
    for (const peer of this.peers.filter(({ connected }) => connected))
      guarded(this.log, `Telling master ${peer.master} of the disk`, () => peer.fireMaster(tag, new Map(data)))()
  }

  /** `random_startup_delay`: so that many minions do not come at once. */
  private async waitToStart(): Promise<void> {
    const most = option(this.opts, 'random_startup_delay')
    if (most <= 0) return
    const seconds = randomInt(most + 1)
    this.log(
      'info',
      `Minion sleeping for ${seconds} seconds due to configured startup_delay between 0 and ${most} seconds`,
    )
    const wait = new AbortController()
    this.closings.push(() => wait.abort())
    await sleep(seconds * 1000, undefined, { signal: wait.signal })
  }

  /** Throw if the minion was closed meanwhile: resources opened later would never be closed. */
  private checkOpening(): void {
    if (this.isClosed) throw new BrineError('MinionClosed', 'The minion was closed while it opened')
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.telemetry?.flush()
    for (const close of this.closings.splice(0).reverse()) await close()
  }

  private peer(
    group: MasterGroup,
    groups: readonly MasterGroup[],
    grains: Dict,
    settings: Awaited<ReturnType<typeof signInSettings>>,
  ): MasterPeer {
    const { opts, log, host, bus, jobs, fatal } = this
    const isOneOfMany = groups.length > 1
    const own: Dict = isOneOfMany ? new Map(opts) : opts
    const first = group.names[0]!
    own.set('master', first).set('multimaster', isOneOfMany)
    if (group.failover) own.set('master_list', [...group.names])
    const peer = new MasterPeer({
      opts: own,
      grains,
      log,
      host,
      bus,
      jobs,
      group,
      others: groups.filter((other) => other !== group).flatMap(({ names }) => names),
      // the next master is not kept waiting
      settings: group.failover ? { ...settings, authTries: 1 } : settings,
      storing: this.storage.storing,
      outbox: isOneOfMany ? outboxOf(first) : OUTBOX,
      surroundings: (asked) => this.surroundings(asked),
      fatal,
      tracer: this.tracer,
      proxy: this.proxy,
    })
    this.closings.push(() => peer.close())
    return peer
  }

  /** Returns for masters that are not in the configuration any more. */
  private settleOutboxes(groups: readonly MasterGroup[]): void {
    if (groups.length === 0) return
    const own = groups.flatMap(({ names }) => names.map(outboxOf))
    const [only] = groups.length === 1 && !groups[0]!.failover ? own : []
    settleOutboxes({
      cachedir: option(this.opts, 'cachedir'),
      used: new Set([...(groups.length === 1 ? [OUTBOX] : []), ...own]),
      moved: only === undefined ? [] : [[only, OUTBOX]],
      log: this.log,
    })
  }

  private async openPeer(peer: MasterPeer): Promise<void> {
    peer.onBegin = () => this.watch(peer)
    await peer.open()
    // close the peer, if it was opened after the minion was closed
    if (this.isClosed) await peer.close()
    this.checkOpening()
    const watch = new MasterWatch(peer, this.log)
    this.closings.push(() => watch.close(), listenForDuties(this.bus, peer, this.log))
    this.releaseReturns()
    this.lead(peer.opts, async () => peer.session.functions)
    this.watch(peer)
    this.closings.push(pingMaster(peer, this.log))
    await reportUpgrade(peer, option(this.opts, 'id'), this.log)
    const load = startupJob(peer.opts, this.log)
    if (load) peer.begins(load)
    this.log('info', 'Minion is ready to receive requests!')
  }

  /** Run without a master: schedule and beacons only. */
  private async openAlone(grains: Dict): Promise<void> {
    const { opts, log } = this
    const functions = await this.functionsAlone(opts, grains)
    this.lead(opts, functions)
    const load = startupJob(opts, log)
    if (load) this.jobs.begin(load, { functions, finished: () => undefined })
  }

  /** Return the functions of a minion that has reached no master, without pillar. */
  private async functionsAlone(opts: Dict, grains: Dict): Promise<() => Promise<Registry>> {
    const { log, host } = this
    const pillar: Dict = new Map()
    opts.set('pillar', pillar)
    const functions = minionFunctions({ opts, grains, pillar, host, log, more: this.surroundings() })
    await functions.refresh()
    return async () => functions
  }

  /** `scheduler_before_connect` and `beacons_before_connect`: begin before a master is reached. */
  private async beginEarly(opts: Dict, grains: Dict): Promise<void> {
    const [schedules, beacons] = [option(opts, 'scheduler_before_connect'), option(opts, 'beacons_before_connect')]
    if (!schedules && !beacons) return
    this.functions = await this.functionsAlone(opts, grains)
    this.checkOpening()
    if (beacons) this.beginBeacons(opts)
    if (!schedules) return
    this.releaseReturns = holdReturns(this.bus, this.log)
    this.beginSchedule(opts)
  }

  /** Start the parts that a minion has once, however many masters it has: schedule, beacons and engines. */
  private lead(opts: Dict, functions: () => Promise<Registry>): void {
    if (this.leads) return
    this.leads = true
    this.functions = functions
    const { log, bus } = this
    const schedule = this.beginSchedule(opts)
    addMineJob(schedule, opts)
    if (this.proxy) keepDevice(schedule, opts, this.proxy)
    this.beginBeacons(opts)
    this.closings.push(
      watchGrains(opts, this.host, bus, log),
      openMinionEngines({ opts, log: namedLog(log, 'salt.engines'), bus, functions }, this.host),
    )
  }

  private beginSchedule(opts: Dict): Schedule {
    if (this.schedule) return this.schedule
    const { bus, jobs } = this
    const log = namedLog(this.log, 'salt.utils.schedule')
    const { schedule, close } = openMinionSchedule({ opts, log, bus, jobs, functions: () => this.functions() })
    this.schedule = schedule
    this.closings.push(close)
    return schedule
  }

  private beginBeacons(opts: Dict): void {
    if (this.hasBeacons) return
    this.hasBeacons = true
    const { bus, jobs } = this
    const log = namedLog(this.log, 'salt.beacons')
    this.closings.push(new Beacons({ opts, log, bus, jobs, functions: () => this.functions() }).start())
  }

  private watch(peer: MasterPeer): void {
    const [first] = peer.group.names
    if (this.schedule) watchMaster(this.schedule, peer.opts, peer.master, first)
  }

  /** The context in which functions reach this minion. */
  private surroundings(peer?: MasterPeer): Partial<RegistryContext> {
    const { bus } = this
    return {
      askMinion: async ({ tag, data, answer, wait }) => {
        const answered = bus.next((own) => own === answer, wait)
        bus.fire(tag, data)
        return (await answered)?.data ?? null
      },
      daemon: {
        askMaster: async (load) => {
          if (!peer) throw new BrineError('SaltClientError', 'This minion has no master')
          return peer.ask(load)
        },
        fire: async (tag, data) => {
          bus.fire(tag, data)
          return true
        },
        events: (filter) => eventStream(new BusTap(bus, filter)),
        running: () => this.jobs.list(),
        unsent: () => peer?.unsent ?? [],
        signal: (jid, signal) => this.jobs.signal(jid, signal),
        answers: async (master) => peer?.answers(master) ?? false,
        masterBeside: masterBeside(this.opts, this.log, this.overSsh),
        upgrade: beginUpgrade,
        end: () => this.finish('a request to end'),
        ...(this.startedAs && { startedAs: this.startedAs }),
      },
    }
  }
}

/** Throw the first reason if none of several could be opened. */
function reason(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}
