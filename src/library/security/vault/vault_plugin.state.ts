// The catalog of plugins of Vault: registered plugins, their versions, and pins.
import { type Dict, dictFrom, equals, failure, isDict, isFailure, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  ensureOrFail,
  failed,
  foreseen,
  optionalText,
  orFailed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { ifFound } from './managed.ts'

const name = arg.text('Name of the plugin')
const plugin_type = arg.text('`auth`, `database` or `secret`')
const version = arg.text('Version')
const description = {
  sha256: optionalText('SHA-256 of the program or of the image'),
  command: optionalText('Program, below the directory of plugins'),
  args: arg.list('Arguments of the program', { optional: true }),
  env: arg.list(
    'Environment variables of the program, each as `KEY=value`. Vault does not return them, so they are not compared',
    {
      optional: true,
      secret: true,
    },
  ),
  oci_image: optionalText('Image of a container that has the plugin'),
  runtime: optionalText('Runtime of the container'),
  download: arg.flag('Download the plugin; only Vault Enterprise can', { default: false }),
}
const reloading = {
  now: arg.flag('Reload the mounts of the plugin after a change', { default: false }),
  now_globally: arg.flag('With `now`, reload on all nodes of the cluster', { default: false }),
}

const NO_VERSION = 'Plugin version must be specified and not empty'
/** The compared fields. */
const COMPARED = ['sha256', 'command', 'args', 'oci_image', 'runtime']

const configOf = (ctx: StateContext, type: string, name: string, version: string): Promise<Value> =>
  ifFound(() => ctx.call('vault_plugin.get_config', [type, name], { version }))

interface Registered {
  name: string
  plugin_type: string
  /** An empty text for a plugin without a version. */
  version: string
  fields: Readonly<Record<string, Value>>
}

const pair = (old: Value, now: Value): Dict => dictFrom({ old, new: now })

const register = (ctx: StateContext, { name, plugin_type, version, fields }: Registered): Promise<StateReturn> =>
  ensureOrFail<{ current: Dict | null; changes: Dict }>(ctx, {
    name,
    look: async () => {
      const current = await configOf(ctx, plugin_type, name, version)
      if (!isDict(current)) return { current: null, changes: new Map([['registered', name]]) }
      const changes: Dict = new Map()
      for (const field of COMPARED) {
        const [is, wanted] = [current.get(field) ?? null, fields[field] ?? null]
        if (wanted !== null && !equals(is, wanted)) changes.set(field, pair(is, wanted))
      }
      return changes.size === 0 ? settled('Plugin is registered as specified') : { current, changes }
    },
    foresee: ({ current, changes }) =>
      foreseen(`Plugin config would have been ${current ? 'updated' : 'registered'}`, changes),
    act: async ({ current, changes }) => {
      const kept = COMPARED.map((field) => [field, fields[field] ?? (current?.get(field) || null)])
      await ctx.call('vault_plugin.register', [plugin_type, name], {
        ...{ ...fields, ...(Object.fromEntries(kept) as Record<string, Value>) },
        version: version || null,
      })
      return changed(`Plugin config has been ${current ? 'updated' : 'registered'}`, changes)
    },
  })

/** Remove versions one by one; report those that cannot be removed. */
async function removeVersions(ctx: StateContext, type: string, name: string, versions: readonly string[]) {
  const [done, failures]: [string[], string[]] = [[], []]
  for (const version of versions) {
    try {
      await ctx.call('vault_plugin.deregister', [type, name], { version })
      done.push(version)
    } catch (error) {
      if (!isFailure(error)) throw error
      failures.push(`${version}: ${error.message}`)
    }
  }
  const changes = done.length > 0 ? { deregistered: done as Value } : {}
  if (failures.length > 0)
    return failed(`Some versions could not be deregistered:\n  * ${failures.join('\n  * ')}`, changes)
  return changed('Matching plugin versions have been deregistered', changes)
}

const pinned = async (ctx: StateContext, type: string, name: string): Promise<Value> =>
  await ctx.call('vault_plugin.pinned_version', [type, name])

const plain = (version: Value): string => str(version).replace(/^v+/, '')

const registering = {
  registered: state({
    doc: 'Ensure that a plugin without a version is registered as described.',
    args: { name, plugin_type, ...description },
    run: (ctx, { name, plugin_type, ...fields }) => register(ctx, { name, plugin_type, version: '', fields }),
  }),
  unregistered: state({
    doc: 'Ensure that a plugin without a version is not registered.',
    args: { name, plugin_type },
    run: (ctx, { name, plugin_type }) =>
      ensureOrFail(ctx, {
        name,
        look: async () =>
          (await configOf(ctx, plugin_type, name, '')) === null
            ? settled('Unversioned plugin is already absent')
            : 'there',
        foresee: () => foreseen('Unversioned plugin would have been deregistered', { deregistered: name }),
        act: async () => {
          await ctx.call('vault_plugin.deregister', [plugin_type, name])
          return changed('Unversioned plugin has been deregistered', { deregistered: name })
        },
      }),
  }),
  version_registered: state({
    doc: 'Ensure that a version of a plugin is registered as described.',
    args: { name, plugin_type, version, ...description },
    run: (ctx, { name, plugin_type, version, ...fields }) =>
      version ? register(ctx, { name, plugin_type, version, fields }) : failed(NO_VERSION).on(name),
  }),
  version_unregistered: state({
    doc: 'Ensure that versions of a plugin are not registered.',
    args: { name, plugin_type, version: arg.text('Version, or a glob') },
    run: (ctx, { name, plugin_type, version }) =>
      orFailed(name, () => {
        if (!version) throw failure(NO_VERSION)
        return ensure<string[]>(ctx, {
          name,
          look: async () => {
            const found = await ctx.call('vault_plugin.list_detailed', [], { plugin_type, name, version })
            const versions = (isList(found) ? found : [])
              .map((entry) => (isDict(entry) ? str(entry.get('version') ?? '') : ''))
              .filter((text) => text !== '')
            return versions.length > 0 ? versions : settled('All matching plugin versions are already absent')
          },
          foresee: (versions) =>
            foreseen('Matching plugin versions would have been deregistered', { deregistered: versions }),
          act: (versions) => removeVersions(ctx, plugin_type, name, versions),
        })
      }),
  }),
}

const pinning = {
  version_pinned: state({
    doc: 'Ensure that a plugin is pinned to a version.',
    args: { name, plugin_type, version, ...reloading },
    run: (ctx, { name, plugin_type, version, now, now_globally }) =>
      orFailed(name, () => {
        if (!version) throw failure(NO_VERSION)
        return ensure<{ current: Value }>(ctx, {
          name,
          look: async () => {
            const current = await pinned(ctx, plugin_type, name)
            const isRight = current !== null && plain(current) === plain(version)
            return isRight ? settled('Plugin is already pinned to correct version') : { current }
          },
          foresee: ({ current }) =>
            foreseen(
              current === null ? 'Plugin would have been pinned' : 'Pinned version would have been updated',
              pair(current, version),
            ),
          act: async ({ current }) => {
            await ctx.call('vault_plugin.pin', [plugin_type, name, version], { now, now_globally })
            const comment = current === null ? 'Plugin has been pinned' : 'Pinned version has been updated'
            return changed(comment, pair(current, version))
          },
        })
      }),
  }),
  version_unpinned: state({
    doc: 'Ensure that a plugin is not pinned to a version.',
    args: { name, plugin_type, ...reloading },
    run: (ctx, { name, plugin_type, now, now_globally }) =>
      ensureOrFail<{ current: Value }>(ctx, {
        name,
        look: async () => {
          const current = await pinned(ctx, plugin_type, name)
          return current === null ? settled('Plugin is already unpinned') : { current }
        },
        foresee: ({ current }) => foreseen('Version pin would have been removed', pair(current, null)),
        act: async ({ current }) => {
          await ctx.call('vault_plugin.unpin', [plugin_type, name], { now, now_globally })
          return changed('Version pin has been removed', pair(current, null))
        },
      }),
  }),
}

export default defineState({
  name: 'vault_plugin',
  doc: 'Plugins of Vault or OpenBao.',
  functions: { ...registering, ...pinning },
})
