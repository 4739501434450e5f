// Nodes: labels, annotations, taints, and draining.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import type { KubernetesClient } from '../client/client.ts'
import { deleteObject, dictIn, getObject, patchObject } from '../client/objects.ts'
import { kindNamed, NODE } from '../kinds.ts'
import { clientFor, connection, type Kwargs } from './calling.ts'

const node = arg.text('Name of the node')
const POD = kindNamed('pod')

const reference = (name: string) => ({ type: NODE, name, namespace: undefined })

async function nodeNamed(ctx: FunctionContext, name: string, kwargs: Kwargs): Promise<Dict | null> {
  return getObject(await clientFor(ctx, kwargs), reference(name))
}

async function patchNode(ctx: FunctionContext, name: string, patch: Dict, kwargs: Kwargs): Promise<Dict> {
  return patchObject(await clientFor(ctx, kwargs), reference(name), patch, {})
}

const dict = (...entries: [string, Value][]): Dict => new Map<Value, Value>(entries)

/** Labels and annotations differ in their name only. */
function wordFunctions(field: 'labels' | 'annotations', word: 'label' | 'annotation') {
  const name = arg.text(`Name of the ${word}`)
  return {
    [`node_${field}`]: reads({
      doc: `Return the ${field} of a node.`,
      example: `kubernetes.node_${field} node1`,
      args: { name: node, kwargs: connection },
      returns: ret.dict(`The ${field}; empty when there is no such node`),
      run: async (ctx, { name, kwargs }) =>
        dictIn(dictIn((await nodeNamed(ctx, name, kwargs)) ?? new Map(), 'metadata'), field),
    }),
    [`node_add_${word}`]: changes({
      doc: `Set a ${word} of a node.`,
      example: `kubernetes.node_add_${word} node_name=node1 ${word}_name=disk ${word}_value=ssd`,
      args: { node_name: node, [`${word}_name`]: name, [`${word}_value`]: arg.text('Value'), kwargs: connection },
      returns: ret.dict('The node'),
      run: (ctx, args) => {
        const given = args as unknown as Record<string, string>
        const words = dict([given[`${word}_name`]!, given[`${word}_value`]!])
        return patchNode(ctx, given['node_name']!, dict(['metadata', dict([field, words])]), kwargsOf(args))
      },
    }),
    [`node_remove_${word}`]: changes({
      doc: `Remove a ${word} of a node.`,
      example: `kubernetes.node_remove_${word} node_name=node1 ${word}_name=disk`,
      args: { node_name: node, [`${word}_name`]: name, kwargs: connection },
      returns: ret.dict('The node'),
      run: (ctx, args) => {
        const given = args as unknown as Record<string, string>
        const words = dict([given[`${word}_name`]!, null])
        return patchNode(ctx, given['node_name']!, dict(['metadata', dict([field, words])]), kwargsOf(args))
      },
    }),
  }
}

const kwargsOf = (args: unknown): Kwargs => (args as { kwargs: Kwargs }).kwargs

const EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule']

function checkEffect(effect: string): void {
  if (!EFFECTS.includes(effect)) throw misuse(`Invalid taint effect '${effect}'. Must be one of: ${EFFECTS.join(', ')}`)
}

function taintsOf(node: Dict): Dict[] {
  const taints = dictIn(node, 'spec').get('taints') ?? null
  return isList(taints) ? taints.filter(isDict) : []
}

/** Change the taints of a node. The version of the node goes with the change, so that no other taint is lost. */
async function changeTaints(
  ctx: FunctionContext,
  name: string,
  kwargs: Kwargs,
  change: (taints: Dict[]) => Dict[],
): Promise<Dict> {
  const client = await clientFor(ctx, kwargs)
  const live = await getObject(client, reference(name))
  if (live === null) throw failure(`Node ${name} not found`)
  const version = dictIn(live, 'metadata').get('resourceVersion') ?? ''
  const patch = dict(
    ['metadata', dict(['resourceVersion', version])],
    ['spec', dict(['taints', change(taintsOf(live))])],
  )
  return patchObject(client, reference(name), patch, { patchType: 'merge' })
}

