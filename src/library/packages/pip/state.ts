// Python packages that pip installs, removes and brings up to date.
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { type Arg, arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Given, install } from './state/install.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const bin_env = optional('A virtualenv, a Python or a pip')
const user = optional('Whom pip runs as')
const cwd = optional('Where pip runs')
const use_vt = off('Show the output as it comes')

const INSTALLED: Record<string, Arg<Value>> = {
  name: arg.any('A package, with the versions that do'),
  pkgs: optional('Several of them'),
  pip_bin: optional('An older name of bin_env'),
  requirements: optional('Files of requirements'),
  bin_env,
  use_wheel: off('Prefer wheels; for old versions of pip'),
  no_use_wheel: off('Refuse wheels; for old versions of pip'),
  log: optional('A file for the log of pip'),
  proxy: optional('A proxy; false for none'),
  timeout: optional('Seconds until a connection counts as lost'),
  repo: optional('Has no effect'),
  editable: optional('What is installed in place'),
  find_links: optional('Where archives are looked for'),
  index_url: optional('The index'),
  extra_index_url: optional('Another index'),
  no_index: off('Ask no index'),
  mirrors: optional('Mirrors; for old versions of pip'),
  build: optional('Where packages are built'),
  target: optional('Where packages are put'),
  download: optional('Where archives are put instead of being installed'),
  download_cache: optional('Where archives are kept'),
  source: optional('Where editable packages are checked out'),
  upgrade: off('Bring packages to their newest version'),
  force_reinstall: off('Install what is installed anew'),
  ignore_installed: off('Act as if nothing were installed'),
  exists_action: optional('What happens to a path that exists: s, i, w or b'),
  no_deps: off('Leave dependencies out'),
  no_install: off('Only download'),
  no_download: off('Only use what was downloaded'),
  install_options: optional('Options of the command of setup.py'),
  global_options: optional('Options of setup.py, before its command'),
  user,
  cwd,
  pre_releases: off('Include versions before a release'),
  cert: optional('A bundle of certificates'),
  allow_all_external: off('For old versions of pip'),
  allow_external: optional('For old versions of pip'),
  allow_unverified: optional('For old versions of pip'),
  process_dependency_links: off('For old versions of pip'),
  env_vars: optional('Variables of the environment'),
  use_vt,
  trusted_host: optional('A host whose certificate is not checked'),
  no_cache_dir: off('Keep nothing in a cache'),
  cache_dir: optional('Where archives are kept'),
  no_binary: optional('Packages that are built here'),
  extra_args: optional('Words for pip as they are'),
}

interface Removal {
  name: string
  bin_env: Value
  user: Value
  cwd: Value
  [further: string]: Value
}

async function removed(ctx: StateContext, { name, ...options }: Removal): Promise<StateReturn> {
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

interface Place {
  name: string
  bin_env: Value
  user: Value
  cwd: Value
  use_vt: Value
}

async function uptodate(ctx: StateContext, { name, use_vt, ...place }: Place): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  let newer: Value
  try {
    newer = await ctx.call('pip.list_upgrades', [], place)
  } catch (error) {
    if (error instanceof Error) return report(false, error.message)
    throw error
  }
  if (!truthy(newer)) return report(true, 'System is already up-to-date.')
  if (ctx.test) return report(null, 'System update will be performed')
  const updated = await ctx.call('pip.upgrade', [], { ...place, use_vt })
  if (updated.get('result') === false) return report(false, str(updated.get('comment')!), updated.get('changes')!)
  return report(true, 'Upgrade successful.', updated)
}

export default defineState({
  name: 'pip_state',
  virtual: 'pip',
  doc: 'Keep Python packages installed, removed or up to date.',
  functions: {
    installed: state({
      doc: 'Packages are installed, in versions that do.',
      args: { ...INSTALLED, kwargs: arg.open('Options of cmd.run_all') },
      run: (ctx, { kwargs, ...given }) => install(ctx, given as Given, kwargs as Map<string, Value>),
    }),
    removed: state({
      doc: 'A package is not installed.',
      args: {
        name: arg.any('The package'),
        requirements: optional('Files of requirements'),
        bin_env,
        log: optional('A file for the log of pip'),
        proxy: optional('A proxy; false for none'),
        timeout: optional('Seconds until a connection counts as lost'),
        user,
        cwd,
        use_vt,
      },
      run: (ctx, given) => removed(ctx, given as Removal),
    }),
    uptodate: state({
      doc: 'All packages have their newest version.',
      args: { name: arg.any('Any text'), bin_env, user, cwd, use_vt },
      run: (ctx, given) => uptodate(ctx, given as Place),
    }),
  },
})
