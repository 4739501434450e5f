// Objects of any kind by their manifests: server-side apply, its differences, deletion, patches and waiting.
import {
  type Dict,
  deepCopy,
  failure,
  isDict,
  isFailure,
  isList,
  misuse,
  type SaltError,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import {
  type Args,
  arg,
  type Bound,
  changes,
  type FunctionContext,
  optionalText,
  reads,
  ret,
} from '../../../../sdk/mod.ts'
import { isStatus, type KubernetesClient } from '../client/client.ts'
import {
  applyObject,
  deleteObject,
  dictIn,
  FIELD_MANAGER,
  getObject,
  namedType,
  patchObject,
  type Reference,
  typeOf,
} from '../client/objects.ts'
import { waitFor, wantedBy } from '../client/waiting.ts'
import { created, type Difference, difference, manifestKey } from '../diff.ts'
import { kindNamed } from '../kinds.ts'
import { manifests } from '../manifest.ts'
import {
  clientFor,
  connection,
  dryRun,
  referenceFor,
  sourceArgs,
  templateContext,
  timeout,
  untilReady,
  wait,
} from './calling.ts'

const manifest = arg.any('A manifest as a dict, a list of dicts, or a YAML text with any number of documents', {
  optional: true,
})
const fallback = arg.text('Namespace of objects whose manifest names none', { optional: true })

const ignoring = {
  ignore_labels: arg.words('Labels that are not applied', { optional: true }),
  ignore_annotations: arg.words('Annotations that are not applied', { optional: true }),
  ignore_fields: arg.words('Fields that are not applied, as JSON pointers: `/spec/replicas`', { optional: true }),
}

const manifestArgs = { manifest, source: sourceArgs.source, namespace: fallback }
const templateArgs = { template: sourceArgs.template, saltenv: sourceArgs.saltenv, template_context: templateContext }

const applying = {
  field_manager: arg.text('Name under which the API server keeps who owns a field', { default: FIELD_MANAGER }),
  force_conflicts: arg.flag('Whether fields that another manager owns are taken over', { default: false }),
}

const applyArgs = {
  ...manifestArgs,
  ...applying,
  dry_run: dryRun,
  ...templateArgs,
  ...ignoring,
  validate: arg.flag('Whether the API server checks all manifests before the first one is applied', { default: false }),
  wait,
  timeout,
  kwargs: connection,
} satisfies Args

type Applying = Bound<Omit<typeof applyArgs, 'kwargs' | 'validate' | 'dry_run' | 'wait' | 'timeout'>>

interface Prepared {
  reference: Reference
  body: Dict
}

/** Return the manifests of a call; throw if one lacks apiVersion, kind or name. */
async function documentsOf(
  ctx: FunctionContext,
  given: Bound<typeof manifestArgs & typeof templateArgs>,
): Promise<Dict[]> {
  const documents = await manifests(ctx, given.manifest, given)
  if (documents.length === 0) throw failure('There are no manifests')
  for (const document of documents) {
    const said = [document.get('apiVersion'), document.get('kind'), dictIn(document, 'metadata').get('name')]
    if (!said.every((value) => truthy(value ?? null))) {
      throw failure('Each manifest needs apiVersion, kind, and metadata.name')
    }
  }
  return documents
}

/** Return the object that a manifest means. A kind may be known only after an earlier manifest was applied. */
async function prepared(client: KubernetesClient, document: Dict, fallback: string | null): Promise<Prepared> {
  const [kind, name] = [str(document.get('kind')!), str(dictIn(document, 'metadata').get('name')!)]
  const type = await typeOf(client, str(document.get('apiVersion')!), kind)
  const own = dictIn(document, 'metadata').get('namespace') ?? fallback
  if (type.isNamespaced && !truthy(own)) {
    const how = 'name it in metadata.namespace or with the argument namespace'
    throw failure(`${kind} ${name} is in a namespace: ${how}`)
  }
  const namespace = type.isNamespaced ? str(own) : undefined
  if (namespace !== undefined) {
    document.set('metadata', new Map(dictIn(document, 'metadata')).set('namespace', namespace))
  }
  return { reference: { type, name, namespace }, body: document }
}

/** Remove the fields that a call does not want to own. */
function without(body: Dict, { ignore_labels, ignore_annotations, ignore_fields }: Applying): Dict {
  const copy = deepCopy(body) as Dict
  const pointers = [
    ...(ignore_labels ?? []).map((name) => ['metadata', 'labels', name]),
    ...(ignore_annotations ?? []).map((name) => ['metadata', 'annotations', name]),
    ...(ignore_fields ?? []).map((pointer) =>
      pointer
        .replace(/^\//, '')
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    ),
  ]
  for (const path of pointers) drop(copy, path)
  return copy
}

function drop(target: Value, path: readonly string[]): void {
  const [first, ...rest] = path
  if (first === undefined) return
  if (isList(target)) {
    const items = target as Value[]
    if (rest.length === 0) items.splice(Number(first), 1)
    else if (items[Number(first)] !== undefined) drop(items[Number(first)]!, rest)
  } else if (isDict(target)) {
    if (rest.length === 0) target.delete(first)
    else if (target.has(first)) drop(target.get(first)!, rest)
  }
}

const optionsOf = ({ field_manager, force_conflicts }: Applying) => ({
  fieldManager: field_manager,
  force: force_conflicts,
})

const oneOrAll = (all: Value[]): Value => (all.length === 1 ? all[0]! : all)

/**
 * Return for each manifest, from a dry run of the API server, whether it creates or changes an object, and the changes.
 */
async function differences(ctx: FunctionContext, given: Bound<typeof diffArgs>): Promise<Dict[]> {
  const client = await clientFor(ctx, given.kwargs)
  const documents = await documentsOf(ctx, given)
  const found: Dict[] = []
  for (const document of documents) {
    try {
      found.push(await differenceOf(client, await prepared(client, document, given.namespace), given))
    } catch (error) {
      if (!isFailure(error) || !isMissing(error, document, documents)) throw error
      const entry = differenceEntry(document, 'create', { old: new Map(), new: created(document) })
      found.push(entry.set('unchecked', error.message))
    }
  }
  return found
}

/** Return whether the API server cannot check a manifest because its namespace or its kind does not exist yet. */
function isMissing(error: SaltError, document: Dict, all: readonly Dict[]): boolean {
  if (isStatus(error, 404)) return /namespaces "[^"]*" not found/.test(error.message)
  const isDefined = (other: Dict): boolean =>
    other.get('kind') === CRD.kind && dictIn(dictIn(other, 'spec'), 'names').get('kind') === document.get('kind')
  return error.message.startsWith('The cluster has no kind') && all.some(isDefined)
}

async function differenceOf(client: KubernetesClient, { reference, body }: Prepared, given: Applying): Promise<Dict> {
  const live = await getObject(client, reference)
  const wanted = await applyObject(client, reference, without(body, given), { ...optionsOf(given), dryRun: true })
  if (live === null) return differenceEntry(wanted, 'create', { old: new Map(), new: created(wanted) })
  const differs = difference(live, wanted)
  return differenceEntry(wanted, differs ? 'update' : 'none', differs)
}

const differenceEntry = (object: Dict, action: string, differs: Difference | undefined): Dict =>
  new Map<Value, Value>([
    ['object', manifestKey(object)],
    ['action', action],
    [
      'changes',
      new Map<Value, Value>(
        differs
          ? [
              ['old', differs.old],
              ['new', differs.new],
            ]
          : [],
      ),
    ],
  ])

/** Apply manifests in order. A kind that one of them defines is ready before the next one is applied. */
async function applyAll(
  ctx: FunctionContext,
  client: KubernetesClient,
  given: Applying,
  dryRun: boolean,
): Promise<Applied[]> {
  const documents = await documentsOf(ctx, given)
  const applied: Applied[] = []
  for (const [index, document] of documents.entries()) {
    const { reference, body } = await prepared(client, document, given.namespace)
    const object = await applyObject(client, reference, without(body, given), { ...optionsOf(given), dryRun })
    applied.push({ reference, object })
    const isDefinition = reference.type.kind === CRD.kind && index < documents.length - 1
    if (isDefinition && !dryRun) await untilReady(client, reference, SECONDS_FOR_KIND)
  }
  return applied
}

interface Applied {
  reference: Reference
  object: Dict
}

const CRD = kindNamed('custom_resource_definition')
/** Seconds to wait until the API server serves a new kind. */
const SECONDS_FOR_KIND = 30

const diffArgs = { ...manifestArgs, ...applying, ...templateArgs, ...ignoring, kwargs: connection } satisfies Args

const anyNamespace = arg.text('Namespace, of objects that are in one', { optional: true })

/** Return the object that a kind and a name mean. */
async function objectCalled(
  ctx: FunctionContext,
  client: KubernetesClient,
  named: { kind: string; api_version: string | null; name: string; namespace: string | null },
): Promise<Reference> {
  return referenceFor(ctx, await namedType(client, named.kind, named.api_version), named.name, named.namespace)
}

export const manifestFunctions = {
  apply: changes({
    doc: 'Apply manifests by server-side apply. Fields that an earlier apply of the same field manager set and that are missing now are removed.',
    example: 'kubernetes.apply source=salt://app.yaml namespace=shop',
    args: applyArgs,
    returns: ret.any('The object, or a list of objects'),
    run: async (ctx, { validate, dry_run, wait, timeout, kwargs, ...given }) => {
      const client = await clientFor(ctx, kwargs)
      if (validate && !dry_run) await differences(ctx, { ...given, kwargs })
      const applied = await applyAll(ctx, client, given, dry_run)
      if (wait && !dry_run) for (const { reference } of applied) await untilReady(client, reference, timeout)
      return oneOrAll(applied.map(({ object }) => object))
    },
  }),
  diff: reads({
    doc: 'Return what `kubernetes.apply` would change, by a dry run of the API server. Nothing is changed.',
    example: 'kubernetes.diff source=salt://app.yaml namespace=shop',
    args: diffArgs,
    returns: ret.dicts('For each manifest `object`, `action` (create, update or none) and `changes` (old and new)'),
    run: (ctx, given) => differences(ctx, given),
  }),
  delete_manifest: changes({
    doc: 'Delete the objects of manifests, the last one first.',
    example: 'kubernetes.delete_manifest source=salt://app.yaml namespace=shop',
    args: {
      ...manifestArgs,
      propagation_policy: optionalText('What happens to dependents: `Background`, `Foreground` or `Orphan`'),
      grace_period_seconds: arg.count('Seconds that pods have to end', { optional: true }),
      ...templateArgs,
      kwargs: connection,
    },
    returns: ret.any('The answer of the API server, or a list of answers; None for an object that does not exist'),
    run: async (ctx, { propagation_policy, grace_period_seconds, kwargs, ...given }) => {
      const client = await clientFor(ctx, kwargs)
      const answers: Value[] = []
      for (const document of (await documentsOf(ctx, given)).reverse()) {
        const { reference } = await prepared(client, document, given.namespace)
        const options = { propagation: propagation_policy, graceSeconds: grace_period_seconds }
        answers.unshift(await deleteObject(client, reference, options))
      }
      return oneOrAll(answers)
    },
  }),
  get_object: reads({
    doc: 'Return an object of any kind.',
    example: 'kubernetes.get_object v1 ConfigMap settings shop',
    args: {
      api_version: arg.text('apiVersion'),
      kind: arg.text('Kind'),
      name: arg.text('Name'),
      namespace: anyNamespace,
      kwargs: connection,
    },
    returns: ret.optional(ret.dict('The object; None when it does not exist')),
    run: async (ctx, { kwargs, ...named }) => {
      const client = await clientFor(ctx, kwargs)
      return getObject(client, await objectCalled(ctx, client, named))
    },
  }),
  normalise_manifest_input: reads({
    doc: 'Return manifests as a list of dicts. No API server is asked.',
    example: 'kubernetes.normalise_manifest_input source=salt://app.yaml',
    args: { manifest, source: sourceArgs.source, ...templateArgs },
    returns: ret.dicts('The manifests'),
    run: (ctx, { manifest, ...source }) => manifests(ctx, manifest, source),
  }),
  patch_object: changes({
    doc: 'Change fields of an object of any kind.',
    example: `kubernetes.patch_object deployment web '{"spec": {"replicas": 2}}'`,
    args: {
      kind: arg.text('Kind, such as `deployment`'),
      name: arg.text('Name'),
      patch: arg.any('What changes: a dict, or a list of operations for `json`'),
      api_version: arg.text('apiVersion, of a kind that Brine has no functions for', { optional: true }),
      namespace: anyNamespace,
      patch_type: arg.text('`strategic`, `merge` or `json`', { default: 'strategic' }),
      field_manager: arg.text('Name of the field manager', { default: FIELD_MANAGER }),
      dry_run: dryRun,
      kwargs: connection,
    },
    returns: ret.dict('The object'),
    run: async (ctx, { patch, patch_type, field_manager, dry_run, kwargs, ...named }) => {
      if (!isDict(patch) && !isList(patch)) throw misuse('patch must be a dict, or a list for the patch type json')
      const client = await clientFor(ctx, kwargs)
      const options = { patchType: patch_type, fieldManager: field_manager, dryRun: dry_run }
      return patchObject(client, await objectCalled(ctx, client, named), patch, options)
    },
  }),
  wait_for: reads({
    doc: 'Wait until an object has a condition or a value.',
    example: 'kubernetes.wait_for web deployment shop condition=Available timeout=120',
    args: {
      name: arg.text('Name'),
      kind: arg.text('Kind, such as `deployment`'),
      namespace: anyNamespace,
      condition: arg.text('Type of a condition in the status', { optional: true }),
      status: arg.text('Status of the condition', { default: 'True' }),
      jsonpath: arg.text('Path of a value, such as `status.phase`', { optional: true }),
      value: arg.any('Value at the path; any true one when not given', { optional: true }),
      regex: arg.text('Regular expression for the value at the path', { optional: true }),
      timeout,
      api_version: arg.text('apiVersion, of a kind that Brine has no functions for', { optional: true, beyond: true }),
      kwargs: connection,
    },
    returns: ret.boolean('True; it is an error when the time is over'),
    run: async (ctx, { name, kind, namespace, timeout, api_version, kwargs, ...criteria }) => {
      const wanted = wantedBy(criteria)
      const client = await clientFor(ctx, kwargs)
      const reference = await objectCalled(ctx, client, { name, kind, namespace, api_version })
      const what = criteria.condition
        ? `to match condition=${criteria.condition}=${criteria.status}`
        : `to match jsonpath=${criteria.jsonpath}`
      await waitFor(client, reference, wanted, { seconds: timeout, what })
      return true
    },
  }),
}
