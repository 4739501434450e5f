// What a minion tells its master of its own accord: that it is here, and that a job begins.
import { option } from '../config/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import { asctime } from '../schedule/mod.ts'

export interface Teller {
  /** Tells the master what the minion looks after. */
  registerResources(): Promise<void>
  /** Tells the master of an event; `more` stands beside its data. */
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

/** As a caller asks for with `--start-event`. */
export async function tellJobStart(teller: Pick<Teller, 'fireMaster'> & { opts: Dict }, load: Dict): Promise<void> {
  const id = option(teller.opts, 'id')
  const data: Dict = new Map<Value, Value>([['id', id]])
  for (const name of ['jid', 'fun', 'tgt', 'tgt_type', 'user']) data.set(name, load.get(name) ?? null)
  if (truthy(load.get('master_id') ?? null)) data.set('master_id', load.get('master_id')!)
  if ((load.get('metadata') ?? null) !== null) data.set('metadata', load.get('metadata')!)
  await teller.fireMaster(`salt/job/${str(load.get('jid')!)}/start/${id}`, data)
}
