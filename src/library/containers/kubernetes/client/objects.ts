// Objects of a cluster by kind, name and namespace. Values of secrets are always marked.
import {
  type Dict,
  dictFrom,
  dictUpdate,
  failure,
  isDict,
  isList,
  markSecret,
  misuse,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { apiPath, type Kind, kindCalled, kindOfManifest } from '../kinds.ts'
import { type Ask, isStatus, type KubernetesClient } from './client.ts'

export type Type = Pick<Kind, 'apiVersion' | 'kind' | 'plural' | 'isNamespaced'>

export interface Reference {
  type: Type
  name: string
  namespace: string | undefined
}

export interface WriteOptions {
  dryRun?: boolean
  fieldManager?: string
}

export const FIELD_MANAGER = 'salt'

/** Return a name as a part of a path. Kubernetes has names with other characters in no place. */
function segment(name: string, what: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%\s\p{Cc}]/u.test(name)) {
    throw misuse(`${JSON.stringify(name)} cannot be the name of a ${what}`)
  }
  return encodeURIComponent(name)
}

/** Return the path of a list. Without a namespace it is that of all namespaces. */
export function listPath(type: Type, namespace: string | undefined): string {
  const inside = type.isNamespaced && namespace !== undefined ? `/namespaces/${segment(namespace, 'namespace')}` : ''
  return `${apiPath(type.apiVersion)}${inside}/${type.plural}`
}

export function objectPath({ type, name, namespace }: Reference): string {
  if (type.isNamespaced && namespace === undefined) throw misuse(`A ${type.kind} is in a namespace: name it`)
  return `${listPath(type, namespace)}/${segment(name, type.kind)}`
}

/** Return how a kind of a manifest is reached: kinds of custom resources are known to the API server. */
export async function typeOf(client: KubernetesClient, apiVersion: string, kind: string): Promise<Type> {
  const known = kindOfManifest(apiVersion, kind)
  if (known !== undefined) return known
  const parts = apiVersion.split('/')
  if (parts.length > 2) throw misuse(`${apiVersion} is no apiVersion`)
  const path = apiPath(parts.map((part) => segment(part, 'group')).join('/'))
  const answer = await client.find(path)
  const resources = answer?.get('resources') ?? null
  const found = (isList(resources) ? resources : [])
    .filter(isDict)
    .find((resource) => resource.get('kind') === kind && !str(resource.get('name') ?? '').includes('/'))
  if (found === undefined) throw failure(`The cluster has no kind ${kind} in ${apiVersion}`)
  return { apiVersion, kind, plural: str(found.get('name')!), isNamespaced: truthy(found.get('namespaced') ?? false) }
}

/** Return the type that a user names: a kind that Brine knows, or one with its apiVersion. */
export async function namedType(client: KubernetesClient, kind: string, apiVersion: string | null): Promise<Type> {
  if (apiVersion) return typeOf(client, apiVersion, kind)
  const known = kindCalled(kind)
  if (known === undefined) throw misuse(`The kind ${kind} needs an api_version`)
  return known
}

/** Mark the values of a secret, encoded and decoded, and return the object. */
export function marked(object: Dict): Dict {
  if (object.get('kind') === 'SecretList' || object.get('kind') === 'List') {
    const items = object.get('items') ?? null
    for (const item of isList(items) ? items.filter(isDict) : []) marked(item)
  }
  const isSecret = object.get('kind') === 'Secret' || (object.has('type') && object.has('data') && !object.has('kind'))
  const data = object.get('data') ?? null
  if (isSecret && isDict(data)) markData(data)
  const plain = object.get('stringData') ?? null
  if (isSecret && isDict(plain)) markSecret(plain)
  const annotations = isSecret ? (dictIn(object, 'metadata').get('annotations') ?? null) : null
  const applied = isDict(annotations)
    ? (annotations.get('kubectl.kubernetes.io/last-applied-configuration') ?? null)
    : null
  if (applied !== null) markSecret(applied)
  return object
}

function markData(data: Dict): void {
  markSecret(data)
  for (const value of data.values()) {
    if (typeof value === 'string') markSecret(Buffer.from(value, 'base64').toString())
  }
}

export function dictIn(dict: Dict, name: string): Dict {
  const found = dict.get(name) ?? null
  return isDict(found) ? found : new Map()
}

/** Return an object; null if it does not exist. */
export async function getObject(client: KubernetesClient, reference: Reference): Promise<Dict | null> {
  const found = await client.find(objectPath(reference))
  return found === undefined ? null : marked(found)
}

