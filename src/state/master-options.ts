// The options of the master that decide how a minion compiles and runs states: top file, nodegroups, renderer, Jinja, failhard.
import { type Dict, isDict, truthy, type Value } from '../data/mod.ts'

/** Options that only the master sets, with the value for a master that does not send one. */
const DECIDED: readonly (readonly [string, Value])[] = [
  ['failhard', false],
  ['state_top_saltenv', null],
  ['nodegroups', new Map()],
  ['jinja_env', new Map()],
  ['jinja_sls_env', new Map()],
  ['jinja_lstrip_blocks', false],
  ['jinja_trim_blocks', false],
]

/** Options that replace the minion's if the master sends them. */
const REPLACED = [
  'renderer',
  'state_top',
  'state_auto_order',
  'file_roots',
  'top_file_merging_strategy',
  'env_order',
  'default_top',
] as const

/** Options that either the master or the minion can enable. */
const EITHER = ['state_events', 'state_aggregate'] as const

/** Apply the master's options to a run. An answer without options, as for a machine without a master, changes nothing. */
export function applyMasterOptions(opts: Dict, sent: Value): void {
  if (!isDict(sent) || sent.size === 0) return
  for (const [name, missing] of DECIDED) opts.set(name, sent.get(name) ?? missing)
  for (const name of REPLACED) {
    const value = sent.get(name)
    if (value !== undefined) opts.set(name, value)
  }
  for (const name of EITHER) {
    const own = opts.get(name)
    if (own === undefined || !truthy(own)) opts.set(name, sent.get(name) ?? own ?? false)
  }
}
