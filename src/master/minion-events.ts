// `_minion_event`: what minions tell. A single event arrives within the load of its request, so that its `id` is the proven one;
// the events of a list go out as they are. Which tags a minion may fire is said in one table (`tagRefusal`).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Later, toError } from '../base/mod.ts'
import { isAboutSender, isTag, minionOrigin, type Origin, syndicOrigin, tagRefusal } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, fnmatch, isDict, isList, str, textOf } from '../data/mod.ts'
import { isValidId, NotTakenError } from '../wire/mod.ts'
import { eventRecord } from './log-records.ts'
import type { MasterParts } from './parts.ts'

type EventParts = Pick<MasterParts, 'bus' | 'log' | 'opts' | 'keys' | 'cluster'>

/** What fires an event of somebody who may not fire every tag. */
type FiringParts = Pick<EventParts, 'log' | 'keys'> & {
  bus: { fireFrom(origin: Origin, tag: string, data: Dict): unknown }
}

/** Tell what a minion sent. In a cluster, done when the cluster will not lose it. */
export function takeMinionEvent(parts: EventParts, load: Dict): Later<null> {
  const { bus, cluster } = parts
  if (!cluster) return fireAll(parts, load)
  const taken: Array<Promise<void>> = []
  const fireFrom = (origin: Origin, tag: string, data: Dict): void => {
    taken.push(cluster.append(eventRecord({ origin, tag, fields: bus.stamped(tag, data) })))
  }
  fireAll({ ...parts, bus: { fireFrom } }, load)
  return Promise.all(taken).then(
    () => null,
    (error: unknown) => {
      throw new NotTakenError(`Cannot keep the events of ${str(load.get('id') ?? '')}: ${toError(error).message}`, {
        cause: error,
      })
    },
  )
}

function fireAll(parts: FiringParts & Pick<EventParts, 'opts'>, load: Dict): null {
  const id = str(load.get('id') ?? '')
  const events = load.get('events')
  if (events === undefined || !isList(events)) {
    fireFor(parts, minionOrigin(id), textOf(load.get('tag') ?? null) ?? '', load)
    return null
  }
  const pretag = load.get('pretag') === `syndic/${id}` && mayPassOn(parts, id) ? `syndic/${id}` : undefined
  const origin = pretag !== undefined || isSyndic(parts, id) ? syndicOrigin(id) : minionOrigin(id)
  for (const event of events.filter(isDict)) {
    const tag = textOf(event.get('tag') ?? null) ?? ''
    const data = event.get('data') ?? null
    const body: Dict = isDict(data) ? new Map(data) : new Map([['data', data]])
    // a syndic marks what it passes on with its own name in front, and after that may be anything
    if (pretag !== undefined && isTag(`${pretag}/${tag}`)) parts.bus.fireFrom(origin, `${pretag}/${tag}`, new Map(body))
    if (origin.kind === 'minion' && isAboutSender(tag, id) && body.has('id')) body.set('id', id)
    fireFor(parts, origin, tag, body)
  }
  return null
}

/** Fires an event of somebody who may not fire every tag, or says in the log why not. */
export function fireFor({ bus, log, keys }: FiringParts, origin: Origin, tag: string, data: Dict): boolean {
  const refusal = tagRefusal(origin, tag, (id) => !isValidId(id) || keys.accepted(id) !== undefined)
  if (refusal === undefined) bus.fireFrom(origin, tag, data)
  else log('warning', refusal)
  return refusal === undefined
}

/** Whether a minion may act as a syndic: with `order_masters` those that `syndics` names, or every one where it is not set. */
export function mayPassOn({ opts }: Pick<EventParts, 'opts'>, id: string): boolean {
  if (!option(opts, 'order_masters')) return false
  const named = opts.get('syndics') ?? null
  return named === null || (isList(named) && named.some((glob) => fnmatch(id, str(glob))))
}

/** Where a file for each syndic lies, as Salt keeps them. */
export const syndicsFolder = ({ opts }: Pick<EventParts, 'opts'>): string => join(option(opts, 'cachedir'), 'syndics')

/** Whether a minion has passed on returns before. */
const isSyndic = (parts: Pick<EventParts, 'opts'>, id: string): boolean =>
  mayPassOn(parts, id) && isValidId(id) && existsSync(join(syndicsFolder(parts), id))
