// The states that every kind of object has: present by server-side apply, and absent.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Args,
  arg,
  changed,
  ensure,
  ensureOrFail,
  failed,
  foreseen,
  orFailed,
  type StateContext,
  type StateFunction,
  type StateReturn,
  settled,
  state,
} from '../../../../sdk/mod.ts'
import { connection } from '../client/settings.ts'
import { created } from '../diff.ts'
import type { Kind } from '../kinds.ts'
import { objectOf } from '../manifest.ts'

/** Kinds that Salt's states write in lower case. */
const SMALL = new Set([
  'deployment',
  'service',
  'pod',
  'statefulset',
  'replicaset',
  'daemonset',
  'storageclass',
  'namespace',
  'secret',
  'configmap',
])

const calledIn = (kind: Kind): string => (SMALL.has(kind.key) ? kind.key : kind.kind)

/** Kinds whose selector is taken from the existing object. */
const SELECTING = new Set(['deployment', 'statefulset', 'replicaset', 'daemonset'])

export const place = arg.text('Namespace. Default: the option `kubernetes.namespace`, or `default`', { optional: true })
const metadata = arg.dict('Metadata of the object: labels, annotations', { optional: true })
const wait = arg.flag('Whether to wait until the object is ready', { default: false })
const timeout = arg.count('Seconds to wait at most', { default: 60 })

const fileArgs = {
  source: arg.text('File of the file server with the object in YAML', { optional: true }),
  template: arg.text('Template engine that renders the file', { optional: true }),
  template_context: arg.dict('Variables of the template', { optional: true }),
}

const inPlace = (kind: Kind): { namespace: typeof place } =>
  (kind.isNamespaced ? { namespace: place } : {}) as { namespace: typeof place }

/** Return the parameters of `*_present`. */
function presentArgs(kind: Kind): Args {
  const begin = { name: arg.text(`Name of the ${kind.kind}`), ...inPlace(kind) }
  const end = { wait, timeout, kwargs: connection }
  const secret = kind.key === 'secret' ? { secret_type: arg.text('Type of the secret', { optional: true }) } : {}
  if (kind.key === 'namespace') return { ...begin, metadata, ...end }
  if (kind.fields === 'data') {
    return {
      ...begin,
      data: arg.dict('Values by their names', { optional: true }),
      ...fileArgs,
      ...secret,
      metadata,
      ...end,
    }
  }
  return { ...begin, metadata, spec: arg.dict('Fields of the object', { optional: true }), ...fileArgs, ...end }
}

export interface Given {
  name: string
  namespace?: string | null
  metadata?: Dict | null
  spec?: Dict | null
  data?: Dict | null
  secret_type?: string | null
  source?: string | null
  template?: string | null
  template_context?: Dict | null
  wait: boolean
  timeout: number
  kwargs: Map<string, Value>
}

export const kindStates = (kind: Kind): Record<string, StateFunction> => ({
  [`${kind.key}_present`]: state({
    doc: `Ensure that a ${kind.kind} exists and has the given fields. Fields that are not given stay as they are.`,
    args: presentArgs(kind),
    run: (ctx, args) => present(ctx, kind, args as unknown as Given),
  }),
  [`${kind.key}_absent`]: state({
    doc: `Ensure that a ${kind.kind} does not exist.`,
    args: { name: arg.text(`Name of the ${kind.kind}`), ...inPlace(kind), wait, timeout, kwargs: connection },
    run: (ctx, args) => absent(ctx, kind, args as unknown as Given),
  }),
})

/** Return the arguments of a function for an object in its place. */
const wordsOf = (kind: Kind, { name, namespace }: Given): Value[] =>
  kind.isNamespaced ? [name, namespace ?? null] : [name]

async function namespaceOf(ctx: StateContext, given: string | null | undefined): Promise<string> {
  const option = given || (await ctx.call('config.get', ['kubernetes.namespace', '']))
  return truthy(option) ? str(option) : 'default'
}

export async function present(ctx: StateContext, kind: Kind, given: Given): Promise<StateReturn> {
  const { name, kwargs, source } = given
  if (source && (given.metadata || given.spec || given.data)) {
    const others = kind.fields === 'data' ? "'data'" : "'metadata' or 'spec'"
    return failed(`'source' cannot be used in combination with ${others}`).on(name)
  }
  return orFailed(name, async () => {
    const namespace = kind.isNamespaced ? await namespaceOf(ctx, given.namespace) : undefined
    const live = SELECTING.has(kind.key) ? await show(ctx, kind, given) : null
    const parts = {
      metadata: null,
      spec: null,
      template: null,
      template_context: null,
      ...given,
      source: source ?? null,
      saltenv: ctx.env,
      namespace,
    }
    const manifest = await objectOf(ctx, kind, parts, live)
    return apply(ctx, kind, { given, manifest, kwargs })
  })
}

const show = async (ctx: StateContext, kind: Kind, given: Given): Promise<Dict | null> =>
  (await ctx.call(`kubernetes.show_${kind.key}`, wordsOf(kind, given), given.kwargs)) as Dict | null

interface Wanted {
  given: Given
  manifest: Dict
  kwargs: Map<string, Value>
}

/** Apply a manifest where a dry run of the API server changes something. A state takes over fields of other managers. */
function apply(ctx: StateContext, kind: Kind, { given, manifest, kwargs }: Wanted): Promise<StateReturn> {
  const called = calledIn(kind)
  const options = new Map<string, Value>([...kwargs, ['manifest', manifest], ['force_conflicts', true]])
  return ensure<Dict>(ctx, {
    name: given.name,
    look: async () => {
      const all = await ctx.call('kubernetes.diff', [], options)
      const found = isList(all) && isDict(all[0]!) ? all[0] : new Map<Value, Value>()
      if (found.get('action') !== 'none') return found
      if (kind.key === 'namespace') return settled('The namespace already exists')
      return settled(`The ${called} is already in the desired state`)
    },
    foresee: (found) => {
      const text = `The ${called} is going to be ${found.get('action') === 'create' ? 'created' : 'updated'}`
      return foreseen(`${text}${uncheckedNote(found)}`, found.get('changes')!)
    },
    act: async (found) => {
      const waiting = new Map<string, Value>([...options, ['wait', given.wait], ['timeout', given.timeout]])
      const made = await ctx.call('kubernetes.apply', [], waiting)
      if (found.get('action') !== 'create') return changed(`${kind.kind} updated`, found.get('changes')!)
      return changed(`${kind.kind} created`, { old: {}, new: isDict(made) ? created(made) : made })
    },
  })
}

/** Say that an object could not be checked, because an earlier state is going to create its namespace or its kind. */
function uncheckedNote(found: Dict): string {
  const reason = found.get('unchecked')
  return reason === undefined ? '' : `. The API server cannot check it yet: ${str(reason)}`
}

function absent(ctx: StateContext, kind: Kind, given: Given): Promise<StateReturn> {
  const called = calledIn(kind)
  const gone = { old: 'present', new: 'absent' }
  return ensureOrFail<Dict>(ctx, {
    name: given.name,
    look: async () => (await show(ctx, kind, given)) ?? settled(`The ${called} does not exist`),
    foresee: () => foreseen(`The ${called} is going to be deleted`, gone),
    act: async () => {
      const options = new Map<string, Value>([...given.kwargs, ['wait', given.wait], ['timeout', given.timeout]])
      await ctx.call(`kubernetes.delete_${kind.key}`, wordsOf(kind, given), options)
      return changed(`${kind.kind} ${given.name} deleted`, gone)
    },
  })
}
