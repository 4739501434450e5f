// The functions that every kind of object has: list, show, create, replace, patch and delete.
import { createHash } from 'node:crypto'
import { type Dict, misuse, str, type Value } from '../../../../data/mod.ts'
import {
  type Args,
  arg,
  type Bound,
  changes,
  type FunctionContext,
  type FunctionDeclaration,
  reads,
  ret,
} from '../../../../sdk/mod.ts'
import {
  createObject,
  deleteObject,
  dictIn,
  getObject,
  listPath,
  marked,
  patchObject,
  replaceObject,
} from '../client/objects.ts'
import { isComplete, isGone, waitFor } from '../client/waiting.ts'
import type { Kind } from '../kinds.ts'
import { manifests, objectOf, secretValue } from '../manifest.ts'
import {
  clientFor,
  connection,
  dryRun,
  namespace,
  namespaceFor,
  referenceFor,
  sourceArgs,
  templateContext,
  timeout,
  untilReady,
  wait,
} from './calling.ts'

type Functions = Record<string, FunctionDeclaration>

/** Kinds that an object cannot be replaced or patched of, as in Salt. */
const FIXED = new Set(['pod', 'namespace'])

/** Return the functions of a kind. */
export function kindFunctions(kind: Kind): Functions {
  const { key } = kind
  return {
    [kind.list]: listed(kind),
    [`show_${key}`]: shown(kind),
    [`create_${key}`]: creating(kind),
    ...(!FIXED.has(key) && { [`replace_${key}`]: replacing(kind), [`patch_${key}`]: patching(kind) }),
    [`delete_${key}`]: deleting(kind),
  }
}

const named = (kind: Kind) => arg.text(`Name of the ${kind.kind}`)

/** Return the parameters of a place, without a namespace where the kind has none. */
const inPlace = (kind: Kind): { namespace: typeof namespace } =>
  (kind.isNamespaced ? { namespace } : {}) as { namespace: typeof namespace }

