// Python packages that pip installs, removes and upgrades.
import { type Dict, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import * as param from './params.ts'
import { install } from './state/install.ts'

const { bin_env, user, cwd, place, requirements, use_vt } = param

const INSTALLED = {
  name: arg.any('Package name with its version, such as `salt>=3006`; a dict or list is written as text'),
  pkgs: arg.any('List of package names with their versions; overrides `name`', { optional: true }),
  pip_bin: arg.text('Old name of `bin_env`', { optional: true }),
  requirements,
  bin_env,
  ...param.source,
  repo: arg.text('Ignored', { optional: true }),
  ...param.packageOptions,
  force_reinstall: arg.any('Reinstall installed packages; only False means no', { default: false }),
  ignore_installed: arg.any('Ignore installed packages; only False means no', { default: false }),
  install_options: param.install_options,
  global_options: param.global_options,
  ...param.trustOptions,
  env_vars: param.env_vars,
  use_vt,
  trusted_host: param.trusted_host,
  no_cache_dir: param.no_cache_dir,
  cache_dir: param.cache_dir,
  no_binary: param.no_binary,
  extra_args: param.extra_args,
}

const REMOVED = {
  name: arg.text('Package name'),
  requirements,
  bin_env,
  log: param.log,
  proxy: param.proxy,
  timeout: param.timeout,
  user,
  cwd,
  use_vt,
}

async function removed(ctx: StateContext, { name, ...options }: Bound<typeof REMOVED>): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const { bin_env, user, cwd } = options
  let installed: Dict
  try {
    installed = await ctx.call('pip.list', [], { bin_env, user, cwd })
  } catch (error) {
    if (error instanceof SaltError) return report(false, `Error uninstalling '${name}': ${error.message}`)
    throw error
  }
  if (!installed.has(name)) return report(true, 'Package is not installed.')
  if (ctx.test) return report(null, `Package ${name} is set to be removed`)
  await ctx.call('pip.uninstall', [], { pkgs: name, ...options })
  return report(true, 'Package was successfully removed.', { [name]: 'Removed' })
}

const UPTODATE = { name: arg.text('Name of the state'), ...place, use_vt }

async function uptodate(ctx: StateContext, { name, use_vt, ...place }: Bound<typeof UPTODATE>): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  let newer: Dict
  try {
    newer = await ctx.call('pip.list_upgrades', [], place)
  } catch (error) {
    if (error instanceof Error) return report(false, error.message)
    throw error
  }
  if (newer.size === 0) return report(true, 'System is already up-to-date.')
  if (ctx.test) return report(null, 'System update will be performed')
  const updated = await ctx.call('pip.upgrade', [], { ...place, use_vt })
  if (updated.get('result') === false) return report(false, str(updated.get('comment')!), updated.get('changes')!)
  return report(true, 'Upgrade successful.', updated)
}

export default defineState({
  name: 'pip_state',
  virtual: 'pip',
  doc: 'Manage Python packages.',
  functions: {
    installed: state({
      doc: 'Ensure that packages are installed in the wanted versions.',
      args: { ...INSTALLED, kwargs: arg.open('Options of `cmd.run_all`') },
      run: (ctx, { kwargs, ...given }) => install(ctx, given, kwargs),
    }),
    removed: state({ doc: 'Ensure that a package is not installed.', args: REMOVED, run: removed }),
    uptodate: state({ doc: 'Ensure that all packages have their newest version.', args: UPTODATE, run: uptodate }),
  },
})
