// `_minion_event`: what minions tell. A single event arrives within the load of its request, so that its `id` is the proven one;
// the events of a list go out as they are. Which tags a minion may fire is said in one table (`tagRefusal`).
import { type Later, toError } from '../base/mod.ts'
import { isAboutSender, isTag, minionOrigin, type Origin, syndicOrigin, tagRefusal } from '../bus/mod.ts'
import { type Dict, isDict, isList, str, textOf } from '../data/mod.ts'
import { isValidId, NotTakenError } from '../wire/mod.ts'
import { eventRecord } from './log-records.ts'
import type { MasterParts } from './parts.ts'

type EventParts = Pick<MasterParts, 'bus' | 'log' | 'keys' | 'cluster' | 'syndics'>

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

function fireAll(parts: FiringParts & Pick<EventParts, 'syndics'>, load: Dict): null {
  const id = str(load.get('id') ?? '')
  const events = load.get('events')
  if (events === undefined || !isList(events)) {
    const tag = textOf(load.get('tag') ?? null) ?? ''
    if (tag === `salt/syndic/${id}/start`) parts.syndics.register(id)
    fireFor(parts, minionOrigin(id), tag, load)
    return null
  }
  const { syndics } = parts
  const pretag = load.get('pretag') === `syndic/${id}` && syndics.mayPassOn(id) ? `syndic/${id}` : undefined
  if (pretag !== undefined) syndics.register(id)
  const origin = pretag !== undefined || syndics.isKnown(id) ? syndicOrigin(id) : minionOrigin(id)
  for (const event of events.filter(isDict)) {
    const tag = textOf(event.get('tag') ?? null) ?? ''
    const data = event.get('data') ?? null
    const body: Dict = isDict(data) ? new Map(data) : new Map([['data', data]])
    // a syndic marks what it passes on with its own name in front, and after that may be anything
    if (pretag !== undefined && isTag(`${pretag}/${tag}`)) parts.bus.fireFrom(origin, `${pretag}/${tag}`, new Map(body))
    if (origin.kind === 'minion' && isAboutSender(tag, id) && body.has('id')) body.set('id', id)
    // most events of a master below are reserved for it, and stay under the syndic's name
    fireFor(parts, origin, tag, body, pretag !== undefined)
  }
  return null
}

/** Fire an event of somebody who may not fire every tag, or log why not. `isTold` says that the event was fired under another tag. */
export function fireFor(
  { bus, log, keys }: FiringParts,
  origin: Origin,
  tag: string,
  data: Dict,
  isTold = false,
): boolean {
  const refusal = tagRefusal(origin, tag, (id) => !isValidId(id) || keys.accepted(id) !== undefined)
  if (refusal === undefined) bus.fireFrom(origin, tag, data)
  else log(isTold ? 'debug' : 'warning', refusal)
  return refusal === undefined
}
