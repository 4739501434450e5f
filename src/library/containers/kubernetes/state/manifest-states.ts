// Objects of any kind, by their manifests.
import { type Dict, dictFrom, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changed, ensureOrFail, failed, foreseen, optionalText, settled, state } from '../../../../sdk/mod.ts'
import { dictIn, FIELD_MANAGER } from '../client/objects.ts'
import { connection } from '../client/settings.ts'
import { manifestKey } from '../diff.ts'

const common = {
  source: arg.text('File of the file server with manifests in YAML', { optional: true }),
  manifest: arg.any('A manifest as a dict, a list of dicts, or a YAML text', { optional: true }),
  namespace: arg.text('Namespace of objects whose manifest names none', { optional: true }),
}

const templating = {
  template: arg.text('Template engine that renders the file', { optional: true }),
  template_context: arg.dict('Variables of the template', { optional: true }),
}

const ignoring = {
  ignore_labels: arg.words('Labels that are not applied', { optional: true }),
  ignore_annotations: arg.words('Annotations that are not applied', { optional: true }),
  ignore_fields: arg.words('Fields that are not applied, as JSON pointers', { optional: true }),
}

/** Return why the arguments cannot be used, or undefined. */
function misfit(source: string | null, manifest: Value): string | undefined {
  if (source && manifest !== null) return "'source' and 'manifest' are mutually exclusive"
  return source || manifest !== null ? undefined : "Provide either 'source' or 'manifest'"
}

const differing = (all: readonly Dict[]): Dict =>
  new Map(
    all
      .filter((one) => one.get('action') !== 'none')
      .map((one): [Value, Value] => [one.get('object')!, one.get('changes')!]),
  )

export const manifestStates = {
  manifest_present: state({
    doc: 'Ensure that the objects of manifests exist and are as described, by server-side apply.',
    args: {
      name: arg.text('Name of the state; no object is named by it'),
      ...common,
      field_manager: arg.text('Name under which the API server keeps who owns a field', { default: FIELD_MANAGER }),
      force_conflicts: arg.flag('Whether fields that another manager owns are taken over', { default: false }),
      ...templating,
      ...ignoring,
      wait: arg.flag('Whether to wait until all objects are ready', { default: false }),
      timeout: arg.count('Seconds to wait for each object at most', { default: 60 }),
      kwargs: connection,
    },
    run: async (ctx, { name, source, manifest, wait, timeout, kwargs, ...rest }) => {
      const misuse = misfit(source, manifest)
      if (misuse !== undefined) return failed(misuse).on(name)
      const options = new Map<string, Value>([
        ...kwargs,
        ...Object.entries(rest),
        ['source', source],
        ['manifest', manifest],
        ['saltenv', ctx.env],
      ])
      return ensureOrFail<Dict>(ctx, {
        name,
        look: async () => {
          const found = await ctx.call('kubernetes.diff', [], options)
          const changes = differing(isList(found) ? found.filter(isDict) : [])
          return changes.size === 0 ? settled('Manifests already match desired state') : changes
        },
        foresee: (changes) => foreseen('Manifests would be applied (server-side dry run)', changes),
        act: async (changes) => {
          await ctx.call(
            'kubernetes.apply',
            [],
            new Map<string, Value>([...options, ['wait', wait], ['timeout', timeout]]),
          )
          return changed('Manifests applied via server-side apply', changes)
        },
      })
    },
  }),
  manifest_absent: state({
    doc: 'Ensure that the objects of manifests do not exist.',
    args: {
      name: arg.text('Name of the state; no object is named by it'),
      ...common,
      propagation_policy: optionalText('What happens to dependents: `Background`, `Foreground` or `Orphan`'),
      grace_period_seconds: arg.count('Seconds that pods have to end', { optional: true }),
      ...templating,
      kwargs: connection,
    },
    run: async (
      ctx,
      { name, source, manifest, propagation_policy, grace_period_seconds, namespace, kwargs, ...templates },
    ) => {
      const misuse = misfit(source, manifest)
      if (misuse !== undefined) return failed(misuse).on(name)
      const described = new Map<string, Value>([
        ['source', source],
        ['manifest', manifest],
        ['saltenv', ctx.env],
        ...Object.entries(templates),
      ])
      return ensureOrFail<Dict>(ctx, {
        name,
        look: async () => {
          const all = await ctx.call('kubernetes.normalise_manifest_input', [], described)
          const changes: Dict = new Map()
          for (const one of isList(all) ? all.filter(isDict) : []) {
            const metadata = dictIn(one, 'metadata')
            const place = metadata.get('namespace') ?? namespace
            const words = [one.get('apiVersion') ?? '', one.get('kind') ?? '', metadata.get('name') ?? '', place]
            const live = await ctx.call('kubernetes.get_object', words, kwargs)
            const gone: Dict = dictFrom({ old: 'present', new: 'absent' })
            if (isDict(live)) changes.set(manifestKey(live), gone)
          }
          return changes.size === 0 ? settled('Manifests already absent') : changes
        },
        foresee: (changes) => foreseen('Manifests would be deleted', changes),
        act: async (changes) => {
          const options = new Map<string, Value>([...kwargs, ...described, ['namespace', namespace]])
          if (truthy(propagation_policy)) options.set('propagation_policy', str(propagation_policy!))
          if (grace_period_seconds !== null) options.set('grace_period_seconds', grace_period_seconds)
          await ctx.call('kubernetes.delete_manifest', [], options)
          return changed('Manifests deleted', changes)
        },
      })
    },
  }),
}
