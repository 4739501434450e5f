// What runner and wheel functions see. The stores are files that this process opens; what differs between a program and the
// master itself, publishing and events, is handed in.
import { dirname } from 'node:path'
import type { Log } from '../base/mod.ts'
import { type Dict, numberOf, str, type Value } from '../data/mod.ts'
import { LocalFileClient } from '../fileserver/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import type { Host } from '../host/mod.ts'
import { httpClient } from '../http/mod.ts'
import { MasterRegistry, moduleTable, Registry, runnerTable, wheelTable } from '../loader/mod.ts'
import type { BusMessage, MasterContext, MinionJob, MinionReturn } from '../sdk/mod.ts'
import type { DataCache, JobStore, PkiKeys } from '../store/mod.ts'
import type { Gathered, Published } from './collect.ts'
import { minionPillar } from './minion-pillar.ts'
import { resolveTarget } from './targets.ts'

/** How publishing and events are reached from here. */
export interface MasterAccess {
  opts: Dict
  log: Log
  host: Host
  jobs: JobStore
  keys: PkiKeys
  cache: DataCache
  publish(job: MinionJob): Promise<Published | undefined>
  collect(published: Published, timeout: number, gatherJobTimeout: number): AsyncIterable<Gathered>
  fire(tag: string, data: Dict): Promise<void>
  events(filter: (tag: string) => boolean, seconds?: number): AsyncIterable<BusMessage>
}

export const runners: MasterRegistry = new MasterRegistry(runnerTable)
export const wheels: MasterRegistry = new MasterRegistry(wheelTable)

export interface CallIdentity {
  jid: string
  user: string
  /** The tag that events of this call are below: `salt/run/<jid>`. */
  tag: string
  masked?: boolean
  print?(text: string): void
}

export function masterContext(access: MasterAccess, identity: CallIdentity): MasterContext {
  const { opts, log, host, jobs, keys, cache } = access
  const number = (name: string, fallback: number): number => numberOf(opts.get(name) ?? fallback) ?? fallback
  const known = { opts, keys, cache, log }
  const local = localFunctions(access)
  const ctx: MasterContext = {
    opts,
    log,
    host,
    http: httpClient(host, opts),
    jobs,
    keys,
    cache,
    files: new LocalFileClient(opts, host),
    memory: new Map(),
    jid: identity.jid,
    user: identity.user,
    masked: identity.masked ?? true,
    call: (name, args, kwargs) => runners.call(ctx, name, args, kwargs),
    wheel: (name, args, kwargs) => wheels.call(ctx, name, args, kwargs),
    function: async (name, args, kwargs) => (await local()).call(name, args, kwargs),
    docs: async (family) => {
      if (family === 'function') return functionDocs(await local())
      return (family === 'runner' ? runners : wheels).docs()
    },
    targets: (target, kind, delimiter) => resolveTarget(known, target, kind, delimiter),
    publish: (job) => access.publish(job),
    run: async function* (job): AsyncGenerator<MinionReturn> {
      const published = await access.publish(job)
      if (!published) return
      const wait = job.gatherJobTimeout ?? number('gather_job_timeout', 10)
      yield* access.collect(published, job.timeout ?? number('timeout', 5), wait)
    },
    fire: (tag, data) => access.fire(tag, data),
    progress: (data) => access.fire(`${identity.tag}/progress`, data),
    events: (filter, seconds) => access.events(filter, seconds),
    pillarOf: (id, grains, options = {}) => minionPillar(known, host, { id, grains, ...options }),
    render: async ({ text, ...request }) => {
      const { renderText } = await import('../render/mod.ts')
      const functions = await local()
      const { grains } = functions.ctx
      return (await renderText(text, { ...request, opts, grains, pillar: new Map(), functions, log })).value
    },
    print: identity.print ?? (() => {}),
  }
  return ctx
}

/** The functions of a minion on the master's machine, made when one is asked for. */
function localFunctions({ opts, log, host }: MasterAccess): () => Promise<Registry> {
  let made: Promise<Registry> | undefined
  return () => {
    made ??= (async () => {
      const own = new Map(opts).set('file_client', 'local').set('__role', 'master')
      own.set('config_dir', dirname(str(opts.get('conf_file') ?? '')))
      const grains = await collectGrains({ opts: own, host, log })
      return new Registry(moduleTable, { opts: own.set('grains', grains), grains, pillar: new Map(), host, log })
    })()
    return made
  }
}

async function functionDocs(functions: Registry): Promise<Map<string, string>> {
  const docs = (await functions.call('sys.doc')) as Map<Value, Value>
  return new Map([...docs].map(([name, doc]) => [str(name), str(doc)]))
}
