// A running master. Its keys and sockets are opened in an order in which no request is answered before all parts are
// ready, and closed in the reverse order.
import { dirname, join } from 'node:path'
import {
  calmLog,
  claimFolder,
  LISTABLE_FOLDER,
  type Log,
  makeOwnFolder,
  namedLog,
  PASSABLE_FOLDER,
  PRIVATE_FOLDER,
  refuseUnfinishedRestore,
  storageError,
} from '../base/mod.ts'
import { BusServer, type EventBus, masterBusPaths, openMasterMarks, readOrigin } from '../bus/mod.ts'
import type { Cluster } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, isDict } from '../data/mod.ts'
import { type Host, LocalHost } from '../host/mod.ts'
import type { Reactor } from '../reactor/mod.ts'
import type { MasterAccess, OverSsh } from '../runner/mod.ts'
import { PkiKeys, SqliteJobs, StorageWatch } from '../store/mod.ts'
import { Telemetry } from '../telemetry/mod.ts'
import {
  connectionLimits,
  type MasterIdentity,
  masterEndpoints,
  openTransport,
  type Peer,
  PublishChannel,
  PublishSecret,
  publisherOptions,
  publisherRelief,
  RequestChannel,
  type RequestChannelOptions,
  requestListenOptions,
  SessionKeys,
  subscriberIdentity,
  type Transport,
  warnOfIgnoredTls,
} from '../wire/mod.ts'
import { Access } from './access/access.ts'
import { authPolicy } from './auth-policy.ts'
import { Batches } from './batch/batches.ts'
import { ClearCommands } from './clear-commands.ts'
import { type Closing, closeAll } from './closing.ts'
import { clusterCommands, type OwnersCommand } from './cluster-commands.ts'
import { CommandMeter } from './command-meter.ts'
import { type ConfiguredParts, loadConfiguredParts } from './configured-parts.ts'
import { Connections } from './connections.ts'
import { Deliveries } from './delivery.ts'
import { Diversion } from './diversion.ts'
import { openMasterEngines } from './engines.ts'
import { FileService } from './file-service.ts'
import { openIdentity } from './identity.ts'
import { JobCaches } from './job-caches.ts'
import { type Journaled, journaledBus } from './journaling.ts'
import { tellLimit } from './limits.ts'
import { hasLocalUsers, LocalKeys } from './local-keys.ts'
import { Maintenance } from './maintenance.ts'
import { acts, callMethod, isMethod, type Services } from './methods.ts'
import { MasterMetrics } from './metrics.ts'
import { MineService } from './mine-service.ts'
import { MinionTargets } from './minion-targets.ts'
import { MinionsBack } from './minions-back.ts'
import { type OwnAccess, type OwnAsking, ownAccess } from './own-access.ts'
import type { MasterParts } from './parts.ts'
import { Peers } from './peer.ts'
import { type PillarPool, pillarPool } from './pillar-pool.ts'
import { PillarService } from './pillar-service.ts'
import { reportPlugins } from './plugin-names.ts'
import { checkBeforeStart } from './pre-flight.ts'
import { Publishing } from './publish.ts'
import { Quotas } from './quotas.ts'
import { refusedAnswer } from './refusals.ts'
import { ReturnService } from './returns.ts'
import type { MasterSchedule } from './scheduling.ts'
import { SshMinions } from './ssh-minions.ts'
import { openStores } from './stores.ts'
import { Syndics } from './syndics.ts'
import { answerTargets } from './target-questions.ts'
import { TargetResolver } from './target-resolver.ts'

/** The public parts of a started master. */
interface Started {
  telemetry: Telemetry
  parts: MasterParts
  access: OwnAccess
  commands: ClearCommands
}

export class Master {
  readonly parts: MasterParts
  /** This master as its own functions reach it. */
  readonly access: OwnAccess
  /** The commands of programs. */
  readonly commands: ClearCommands
  /** Its metrics, traces and health. */
  readonly telemetry: Telemetry
  private readonly closings: Closing[]

  private constructor({ parts, access, commands, telemetry }: Started, closings: Closing[]) {
    this.parts = parts
    this.access = access
    this.commands = commands
    this.telemetry = telemetry
    this.closings = closings
  }

