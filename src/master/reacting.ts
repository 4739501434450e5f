// Connects the reactor to the functions, stores and bus of its master.
import { readFileSync } from 'node:fs'
import { localKeyFile, newJid, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Caused, checkRules, Reactor, type ReactorParts } from '../reactor/mod.ts'
import { callingContext, type MasterAccess, runMasterFunction } from '../runner/mod.ts'
import { applyReactorEngine } from './engines.ts'
import type { MasterParts } from './parts.ts'

/** The master as it is reached in the name of a reaction. */
function causedAccess(access: MasterAccess, caused: Caused): MasterAccess {
  const own: Pick<MasterAccess, 'fire' | 'publish'> = {
    fire: (tag, data, caller) => caused.firing(() => access.fire(tag, data, caller)),
    publish: (job) => {
      const jid = job.jid ?? newJid()
      caused.job(jid)
      return access.publish({ ...job, jid })
    },
  }
  return { ...access, ...own }
}

/** Start the reactor of a master with rules. */
export function openReactor(
  parts: Pick<MasterParts, 'opts' | 'log' | 'bus' | 'jobs'>,
  access: MasterAccess,
  { minionsBack, tracer, shared }: Pick<ReactorParts, 'minionsBack' | 'tracer' | 'shared'>,
): Reactor {
  const { opts, log, bus } = parts
  applyReactorEngine(opts)
  const keyFile = localKeyFile(option(opts, 'cachedir'), option(opts, 'user'))
  const context = callingContext(access, { jid: '', user: 'UNKNOWN', tag: 'salt/reactor' })
  const declared = async (kind: 'runner' | 'wheel', fun: string) => {
    const registry = access.functions.of(kind)
    // users' own may have been synced since
    if (!registry.has(fun)) await access.functions.refresh()
    if (!registry.has(fun)) return undefined
    const [module = ''] = fun.split('.')
    return { declaration: await registry.find(fun), isBuiltIn: Object.hasOwn(registry.builtIn, module) }
  }
  checkRules(context, declared).then(
    (problems) => {
      for (const problem of problems) log('warning', problem)
    },
    (error: unknown) => log('error', `The rules of the reactor cannot be checked: ${toError(error).message}`),
  )
  const { run, publish, targets, orchestrations } = context
  const master: ReactorParts['master'] = {
    run,
    publish,
    targets,
    orchestrations,
    jobs: parts.jobs,
    call: ({ caused, ...call }) => runMasterFunction(causedAccess(access, caused), { ...call, isBrief: true }),
  }
  const reactor = new Reactor({
    context,
    master,
    bus,
    declared,
    store: context.reactions(),
    ...(minionsBack && { minionsBack }),
    tracer,
    shared,
    masterKey: () => readFileSync(keyFile, 'utf8').trim(),
  })
  reactor.start()
  return reactor
}
