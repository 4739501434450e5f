// A minion without a master: grains, pillar and functions, put together for one call. What a call does not need is not
// loaded: the pillar compiler and the renderers cost more than most functions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError, type Log, namedLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import { LocalHost, loggedHost } from '../../host/mod.ts'
import { loggerName, moduleTable, type Registry, type RegistryContext } from '../../loader/mod.ts'
import { minionFunctions } from '../../minion/mod.ts'
import type { DaemonAccess } from '../../sdk/mod.ts'
import { fireOnMinion, minionEvents } from './minion-bus.ts'

export interface LocalMinion {
  functions: Registry
  grains: Dict
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
  const nothing: Dict = new Map()
  if (!hasPillar(opts)) {
    opts.set('pillar', nothing)
    return { functions: await open(nothing), grains }
  }
  const { LocalPillar } = await import('../../pillar/mod.ts')
  const local = new LocalPillar({ opts, grains, host, registry: await open(nothing), log })
  const { pillar } = await local.compile({ pillarenv: textOr(opts.get('pillarenv')) })
  opts.set('pillar', pillar)
  const { freshPillar, pillarOrigins } = local
  return { functions: await open(pillar, { freshPillar, pillarOrigins }), grains }
}

/** Loads what the call will need while the machine is asked for its grains; what it is asked with has been started then. */
async function loadAhead(opts: Dict): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  const module = str(opts.get('fun') ?? '').split('.')[0]!
  const serving = Object.hasOwn(moduleTable, module) ? moduleTable[module]! : []
  if (serving.length === 1) await serving[0]!.load()
  if (module === 'state') await import('../../state/mod.ts')
  if (hasPillar(opts)) await import('../../pillar/mod.ts')
}

/** Without a master there may still be a minion that runs here. */
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
