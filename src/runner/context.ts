// The context of runner and wheel functions. The stores are files that this process opens. Publishing and events differ
// between a program and the master, so the caller passes them in.
import { BrineError, type Log, newJid } from '../base/mod.ts'
import type { Origin } from '../bus/mod.ts'
import { JobHints, localKey, NOBODY_MATCHED } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { jobCacheOf } from '../daemon/mod.ts'
import { type Dict, dictFrom, isDict, isList, maskMarked, SaltError, str, truthy, type Value } from '../data/mod.ts'
import { FileServer, LocalFileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { connectedMinions, type MinionKnowledge, resolveTarget } from '../match/mod.ts'
import { asStepJob, NotSharedError, Orchestration, reaching, type ShareRun } from '../orchestrate/mod.ts'
import { ownBackends } from '../pybridge/mod.ts'
import {
  type BootstrapOutcome,
  type BootstrapRequest,
  type CloudClient,
  type GitRepositories,
  type MasterContext,
  type MasterEvents,
  type MasterFunctionCall,
  type MasterOutcome,
  type MasterReach,
  type MinionJob,
  type MinionJobs,
  type MinionPillars,
  type MinionReturn,
  type OwnPlugin,
  type SshCall,
  type SshReturn,
  signatureOf,
} from '../sdk/mod.ts'
import type { MasterAccess } from './access.ts'

export interface CallIdentity {
  jid: string
  user: string
  /** The caller, if it is not the master itself. */
  caller?: Origin
  /** The tag that events of this call are below: `salt/run/<jid>`. */
  tag: string
  /** The log of the function. Default: the log of the access. */
  log?: Log
  masked?: boolean
  print?(text: string): void
  /** Receives progress reports of the call. */
  onProgress?(data: Dict, suffix: string): void
}

/** Call a runner or wheel function as a run of its own. */
export type MasterCaller = (family: 'runner' | 'wheel', call: MasterFunctionCall) => Promise<MasterOutcome>

export function masterContext(
  access: MasterAccess,
  identity: CallIdentity,
  call: MasterCaller = noCalls,
): MasterContext {
  const { opts, host, stores, functions } = access
  const log = identity.log ?? access.log
  const print = identity.print ?? (() => {})
  const known = { opts, keys: stores.keys, cache: stores.cache, log }
  const local = localFunctions(access, () => reachOf(access, ctx, orchestration, call))
  const ctx: MasterContext = {
    opts,
    log,
    host,
    http: httpClient(host, opts),
    get jobs() {
      return stores.jobs
    },
    keys: stores.keys,
    cache: stores.cache,
    cacheBanks: (driver) => stores.cacheBanks(driver),
    settled: () => stores.settled(),
    orchestrations: () => stores.orchestrations(),
    get orchestration() {
      return orchestration
    },
    queues: () => stores.queues(),
    reactions: () => stores.reactions(),
    journal: () => stores.journal(),
    files: new LocalFileClient(opts, host, log, host, async () => ownBackends),
    fileServer: new FileServer(opts, host, log, ownBackends),
    memory: new Map(),
    jid: identity.jid,
    user: identity.user,
    caller: identity.caller,
    masked: identity.masked ?? true,
    call: (name, args, kwargs) => functions.runners.call(ctx, name, args, kwargs),
    wheel: (name, args, kwargs) => functions.wheels.call(ctx, name, args, kwargs),
    function: async (name, args, kwargs) => (await local()).call(name, args, kwargs),
    functions: async () => (await local()).ctx,
    docs: async (family) => {
      if (family === 'function') return functionDocs(await local())
      return functions.of(family).docs()
    },
    connected: () => connectedMinions(known),
    ...minionJobs(access, known, print),
    ssh: (call) => sshAnswers(access, call),
    cloud: (work) => withCloud(access, work),
    bootstrap: (request) => bootstrapped(access, request),
    ...callEvents(access, identity),
    ownQueues: (name) => ownQueues(opts, local, name),
    ...minionPillars(known, host),
    ...gitRepositories(known),
    jobCache: async (name) => jobCacheOf((await local()).ctx, name),
    ask: (load) => access.command(load),
    facts: (cmd) => ownersFacts(access, cmd),
    render: async ({ text, withLines, ...request }) => {
      const { renderText } = await import('../render/mod.ts')
      const registry = await local()
      const { grains } = registry.ctx
      const positions = withLines !== undefined
      const surroundings = { opts, grains, pillar: new Map(), functions: registry, log, positions }
      const { value, sourceLine } = await renderText(text, { ...request, ...surroundings })
      withLines?.(sourceLine)
      return value
    },
    print,
  }
  const orchestration = new Orchestration(ctx, sharedRuns(access))
  return ctx
}

/** Ask the running master with the key of its owner. */
async function ownersAnswer(access: MasterAccess, cmd: string, more: Record<string, Value> = {}): Promise<Value> {
  const { user, key } = localKey(access.opts)
  return access.command(dictFrom({ cmd, ...more, user, key }))
}

async function ownersFacts(access: MasterAccess, cmd: string): Promise<Dict[] | undefined> {
  const found = await ownersAnswer(access, cmd)
  return isList(found) ? found.filter(isDict) : undefined
}

/** Send changes of orchestration records to the other masters, through the running one; undefined for a master alone. */
function sharedRuns(access: MasterAccess): ShareRun | undefined {
  if (!truthy(option(access.opts, 'cluster_id'))) return undefined
  return async (change) => {
    const answer = await ownersAnswer(access, 'orchestration_change', { change })
    const refused = isDict(answer) ? answer.get('refused') : undefined
    if (refused) throw new SaltError('CommandExecutionError', str(refused))
    if (answer !== true) throw new NotSharedError('The cluster does not take the record of the orchestration now')
  }
}

/** Publish jobs for minions and collect their returns, for functions of the master. */
function minionJobs(access: MasterAccess, known: MinionKnowledge, print: (text: string) => void): MinionJobs {
  return {
    targets: (target, kind, delimiter) => resolveTarget(known, target, kind, delimiter),
    publish: (job) => access.publish(job),
    run: (job) => gathered(access, job, print),
    logHints: async (returns) => {
      const hints = new JobHints()
      for (const [id, ret] of returns) hints.note(id, ret)
      await logTold(access, hints)
    },
  }
}

/** Yield the returns of targets of salt-ssh; fail if the program cannot reach them. */
function sshAnswers(access: MasterAccess, call: SshCall): AsyncIterable<SshReturn> {
  if (access.overSsh) return access.overSsh.run(access, call)
  throw new SaltError('CommandExecutionError', 'This program cannot run jobs of salt-ssh')
}

async function bootstrapped(access: MasterAccess, request: BootstrapRequest): Promise<BootstrapOutcome[]> {
  const outcomes = access.overSsh?.bootstrap?.(access, request)
  if (!outcomes) throw new SaltError('CommandExecutionError', 'This program cannot put minions on hosts')
  return outcomes
}

/** Open salt-cloud for one piece of work. */
async function withCloud<T>(access: MasterAccess, work: (cloud: CloudClient) => Promise<T>): Promise<T> {
  const opening = access.overSsh?.cloud?.(access)
  if (!opening) throw new SaltError('CommandExecutionError', 'This program has no salt-cloud')
  const cloud = await opening
  try {
    return await work(cloud)
  } finally {
    await cloud.close()
  }
}

/** The events of one call of the master. */
function callEvents(access: MasterAccess, { tag: own, caller, onProgress }: CallIdentity): MasterEvents {
  return {
    fire: (tag, data) => access.fire(tag, data),
    fireForCaller: (tag, data) => access.fire(tag, data, caller),
    announce: (tag, data) => announce(access, tag, data),
    progress: async (data, suffix = 'progress') => {
      await announce(access, `${own}/${suffix}`, data)
      onProgress?.(data, suffix)
    },
    events: (filter, seconds, wish) => access.events(filter, seconds, wish),
  }
}

/** Publish a job and yield its returns, each with the job id. */
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

/** Log the hints of minions. */
async function logTold({ opts, host, log }: MasterAccess, hints: JobHints): Promise<void> {
  for (const { level, text } of await hints.lines(opts, host)) log(level, text)
}

/** The pillar of minions and its sources. */
function minionPillars(known: MinionKnowledge, host: Host): MinionPillars {
  return {
    pillarOf: async (id, grains, options = {}) =>
      (await import('../pillar/mod.ts')).minionPillar(known, host, { id, grains, ...options }),
    keptPillar: async (id, grains, refresh) =>
      (await import('../pillar/mod.ts')).keptPillar(known, host, { id, grains }, refresh),
    pillarOrigins: async (id, grains, path, more = {}) =>
      (await import('../pillar/mod.ts')).minionPillarOrigins(known, host, { id, grains, path, ...more }),
    pillarTop: async (id, grains, saltenv) =>
      (await import('../pillar/mod.ts')).minionPillarTop(known, host, { id, grains, saltenv }),
  }
}

function gitRepositories(known: MinionKnowledge): GitRepositories {
  const winrepos = () => import('./winrepo.ts')
  const { opts, log } = known
  return {
    updateGitPillars: async (wanted) => (await import('../pillar/mod.ts')).updateGitPillars(known, wanted),
    updateWinrepos: async (own, isClean) => (await winrepos()).updateWinrepos(own, log, isClean),
    clearGitLocks: async (role, types, pattern) =>
      role === 'git_pillar'
        ? (await import('../pillar/mod.ts')).clearPillarLocks(known, types, pattern)
        : (await winrepos()).clearWinrepoLocks(opts, log, types, pattern),
  }
}

/** Fire an event if a master runs; functions of the master also run without one. */
export async function announce({ fire, log }: MasterAccess, tag: string, data: Dict): Promise<void> {
  try {
    await fire(tag, maskMarked(data) as Dict)
  } catch (error) {
    if (!(error instanceof BrineError) || error.code !== 'BusUnreachable') throw error
    log('debug', `Nobody hears of ${tag}: ${error.message}`)
  }
}

function noCalls(): never {
  throw new BrineError('NoCalls', 'Functions of the master cannot be called from here')
}

/** Without files of that kind nothing else is looked at. */
async function ownQueues(opts: Dict, local: () => Promise<Registry>, name: string): Promise<OwnPlugin | undefined> {
  const { mayHaveModules, ownPlugin } = await import('../pybridge/mod.ts')
  if (!mayHaveModules(opts, 'queues')) return undefined
  return ownPlugin({ ...(await local()).ctx, opts }, 'queues', name)
}

/** The functions of the minion on the master's machine, with the master as this call reaches it. */
function localFunctions({ functions }: MasterAccess, master: () => MasterReach): () => Promise<Registry> {
  let made: Promise<Registry> | undefined
  return () => {
    made ??= functions.minion().then((registry) => reaching(registry, master()))
    return made
  }
}

/** The master's functions that functions of that minion can reach. */
function reachOf(
  access: MasterAccess,
  ctx: MasterContext,
  orchestration: Orchestration,
  call: MasterCaller,
): MasterReach {
  const { user, run, publish, ssh, targets, announce, events, print, logHints } = ctx
  return {
    user,
    run: (job) => run(asStepJob(job)),
    publish: (job) => publish(asStepJob(job)),
    targets,
    ssh: (job) => ssh(asStepJob(job)),
    beginBatch: async (load) => {
      const { jid } = asStepJob({ jid: newJid() })
      await access.beginBatch(new Map(load).set('jid', jid))
      return jid
    },
    fire: announce,
    events,
    print,
    steps: () => orchestration.steps(),
    parameters: async (family, name) => {
      const registry = access.functions.of(family)
      if (!registry.has(name)) return undefined
      const { positional, keywordOnly, open } = signatureOf(
        await registry.find(name),
        name.slice(name.indexOf('.') + 1),
      )
      return { names: [...positional, ...keywordOnly], open }
    },
    names: (family) => access.functions.of(family).names(),
    logHints,
    call: (family, inner) => call(family, asStepJob(inner)),
  }
}

async function functionDocs(functions: Registry): Promise<Map<string, string>> {
  const docs = (await functions.call('sys.doc')) as Map<Value, Value>
  return new Map([...docs].map(([name, doc]) => [str(name), str(doc)]))
}
