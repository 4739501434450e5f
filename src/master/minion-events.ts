// `_minion_event`: events of minions. The data of a single event contains the proven `id`, because it is the load of
// the request; the events of a list are passed on unchanged. The table in `tagRefusal` decides which tags a minion may
// fire.
import { type Later, toError } from '../base/mod.ts'
import { isAboutSender, isTag, minionOrigin, type Origin, syndicOrigin, tagRefusal } from '../bus/mod.ts'
import { type Dict, isDict, isList, str, textOf } from '../data/mod.ts'
import { isValidId, NotTakenError } from '../wire/mod.ts'
import { eventRecord } from './log-records.ts'
import type { MasterParts } from './parts.ts'

type EventParts = Pick<MasterParts, 'bus' | 'log' | 'keys' | 'cluster' | 'syndics'>

/** The parts that firing an event of a restricted sender needs. */
type FiringParts = Pick<EventParts, 'log' | 'keys'> & {
  bus: { fireFrom(origin: Origin, tag: string, data: Dict): unknown }
}

/** Fire the events of a minion. In a cluster, resolves when the cluster has stored them. */
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
    // a syndic puts its own id in front of the tag; the rest is free
    if (pretag !== undefined && isTag(`${pretag}/${tag}`)) parts.bus.fireFrom(origin, `${pretag}/${tag}`, new Map(body))
    if (origin.kind === 'minion' && isAboutSender(tag, id) && body.has('id')) body.set('id', id)
    // most events of a master below are reserved for it, and stay under the syndic's name
    fireFor(parts, origin, tag, body, pretag !== undefined)
  }
  return null
}

/** Fire an event of a restricted sender, or log the refusal. `isTold`: the event was also fired under another tag. */
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