function listed(kind: Kind): FunctionDeclaration {
  return reads({
    doc: `Return the names of the ${kind.kind} objects${kind.isNamespaced ? ' of a namespace' : ''}.`,
    example: `kubernetes.${kind.list}`,
    args: { ...inPlace(kind), kwargs: connection },
    returns: ret.texts('The names'),
    run: async (ctx, { namespace, kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const place = kind.isNamespaced ? await namespaceFor(ctx, namespace) : undefined
      const { items } = await client.list(listPath(kind, place))
      return items.map((item) => str(dictIn(item, 'metadata').get('name') ?? ''))
    },
  })
}

function shown(kind: Kind): FunctionDeclaration {
  const decode = arg.flag('Whether values are decoded from base64', { default: false })
  return reads({
    doc: `Return a ${kind.kind} as the API server has it.`,
    example: `kubernetes.show_${kind.key} web`,
    args: {
      name: named(kind),
      ...inPlace(kind),
      ...(kind.key === 'secret' ? { decode } : ({} as { decode: typeof decode })),
      kwargs: connection,
    },
    returns: ret.optional(ret.dict('The object; None when it does not exist')),
    run: async (ctx, { name, namespace, decode, kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const found = await getObject(client, await referenceFor(ctx, kind, name, namespace))
      return found !== null && decode ? decoded(found) : found
    },
  })
}

/** Return a secret with its values decoded: texts, or bytes where a value is no text. */
function decoded(secret: Dict): Dict {
  const data = [...dictIn(secret, 'data')].map(([key, value]): [Value, Value] => {
    const bytes = Buffer.from(str(value), 'base64')
    try {
      return [key, new TextDecoder('utf-8', { fatal: true }).decode(bytes)]
    } catch {
      return [key, new Uint8Array(bytes)]
    }
  })
  return data.length === 0 ? secret : new Map(secret).set('data', new Map(data))
}

const metadata = arg.dict('Metadata of the object: labels, annotations', { optional: true })
const spec = arg.dict('Fields of the object', { optional: true })
const data = arg.dict('Values by their names', { optional: true })
const secretType = arg.text('Type of the secret, such as `kubernetes.io/tls`', { optional: true })
const appendHash = arg.flag('Whether a hash of the data is appended to the name', { default: false })

const common = { template_context: templateContext, dry_run: dryRun, wait, timeout }

const body = { metadata, spec, data, secret_type: secretType, append_hash: appendHash }
type BodyArgs = typeof sourceArgs & typeof common & typeof body & { namespace: typeof namespace }

/** Return the parameters of a creation in Salt's order. */
function creationArgs(kind: Kind): Args {
  const begin = { name: named(kind), ...inPlace(kind) }
  if (kind.key === 'namespace') return { ...begin, metadata, dry_run: dryRun, kwargs: connection }
  if (kind.key === 'secret') {
    return {
      ...begin,
      data,
      ...sourceArgs,
      template_context: templateContext,
      secret_type: secretType,
      metadata,
      dry_run: dryRun,
      wait,
      timeout,
      append_hash: appendHash,
      kwargs: connection,
    }
  }
  if (kind.key === 'configmap')
    return { ...begin, data, ...sourceArgs, ...common, append_hash: appendHash, kwargs: connection }
  const completion = arg.flag('Whether to wait until the job has ended', { default: false })
  const jobArgs = kind.key === 'job' ? { wait_for_completion: completion } : {}
  return { ...begin, metadata, spec, ...sourceArgs, ...common, ...jobArgs, kwargs: connection }
}

type Given = Partial<Bound<BodyArgs>> & { name: string; kwargs: Map<string, Value>; wait_for_completion?: boolean }

const partsOf = (given: Given, name: string, place: string | undefined) => ({
  name,
  namespace: place,
  metadata: given.metadata ?? null,
  spec: given.spec ?? null,
  data: given.data ?? null,
  secret_type: given.secret_type ?? null,
  source: given.source ?? null,
  template: given.template ?? null,
  saltenv: given.saltenv ?? null,
  template_context: given.template_context ?? null,
})

function creating(kind: Kind): FunctionDeclaration {
  return changes({
    doc: `Create a ${kind.kind}.`,
    example: `kubernetes.create_${kind.key} name=web`,
    args: creationArgs(kind),
    returns: ret.dict('The object as the API server has it'),
    run: (ctx, args) => create(ctx, kind, args as unknown as Given),
  })
}

async function create(ctx: FunctionContext, kind: Kind, given: Given): Promise<Dict> {
  const client = await clientFor(ctx, given.kwargs)
  const reference = await referenceFor(ctx, kind, given.name, given.namespace ?? null)
  const whole = await objectOf(ctx, kind, partsOf(given, given.name, reference.namespace))
  if (given.append_hash) appendHashTo(whole)
  const name = str(dictIn(whole, 'metadata').get('name')!)
  const made = await createObject(client, { ...reference, name }, whole, { dryRun: given.dry_run ?? false })
  if (given.dry_run) return made
  const seconds = given.timeout ?? 60
  if (given.wait_for_completion)
    await waitFor(client, { ...reference, name }, isComplete, { seconds, what: 'to complete' })
  else if (given.wait) await untilReady(client, { ...reference, name }, seconds)
  return made
}

/** Append a hash of data and type to the name, so that other data is another object. */
function appendHashTo(object: Dict): void {
  const text = JSON.stringify([[...dictIn(object, 'data')].sort(), object.get('type') ?? ''])
  const metadata = dictIn(object, 'metadata')
  metadata.set('name', `${str(metadata.get('name')!)}-${createHash('sha256').update(text).digest('hex').slice(0, 10)}`)
}

/** Return the parameters of a replacement in Salt's order, which differs from kind to kind. */
function replacementArgs(kind: Kind): Args {
  const name = named(kind)
  const end = { template_context: templateContext, wait, timeout, kwargs: connection }
  switch (kind.key) {
    case 'deployment':
      return { name, metadata, spec, ...sourceArgs, namespace, ...end }
    case 'service': {
      const old = arg.dict('Not used: the version of the service is asked for', { optional: true })
      return {
        name,
        metadata,
        spec,
        source: sourceArgs.source,
        template: sourceArgs.template,
        old_service: old,
        saltenv: sourceArgs.saltenv,
        namespace,
        ...end,
      }
    }
    case 'secret':
      return {
        name,
        data,
        ...sourceArgs,
        namespace,
        template_context: templateContext,
        secret_type: secretType,
        metadata,
        wait,
        timeout,
        kwargs: connection,
      }
    case 'configmap':
      return { name, data, ...sourceArgs, namespace, ...end }
    case 'statefulset':
    case 'replicaset':
    case 'daemonset':
    case 'storageclass':
      return { name, ...inPlace(kind), spec, metadata, ...sourceArgs, ...end }
    default:
      return { name, ...inPlace(kind), metadata, spec, ...sourceArgs, dry_run: dryRun, ...end }
  }
}

function replacing(kind: Kind): FunctionDeclaration {
  return changes({
    doc: `Replace a ${kind.kind}: fields that are not given get their defaults.`,
    example: `kubernetes.replace_${kind.key} name=web`,
    args: replacementArgs(kind),
    returns: ret.dict('The object as the API server has it'),
    run: async (ctx, args) => {
      const given = args as unknown as Given
      const client = await clientFor(ctx, given.kwargs)
      const reference = await referenceFor(ctx, kind, given.name, given.namespace ?? null)
      const live = await getObject(client, reference)
      const whole = await objectOf(ctx, kind, partsOf(given, given.name, reference.namespace), live)
      keepAssigned(kind, whole, live)
      const made = await replaceObject(client, reference, whole, { dryRun: given.dry_run ?? false })
      if (given.wait && !given.dry_run) await untilReady(client, reference, given.timeout ?? 60)
      return made
    },
  })
}

/** A replacement keeps the addresses that the cluster assigned to a service. */
function keepAssigned(kind: Kind, whole: Dict, live: Dict | null): void {
  if (kind.key !== 'service' || live === null) return
  const [spec, old] = [dictIn(whole, 'spec'), dictIn(live, 'spec')]
  for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (!spec.has(field) && old.has(field)) spec.set(field, old.get(field)!)
  }
}

function patching(kind: Kind): FunctionDeclaration {
  const patch = arg.dict('What changes, in the form of the object; None removes a field', { optional: true })
  return changes({
    doc: `Change fields of a ${kind.kind}. Lists are merged by their keys (strategic merge patch).`,
    example: `kubernetes.patch_${kind.key} web patch='{"metadata": {"labels": {"tier": "front"}}}'`,
    args: { name: named(kind), ...inPlace(kind), patch, ...sourceArgs, ...common, kwargs: connection },
    returns: ret.dict('The object as the API server has it'),
    run: async (ctx, { name, namespace, patch, wait, timeout, dry_run, kwargs, ...source }) => {
      if ((patch === null) === (source.source === null)) throw misuse("Give either 'patch' or 'source'")
      const wanted = patch ?? (await manifests(ctx, null, source))[0] ?? new Map()
      const client = await clientFor(ctx, kwargs)
      const reference = await referenceFor(ctx, kind, name, namespace)
      const made = await patchObject(client, reference, patchBody(kind, wanted), { dryRun: dry_run })
      if (wait && !dry_run) await untilReady(client, reference, timeout)
      return made
    },
  })
}

/** Return a patch in the form of the object: data of secrets encoded, fields of `spec` at the top where the kind has no spec. */
function patchBody(kind: Kind, patch: Dict): Dict {
  const body = new Map(patch)
  const data = dictIn(patch, 'data')
  if (kind.key === 'secret' && data.size > 0) {
    const encoded = [...data].map(([key, value]): [Value, Value] => [key, value === null ? null : secretValue(value)])
    return marked(body.set('data', new Map(encoded)).set('kind', 'Secret').set('apiVersion', 'v1'))
  }
  if (kind.fields !== 'top' || !body.has('spec')) return body
  for (const [field, value] of dictIn(patch, 'spec')) body.set(field, value)
  body.delete('spec')
  return body
}

function deleting(kind: Kind): FunctionDeclaration {
  const propagation = arg.text('What happens to dependents: `Background`, `Foreground` or `Orphan`', {
    default: 'Background',
  })
  const args = {
    name: named(kind),
    ...inPlace(kind),
    ...(kind.key === 'job' ? { propagation_policy: propagation } : ({} as { propagation_policy: typeof propagation })),
    wait,
    timeout,
    kwargs: connection,
  }
  return changes({
    doc: `Delete a ${kind.kind}. Return None when it does not exist.`,
    example: `kubernetes.delete_${kind.key} web`,
    args,
    returns: ret.optional(ret.dict('The answer of the API server')),
    run: async (ctx, { name, namespace, propagation_policy, wait, timeout, kwargs }) => {
      const client = await clientFor(ctx, kwargs)
      const reference = await referenceFor(ctx, kind, name, namespace)
      const answer = await deleteObject(client, reference, { propagation: propagation_policy ?? null })
      if (wait && answer !== null) await waitFor(client, reference, isGone, { seconds: timeout, what: 'to be deleted' })
      return answer
    },
  })
}
