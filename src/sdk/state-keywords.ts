// Arguments of a state that the engine itself understands, and that functions therefore never see; and the name that
// a chunk's result goes by.
import { type Dict, str } from '../data/mod.ts'

/** The order decides ties when states are sorted: the index is the weight. */
export const REQUISITE_TYPES = [
  'onfail',
  'onfail_any',
  'onfail_all',
  'require',
  'require_any',
  'onchanges',
  'onchanges_any',
  'watch',
  'watch_any',
  'prereq',
  'prerequired',
  'listen',
] as const

export const REQUISITE_KEYWORDS: ReadonlySet<string> = new Set<string>([...REQUISITE_TYPES, 'onfail_stop'])

const REQUISITE_IN_KEYWORDS = ['onchanges_in', 'onfail_in', 'prereq_in', 'watch_in', 'require_in', 'listen_in']

const RUNTIME_KEYWORDS = [
  'fun',
  'state',
  'check_cmd',
  'cmd_opts_exclude',
  'failhard',
  'onlyif',
  'unless',
  'creates',
  'retry',
  'order',
  'parallel',
  'prereq',
  'prereq_in',
  'reload_modules',
  'reload_grains',
  'reload_pillar',
  'runas',
  'runas_password',
  'no_log',
  'fire_event',
  'saltenv',
  'umask',
  'use',
  'use_in',
  '__env__',
  '__sls__',
  '__id__',
  '__sls_included_from__',
  '__orchestration_jid__',
  '__pub_user',
  '__pub_arg',
  '__pub_jid',
  '__pub_fun',
  '__pub_tgt',
  '__pub_ret',
  '__pub_pid',
  '__pub_tgt_type',
  '__pub_resource_targets',
  '__pub_minion_is_target',
  '__pub_resource_target',
  '__pub_resource_job',
  '__pub_pure_resource_target',
  '__prereq__',
  '__prerequiring__',
  '__umask__',
]

/** Keys of a low chunk that a function gets only if it declares them. */
export const INTERNAL_KEYWORDS: ReadonlySet<string> = new Set([
  ...REQUISITE_KEYWORDS,
  ...REQUISITE_IN_KEYWORDS,
  ...RUNTIME_KEYWORDS,
])

/** The key of a chunk's result in a run: Salt's tag. */
export function chunkTag(low: Dict): string {
  return ['state', '__id__', 'name', 'fun'].map((key) => str(low.get(key) ?? null)).join('_|-')
}
