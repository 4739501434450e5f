// The reactor in its master: what it reaches the master's functions, stores and bus by.
import { readFileSync } from 'node:fs'
import { localKeyFile, newJid, toError } from '../base/mod.ts'
import {
  type MasterAccess,
  masterContext,
  refreshFunctions,
  runMasterFunction,
  runners,
  wheels,
} from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { type Caused, checkRules, hasRules, Reactor } from '../reactor/mod.ts'
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
  return Object.assign(Object.create(access), own)
}

/** Undefined when no rules are configured. */
export function openReactor(parts: MasterParts, access: MasterAccess, minionsBack: Promise<void>): Reactor | undefined {
  const { opts, log, bus } = parts
  if (!hasRules(opts)) return undefined
  applyReactorEngine(opts)
  const keyFile = localKeyFile(option(opts, 'cachedir'), option(opts, 'user'))
  const context = masterContext(
    access,
    { jid: '', user: 'UNKNOWN', tag: 'salt/reactor' },
    (family, { name, ...call }) => runMasterFunction(access, { family, fun: name, ...call }),
  )
  const declared = async (kind: 'runner' | 'wheel', fun: string) => {
    const registry = kind === 'runner' ? runners : wheels
    // users' own may have been synced since
    if (!registry.has(fun)) await refreshFunctions(access)
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
  const reactor = new Reactor({
    context,
    bus,
    declared,
    store: context.reactions(),
    minionsBack,
    run: ({ caused, ...call }) => runMasterFunction(causedAccess(access, caused), { ...call, isBrief: true }),
    masterKey: () => readFileSync(keyFile, 'utf8').trim(),
  })
  reactor.start()
  return reactor
}
