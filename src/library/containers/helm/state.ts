// Repositories and releases of Helm: Salt's `helm` states.
import { type Dict, isDict, isFailure, isList, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const namespace = arg.text('Namespace', { optional: true })
const flags = arg.list('Flags without a value', { optional: true })
const kvflags = arg.dict('Flags with a value', { optional: true })
const values = arg.text('File with values for the chart', { optional: true })
const set = arg.any('Values for the chart: a text `key=value`, or a list of such texts', { optional: true })

const status = async (ctx: StateContext, release: string, namespace: string | null): Promise<Value> =>
  await ctx.call('helm.status', [release], { namespace })

/** Return the present data of a release, without its manifest. */
async function now(ctx: StateContext, name: string, namespace: string | null): Promise<Verdict> {
  const found = await status(ctx, name, namespace)
  if (!isDict(found)) return failed(String(found))
  const shown: Dict = new Map(found)
  shown.delete('manifest')
  return changed(`Helm release ${name} is present`, shown)
}

const some = (result: Dict, name: string): boolean => {
  const list = result.get(name) ?? null
  return isList(list) && list.length > 0
}

export default defineState({
  name: 'helm',
  doc: 'Repositories and releases of Helm, a package manager for Kubernetes.',
  functions: {
    repo_managed: state({
      doc: 'Ensure that repositories are there or are not there.',
      args: {
        name: arg.text('Name of the state'),
        present: arg.list('Repositories: dicts with `name` and `url`', { optional: true }),
        absent: arg.list('Names of repositories to remove', { optional: true }),
        prune: arg.flag('Whether all other repositories are removed', { default: false }),
        repo_update: arg.flag('Whether indexes are fetched after a change', { default: false }),
        namespace,
        flags,
        kvflags,
      },
      run: async (ctx, { name, repo_update, ...given }) => {
        if (ctx.test) return foreseen('Helm repo would have been managed.').on(name)
        try {
          const result = await ctx.call('helm.repo_manage', [], given)
          if (some(result, 'failed')) return failed('Failed to add or remove some repositories.', result).on(name)
          if (!some(result, 'added') && !some(result, 'removed')) return settled('Helm repo is managed.').on(name)
          const { namespace, flags, kvflags } = given
          if (repo_update)
            result.set('repo_update', await ctx.call('helm.repo_update', [], { namespace, flags, kvflags }))
          return changed('Repositories were added or removed.', result).on(name)
        } catch (error) {
          if (isFailure(error)) return failed(`Failed to add some repositories: ${error.message}.`).on(name)
          throw error
        }
      },
    }),
    repo_updated: state({
      doc: 'Fetch the indexes of all repositories.',
      args: { name: arg.text('Name of the state'), namespace, flags, kvflags },
      run: async (ctx, { name, ...given }) => {
        if (ctx.test) return foreseen('Helm repo would have been updated.').on(name)
        const result = await ctx.call('helm.repo_update', [], given)
        return (
          result === true
            ? settled('Helm repo is updated.')
            : failed('Failed to sync some repositories.', { repo_update: result })
        ).on(name)
      },
    }),
    release_present: state({
      doc: 'Install a chart, or upgrade its release. Each run makes a new revision of a release that exists.',
      args: {
        name: arg.text('Name of the release'),
        chart: arg.text('Chart'),
        values,
        version: arg.text('Version of the chart', { optional: true }),
        namespace,
        set,
        flags,
        kvflags,
      },
      run: async (ctx, { name, ...given }) => {
        if (ctx.test) return foreseen('Helm release would have been installed or updated.').on(name)
        const old = await status(ctx, name, given.namespace)
        const result = (await ctx.call(isDict(old) ? 'helm.upgrade' : 'helm.install', [name], given)) as Value
        return (result === true ? await now(ctx, name, given.namespace) : failed(String(result))).on(name)
      },
    }),
    release_absent: state({
      doc: 'Ensure that a release does not exist.',
      args: { name: arg.text('Name of the release'), namespace, flags, kvflags },
      run: async (ctx, { name, ...given }) => {
        const isThere = isDict(await status(ctx, name, given.namespace))
        if (!isThere) return settled(`Helm release ${name} is absent.`).on(name)
        if (ctx.test) return foreseen('Helm release would have been uninstalled.').on(name)
        const result = await ctx.call('helm.uninstall', [name], given)
        return (
          result === true ? changed(`Helm release ${name} is absent.`, { absent: name }) : failed(String(result))
        ).on(name)
      },
    }),
  },
})