  /** `program` is the file of this program, if it can be started again for further subscribers. */
  static async open(opts: Dict, log: Log, program?: string, overSsh?: OverSsh): Promise<Master> {
    const closings: Closing[] = []
    try {
      refuseUnfinishedRestore([dirname(option(opts, 'conf_file')), option(opts, 'pki_dir'), option(opts, 'cachedir')])
      claimFolders(opts, log)
      await checkBeforeStart(opts, log)
      return new Master(await start(opts, calmLog(log), closings, { program, overSsh }), closings)
    } catch (error) {
      await closeAll(closings, log)
      throw storageError(error, option(opts, 'cachedir'))
    }
  }

  close(): Promise<void> {
    return closeAll(this.closings, this.parts.log)
  }
}

/**
 * Set the modes of folders so that users of `publisher_acl` reach their keys and the event socket by name, and nothing
 * else. Salt's own client sends a key only if its user may also list the directory: if there are such users, members of
 * the master's group may.
 */
function claimFolders(opts: Dict, log: Log): void {
  const cachedir = option(opts, 'cachedir')
  // Salt's job cache is opened to these users by hand, and its master may come back
  claimFolder(cachedir, hasLocalUsers(opts) ? LISTABLE_FOLDER : PASSABLE_FOLDER, log, ['jobs'])
  // Salt's own runners expect these folders
  makeOwnFolder(join(cachedir, 'jobs'), hasLocalUsers(opts) ? 0o750 : PRIVATE_FOLDER)
  makeOwnFolder(join(cachedir, 'proc'))
  makeOwnFolder(option(opts, 'sock_dir'), 0o755)
}

interface Surroundings {
  program: string | undefined
  overSsh: OverSsh | undefined
}

/** The parts of a master that need no others. */
interface Ground {
  telemetry: Telemetry
  host: LocalHost
  storage: StorageWatch
  keys: PkiKeys
  jobs: SqliteJobs
  bus: EventBus
  kept: Journaled['kept']
  journal: Journaled['journal']
}

/** Why a master cannot work now: it is opening or closing. */
type Phase = 'starting' | 'stopping' | undefined

/** Open telemetry, stores and the bus. */
async function openGround(opts: Dict, log: Log, closings: Closing[], phase: () => Phase): Promise<Ground> {
  const telemetry = new Telemetry({ opts, service: 'salt-master', log: namedLog(log, 'salt.utils.metrics') })
  closings.push(() => telemetry.close())
  telemetry.health.works(phase)
  const host = new LocalHost({ cache: option(opts, 'cachedir') })
  let bus: EventBus | undefined
  const storage = watchStorage(option(opts, 'id') || 'master', log, () => bus)
  closings.push(() => storage.close())
  telemetry.health.works(() => (storage.current.length > 0 ? 'storage' : undefined))
  const keys = new PkiKeys(option(opts, 'pki_dir'), storage.storing)
  keys.watch()
  closings.push(() => keys.close())
  const jobs = new SqliteJobs(join(option(opts, 'cachedir'), 'jobs.db'), storage)
  closings.push(() => jobs.close())
  const { server, ...opened } = await openEvents(
    opts,
    { jobs, log: namedLog(log, 'salt.utils.event'), storage },
    closings,
  )
  bus = opened.bus
  telemetry.health.lives(() => (server.isListening ? undefined : 'bus'))
  return { telemetry, host, storage, keys, jobs, ...opened }
}

/** Open the job caches. They are closed after the cluster, because its log may bring returns for them until then. */
function openJobCaches(opts: Dict, log: Log, { host, storage }: Ground, closings: Closing[]): JobCaches {
  const caches = new JobCaches({ opts, log: namedLog(log, 'salt.utils.job'), storage }, host)
  closings.push(() => caches.close())
  return caches
}

