// Events that a minion sends unasked: that it has started, and that a job begins.
import { option } from '../config/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import { asctime } from '../schedule/mod.ts'

export interface Teller {
  /** Report this minion's resources to the master. */
  registerResources(): Promise<void>
  /** Fire an event at the master; `more` is added beside its data. */
  fireMaster(tag: string, data: Value, more?: Iterable<readonly [Value, Value]>): Promise<void>
}

export async function tellStart(teller: Teller, opts: Dict, grains: Dict): Promise<void> {
  const id = option(opts, 'id')
  const text = `Minion ${id} started at ${asctime(new Date())}`
  const wanted = option(opts, 'start_event_grains')
  const told = isList(wanted) ? [...grains].filter(([name]) => [...wanted].includes(name)) : []
  const more: Array<[Value, Value]> = truthy(wanted) ? [['grains', new Map(told)]] : []
  if (option(opts, 'enable_legacy_startup_events')) await teller.fireMaster('minion_start', text, more)
  await teller.registerResources()
  await teller.fireMaster(`salt/minion/${id}/start`, text, more)
}

/** Fire the event that a caller requested with `--start-event`. */
export async function tellJobStart(teller: Pick<Teller, 'fireMaster'> & { opts: Dict }, load: Dict): Promise<void> {
  const id = option(teller.opts, 'id')
  const data: Dict = new Map<Value, Value>([['id', id]])
  for (const name of ['jid', 'fun', 'tgt', 'tgt_type', 'user']) data.set(name, load.get(name) ?? null)
  if (truthy(load.get('master_id') ?? null)) data.set('master_id', load.get('master_id')!)
  if ((load.get('metadata') ?? null) !== null) data.set('metadata', load.get('metadata')!)
  await teller.fireMaster(`salt/job/${str(load.get('jid')!)}/start/${id}`, data)
}