const writing = (options: WriteOptions): NonNullable<Ask['params']> => ({
  dryRun: options.dryRun ? 'All' : undefined,
  fieldManager: options.fieldManager ?? FIELD_MANAGER,
})

export async function createObject(
  client: KubernetesClient,
  reference: Reference,
  body: Dict,
  options: WriteOptions,
): Promise<Dict> {
  const { type, namespace, name } = reference
  objectPath(reference)
  try {
    return marked(
      await client.ask({
        method: 'POST',
        path: listPath(type, namespace),
        params: writing(options),
        body: marked(body),
      }),
    )
  } catch (error) {
    if (isStatus(error, 409) && error.apiReason === 'AlreadyExists')
      throw failure(`${type.kind} ${name} already exists`)
    throw error
  }
}

/** Replace an existing object; its version is sent along, so that a change in between is not lost. */
export async function replaceObject(
  client: KubernetesClient,
  reference: Reference,
  body: Dict,
  options: WriteOptions,
): Promise<Dict> {
  const live = await client.find(objectPath(reference))
  if (live === undefined) throw notFound(reference)
  const metadata = new Map(dictIn(body, 'metadata'))
  if (!metadata.has('resourceVersion'))
    metadata.set('resourceVersion', dictIn(live, 'metadata').get('resourceVersion') ?? '')
  const whole = marked(new Map(body).set('metadata', metadata))
  return marked(
    await client.ask({
      method: 'PUT',
      path: objectPath(reference),
      params: writing(options),
      body: whole,
    }),
  )
}

const PATCH_TYPES: Readonly<Record<string, string>> = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
}

export async function patchObject(
  client: KubernetesClient,
  reference: Reference,
  patch: Value,
  options: WriteOptions & { patchType?: string },
): Promise<Dict> {
  const type = PATCH_TYPES[options.patchType ?? 'strategic']
  if (type === undefined) throw misuse(`patch_type must be strategic, merge or json, not ${options.patchType}`)
  const path = objectPath(reference)
  try {
    return marked(
      await client.ask({
        method: 'PATCH',
        path,
        type,
        params: writing(options),
        body: patch,
      }),
    )
  } catch (error) {
    if (isStatus(error, 404)) throw notFound(reference)
    throw error
  }
}

export interface ApplyOptions extends WriteOptions {
  /** Whether fields that another manager owns are taken over. */
  force?: boolean
}

/** Apply a manifest on the server. Fields that this manager applied before and that are missing now are removed. */
export async function applyObject(
  client: KubernetesClient,
  reference: Reference,
  manifest: Dict,
  options: ApplyOptions,
): Promise<Dict> {
  const { type } = reference
  const body: Dict = dictFrom({ apiVersion: type.apiVersion, kind: type.kind })
  dictUpdate(body, manifest)
  body.delete('status')
  const metadata = new Map(dictIn(manifest, 'metadata')).set('name', reference.name)
  // the server refuses these fields in applied objects
  for (const field of ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation'])
    metadata.delete(field)
  body.set('metadata', metadata)
  return marked(
    await client.ask({
      method: 'PATCH',
      path: objectPath(reference),
      type: 'application/apply-patch+yaml',
      params: {
        fieldManager: options.fieldManager ?? FIELD_MANAGER,
        force: options.force ? 'true' : 'false',
        dryRun: options.dryRun ? 'All' : undefined,
      },
      body: marked(body),
    }),
  )
}

export interface DeleteOptions extends WriteOptions {
  propagation?: string | null
  graceSeconds?: number | null
}

/** Delete an object; return null if it does not exist. */
export async function deleteObject(
  client: KubernetesClient,
  reference: Reference,
  options: DeleteOptions,
): Promise<Dict | null> {
  const body: Dict = dictFrom({ apiVersion: 'v1', kind: 'DeleteOptions' })
  body.set('propagationPolicy', options.propagation || 'Background')
  if (options.graceSeconds !== undefined && options.graceSeconds !== null)
    body.set('gracePeriodSeconds', options.graceSeconds)
  try {
    return marked(
      await client.ask({
        method: 'DELETE',
        path: objectPath(reference),
        params: { dryRun: options.dryRun ? 'All' : undefined },
        body,
      }),
    )
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}

const notFound = ({ type, name, namespace }: Reference): Error =>
  failure(`${type.kind} ${namespace === undefined ? name : `${namespace}/${name}`} not found`)
