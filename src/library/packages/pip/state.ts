// Python packages that pip installs, removes and upgrades.
import { SaltError, str } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import * as param from './params.ts'
import { install } from './state/install.ts'

const { bin_env, user, cwd, place, requirements, use_vt } = param

const INSTALLED = {
  name: arg.any('Package name with its version, such as `salt>=3006`; a dict or list is written as text'),
  pkgs: arg.textListOrDict('List of package names with their versions; overrides `name`', { optional: true }),
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

function removed(ctx: StateContext, { name, ...options }: Bound<typeof REMOVED>): Promise<StateReturn> {
  const { bin_env, user, cwd } = options
  return ensure(ctx, {
    name,
    look: async () => {
      try {
        const installed = await ctx.call('pip.list', [], { bin_env, user, cwd })
        return installed.has(name) ? null : settled('Package is not installed.')
      } catch (error) {
        if (error instanceof SaltError) return failed(`Error uninstalling '${name}': ${error.message}`)
        throw error
      }
    },
    foresee: () => `Package ${name} is set to be removed`,
    act: async () => {
      await ctx.call('pip.uninstall', [], { pkgs: name, ...options })
      return changed('Package was successfully removed.', { [name]: 'Removed' })
    },
  })
}

const UPTODATE = { name: arg.text('Name of the state'), ...place, use_vt }

function uptodate(ctx: StateContext, { name, use_vt, ...place }: Bound<typeof UPTODATE>): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => {
      try {
        const newer = await ctx.call('pip.list_upgrades', [], place)
        return newer.size === 0 ? settled('System is already up-to-date.') : null
      } catch (error) {
        if (error instanceof Error) return failed(error.message)
        throw error
      }
    },
    foresee: () => 'System update will be performed',
    act: async () => {
      const updated = await ctx.call('pip.upgrade', [], { ...place, use_vt })
      if (updated.get('result') === false) return failed(str(updated.get('comment')!), updated.get('changes')!)
      return changed('Upgrade successful.', updated)
    },
  })
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
