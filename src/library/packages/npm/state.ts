// Node.js packages that npm installs and removes.
import { type Dict, isDict, iterate, SaltError, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const user = arg.text('Name of the user that runs npm', { optional: true })
const dir = arg.text('Directory of the packages; default: the global directory', { optional: true })

/** Return the result of a call, or the error of the module. */
async function attempt<T>(action: () => T | Promise<T>): Promise<{ value: T } | { complaint: string }> {
  try {
    return { value: await action() }
  } catch (error) {
    if (error instanceof SaltError) return { complaint: error.message }
    throw error
  }
}

const INSTALLED = {
  name: arg.text('Package name, with `@version` if wanted'),
  pkgs: arg.textListOrDict('List of package names; overrides `name`', { optional: true }),
  dir,
  user,
  force_reinstall: arg.any('Reinstall installed packages; only True counts', { default: false }),
  registry: arg.text('URL of the registry', { optional: true }),
  env: arg.any('Dict of environment variables; other values are ignored', { optional: true }),
}

/** Return `name@version` of an installed package that matches; undefined for a package to install. */
function satisfying(pkg: string, installed: Dict): string | undefined {
  const [, name = '', version] = /^(@?[^@\s]+)(?:@(\S+))?/.exec(pkg) ?? []
  const entry = installed.get(name) ?? null
  const found = isDict(entry) ? entry.get('version') : undefined
  if (found === undefined || (version !== undefined && version !== found)) return undefined
  return `${name}@${str(found)}`
}

async function installed(ctx: StateContext, wanted: Bound<typeof INSTALLED>): Promise<StateReturn> {
  const { name, dir, user, env, registry } = wanted
  const pkgs = truthy(wanted.pkgs) ? Array.from(iterate(wanted.pkgs), str) : [name]
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const listed = await attempt(() => ctx.call('npm.list', [], { dir, runas: user, env, depth: 0 }))
  if ('complaint' in listed) return report(false, `Error looking up '${name}': ${listed.complaint}`)
  const missing: string[] = []
  const there: string[] = []
  for (const pkg of pkgs) {
    const found = wanted.force_reinstall === true ? undefined : satisfying(pkg, listed.value)
    if (found === undefined) missing.push(pkg)
    else there.push(found)
  }
  const satisfied = `Package(s) '${pkgs.join(', ')}' satisfied by ${there.join(', ')}`
  const changes = missing.length > 0 ? { old: [], new: missing } : {}
  if (ctx.test) {
    const comments = missing.length > 0 ? [`NPM package(s) '${missing.join(', ')}' are set to be installed`] : []
    if (there.length > 0) comments.push(satisfied)
    return report(there.length > 0 ? true : null, comments.join('. '), changes)
  }
  if (missing.length === 0) return report(true, satisfied)
  const options = { dir, runas: user, registry, env, pkgs }
  const outcome = await attempt(() => ctx.call('npm.install', [], options))
  if ('complaint' in outcome) return report(false, `Error installing '${pkgs.join(', ')}': ${outcome.complaint}`)
  return report(true, `Package(s) '${missing.join(', ')}' successfully installed`, changes)
}

function removed(ctx: StateContext, name: string, dir: string | null, user: string | null): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => {
      const listed = await attempt(() => ctx.call('npm.list', [], { dir, depth: 0 }))
      if ('complaint' in listed) return failed(`Error uninstalling '${name}': ${listed.complaint}`)
      return listed.value.has(name) ? null : settled(`Package '${name}' is not installed`)
    },
    foresee: () => `Package '${name}' is set to be removed`,
    act: async () =>
      (await ctx.call('npm.uninstall', [], { pkg: name, dir, runas: user }))
        ? changed(`Package '${name}' was successfully removed`, { [name]: 'Removed' })
        : failed(`Error removing package '${name}'`),
  })
}

async function bootstrap(ctx: StateContext, name: string, user: string | null, silent: boolean): Promise<Verdict> {
  const options = { dir: name, runas: user, pkg: null, silent, ...(ctx.test && { dry_run: true }) }
  const outcome = await attempt(() => ctx.call('npm.install', [], options))
  if ('complaint' in outcome) return failed(`Error Bootstrapping '${name}': ${outcome.complaint}`)
  const { value } = outcome
  if (ctx.test) {
    if (!truthy(value)) return settled(`${name} is already bootstrapped`)
    return foreseen(`${name} is set to be bootstrapped`, { old: [], new: value })
  }
  if (!truthy(value)) return settled('Directory is already bootstrapped')
  if (typeof value === 'string') return failed('Could not bootstrap directory', value)
  return changed('Directory was successfully bootstrapped', { [name]: 'Bootstrapped' })
}

function cacheCleaned(
  ctx: StateContext,
  name: string | null,
  user: string | null,
  force: boolean,
): Promise<StateReturn> {
  const what = name || 'packages'
  return ensure(ctx, {
    name,
    look: async () => {
      const cached = await attempt(() => ctx.call('npm.cache_list', [], { path: name, runas: user }))
      if ('complaint' in cached) return failed(`Error looking up cached ${what}: ${cached.complaint}`)
      if (!name) return null
      const root = (await ctx.call('npm.cache_list', [], { path: null, runas: user }))[0] ?? ''
      return cached.value.includes(`${root}/${what}/`) ? null : settled(`Package ${what} is not in the cache`)
    },
    foresee: () => `Cached ${what} set to be removed`,
    act: async () => {
      const options = { path: name, runas: user, ...(force && { force }) }
      if (!(await ctx.call('npm.cache_clean', [], options))) return failed(`Error cleaning cached ${what}`)
      return changed(`Cached ${what} successfully removed`, { [name || 'cache']: 'Removed' })
    },
  })
}

export default defineState({
  name: 'npm',
  doc: 'Manage Node.js packages.',
  when: async ({ host }) => (await host.which('npm')) !== undefined || "'npm' binary not found on system",
  functions: {
    installed: state({
      doc: 'Ensure that packages are installed.',
      args: INSTALLED,
      run: installed,
    }),
    removed: state({
      doc: 'Ensure that a package is not installed.',
      args: { name: arg.text('Package name'), dir, user },
      run: (ctx, { name, dir, user }) => removed(ctx, name, dir, user),
    }),
    bootstrap: state({
      doc: 'Ensure that the dependencies in the package.json of a directory are installed.',
      args: { name: arg.text('Directory'), user, silent: arg.flag('Suppress the log of npm', { default: true }) },
      run: async (ctx, { name, user, silent }) => (await bootstrap(ctx, name, user, silent)).on(name),
    }),
    cache_cleaned: state({
      doc: 'Ensure that the cache is clean.',
      args: {
        name: arg.text('Package or path in the cache; default: the whole cache', { optional: true }),
        user,
        force: arg.flag('Clean without a check', { default: false }),
      },
      run: (ctx, { name, user, force }) => cacheCleaned(ctx, name, user, force),
    }),
  },
})
