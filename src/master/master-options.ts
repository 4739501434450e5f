// The master options that minions get: those that affect how states are compiled.
import { option } from '../config/mod.ts'
import { type Dict, truthy, type Value } from '../data/mod.ts'

const ALWAYS = ['top_file_merging_strategy', 'env_order', 'default_top'] as const

const WHOLE = [
  'renderer',
  'failhard',
  'state_top',
  'state_top_saltenv',
  'nodegroups',
  'state_auto_order',
  'state_events',
  'state_aggregate',
  'jinja_env',
  'jinja_sls_env',
  'jinja_lstrip_blocks',
  'jinja_trim_blocks',
] as const

export function masterOptions(opts: Dict, envs: readonly string[], load: Dict): Dict {
  const told: Dict = new Map<Value, Value>([['file_roots', new Map<Value, Value>(envs.map((env) => [env, []]))]])
  const names = truthy(load.get('env_only') ?? false) ? ALWAYS : [...ALWAYS, ...WHOLE]
  for (const name of names) told.set(name, option(opts, name))
  return told
}