async function start(opts: Dict, log: Log, closings: Closing[], { program, overSsh }: Surroundings): Promise<Started> {
  let phase: Phase = 'starting'
  const ground = await openGround(opts, log, closings, () => phase)
  const { telemetry, host, storage, keys, jobs, bus, kept, journal } = ground
  const jobCaches = openJobCaches(opts, log, ground, closings)
  const configured = await loadConfiguredParts(opts)
  const cluster = await configured.cluster?.openCluster({ opts, log, ...ground }, closings)
  const identity = await openIdentity(opts)
  const secret = new PublishSecret()
  const transport = await openTransport(option(opts, 'transport'))
  const isRelieved = program !== undefined && transport.name === 'zeromq'
  const publisher = { identity, keys, secret, log, jobs, cluster, program: isRelieved ? program : undefined }
  const { diversion, ...sending } = await openPublisher(transport, opts, publisher, closings)
  closings.push(jobCaches.listen(bus))
  const own = { opts, log, keys, bus, kept, jobs, storage, cluster }
  const stores = await openStores(own, host, closings)
  const parts: MasterParts = { ...own, jobCaches, cache: stores.cache, stores, ...sending }
  const meter = new CommandMeter(telemetry.tracer)
  const metrics = openMetrics(parts, meter, telemetry, closings)
  const back = minionsBack(parts, closings)
  const localKeys = await openLocalKeys(parts, host)
  const resolver = new TargetResolver(named(parts, 'salt.utils.minions'), { program })
  closings.push(() => resolver.close())
  const { rights, publishing } = openPublishing(parts, localKeys, resolver, back)
  const asking = { user: localKeys.owner, answer: (load: Dict) => clear.answer(load), ...(overSsh && { overSsh }) }
  const access = openAccess(parts, publishing, host, asking, closings)
  const quotas = new Quotas(opts, log)
  let reactor: Reactor | undefined
  const services: Services & { pool: PillarPool | undefined } = {
    ...minionServices(parts, access, { resolver, quotas, program }, closings),
    reactionsWritten: () => reactor?.writing,
  }
  const clear: ClearCommands = clearCommands(parts, publishing, access, rights, resolver)
  const batches = openBatches(parts, publishing, { clear, access, localKeys }, closings)
  const joined = cluster && named({ ...parts, cluster }, 'salt.cluster')
  const work = { publishing, returns: services.returns, batches: batches.shared }
  const clustering = joined && (await configured.cluster?.beginCluster(joined, work))
  reportPlugins(opts, log)
  tellLimit(keys.list('minions').length, isRelieved, log)
  const handlers = requestHandlers(meter, clear, services)
  const answering = { identity, secret, handlers, quotas, diversion, isRelieved, metrics }
  await openRequests(transport, parts, answering, closings)
  closings.push(await openMasterMarks(opts, log))
  batches.resume()
  const reacting = { ...parts, bus: clustering?.reactorBus() ?? bus }
  const reactorParts = { minionsBack: back.all, tracer: telemetry.tracer, shared: clustering?.reactions }
  reactor = configured.openReactor?.(named(reacting, REACTOR), named(access, REACTOR), reactorParts)
  closings.push(() => reactor?.close())
  const schedule = openOwnWork(parts, access, configured, closings)
  addOwnersCommands(clear, rights, {
    reactor_rules: () => reactor?.shownRules() ?? [],
    scheduled_jobs: () => schedule?.summary() ?? [],
    master_stats: () => [metrics.summary()],
    ...clusterCommands(cluster, stores, clustering?.runs),
  })
  const maintenance = openMaintenance({ ...parts, ...configured, secret, tokens: rights.tokens }, closings)
  const { files, pool } = services
  Object.assign(metrics.later, { journal, files, pool, batches, reactor, updates: maintenance.files })
  phase = undefined
  closings.push(() => {
    phase = 'stopping'
    return telemetry.flush()
  })
  return { parts, access, commands: clear, telemetry }
}

/** The component of the lines that the reactor logs. */
const REACTOR = 'salt.utils.reactor'

function openMetrics(
  parts: MasterParts,
  meter: CommandMeter,
  telemetry: Telemetry,
  closings: Closing[],
): MasterMetrics {
  const metrics = new MasterMetrics(parts, meter)
  telemetry.add(metrics.families)
  closings.push(() => metrics.close())
  return metrics
}

/** Start the regular work of a master. */
function openMaintenance(parts: ConstructorParameters<typeof Maintenance>[0], closings: Closing[]): Maintenance {
  const maintenance = new Maintenance(parts)
  maintenance.start()
  closings.push(() => maintenance.close())
  return maintenance
}

