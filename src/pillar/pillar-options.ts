// The options pillar is compiled under: the master's or the masterless minion's, seen for one minion and environment.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  contains,
  type Dict,
  deepCopy,
  isIterable,
  merge,
  sorted,
  str,
  truthy,
  typeName,
  type Value,
} from '../data/mod.ts'
import { isPlainEnv } from '../fileserver/mod.ts'

export interface PillarEnvironment {
  minionId: string
  grains: Dict
  saltenv: string | null
  pillarenv: string | null
  /** An external pillar for this request only. */
  ext: Value
  log: Log
}

export function pillarOptions(given: Dict, environment: PillarEnvironment): Dict {
  const { minionId, grains, saltenv } = environment
  // grains are as many as a minion sends, and are not changed here
  const opts = deepCopy(new Map(given).set('grains', null))
  const pillarenv = environment.pillarenv ?? (truthy(given.get('pillarenv_from_saltenv') ?? false) ? saltenv : null)
  opts.set('file_client', 'local')
  opts.set('grains', grains)
  opts.set('saltenv', saltenv ?? option(opts, 'saltenv'))
  opts.set('pillarenv', pillarenv ?? option(opts, 'pillarenv'))
  opts.set('id', minionId)
  opts.set('minion_id', minionId)
  const top = option(opts, 'state_top')
  opts.set('state_top', top.startsWith('salt://') ? top : `salt://${top.replace(/^\//, '')}`)
  if (truthy(environment.ext) && isAllowedOnDemand(environment.ext, opts, environment.log)) {
    const configured = opts.get('ext_pillar')
    opts.set('ext_pillar', Array.isArray(configured) ? [...configured, environment.ext] : [environment.ext])
  }
  mapEnvironment(opts)
  return opts
}

function isAllowedOnDemand(ext: Value, opts: Dict, log: Log): ext is Dict {
  if (!(ext instanceof Map)) {
    log('error', `On-demand pillar is not formatted as a dictionary: it is of the type ${typeName(ext)}`)
    return false
  }
  const allowed = option(opts, 'on_demand_ext_pillar')
  if (!isIterable(allowed)) {
    log('error', "The 'on_demand_ext_pillar' configuration option is malformed, it should be a list of names")
    return false
  }
  const refused = [...ext.keys()].filter((name) => !contains(allowed, name))
  if (refused.length === 0) return true
  log(
    'error',
    `These ext_pillar modules are not allowed on demand: ${sorted(refused).map(str).join(', ')}. ` +
      `Allowed are: ${Array.isArray(allowed) ? allowed.map(str).join(', ') : str(allowed)} (on_demand_ext_pillar)`,
  )
  return false
}

/** Replace `__env__` in pillar_roots by the requested environment, unless that has its own roots. */
function mapEnvironment(opts: Dict): void {
  const roots = opts.get('pillar_roots')
  if (!(roots instanceof Map) || !roots.has('__env__')) return
  const env = [opts.get('pillarenv'), opts.get('saltenv')].find((name) => name !== undefined && truthy(name)) ?? 'base'
  const directories = roots.get('__env__')!
  roots.delete('__env__')
  // it comes from the minion, and must not lead out of the roots
  if (roots.has(env) || !Array.isArray(directories) || !isPlainEnv(str(env))) return
  roots.set(
    env,
    directories.map((directory) => str(directory).replaceAll('__env__', str(env))),
  )
}

export type PillarMerge = (a: Value, b: Value) => Value

/** Return the merge settings of `pillar_source_merging_strategy` and `pillar_merge_lists`. */
export function pillarMerge(opts: Dict, log: Log): PillarMerge {
  const options = {
    strategy: option(opts, 'pillar_source_merging_strategy') || 'smart',
    renderer: option(opts, 'renderer'),
    mergeLists: option(opts, 'pillar_merge_lists'),
    warn: (message: string) => log('warning', message),
  }
  return (a, b) => merge(a, b, options)
}
