// `_minion_event`: what minions tell. A single event arrives with who sent it around it; of several each goes out as it
// is. Tags that are the master's own are not taken from minions.
import { type Dict, fnmatch, isDict, isList, str, textOf, truthy } from '../data/mod.ts'
import type { MasterParts } from './parts.ts'

const RESERVED = [
  'salt/job/*/publish',
  'salt/job/*/new',
  'salt/job/*/return',
  'salt/key',
  'salt/cloud/*',
  'salt/run/*',
  'salt/cluster/*',
  'salt/wheel/*/new',
  'salt/wheel/*/return',
]

/** Returns are told by the master once it has kept them, under the name that was proven; syndics pass on those below. */
const RETURN = 'salt/job/*/ret/*'

export function takeMinionEvent({ bus, log, opts }: Pick<MasterParts, 'bus' | 'log' | 'opts'>, load: Dict): null {
  const isOurs = (tag: string): boolean =>
    fnmatch(tag, RETURN) &&
    !truthy(opts.get('order_masters') ?? false) &&
    !tag.endsWith(`/${str(load.get('id') ?? '')}`)

  const events = load.get('events')
  if (events !== undefined && isList(events)) {
    for (const event of events) if (isDict(event)) takeOne(event)
    return null
  }
  const tag = textOf(load.get('tag') ?? null)
  if (tag !== undefined && !isOurs(tag)) bus.fire(tag, load)
  return null

  function takeOne(event: Dict): void {
    const tag = textOf(event.get('tag') ?? null) ?? ''
    if (isOurs(tag) || RESERVED.some((pattern) => fnmatch(tag, pattern))) {
      log('warning', `Dropped an event with the reserved tag ${tag} from ${str(load.get('id') ?? '')}`)
      return
    }
    const data = event.get('data')
    const body = data !== undefined && isDict(data) ? data : new Map([['data', data ?? null]])
    const pretag = textOf(load.get('pretag') ?? null)
    if (pretag) bus.fire(`${pretag}/${tag}`, new Map(body))
    bus.fire(tag, body)
  }
}