async function openLocalKeys({ opts, log }: MasterParts, host: Host): Promise<LocalKeys> {
  const accounts = new Map((await host.users()).map((user) => [user.name, user]))
  return new LocalKeys(opts, (name) => accounts.get(name), namedLog(log, 'salt.auth'))
}

/** This master as its own functions reach it, with targets of salt-ssh. */
function openAccess(
  parts: MasterParts,
  publishing: Publishing,
  host: Host,
  asking: OwnAsking,
  closings: Closing[],
): OwnAccess {
  const access = ownAccess(parts, publishing, host, asking)
  const ssh = new SshMinions(access, parts.bus)
  publishing.ssh = ssh
  closings.push(() => ssh.close())
  return access
}

/** The answers to programs and minions, each timed by the meter. */
function requestHandlers(meter: CommandMeter, clear: ClearCommands, services: Services): RequestHandlers {
  const handlers: RequestHandlers = {
    clear: (load, { peer }) => clear.answer(load, peer),
    aes: (load, sender) => {
      if (sender.id !== '') services.connections.noteHome(sender.id, sender.peer)
      return callMethod(services, load, sender)
    },
    acts,
  }
  return meter.metered(handlers, (cmd) => clear.has(cmd) || isMethod(cmd))
}

/** Open the bus of events with its journal and its sockets. */
async function openEvents(
  opts: Dict,
  { jobs, log, storage }: Pick<MasterParts, 'jobs' | 'log' | 'storage'>,
  closings: Closing[],
): Promise<Pick<MasterParts, 'bus' | 'kept'> & Pick<Journaled, 'journal'> & { server: BusServer }> {
  const { bus, kept, past, journal, close } = journaledBus(opts, jobs, log, storage)
  closings.push(close)
  const mostWaiting = option(opts, 'ipc_write_buffer')
  const server = new BusServer({ bus, paths: masterBusPaths(opts), log, mostWaiting, kept, past })
  await server.open()
  closings.push(() => server.close())
  return { bus, kept, journal, server }
}

interface BatchBeginners {
  clear: ClearCommands
  access: OwnAccess
  localKeys: LocalKeys
}

/** Open the batches for programs and for the master's own functions. */
function openBatches(
  parts: MasterParts,
  publishing: Publishing,
  { clear, access, localKeys }: BatchBeginners,
  closings: Closing[],
): Batches {
  const batches = new Batches(parts, publishing)
  closings.push(() => batches.close())
  clear.add('batch', (load, peer) => batches.begin(load, peer))
  access.beginBatch = async (load) => {
    await batches.begin(new Map(load).set('user', localKeys.owner).set('key', localKeys.ownerKey))
  }
  return batches
}

/** Watch the disks of a master; the bus is opened after the first disk access. */
function watchStorage(id: string, log: Log, bus: () => EventBus | undefined): StorageWatch {
  return new StorageWatch({
    log,
    fire: (moment, data) => void bus()?.fire(`salt/master/${id}/storage/${moment}`, data),
  })
}

/** Return the same parts with the name of a component on the lines of the log. */
const named = <T extends { log: Log }>(parts: T, name: string): T => ({ ...parts, log: namedLog(parts.log, name) })

/** Access control, and publishing with it. */
function openPublishing(
  parts: MasterParts,
  localKeys: LocalKeys,
  resolver: TargetResolver,
  { soon }: MinionsBack,
): { rights: Access; publishing: Publishing } {
  const rights = new Access(named(parts, 'salt.auth'), localKeys, resolver)
  return { rights, publishing: new Publishing(parts, { judge: (load, peer) => rights.judgePublish(load, peer) }, soon) }
}

/** Programs wait 15 seconds for the answer to a request. */
const MOST_PATIENCE = 12

function minionsBack({ opts, publications, cache, log }: MasterParts, closings: Closing[]): MinionsBack {
  const patience = Math.min(MOST_PATIENCE, option(opts, 'publish_reconnect_wait'))
  const back = new MinionsBack({ publications, bank: cache.bank('presence-data'), patience, log })
  closings.push(() => back.close())
  return back
}

interface ServiceParts {
  resolver: TargetResolver
  quotas: Quotas
  program: string | undefined
}

