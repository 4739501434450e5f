// The options of a target without a minion: those of a minion, with data from the master (files, pillar, rendering) and
// settings of the roster.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { minionDefaults, option } from '../config/mod.ts'
import { type Dict, deepCopy, isDict, str, type Value } from '../data/mod.ts'
import type { RosterEntry } from './roster/mod.ts'

/** Options of the master that apply to a target in place of the target's own. */
const OF_THE_MASTER = [
  'ext_pillar',
  'ext_pillar_first',
  'file_ignore_glob',
  'file_ignore_regex',
  'file_roots',
  'fileserver_backend',
  'fileserver_followsymlinks',
  'fileserver_ignoresymlinks',
  'hash_type',
  'jinja_env',
  'jinja_lstrip_blocks',
  'jinja_sls_env',
  'jinja_trim_blocks',
  'log_level',
  'master_tops',
  'module_dirs',
  'nodegroups',
  'pillar_merge_lists',
  'pillar_opts',
  'pillar_roots',
  'pillar_safe_render_error',
  'pillar_source_merging_strategy',
  'renderer',
  'renderer_blacklist',
  'renderer_whitelist',
  'root_dir',
  'state_top',
  'state_top_saltenv',
  'top_file_merging_strategy',
  'user',
] as const

/** Options that only the program sets. */
const OF_THE_CALL = ['pillarenv', 'saltenv', 'test'] as const

/** The folder of the controller that holds the cache of a target. */
export function sessionFolder(opts: Dict, id: string): string {
  const isPlain = /^[\w@][\w.@:-]{0,100}$/.test(id)
  const name = isPlain ? id : createHash('sha256').update(id).digest('hex')
  return join(option(opts, 'cachedir'), 'ssh', 'minions', name)
}

export function sessionOptions(opts: Dict, { id, settings }: RosterEntry): Dict {
  const own = minionDefaults()
  own.set('__role', 'minion').set('grains_cache', true)
  for (const name of OF_THE_MASTER) if (opts.has(name)) own.set(name, opts.get(name)!)
  for (const name of OF_THE_CALL) if (opts.has(name)) own.set(name, opts.get(name)!)
  for (const given of [opts.get('ssh_minion_opts'), settings.get('minion_opts')]) {
    if (given !== undefined && isDict(given)) for (const [name, value] of given) own.set(str(name), deepCopy(value))
  }
  const folder = sessionFolder(opts, id)
  const thin = settings.get('thin_dir') ?? opts.get('thin_dir')
  const placed: Array<[string, Value]> = [
    ['id', id],
    ['file_client', 'local'],
    // the session has already fetched them
    ['autoload_dynamic_modules', false],
    ['cachedir', folder],
    ['extension_modules', join(folder, 'extmods')],
    ['__master_opts__', opts],
    ...(thin === undefined ? [] : ([['thin_dir', thin]] as Array<[string, Value]>)),
  ]
  for (const [name, value] of placed) own.set(name, value)
  return own
}

/** The options that the pillar of a target is compiled with: the master's, for this target. */
export function targetPillarOptions(opts: Dict, own: Dict): Dict {
  const merged: Dict = new Map([...own, ...opts])
  for (const name of ['id', 'cachedir', 'extension_modules', 'grains', 'file_client', '__role']) {
    if (own.has(name)) merged.set(name, own.get(name)!)
  }
  return merged
}