const drainArgs = {
  name: node,
  ignore_daemonsets: arg.flag('Whether pods of daemon sets may stay', { default: true }),
  delete_emptydir_data: arg.flag('Whether pods with emptyDir volumes may be removed: their data is lost', {
    default: false,
  }),
  disable_eviction: arg.flag('Whether pods are deleted in place of evicted: disruption budgets do not count then', {
    default: false,
  }),
  force: arg.flag('Whether pods without a controller are removed too', { default: false }),
  grace_period_seconds: arg.count('Seconds that a pod has to end', { optional: true }),
  timeout: arg.count('Seconds to wait until the pods are gone', { default: 300 }),
  kwargs: connection,
}

interface Draining {
  ignore_daemonsets: boolean
  delete_emptydir_data: boolean
  force: boolean
}

const podName = (pod: Dict): string =>
  `${str(dictIn(pod, 'metadata').get('namespace') ?? '')}/${str(dictIn(pod, 'metadata').get('name') ?? '')}`

const ownersOf = (pod: Dict): Dict[] => {
  const owners = dictIn(pod, 'metadata').get('ownerReferences') ?? null
  return isList(owners) ? owners.filter(isDict) : []
}

/** Return why a pod stays on the node, undefined when it has to go. Fails for a pod that must not be removed. */
function reasonToStay(pod: Dict, { ignore_daemonsets, delete_emptydir_data, force }: Draining): string | undefined {
  if (dictIn(dictIn(pod, 'metadata'), 'annotations').has('kubernetes.io/config.mirror')) return 'mirror pod'
  if (ignore_daemonsets && ownersOf(pod).some((owner) => owner.get('kind') === 'DaemonSet')) return 'daemonset'
  const volumes = dictIn(pod, 'spec').get('volumes') ?? null
  const isTemporary = isList(volumes) && volumes.some((volume) => isDict(volume) && volume.has('emptyDir'))
  if (isTemporary && !delete_emptydir_data && !force) {
    throw failure(
      `Pod ${podName(pod)} uses emptyDir volumes; set delete_emptydir_data=True (data will be lost) or force=True to override.`,
    )
  }
  if (ownersOf(pod).length === 0 && !force) {
    throw failure(`Pod ${podName(pod)} is not managed by a controller (bare pod); set force=True to evict anyway.`)
  }
  return undefined
}