/** The services for minions. */
function minionServices(
  parts: MasterParts,
  access: OwnAccess,
  { resolver, quotas, program }: ServiceParts,
  closings: Closing[],
): Omit<Services, 'reactionsWritten'> & { pool: PillarPool | undefined } {
  const { opts } = parts
  const { host } = access
  const pillar = named(parts, 'salt.pillar')
  const targets = new MinionTargets(resolver)
  const pool = program === undefined ? undefined : pillarPool(opts, pillar.log, program)
  closings.push(() => pool?.close())
  return {
    ...parts,
    host,
    files: new FileService(opts, host, parts.log),
    quotas,
    pillars: new PillarService(pillar, host, quotas, pool),
    mine: new MineService(parts, targets, quotas),
    returns: new ReturnService(parts, quotas),
    peers: new Peers(access, targets),
    pool,
  }
}

/** Start the master's own work: schedule and engines. */
function openOwnWork(
  parts: MasterParts,
  access: MasterAccess,
  { openSchedule }: ConfiguredParts,
  closings: Closing[],
): MasterSchedule | undefined {
  const schedule = openSchedule?.(named(parts, 'salt.utils.schedule'), access)
  closings.push(() => schedule?.close())
  const engines = openMasterEngines(named(parts, 'salt.engines'), access)
  closings.push(() => engines.close())
  return schedule
}

/** Add commands for programs of the master's owner. */
function addOwnersCommands(clear: ClearCommands, rights: Access, read: Readonly<Record<string, OwnersCommand>>): void {
  for (const [name, answer] of Object.entries(read)) clear.add(name, (load) => rights.isOwner(load) && answer(load))
}

type RequestHandlers = RequestChannelOptions['handlers']

interface RequestParts {
  identity: MasterIdentity
  secret: PublishSecret
  handlers: RequestHandlers
  quotas: Quotas
  diversion: Diversion
  /** Whether another process takes subscribers beyond a limit. */
  isRelieved: boolean
  metrics: MasterMetrics
}

async function openRequests(
  transport: Transport,
  { opts, keys, bus, log }: MasterParts,
  { identity, secret, handlers, quotas, diversion, isRelieved, metrics }: RequestParts,
  closings: Closing[],
): Promise<void> {
  warnOfIgnoredTls(opts, log)
  if (option(opts, 'order_masters') && !opts.has('syndics')) {
    const risk = 'every accepted minion may act as a syndic and return for ids that this master has no key of'
    log('warning', `order_masters is set and syndics is not: ${risk}. Name the syndics in the option syndics`)
  }
  const lifetime = option(opts, 'publish_session')
  const crypt = namedLog(log, 'salt.crypt')
  const sessions = new SessionKeys({ cachedir: option(opts, 'cachedir'), lifetime, log: crypt })
  closings.push(() => sessions.close())
  const channel = new RequestChannel({
    identity,
    keys,
    secret,
    sessions,
    handlers,
    policy: {
      ...authPolicy(opts, keys, quotas, namedLog(log, 'salt.daemons.masterapi')),
      sendsAway: (id) => diversion.refuses(id),
    },
    publishPort: option(opts, 'publish_port'),
    minimumVersion: option(opts, 'minimum_auth_version'),
    timeToLive: option(opts, 'request_server_ttl'),
    maxValues: quotas.valuesOfRequest,
    onAuth: (event) => {
      metrics.signedIn(event)
      if (option(opts, 'auth_events')) bus.fire('salt/auth', event)
    },
    log: namedLog(log, 'salt.channel.server'),
  })
  const { requests } = masterEndpoints(opts)
  const listener = await transport.listen(requests, channel.handle, {
    ...requestListenOptions(opts),
    maxConnections: connectionLimits(isRelieved).requests,
    log: namedLog(log, `salt.transport.${transport.name}`),
  })
  closings.push(() => listener.close())
}

