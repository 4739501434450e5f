// Events of a cluster as events of the bus.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { dictIn } from './client/objects.ts'

/** Return a part of a tag: characters that would begin another part are replaced. */
const part = (value: Value): string =>
  str(value)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 100) || '_'

/** Return the object that an event is about, in parts of a tag. */
function place(event: Dict): string[] {
  const about = dictIn(event, 'involvedObject')
  return [
    about.get('namespace') ?? '',
    about.get('kind') ?? '',
    about.get('name') ?? '',
    event.get('reason') ?? '',
  ].map(part)
}

export const eventTag = (start: string, event: Dict): string => [start, ...place(event)].join('/')

/** Return the end of the tag of a beacon. */
export const beaconTag = (event: Dict): string => place(event).join('/')

/** Return the data of an event, without the bookkeeping of the API server. */
export function eventData(event: Dict): Dict {
  const metadata = dictIn(event, 'metadata')
  const field = (name: string): [Value, Value] => [name, event.get(name) ?? null]
  return new Map<Value, Value>([
    ...['type', 'reason', 'message', 'count', 'involvedObject', 'source', 'reportingComponent'].map(field),
    ['first', event.get('firstTimestamp') ?? event.get('eventTime') ?? null],
    ['last', event.get('lastTimestamp') ?? event.get('eventTime') ?? null],
    ['name', metadata.get('name') ?? null],
    ['namespace', metadata.get('namespace') ?? null],
    ['resource_version', metadata.get('resourceVersion') ?? null],
  ])
}
