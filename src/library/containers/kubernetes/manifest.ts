// Manifests: from files of the file server, from YAML texts, and from the parts that functions and states take.
import { isAnyError, recover } from '../../../base/mod.ts'
import {
  type Dict,
  deepCopy,
  failure,
  isDict,
  isList,
  misuse,
  str,
  truthy,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { type FunctionContext, loadYaml } from '../../../sdk/mod.ts'
import { dictIn } from './client/objects.ts'
import type { Kind } from './kinds.ts'

export interface Source {
  source: string | null
  template: string | null
  saltenv: string | null
  template_context: Dict | null
}

type Renders = Pick<FunctionContext, 'call' | 'host' | 'render' | 'hint' | 'log'>

const MOST_DOCUMENTS = 1000

/** Return the documents of a file of the file server, rendered by a template engine where one is named. */
async function documentsOf(ctx: Renders, { source, template, saltenv, template_context }: Source): Promise<Value[]> {
  const env = saltenv ?? 'base'
  const cached = await ctx.call('cp.cache_file', [source!, env])
  if (!truthy(cached)) throw failure(`Source file '${source}' not found`)
  let text = new TextDecoder().decode(await ctx.host.read(str(cached)))
  if (template) {
    const context = new Map([...(template_context ?? [])].map(([name, value]) => [str(name), value]))
    const place = { path: str(cached), from: str(cached) }
    text = str(await ctx.render({ text, ...place, renderer: template, saltenv: env, asFile: true, context }))
  }
  return yamlDocuments(text)
}

/** Return the documents of a YAML text. A line that begins with `---` always ends a document. */
async function yamlDocuments(text: string): Promise<Value[]> {
  const parts = text.split(/^---(?=\s|$)/m)
  if (parts.length > MOST_DOCUMENTS)
    throw failure(`A manifest may have ${MOST_DOCUMENTS} documents, not ${parts.length}`)
  const documents: Value[] = []
  for (const part of parts) {
    const document = part.trim() === '' ? null : await loadYaml(part)
    if (truthy(document)) documents.push(document)
  }
  return documents
}

/** Return manifests as a list of dicts, those of `kind: List` one by one. */
export async function manifests(ctx: Renders, manifest: Value, from: Source): Promise<Dict[]> {
  const given = from.source ? await documentsOf(ctx, from) : await inlineManifests(manifest)
  const all = given.flatMap((document) => {
    const items = isDict(document) && document.get('kind') === 'List' ? (document.get('items') ?? null) : null
    return isList(items) ? items : [document]
  })
  return all.map((document) => {
    if (!isDict(document)) throw failure('Each manifest list entry must be a dictionary')
    return deepCopy(document) as Dict
  })
}

async function inlineManifests(manifest: Value): Promise<Value[]> {
  if (manifest === null) throw misuse("Either 'manifest' or 'source' must be provided")
  if (isDict(manifest)) return [manifest]
  if (isList(manifest)) return [...manifest]
  if (typeof manifest === 'string') return yamlDocuments(manifest)
  throw misuse(`manifest must be a dict, list, or YAML string, not ${typeName(manifest)}`)
}

export interface Parts extends Source {
  name: string
  namespace: string | undefined
  metadata: Dict | null
  spec: Dict | null
  data?: Dict | null
  secret_type?: string | null
}

/** Return the object of a kind for the arguments of a function. `live` is the existing object. */
export async function objectOf(ctx: Renders, kind: Kind, parts: Parts, live?: Dict | null): Promise<Dict> {
  const written = parts.source ? await fromFile(ctx, kind, parts) : parts
  const body: Dict = new Map<Value, Value>([
    ['apiVersion', kind.apiVersion],
    ['kind', kind.kind],
    ['metadata', metadataOf(ctx, parts, written.metadata)],
  ])
  if (kind.fields === 'data') return withData(body, kind, { ...parts, ...written })
  const spec = camelKeys(deepCopy(written.spec ?? new Map()) as Dict)
  complete(kind, parts.name, spec, live ?? null)
  if (kind.fields === 'spec') {
    if (spec.size > 0 || !['Namespace'].includes(kind.kind)) body.set('spec', spec)
    return body
  }
  for (const [field, value] of spec) if (!body.has(field)) body.set(field, value)
  return body
}

interface Written {
  metadata: Dict | null
  spec: Dict | null
  data?: Dict | null
  secret_type?: string | null
}

/** Return the parts that a file describes: an object of the kind, or of a secret and a config map only its data. */
async function fromFile(ctx: Renders, kind: Kind, parts: Parts): Promise<Written> {
  const documents = await documentsOf(ctx, parts)
  const document = documents[0] ?? null
  if (documents.length !== 1 || !isDict(document))
    throw failure(`The source file should define only a ${kind.kind} object`)
  if (document.has('kind') && document.get('kind') !== kind.kind) {
    throw failure(`The source file should define only a ${kind.kind} object`)
  }
  const metadata = document.has('metadata') ? dictIn(document, 'metadata') : parts.metadata
  const secretType = document.get('secret_type') ?? document.get('type') ?? null
  if (kind.fields === 'data') {
    return {
      metadata,
      spec: null,
      data: dictIn(document, 'data'),
      secret_type: secretType === null ? null : str(secretType),
    }
  }
  if (kind.fields === 'spec') return { metadata, spec: dictIn(document, 'spec') }
  const top = new Map([...document].filter(([field]) => !['apiVersion', 'kind', 'metadata'].includes(str(field))))
  return { metadata, spec: top.has('spec') && top.size === 1 ? dictIn(document, 'spec') : top }
}

const METADATA = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences', 'generateName', 'resourceVersion'])

function metadataOf(ctx: Renders, { name, namespace }: Parts, given: Dict | null): Dict {
  const metadata: Dict = new Map([['name', name]])
  if (namespace !== undefined) metadata.set('namespace', namespace)
  for (const [field, value] of camelKeys(given ?? new Map())) {
    if (METADATA.has(str(field))) metadata.set(field, textValues(str(field), value))
    else if (field !== 'name' && field !== 'namespace') {
      const text = `metadata of ${name} has no field '${str(field)}': put labels under 'labels'. The field is left out.`
      ctx.log('warning', text)
      ctx.hint({ level: 'warning', text })
    }
  }
  return metadata
}

/** Labels and annotations are converted to text, whatever type YAML gives them. */
function textValues(field: string, value: Value): Value {
  if ((field !== 'labels' && field !== 'annotations') || !isDict(value)) return value
  return new Map([...value].map(([name, item]) => [str(name), typeof item === 'boolean' ? String(item) : str(item)]))
}

/** Return a dict whose keys are in the form of the API: `min_ready_seconds` is `minReadySeconds`. */
const camelKeys = (dict: Dict): Dict =>
  new Map(
    [...dict].map(([key, value]): [Value, Value] => [
      typeof key === 'string' && /^[a-z]+(_[a-z0-9]+)+$/.test(key)
        ? key.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())
        : key,
      value,
    ]),
  )

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet'])