function clearCommands(
  { bus }: Pick<MasterParts, 'bus'>,
  publishing: Publishing,
  access: MasterAccess,
  rights: Access,
  resolver: TargetResolver,
): ClearCommands {
  const clear = new ClearCommands({
    publishing,
    access,
    rights: { judge: (load, family, fun, peer) => rights.judgeCall(load, family, fun, peer) },
  })
  clear.add('mk_token', (load, peer) => rights.makeToken(load, peer))
  clear.add('revoke_token', (load) => rights.tokens.revoke(briefStr(load.get('token') ?? '')))
  clear.add('get_token', async (load) => (await rights.tokens.find(briefStr(load.get('token') ?? ''))) ?? false)
  clear.add('judge', (load, peer) => judgeCall(rights, load, peer))
  clear.add('rights', (load, peer) => explainRights(rights, load, peer))
  clear.add('fire_for', (load) => fireForOutsider(bus, rights, load))
  clear.add('targets', (load, peer) => answerTargets(clear.rights, resolver, load, peer))
  return clear
}

/**
 * Authorise a call of a function of the master, or of targets of salt-ssh: return the caller's name, or the refusal.
 */
async function judgeCall(rights: Access, load: Dict, peer: Peer | undefined): Promise<Dict> {
  const family = load.get('family') === 'wheel' ? 'wheel' : 'runner'
  const judged =
    load.get('family') === 'ssh'
      ? await rights.judgeSsh(load, peer)
      : await rights.judgeCall(load, family, briefStr(load.get('fun') ?? ''), peer)
  return 'message' in judged ? refusedAnswer(judged) : new Map([['user', judged.user]])
}

/** Return which calls the caller's access list allows. */
async function explainRights(rights: Access, load: Dict, peer: Peer | undefined): Promise<Dict> {
  const explained = await rights.explain(load, peer)
  return 'message' in explained ? refusedAnswer(explained) : explained
}

/** Fire an event that a program of the master's owner took from an outsider; the event carries the origin that the program proved. */
function fireForOutsider(bus: EventBus, rights: Access, load: Dict): boolean {
  const [data, tag] = [load.get('data'), load.get('tag')]
  if (!rights.isOwner(load) || typeof tag !== 'string' || data === undefined || !isDict(data)) return false
  bus.fireFrom(readOrigin(load.get('origin')), tag, data)
  return true
}

interface PublisherParts {
  identity: MasterIdentity
  keys: PkiKeys
  secret: PublishSecret
  log: Log
  jobs: SqliteJobs
  cluster: Cluster | undefined
  /** The program to start for further subscribers. */
  program: string | undefined
}

async function openPublisher(
  transport: Transport,
  opts: Dict,
  { identity, keys, secret, log, jobs, cluster, program }: PublisherParts,
  closings: Closing[],
): Promise<
  Pick<MasterParts, 'connections' | 'deliveries' | 'syndics'> & { publications: PublishChannel; diversion: Diversion }
> {
  const connections = new Connections(transport.name === 'tcp')
  const publisher = await transport.publisher(masterEndpoints(opts).publications, {
    ...publisherOptions(opts),
    maxConnections: connectionLimits(program !== undefined).own,
    ...(program && { relief: publisherRelief(program, publisherOptions(opts), log) }),
    // subscribers by web socket get everything and name no topic
    ...(transport.name === 'ws' && { onConnect: connections.onListener }),
    onSubscribe: connections.onSubscribe,
    onDisconnect: connections.onDisconnect,
    identify: subscriberIdentity(keys, secret, namedLog(log, 'salt.channel.server')),
    log: namedLog(log, `salt.transport.${transport.name}`),
  })
  closings.push(() => publisher.close())
  connections.isPartial = () => publisher.reached > publisher.subscribers
  const publications = new PublishChannel({
    publisher,
    identity,
    secret,
    sign: opts.get('sign_pub_messages') !== false,
    algorithm: option(opts, 'publish_signing_algorithm'),
    lifetime: option(opts, 'publication_ttl'),
    minions: () => keys.list('minions'),
  })
  const isAccepted = (id: string): boolean => keys.accepted(id) !== undefined
  const diversion = new Diversion({ publisher, isAccepted, log: namedLog(log, 'salt.cluster') })
  closings.push(() => diversion.close())
  if (cluster) cluster.onTrouble = diversion.divert
  const syndics = new Syndics({ opts, log, connections, isAccepted })
  const deliveries = new Deliveries({ opts, log, jobs, publications, connections, syndics })
  deliveries.start()
  closings.push(() => deliveries.close())
  return { publications, connections, deliveries, syndics, diversion }
}
