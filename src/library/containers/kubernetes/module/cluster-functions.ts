// The cluster as a whole, its events, and workloads: scaling, restarts, rollbacks and logs.
import { type Dict, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { isStatus, type KubernetesClient } from '../client/client.ts'
import { dictIn, getObject, listPath, objectPath, patchObject } from '../client/objects.ts'
import { clusterAliases } from '../client/settings.ts'
import { type Kind, kindCalled, kindNamed } from '../kinds.ts'
import { clientFor, connection, namespace, namespaceFor, referenceFor } from './calling.ts'

const dict = (...entries: [string, Value][]): Dict => new Map<Value, Value>(entries)

const SCALABLE = ['deployment', 'statefulset', 'replicaset']
const RESTARTABLE = [...SCALABLE, 'daemonset']

function workload(kind: string, allowed: readonly string[], verb: string): Kind {
  const found = kindCalled(kind)
  if (found === undefined || !allowed.includes(found.key))
    throw misuse(`Unsupported ${verb} kind '${kind}'. Supported: ${allowed.join(', ')}.`)
  return found
}

const workloadArgs = { kind: arg.text('Kind: `deployment`, `statefulset` …'), name: arg.text('Name') }

/** Return the replica sets of a deployment, the newest revision first. */
async function revisions(
  client: KubernetesClient,
  deployment: Dict,
  place: string,
): Promise<{ revision: number; set: Dict }[]> {
  const { items } = await client.list(listPath(kindNamed('replicaset'), place))
  const uid = dictIn(deployment, 'metadata').get('uid')
  return items
    .filter((set) => {
      const owners = dictIn(set, 'metadata').get('ownerReferences') ?? null
      return (isList(owners) ? owners : []).some(
        (owner) => isDict(owner) && owner.get('kind') === 'Deployment' && owner.get('uid') === uid,
      )
    })
    .map((set) => ({ revision: revisionOf(set), set }))
    .sort((one, other) => other.revision - one.revision)
}

const revisionOf = (object: Dict): number =>
  Number(dictIn(dictIn(object, 'metadata'), 'annotations').get('deployment.kubernetes.io/revision') ?? 0)

async function rollBack(
  ctx: FunctionContext,
  client: KubernetesClient,
  name: string,
  place: string,
  wanted: number | null,
): Promise<Dict> {
  const reference = await referenceFor(ctx, kindNamed('deployment'), name, place)
  const deployment = await getObject(client, reference)
  if (deployment === null) throw failure(`Deployment ${name} not found in ${place}`)
  const owned = await revisions(client, deployment, place)
  if (owned.length === 0) throw failure(`Deployment ${name} has no ReplicaSets to roll back to`)
  const current = revisionOf(deployment)
  const target = owned.find(({ revision }) => (wanted === null ? revision !== current : revision === wanted))
  if (target === undefined)
    throw failure(`No suitable rollback target for Deployment ${name} (to_revision=${wanted}, current=${current})`)
  const template = new Map(dictIn(dictIn(target.set, 'spec'), 'template'))
  const metadata = new Map(dictIn(template, 'metadata'))
  const labels = new Map(dictIn(metadata, 'labels'))
  // the controller adds it to each replica set
  labels.delete('pod-template-hash')
  template.set('metadata', metadata.set('labels', labels))
  const operations = [dict(['op', 'replace'], ['path', '/spec/template'], ['value', template])]
  return patchObject(client, reference, operations, { patchType: 'json' })
}

/** Return the events of a cluster from a version on: known ones, or those that arrive within a second. */
async function eventsSince(
  client: KubernetesClient,
  path: string,
  from: string | null,
): Promise<{ version: string; events: Dict[] }> {
  if (!from) {
    const { items, version } = await client.list(path)
    return { version, events: items }
  }
  const events: Dict[] = []
  let version = from
  try {
    const changes = client.watch(path, from, { signal: AbortSignal.timeout(1000) })
    for await (const change of changes) {
      version = change.version
      if (change.type === 'ADDED' || change.type === 'MODIFIED') events.push(change.object)
    }
  } catch (error) {
    if (!isStatus(error, 410)) throw error
    // the server has dropped the version, so the events since then are lost
    return { version: (await client.list(path)).version, events: [] }
  }
  return { version, events }
}

export const clusterFunctions = {
  ping: reads({
    doc: 'Return whether the API server answers.',
    args: { kwargs: connection },
    returns: ret.boolean('True or False'),
    run: async (ctx, { kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      try {
        return truthy((await client.ask({ path: '/api/v1' })).get('resources') ?? null)
      } catch (error) {
        ctx.log('error', (error as Error).message)
        return false
      }
    },
  }),
  cluster_info: reads({
    doc: 'Return the version, the health and the API groups of the cluster.',
    args: { kwargs: connection },
    returns: ret.dict('`server_version`, `healthz` and `api_groups`'),
    run: async (ctx, { kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const server_version = await client.ask({ path: '/version' })
      const healthz = await client.text({ path: '/healthz' }).catch(() => 'unavailable')
      const groups = (await client.ask({ path: '/apis' })).get('groups') ?? null
      const names = (isList(groups) ? groups : []).filter(isDict).map((group) => str(group.get('name') ?? ''))
      return { server_version, healthz, api_groups: names.sort() }
    },
  }),
  list_clusters: reads({
    doc: 'Return the names of the clusters in `kubernetes.clusters`; `default` is that of the other options.',
    returns: ret.texts('The names'),
    run: (ctx) => clusterAliases(ctx),
  }),
  events: reads({
    doc: 'Return events of the cluster: those that it keeps, or those since a version.',
    example: 'kubernetes.events namespace=shop',
    args: {
      namespace: arg.text('Namespace. Default: all', { optional: true }),
      resource_version: arg.text('Version that an earlier call returned', { optional: true }),
      kwargs: connection,
    },
    returns: ret.dict('`resource_version` to go on from, and the list `events`'),
    run: async (ctx, { namespace, resource_version, kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const type = { apiVersion: 'v1', kind: 'Event', plural: 'events', isNamespaced: true }
      const { version, events } = await eventsSince(client, listPath(type, namespace ?? undefined), resource_version)
      return { resource_version: version, events }
    },
  }),
  scale: changes({
    doc: 'Set the number of replicas of a workload.',
    example: 'kubernetes.scale deployment web 3',
    args: { ...workloadArgs, replicas: arg.count('Number of replicas'), namespace, kwargs: connection },
    returns: ret.dict('The scale of the workload'),
    run: async (ctx, { kind, name, replicas, namespace, kwargs }) => {
      const type = workload(kind, SCALABLE, 'scalable')
      if (!Number.isInteger(replicas) || replicas < 0) throw misuse('replicas must be a non-negative integer')
      const client = await clientFor(ctx, kwargs)
      const path = `${objectPath(await referenceFor(ctx, type, name, namespace))}/scale`
      try {
        return await client.ask({
          method: 'PATCH',
          path,
          type: 'application/merge-patch+json',
          body: dict(['spec', dict(['replicas', replicas])]),
        })
      } catch (error) {
        if (isStatus(error, 404)) throw failure(`${kind} ${name} not found in ${await namespaceFor(ctx, namespace)}`)
        throw error
      }
    },
  }),
  restart: changes({
    doc: 'Start the pods of a workload anew, step by step.',
    example: 'kubernetes.restart deployment web',
    args: { ...workloadArgs, namespace, kwargs: connection },
    returns: ret.dict('The workload'),
    run: async (ctx, { kind, name, namespace, kwargs }) => {
      const type = workload(kind, RESTARTABLE, 'restartable')
      const now = `${new Date().toISOString().slice(0, 19)}Z`
      const annotations = dict(['annotations', dict(['kubectl.kubernetes.io/restartedAt', now])])
      const patch = dict(['spec', dict(['template', dict(['metadata', annotations])])])
      return patchObject(await clientFor(ctx, kwargs), await referenceFor(ctx, type, name, namespace), patch, {})
    },
  }),
  rollback: changes({
    doc: 'Give a deployment the pod template of an earlier revision.',
    example: 'kubernetes.rollback web to_revision=2',
    args: {
      name: arg.text('Name of the deployment'),
      namespace,
      to_revision: arg.count('Revision. Default: the one before', { optional: true }),
      kwargs: connection,
    },
    returns: ret.dict('The deployment'),
    run: async (ctx, { name, namespace, to_revision, kwargs }) =>
      rollBack(ctx, await clientFor(ctx, kwargs), name, await namespaceFor(ctx, namespace), to_revision),
  }),
  logs: reads({
    doc: 'Return the log of a container of a pod.',
    example: 'kubernetes.logs web-1 tail_lines=100',
    args: {
      name: arg.text('Name of the pod'),
      namespace,
      container: arg.text('Container, of a pod with several', { optional: true }),
      previous: arg.flag('Whether the log of the instance before is meant', { default: false }),
      since_seconds: arg.count('Only lines of so many seconds', { optional: true }),
      tail_lines: arg.count('Only so many lines at the end', { optional: true }),
      timestamps: arg.flag('Whether lines begin with their time', { default: false }),
      kwargs: connection,
    },
    returns: ret.string('The log'),
    run: async (ctx, { name, namespace, container, previous, since_seconds, tail_lines, timestamps, kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const number = (value: number | null): string | undefined => (value === null ? undefined : String(value))
      return client.text({
        path: `${objectPath(await referenceFor(ctx, kindNamed('pod'), name, namespace))}/log`,
        params: {
          container: container ?? undefined,
          previous: String(previous),
          timestamps: String(timestamps),
          sinceSeconds: number(since_seconds),
          tailLines: number(tail_lines),
        },
      })
    },
  }),
}
