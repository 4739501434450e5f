// Waits until an object is ready, has a condition or a value, or is gone: by a list, then a watch from its version on.
import {
  type Dict,
  failure,
  isDict,
  isList,
  jmespathSearch,
  misuse,
  numberOf,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { isStatus, type KubernetesClient } from './client.ts'
import { dictIn, listPath, marked, type Reference } from './objects.ts'

/** Whether the wait is over; null stands for an object that does not exist. */
export type Wanted = (object: Dict | null) => boolean

export const isGone: Wanted = (object) => object === null

/** Wait for an object, up to a number of seconds. Return the object, or throw an error with the criteria. */
export async function waitFor(
  client: KubernetesClient,
  reference: Reference,
  wanted: Wanted,
  { seconds, what }: { seconds: number; what: string },
): Promise<Dict | null> {
  const end = AbortSignal.timeout(Math.min(Math.max(seconds, 0.001) * 1000, 2 ** 31 - 1))
  for (;;) {
    const found = await waitOnce(client, reference, wanted, end)
    if (found !== undefined) return found
    if (end.aborted)
      throw failure(`Timeout waiting for ${reference.type.kind} ${reference.name} ${what} after ${seconds}s`)
  }
}

/** Return the object as wanted, or undefined when the time is over or the watch has to begin anew. */
async function waitOnce(
  client: KubernetesClient,
  reference: Reference,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Dict | null | undefined> {
  const path = listPath(reference.type, reference.namespace)
  const params = { fieldSelector: `metadata.name=${reference.name}` }
  const { items, version } = await client.list(path, params)
  const now = items[0] ?? null
  if (wanted(now)) return now
  try {
    for await (const { type, object } of client.watch(path, version, { signal, params })) {
      if (type === 'BOOKMARK') continue
      const next = type === 'DELETED' ? null : marked(object)
      if (wanted(next)) return next
    }
  } catch (error) {
    // the server has forgotten the version
    if (!isStatus(error, 410)) throw error
  }
  return undefined
}

const count = (dict: Dict, name: string): number => numberOf(dict.get(name) ?? 0) ?? 0

/** Whether all replicas of a workload run the wanted template. */
const areReplicasReady =
  (ready: string, updated?: string) =>
  (object: Dict): boolean => {
    const [spec, status] = [dictIn(object, 'spec'), dictIn(object, 'status')]
    const wanted = spec.has('replicas') ? count(spec, 'replicas') : 1
    const isSeen = count(status, 'observedGeneration') >= count(dictIn(object, 'metadata'), 'generation')
    return isSeen && count(status, ready) === wanted && (updated === undefined || count(status, updated) === wanted)
  }

const READY: Readonly<Record<string, (object: Dict) => boolean>> = {
  Deployment: areReplicasReady('availableReplicas', 'updatedReplicas'),
  StatefulSet: areReplicasReady('readyReplicas', 'updatedReplicas'),
  ReplicaSet: areReplicasReady('readyReplicas'),
  DaemonSet: (object) => {
    const status = dictIn(object, 'status')
    const isSeen = count(status, 'observedGeneration') >= count(dictIn(object, 'metadata'), 'generation')
    return isSeen && count(status, 'numberReady') === count(status, 'desiredNumberScheduled')
  },
  Pod: (object) => dictIn(object, 'status').get('phase') === 'Running' && hasCondition(object, 'Ready', 'True'),
  Service: (object) =>
    truthy(dictIn(object, 'spec').get('clusterIP') ?? null) || dictIn(object, 'spec').get('type') === 'ExternalName',
  Namespace: (object) => dictIn(object, 'status').get('phase') === 'Active',
  PersistentVolumeClaim: (object) => dictIn(object, 'status').get('phase') === 'Bound',
  CustomResourceDefinition: (object) => hasCondition(object, 'Established', 'True'),
}

/** Return whether an object of a kind is ready; any other object is, as soon as it exists. */
export const isReady =
  (kind: string): Wanted =>
  (object) =>
    object !== null && (READY[kind]?.(object) ?? true)

/** Whether a job has ended; a job that failed is an error. */
export const isComplete: Wanted = (object) => {
  if (object === null) return false
  if (hasCondition(object, 'Failed', 'True'))
    throw failure(`Job ${str(dictIn(object, 'metadata').get('name') ?? '')} failed`)
  return hasCondition(object, 'Complete', 'True')
}

function hasCondition(object: Dict, type: string, status: string): boolean {
  const conditions = dictIn(object, 'status').get('conditions') ?? null
  return (isList(conditions) ? conditions : []).some(
    (condition) => isDict(condition) && condition.get('type') === type && str(condition.get('status') ?? '') === status,
  )
}

export interface Criteria {
  condition: string | null
  status: string
  jsonpath: string | null
  value: Value
  regex: string | null
}

/** Return a test for the criteria of a user. */
export function wantedBy({ condition, status, jsonpath, value, regex }: Criteria): Wanted {
  if (condition !== null && jsonpath !== null)
    throw misuse("wait_for accepts either 'condition' or 'jsonpath', not both")
  if (condition !== null) return (object) => object !== null && hasCondition(object, condition, status)
  if (jsonpath === null) throw misuse("wait_for requires one of 'condition' or 'jsonpath'")
  const path = jsonpath.replace(/^\{(.*)\}$/s, '$1').replace(/^\$?\.?/, '')
  const pattern = regex === null ? undefined : new RegExp(regex)
  return (object) => {
    const found = object === null ? null : jmespathSearch(path, object)
    if (pattern !== undefined) return found !== null && pattern.test(str(found))
    return value === null ? truthy(found) : found !== null && str(found) === str(value)
  }
}
