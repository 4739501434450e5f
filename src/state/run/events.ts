// Events about single states: on request of the state (`fire_event`), and as progress of the run (`state_events`).
import { option } from '../../config/mod.ts'
import { type Dict, maskMarked, str, truthy, type Value } from '../../data/mod.ts'
import { type RunSurroundings, resultDict } from './surroundings.ts'

/** Undefined if no event is to be fired. */
export function fireStateEvent(
  ret: Dict,
  length: number,
  wish: Value,
  { opts, jid, fireEvent }: RunSurroundings,
): void | Promise<void> {
  if (!fireEvent || option(opts, 'local')) return undefined
  if (!truthy(wish) && !option(opts, 'state_events')) return undefined
  const id = option(opts, 'id')
  const data = resultDict([['ret', maskMarked(ret)]])
  if (wish === true || typeof wish === 'string') {
    const name = wish === true ? str(maskMarked(ret.get('name') ?? null)) : wish
    return fireEvent(['salt', 'state_result', jid ?? 'None', id, name].join('/'), data)
  }
  data.set('len', length)
  const number = str(ret.get('__run_num__') ?? null)
  return fireEvent(['salt', 'job', jid ?? 'None', 'prog', id, number].join('/'), data)
}
