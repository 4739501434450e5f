// Shared parts of the functions of the module: their parameters, the client of a call, and names of objects.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext, optionalText } from '../../../../sdk/mod.ts'
import { KubernetesClient } from '../client/client.ts'
import type { Reference, Type } from '../client/objects.ts'
import { isReady, waitFor } from '../client/waiting.ts'

export { connection } from '../client/settings.ts'

export const namespace = optionalText('Namespace. Default: the option `kubernetes.namespace`, or `default`')
export const wait = arg.flag('Whether to wait until the change is complete', { default: false })
export const timeout = arg.count('Seconds to wait at most', { default: 60 })
export const dryRun = arg.flag('Whether the API server only checks the request and changes nothing', { default: false })

export const sourceArgs = {
  source: arg.text('File of the file server with the object in YAML', { optional: true }),
  template: arg.text('Template engine that renders the file, such as `jinja`', { optional: true }),
  saltenv: arg.text('Environment of the file server', { optional: true }),
}

export const templateContext = arg.dict('Variables of the template', { optional: true })

/** Keywords of a state that the engine passes on and no connection has. */
export type Kwargs = ReadonlyMap<string, Value>

export const clientFor = (ctx: FunctionContext, kwargs: Kwargs): Promise<KubernetesClient> =>
  KubernetesClient.open(ctx, kwargs)

/** Return the namespace that a call means. */
export async function namespaceFor(ctx: FunctionContext, given: string | null): Promise<string> {
  if (given) return given
  const option = await ctx.call('config.get', ['kubernetes.namespace', ''])
  return truthy(option) ? str(option) : 'default'
}

/** Return the object that a call means. */
export async function referenceFor(
  ctx: FunctionContext,
  type: Type,
  name: string,
  given: string | null,
): Promise<Reference> {
  return { type, name, namespace: type.isNamespaced ? await namespaceFor(ctx, given) : undefined }
}

/** Wait until an object is ready, where a call asks for that. */
export async function untilReady(client: KubernetesClient, reference: Reference, seconds: number): Promise<void> {
  await waitFor(client, reference, isReady(reference.type.kind), { seconds, what: 'to become ready' })
}
