// What runner and wheel functions see. The stores are files that this process opens; what differs between a program and the
// master itself, publishing and events, is handed in.
import { join } from 'node:path'
import { BrineError, type Log, newJid } from '../base/mod.ts'
import { JournalReader, journalFolder, type Origin } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { FileServer, LocalFileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import { MasterRegistry, type Registry, runnerTable, wheelTable } from '../loader/mod.ts'
import { asStepJob, keptSteps, masterMinion, reaching } from '../orchestrate/mod.ts'
import {
  type BusMessage,
  type EventWish,
  type MasterContext,
  type MasterFunctionCall,
  type MasterOutcome,
  type MasterReach,
  type MinionJob,
  type MinionReturn,
  type OwnPlugin,
  signatureOf,
} from '../sdk/mod.ts'
import {
  type DataCache,
  type JobStore,
  OrchestrationStore,
  type PkiKeys,
  QueueStore,
  ReactionStore,
  type StorageUse,
} from '../store/mod.ts'
import { type Gathered, NOBODY_MATCHED, type Published } from './collect.ts'
import { JobHints } from './hints.ts'
import { minionPillar, minionPillarOrigins, minionPillarTop } from './minion-pillar.ts'
import { connectedMinions } from './presence.ts'
import { jobCacheOf } from './returning.ts'
import { type MinionKnowledge, resolveTarget } from './targets.ts'

/** How publishing and events are reached from here. */
export interface MasterAccess {
  opts: Dict
  log: Log
  host: Host
  jobs: JobStore
  keys: PkiKeys
  cache: DataCache
  /** How the stores that are opened here use the disk. */
  storage?: StorageUse
  publish(job: MinionJob): Promise<Published | undefined>
  collect(published: Published, timeout: number, gatherJobTimeout: number): AsyncIterable<Gathered>
  /** Sends a command to the master. */
  command(load: Dict): Promise<Value>
  /** Has the master do a job in batches. */
  beginBatch(load: Dict): Promise<void>
  /**
   * Fires an event; fails where nobody can hear it. An event of `caller`, who chose its tag, fails where the caller may not
   * fire it.
   */
  fire(tag: string, data: Dict, caller?: Origin): Promise<void>
  events(filter: (tag: string) => boolean, seconds?: number, wish?: EventWish): AsyncIterable<BusMessage>
}

export const runners: MasterRegistry = new MasterRegistry(runnerTable)
export const wheels: MasterRegistry = new MasterRegistry(wheelTable)

export interface CallIdentity {
  jid: string
  user: string
  /** Who had the call made, where that is not the master itself. */
  caller?: Origin
  /** The tag that events of this call are below: `salt/run/<jid>`. */
  tag: string
  /** The log of the function; the one of the access unless given. */
  log?: Log
  masked?: boolean
  print?(text: string): void
  /** Hears what the call tells of its progress. */
  onProgress?(data: Dict, suffix: string): void
}

/** Calls a runner or wheel function as a run of its own. */
export type MasterCaller = (family: 'runner' | 'wheel', call: MasterFunctionCall) => Promise<MasterOutcome>

export function masterContext(
  access: MasterAccess,
  identity: CallIdentity,
  call: MasterCaller = noCalls,
): MasterContext {
  const { opts, host, jobs, keys, cache } = access
  const log = identity.log ?? access.log
  const known = { opts, keys, cache, log }
  const local = localFunctions(access, () => reachOf(access, ctx, call))
  const ctx: MasterContext = {
    opts,
    log,
    host,
    http: httpClient(host, opts),
    jobs,
    keys,
    cache,
    files: new LocalFileClient(opts, host),
    fileServer: new FileServer(opts, host),
    memory: new Map(),
    jid: identity.jid,
    user: identity.user,
    masked: identity.masked ?? true,
    call: (name, args, kwargs) => runners.call(ctx, name, args, kwargs),
    wheel: (name, args, kwargs) => wheels.call(ctx, name, args, kwargs),
    function: async (name, args, kwargs) => (await local()).call(name, args, kwargs),
    functions: async () => (await local()).ctx,
    docs: async (family) => {
      if (family === 'function') return functionDocs(await local())
      return (family === 'runner' ? runners : wheels).docs()
    },
    targets: (target, kind, delimiter) => resolveTarget(known, target, kind, delimiter),
    connected: () => connectedMinions(access),
    publish: (job) => access.publish(job),
    logHints: async (returns) => {
      const hints = new JobHints()
      for (const [id, ret] of returns) hints.note(id, ret)
      await logTold(access, hints)
    },
    run: (job) => gathered(access, job, (text) => ctx.print(text)),
    fire: (tag, data) => access.fire(tag, data),
    fireForCaller: (tag, data) => access.fire(tag, data, identity.caller),
    announce: (tag, data) => announce(access, tag, data),
    progress: async (data, suffix = 'progress') => {
      await announce(access, `${identity.tag}/${suffix}`, data)
      identity.onProgress?.(data, suffix)
    },
    reactions: () => reactionsOf(access),
    orchestrations: () => orchestrationsOf(opts),
    queues: () => queuesOf(opts),
    ownQueues: (name) => ownQueues(opts, local, name),
    events: (filter, seconds, wish) => access.events(filter, seconds, wish),
    journal: () => journalOf(access),
    ...minionPillars(known, host),
    jobCache: async (name) => jobCacheOf((await local()).ctx, name),
    ask: (load) => access.command(load),
    render: async ({ text, withLines, ...request }) => {
      const { renderText } = await import('../render/mod.ts')
      const functions = await local()
      const { grains } = functions.ctx
      const positions = withLines !== undefined
      const surroundings = { opts, grains, pillar: new Map(), functions, log, positions }
      const { value, sourceLine } = await renderText(text, { ...request, ...surroundings })
      withLines?.(sourceLine)
      return value
    },
    print: identity.print ?? (() => {}),
  }
  return ctx
}

/** Has minions do something, and gives what they return, with the number of the job. */
async function* gathered(
  access: MasterAccess,
  job: MinionJob,
  print: (text: string) => void,
): AsyncGenerator<MinionReturn> {
  const published = await access.publish(job)
  if (!published) return print(NOBODY_MATCHED)
  const wait = job.gatherJobTimeout ?? option(access.opts, 'gather_job_timeout')
  const { jid } = published
  const hints = new JobHints()
  try {
    for await (const answer of access.collect(published, job.timeout ?? option(access.opts, 'timeout'), wait)) {
      if (answer.data) hints.note(answer.id, answer.data)
      yield { ...answer, jid }
    }
  } finally {
    await logTold(access, hints)
  }
}

/** Log what minions told besides what they returned. */
async function logTold({ opts, host, log }: MasterAccess, hints: JobHints): Promise<void> {
  for (const { level, text } of await hints.told(opts, host)) log(level, text)
}

/** What the pillar of minions is, and where it comes from. */
function minionPillars(
  known: MinionKnowledge,
  host: Host,
): Pick<MasterContext, 'pillarOf' | 'pillarOrigins' | 'pillarTop' | 'updateGitPillars'> {
  return {
    pillarOf: (id, grains, options = {}) => minionPillar(known, host, { id, grains, ...options }),
    pillarOrigins: (id, grains, path, more = {}) => minionPillarOrigins(known, host, { id, grains, path, ...more }),
    pillarTop: (id, grains, saltenv) => minionPillarTop(known, host, { id, grains, saltenv }),
    updateGitPillars: async (wanted) => (await import('../pillar/mod.ts')).updateGitPillars({ ...known, host }, wanted),
  }
}

/** Fires an event that nobody has to hear: functions of the master run beside one that is down, too. */
export async function announce({ fire, log }: MasterAccess, tag: string, data: Dict): Promise<void> {
  try {
    await fire(tag, data)
  } catch (error) {
    if (!(error instanceof BrineError) || error.code !== 'BusUnreachable') throw error
    log('debug', `Nobody hears of ${tag}: ${error.message}`)
  }
}

function noCalls(): never {
  throw new BrineError('NoCalls', 'Functions of the master cannot be called from here')
}

/** The journal of the master, with what the job store has of it. */
export function journalOf(access: Pick<MasterAccess, 'opts' | 'jobs'>): JournalReader {
  return new JournalReader(journalFolder(access.opts), () => access.jobs)
}

const stores = new WeakMap<Dict, ReactionStore>()

/** Opened when they are asked for. */
function reactionsOf({ opts, storage }: MasterAccess): ReactionStore {
  const store = stores.get(opts) ?? new ReactionStore(join(option(opts, 'cachedir'), 'reactions.db'), storage)
  stores.set(opts, store)
  return store
}

const runs = new WeakMap<Dict, OrchestrationStore>()

function orchestrationsOf(opts: Dict): OrchestrationStore {
  const store = runs.get(opts) ?? new OrchestrationStore(join(option(opts, 'cachedir'), 'orchestrations.db'))
  runs.set(opts, store)
  return store
}

const queues = new WeakMap<Dict, QueueStore>()

function queuesOf(opts: Dict): QueueStore {
  const store = queues.get(opts) ?? new QueueStore(option(opts, 'sqlite_queue_dir'))
  queues.set(opts, store)
  return store
}

/** Without files of that kind nothing else is looked at. */
async function ownQueues(opts: Dict, local: () => Promise<Registry>, name: string): Promise<OwnPlugin | undefined> {
  const { moduleFiles, ownPlugin } = await import('../pybridge/mod.ts')
  if (moduleFiles(opts, 'queues').length === 0) return undefined
  return ownPlugin({ ...(await local()).ctx, opts }, 'queues', name)
}

/** Made when one is asked for, once for all calls of a process. */
const minions = new WeakMap<Dict, Promise<Registry>>()

/** The functions of a minion on the master's machine. */
function localFunctions(access: MasterAccess, master: () => MasterReach): () => Promise<Registry> {
  let made: Promise<Registry> | undefined
  return () => {
    made ??= (async () => {
      const { opts } = access
      const known = minions.get(opts) ?? masterMinion(access)
      minions.set(opts, known)
      return reaching(await known, master())
    })()
    return made
  }
}

/** What functions of that minion see of the master. */
function reachOf(access: MasterAccess, ctx: MasterContext, call: MasterCaller): MasterReach {
  const { user, run, publish, targets, announce, events, print, logHints } = ctx
  return {
    user,
    run: (job) => run(asStepJob(job)),
    publish: (job) => publish(asStepJob(job)),
    targets,
    beginBatch: async (load) => {
      const { jid } = asStepJob({ jid: newJid() })
      await access.beginBatch(new Map(load).set('jid', jid))
      return jid
    },
    fire: announce,
    events,
    print,
    steps: () => {
      const jid = ctx.memory.get('orchestration')
      return jid === undefined ? undefined : keptSteps(ctx.orchestrations(), str(jid))
    },
    parameters: async (family, name) => {
      const registry = family === 'runner' ? runners : wheels
      if (!registry.has(name)) return undefined
      const { positional, keywordOnly, open } = signatureOf(
        await registry.find(name),
        name.slice(name.indexOf('.') + 1),
      )
      return { names: [...positional, ...keywordOnly], open }
    },
    names: (family) => (family === 'runner' ? runners : wheels).names(),
    logHints,
    call: (family, inner) => call(family, asStepJob(inner)),
  }
}

async function functionDocs(functions: Registry): Promise<Map<string, string>> {
  const docs = (await functions.call('sys.doc')) as Map<Value, Value>
  return new Map([...docs].map(([name, doc]) => [str(name), str(doc)]))
}
