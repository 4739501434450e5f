// The difference between an object and its future state, without the fields that only the API server writes.
import { type Dict, equals, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { dictIn } from './client/objects.ts'

const OF_THE_SERVER = [
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

/** Return an object without status and without the metadata that the API server writes. */
function plain(object: Dict): Dict {
  const metadata = new Map(dictIn(object, 'metadata'))
  for (const field of OF_THE_SERVER) metadata.delete(field)
  const copy = new Map(object).set('metadata', metadata)
  copy.delete('status')
  return copy
}

export interface Difference {
  old: Value
  new: Value
}

/** Return the parts of two objects that differ; undefined when nothing does. Values of secrets are not in it. */
export function difference(live: Dict, wanted: Dict): Difference | undefined {
  const [before, after] = [plain(live), plain(wanted)]
  if (wanted.get('kind') !== 'Secret') return differing(before, after)
  return secretDifference(before, after)
}

/** Return the difference of a secret: the keys of its data, those with a changed value, and all other fields. */
function secretDifference(before: Dict, after: Dict): Difference | undefined {
  const [old, now] = [dictIn(before, 'data'), dictIn(after, 'data')]
  for (const object of [before, after]) object.delete('data')
  const rest = differing(before, after)
  if (equals(old, now)) return rest
  const changed = [...now.keys()].filter((key) => old.has(key) && !equals(old.get(key)!, now.get(key)!))
  const part = (other: Value | undefined, data: Dict): Dict => {
    const shown: Dict = new Map(other !== undefined && isDict(other) ? other : [])
    return shown.set('data', [...data.keys()])
  }
  const shown = part(rest?.new, now)
  return { old: part(rest?.old, old), new: changed.length === 0 ? shown : shown.set('changed', changed) }
}

/** Return a created object: without values of secrets, status and the bookkeeping of the server. */
export function created(object: Dict): Dict {
  const shown = plain(object)
  if (object.get('kind') === 'Secret') shown.set('data', [...dictIn(object, 'data').keys()])
  return shown
}

function differing(old: Value, now: Value): Difference | undefined {
  if (equals(old, now)) return undefined
  if (!isDict(old) || !isDict(now)) return { old: named(old, now), new: named(now, old) }
  const [before, after]: [Dict, Dict] = [new Map(), new Map()]
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    if (!now.has(key)) before.set(key, old.get(key)!)
    else if (!old.has(key)) after.set(key, now.get(key)!)
    else {
      const inner = differing(old.get(key)!, now.get(key)!)
      if (inner) {
        before.set(key, inner.old)
        after.set(key, inner.new)
      }
    }
  }
  return { old: before, new: after }
}

/** Return the items of a list that are missing by name in another list; other values unchanged. */
function named(list: Value, other: Value): Value {
  if (!isList(list) || !isList(other)) return list
  const hasName = (item: Value): boolean => isDict(item) && item.has('name')
  if (!list.every(hasName) || !other.every(hasName)) return list
  return list.filter((item) => !other.some((one) => equals(one, item)))
}

/** Return how an object is named in changes: `apps/v1/Deployment/default/web`. */
export function manifestKey(object: Dict): string {
  const metadata = dictIn(object, 'metadata')
  const namespace = metadata.get('namespace') ?? ''
  const parts = [object.get('apiVersion') ?? '', object.get('kind') ?? '', namespace, metadata.get('name') ?? '']
  return parts
    .filter((part) => part !== '')
    .map(str)
    .join('/')
}
