// A minion without a master: grains, pillar and functions for one call. Parts that a call does not need are not loaded:
// the pillar compiler and the renderers cost more than most functions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError, type Log, namedLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import { type Host, LocalHost, loggedHost } from '../../host/mod.ts'
import { loggerName, moduleTable, type Registry, type RegistryContext } from '../../loader/mod.ts'
import { minionFunctions, stateParts } from '../../minion/mod.ts'
import type { DaemonAccess, ProxyAccess } from '../../sdk/mod.ts'
import { fireOnMinion, minionEvents } from './minion-bus.ts'

export interface LocalMinion {
  functions: Registry
  grains: Dict
  /** Release the resources of the call, such as the device of a proxy minion. */
  close?(): Promise<void>
}

export async function localMinion(opts: Dict, log: Log): Promise<LocalMinion> {
  const host = loggedHost(
    new LocalHost({ cache: option(opts, 'cachedir') }),
    namedLog(log, loggerName('module', 'cmd')),
  )
  const { collectGrains } = await import('../../grains/mod.ts')
  const [grains] = await Promise.all([
    collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core') }),
    loadAhead(opts),
  ])
  opts.set('grains', grains)
  const daemon = alone(opts, log)
  const open = async (pillar: Dict, more: Partial<RegistryContext> = {}): Promise<Registry> => {
    const functions = minionFunctions({ opts, grains, pillar, host, log, more: { daemon, ...more } })
    await functions.refresh()
    return functions
  }
  const finish = async (pillar: Dict, more: Partial<RegistryContext> = {}): Promise<LocalMinion> => {
    opts.set('pillar', pillar)
    if (!opts.has('proxyid')) return { functions: await open(pillar, more), grains }
    return withDevice(opts, pillar, (proxy) => open(pillar, { ...more, proxy }), { grains, host, log })
  }
  if (!hasPillar(opts)) return finish(new Map())
  const LocalPillar = await pillarPart()
  const local = new LocalPillar({ opts, grains, host, registry: await open(new Map()), log })
  const { pillar } = await local.compile({ pillarenv: textOr(opts.get('pillarenv')) })
  const { freshPillar, pillarOrigins } = local
  return finish(pillar, { freshPillar, pillarOrigins })
}

interface Machine {
  grains: Dict
  host: Host
  log: Log
}

/** The functions of a proxy minion, once its device is reached. */
async function withDevice(
  opts: Dict,
  pillar: Dict,
  open: (proxy: ProxyAccess | undefined) => Promise<Registry>,
  { grains, host, log }: Machine,
): Promise<LocalMinion> {
  const { ProxyDevice } = await import('../../minion/mod.ts')
  const { collectGrains } = await import('../../grains/mod.ts')
  const proxy = new ProxyDevice(log, false)
  const opened = (): ProxyAccess | undefined => (proxy.isOpen ? proxy : undefined)
  let made: Promise<Registry> | undefined
  await proxy.begin({
    opts,
    pillar,
    get functions() {
      made ??= open(opened())
      return made
    },
    forgetFunctions: () => {
      made = undefined
    },
    refreshGrains: async () => {
      for (const [name, value] of await collectGrains({ opts, host, log, proxy })) grains.set(name, value)
    },
  })
  return { functions: await open(proxy), grains, close: () => proxy.close() }
}

/** Load modules for the call while the commands of the grains run. */
async function loadAhead(opts: Dict): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  const module = str(opts.get('fun') ?? '').split('.')[0]!
  const serving = Object.hasOwn(moduleTable, module) ? moduleTable[module]! : []
  if (serving.length === 1) await serving[0]!.load()
  if (module === 'state') await stateParts()
  if (hasPillar(opts)) await pillarPart()
}

const pillarPart = async () => (await import('../../pillar/mod.ts')).LocalPillar

/** Return the daemon access without a master; a minion may still run here. */
function alone(opts: Dict, log: Log): DaemonAccess {
  return {
    askMaster: async () => {
      throw new BrineError('SaltClientError', 'There is no master')
    },
    fire: (tag, data) => fireOnMinion(opts, log, tag, data),
    ...minionEvents(opts),
    running: () => [],
    signal: () => false,
  }
}

/** Whether anything could be in the pillar at all. */
function hasPillar(opts: Dict): boolean {
  if (['ext_pillar', 'pillar_opts', 'pillar'].some((name) => truthy(opts.get(name) ?? null))) return true
  const roots = option(opts, 'pillar_roots')
  const top = option(opts, 'state_top')
  const dirs = isDict(roots) ? [...roots.values()].flatMap((list) => (isList(list) ? list : [])) : []
  return dirs.some((dir) => existsSync(join(str(dir), top)))
}

const textOr = (value: Value | undefined): string | null => (value === undefined || value === null ? null : str(value))