/** Ask for the end of a pod. An eviction respects disruption budgets. */
async function remove(client: KubernetesClient, pod: Dict, isEviction: boolean, grace: number | null): Promise<void> {
  const metadata = dictIn(pod, 'metadata')
  const [name, namespace] = [str(metadata.get('name')!), str(metadata.get('namespace')!)]
  if (!isEviction) {
    await deleteObject(client, { type: POD, name, namespace }, { graceSeconds: grace })
    return
  }
  const options = grace === null ? [] : [['deleteOptions', dict(['gracePeriodSeconds', grace])] as [string, Value]]
  const body = dict(
    ['apiVersion', 'policy/v1'],
    ['kind', 'Eviction'],
    ['metadata', dict(['name', name], ['namespace', namespace])],
    ...options,
  )
  await client.ask({
    method: 'POST',
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`,
    body,
  })
}

async function untilGone(client: KubernetesClient, pods: readonly Dict[], seconds: number): Promise<string[]> {
  const end = Date.now() + Math.max(seconds, 1) * 1000
  let left = [...pods]
  for (;;) {
    const found = await Promise.all(
      left.map(async (pod) => {
        const metadata = dictIn(pod, 'metadata')
        const now = await getObject(client, {
          type: POD,
          name: str(metadata.get('name')!),
          namespace: str(metadata.get('namespace')!),
        })
        // a pod of the same name with another uid is a new one
        return now !== null && dictIn(now, 'metadata').get('uid') === metadata.get('uid') ? pod : undefined
      }),
    )
    left = found.filter((pod) => pod !== undefined)
    if (left.length === 0 || Date.now() >= end) return left.map(podName).sort()
    await sleep(1000)
  }
}

export const nodeFunctions = {
  nodes: reads({
    doc: 'Return the names of the nodes of the cluster.',
    args: { kwargs: connection },
    returns: ret.texts('The names'),
    run: async (ctx, { kwargs }) => {
      const { items } = await (await clientFor(ctx, kwargs)).list('/api/v1/nodes')
      return items.map((item) => str(dictIn(item, 'metadata').get('name') ?? ''))
    },
  }),
  node: reads({
    doc: 'Return a node as the API server has it.',
    example: 'kubernetes.node name=node1',
    args: { name: node, kwargs: connection },
    returns: ret.optional(ret.dict('The node; None when it does not exist')),
    run: (ctx, { name, kwargs }) => nodeNamed(ctx, name, kwargs),
  }),
  ...wordFunctions('labels', 'label'),
  ...wordFunctions('annotations', 'annotation'),
  cordon: changes({
    doc: 'Mark a node as unschedulable.',
    example: 'kubernetes.cordon node1',
    args: { name: node, kwargs: connection },
    returns: ret.dict('The node'),
    run: (ctx, { name, kwargs }) => patchNode(ctx, name, dict(['spec', dict(['unschedulable', true])]), kwargs),
  }),
  uncordon: changes({
    doc: 'Mark a node as schedulable.',
    example: 'kubernetes.uncordon node1',
    args: { name: node, kwargs: connection },
    returns: ret.dict('The node'),
    run: (ctx, { name, kwargs }) => patchNode(ctx, name, dict(['spec', dict(['unschedulable', null])]), kwargs),
  }),
  taint: changes({
    doc: 'Set a taint of a node. A taint is the same when key and effect are.',
    example: 'kubernetes.taint node1 gpu NoSchedule value=yes',
    args: {
      name: node,
      key: arg.text('Key'),
      effect: arg.text(EFFECTS.join(', ')),
      value: arg.text('Value', { optional: true }),
      kwargs: connection,
    },
    returns: ret.dict('The node'),
    run: (ctx, { name, key, effect, value, kwargs }) => {
      checkEffect(effect)
      const taint = dict(
        ['key', key],
        ['effect', effect],
        ...(value === null ? [] : [['value', value] as [string, Value]]),
      )
      return changeTaints(ctx, name, kwargs, (taints) => [
        ...taints.filter((other) => other.get('key') !== key || other.get('effect') !== effect),
        taint,
      ])
    },
  }),
  untaint: changes({
    doc: 'Remove the taints of a node that have a key.',
    example: 'kubernetes.untaint node1 gpu',
    args: {
      name: node,
      key: arg.text('Key'),
      effect: arg.text('Remove only the taint with this effect', { optional: true }),
      kwargs: connection,
    },
    returns: ret.dict('The node'),
    run: (ctx, { name, key, effect, kwargs }) => {
      if (effect !== null) checkEffect(effect)
      return changeTaints(ctx, name, kwargs, (taints) =>
        taints.filter((taint) => taint.get('key') !== key || (effect !== null && taint.get('effect') !== effect)),
      )
    },
  }),
  drain: changes({
    doc: 'Mark a node as unschedulable and evict its pods. Nothing is evicted when a pod must not be removed.',
    example: 'kubernetes.drain node1',
    args: drainArgs,
    returns: ret.dict('Lists `evicted`, `skipped` and `errors`'),
    run: async (ctx, { name, disable_eviction, grace_period_seconds, timeout, kwargs, ...how }) => {
      const client = await clientFor(ctx, kwargs)
      await patchObject(client, reference(name), dict(['spec', dict(['unschedulable', true])]), {})
      const { items } = await client.list('/api/v1/pods', { fieldSelector: `spec.nodeName=${name}` })
      const stays = items.map((pod) => reasonToStay(pod, how))
      const targets = items.filter((_pod, index) => stays[index] === undefined)
      const skipped = items.flatMap((pod, index) =>
        stays[index] === undefined ? [] : [dict(['pod', podName(pod)], ['reason', stays[index]!])],
      )
      const [evicted, errors]: [Dict[], Dict[]] = [[], []]
      for (const pod of targets) {
        try {
          await remove(client, pod, !disable_eviction, grace_period_seconds)
          evicted.push(pod)
        } catch (error) {
          errors.push(dict(['pod', podName(pod)], ['error', (error as Error).message]))
        }
      }
      const left = truthy(evicted) ? await untilGone(client, evicted, timeout) : []
      if (left.length > 0) {
        errors.push(
          dict(
            ['pod', left.join(',')],
            ['error', `Timeout (${timeout}s) waiting for pods to terminate; still present: ${left.join(', ')}`],
          ),
        )
      }
      return { evicted: evicted.map(podName), skipped, errors }
    },
  }),
}
