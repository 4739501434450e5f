// `_minion_event`: what minions tell. A single event arrives with who sent it around it; of several each goes out as it
// is. Tags that are the master's own are not taken from minions, nor those in which a minion would speak for another.
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

/** Tags in which the name of who tells is a part. */
const NAMED = /^salt\/(?:minion|beacon)\/([^/]+)\//

const LONGEST_TAG = 1024

type EventParts = Pick<MasterParts, 'bus' | 'log' | 'opts'>

export function takeMinionEvent(parts: EventParts, load: Dict): null {
  const { bus } = parts
  const id = str(load.get('id') ?? '')
  const events = load.get('events')
  if (events !== undefined && isList(events)) {
    for (const event of events) if (isDict(event)) takeOne(event)
    return null
  }
  const tag = textOf(load.get('tag') ?? null)
  if (tag !== undefined && isTaken(parts, id, tag)) bus.fire(tag, load)
  return null

  function takeOne(event: Dict): void {
    const tag = textOf(event.get('tag') ?? null) ?? ''
    const data = event.get('data')
    const body = data !== undefined && isDict(data) ? data : new Map([['data', data ?? null]])
    // a syndic marks what it passes on with its own name, and that may be anything
    if (load.get('pretag') === `syndic/${id}` && isTag(tag)) bus.fire(`syndic/${id}/${tag}`, new Map(body))
    if (isTaken(parts, id, tag)) bus.fire(tag, body)
  }
}

/** An empty line would end the tag for those who read it, and what follows would be the data. */
const isTag = (tag: string): boolean => tag.length <= LONGEST_TAG && !tag.includes('\n')

function isTaken({ log, opts }: EventParts, id: string, tag: string): boolean {
  const isSyndic = truthy(opts.get('order_masters') ?? false)
  const [, named = id] = NAMED.exec(tag) ?? []
  const isOfAnother = named !== id || (fnmatch(tag, RETURN) && !tag.endsWith(`/${id}`))
  if (isTag(tag) && !(isOfAnother && !isSyndic) && !RESERVED.some((pattern) => fnmatch(tag, pattern))) return true
  log('warning', `Dropped an event with the reserved tag ${JSON.stringify(tag.slice(0, 100))} from ${id}`)
  return false
}