/** Add the fields that the API server requires and that follow from others. */
function complete(kind: Kind, name: string, spec: Dict, live: Dict | null): void {
  if (WORKLOADS.has(kind.kind)) completeWorkload(name, spec, live)
  if (kind.kind === 'Job' && spec.has('template')) neverRestart(dictIn(spec, 'template'))
  if (kind.kind === 'CronJob') neverRestart(dictIn(dictIn(dictIn(spec, 'jobTemplate'), 'spec'), 'template'))
  const role = dictIn(spec, 'roleRef')
  if (role.size > 0 && !role.has('apiGroup')) role.set('apiGroup', 'rbac.authorization.k8s.io')
}

function neverRestart(template: Dict): void {
  const pod = dictIn(template, 'spec')
  if (pod.size > 0 && !pod.has('restartPolicy')) pod.set('restartPolicy', 'Never')
}

/** A workload without a selector selects the labels of its template; without labels too, those of the live object or `app: <name>`. */
function completeWorkload(name: string, spec: Dict, live: Dict | null): void {
  if (!spec.has('template')) return
  const template = dictIn(spec, 'template')
  const metadata = dictIn(template, 'metadata')
  const labels = metadata.get('labels') ?? null
  if (!spec.has('selector')) {
    const known = live === null ? new Map<Value, Value>() : dictIn(dictIn(live, 'spec'), 'selector')
    const own: Dict = isDict(labels) && labels.size > 0 ? labels : new Map([['app', name]])
    spec.set('selector', known.size > 0 ? deepCopy(known) : new Map([['matchLabels', new Map(own)]]))
  }
  if (labels === null) {
    metadata.set('labels', new Map(dictIn(dictIn(spec, 'selector'), 'matchLabels')))
    template.set('metadata', metadata)
  }
}

function withData(body: Dict, kind: Kind, { data, secret_type }: Parts): Dict {
  const given = new Map([...(data ?? [])].map(([key, value]) => [str(key), value]))
  if (kind.kind === 'Secret') {
    body.set('data', new Map([...given].map(([key, value]) => [key, secretValue(value)])))
    if (secret_type) body.set('type', secret_type)
  } else {
    body.set('data', new Map([...given].map(([key, value]) => [key, plainText(value)])))
  }
  return body
}

const plainText = (value: Value): string => (value instanceof Uint8Array ? Buffer.from(value).toString() : str(value))

/** Return a value of a secret in base64. A text that is base64 of a text is taken as it is, as saltext-kubernetes does. */
export function secretValue(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const text = str(value)
  return isBase64(text) ? text : Buffer.from(text).toString('base64')
}

function isBase64(text: string): boolean {
  const plain = text.replaceAll(/\s/g, '')
  if (plain === '' || plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain))
    return plain === '' && text !== ''
  return recover(isAnyError, false, () => {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(plain, 'base64'))
    return true
  })
}
