// Fires the events of a Kubernetes cluster on the bus. The last seen version is stored, so that a restart continues
// there.
import { isAnyError, recover } from '../../../base/mod.ts'
import { type Dict, isDict, loadJson, numberOf, str, type Value } from '../../../data/mod.ts'
import { arg, defineEngine, type EngineContext, isHostError, option, textAt } from '../../../sdk/mod.ts'
import { isStatus, KubernetesClient } from './client/client.ts'
import { listPath } from './client/objects.ts'
import { eventData, eventTag } from './events.ts'

const EVENTS = { apiVersion: 'v1', kind: 'Event', plural: 'events', isNamespaced: true }

export default defineEngine({
  name: 'kubernetes',
  doc: 'Fire the events of a Kubernetes cluster on the bus: `<tag>/<namespace>/<kind>/<name>/<reason>`. The engine goes on where it ended.',
  args: {
    namespace: arg.text('Namespace. Default: all', { optional: true }),
    types: arg.words('Types of events: `Normal`, `Warning`. Default: all', { optional: true }),
    tag: arg.text('Start of the tags', { default: 'salt/kubernetes/event' }),
    connection: arg.dict('Settings of the connection, such as `context`', { optional: true }),
    retry: arg.number('Seconds after which a lost connection is tried again', { default: 10 }),
  },
  start: async (ctx, { namespace, types, tag, connection, retry }) => {
    const settings = new Map([...(connection ?? [])].map(([name, value]): [string, Value] => [str(name), value]))
    const path = listPath(EVENTS, namespace ?? undefined)
    while (!ctx.signal.aborted) {
      try {
        const { host, call, memory } = await ctx.functions()
        const client = await KubernetesClient.open({ host, call, memory, http: ctx.http, log: ctx.log }, settings)
        await follow(ctx, client, path, async (object) => {
          if (types !== null && types.length > 0 && !types.includes(str(object.get('type') ?? ''))) return
          await ctx.fire(eventTag(tag, object), eventData(object))
        })
      } catch (error) {
        if (ctx.signal.aborted) return
        ctx.log('warning', `The events of the cluster cannot be read: ${(error as Error).message}`)
        await ctx.pause(numberOf(retry) ?? 10)
      }
    }
  },
})

/** Follow a list of events from the version that was seen last, or from now on. */
async function follow(
  ctx: EngineContext,
  client: KubernetesClient,
  path: string,
  tell: (object: Dict) => Promise<void>,
): Promise<void> {
  const file = `${option(ctx.opts, 'cachedir')}/kubernetes-${ctx.name.replaceAll(/[^\w-]/g, '_')}.json`
  const about = `${client.cluster.server}${path}`
  let version = await seenVersion(ctx, file, about)
  if (version === undefined) version = (await client.list(path, { limit: '1' })).version
  try {
    for await (const change of client.watch(path, version, { signal: ctx.signal })) {
      if (change.type === 'ADDED' || change.type === 'MODIFIED') await tell(change.object)
      await ctx.host.write(file, JSON.stringify({ about, version: change.version }), { mode: 0o600 })
    }
  } catch (error) {
    if (!isStatus(error, 410)) throw error
    ctx.log('warning', 'The cluster has forgotten events since the last one that was seen: they are lost')
    await ctx.host.remove(file).catch((problem: unknown) => {
      if (!isHostError(problem)) throw problem
    })
  }
}

async function seenVersion(ctx: EngineContext, file: string, about: string): Promise<string | undefined> {
  const text = await textAt(ctx.host, file)
  if (text === undefined) return undefined
  return recover(isAnyError, undefined, () => {
    const kept = loadJson(text)
    return isDict(kept) && kept.get('about') === about ? str(kept.get('version') ?? '') : undefined
  })
}
