// Python packages through pip: of a virtualenv, of a Python, or of the machine.
import type { Value } from '../../../data/mod.ts'
import { type Arg, arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { install, uninstall } from './module/install.ts'
import {
  allVersions,
  freeze,
  frozenPackages,
  isInstalled,
  normalize,
  packages,
  upgradeAll,
  upgrades,
} from './module/listing.ts'
import type { Given } from './module/options.ts'
import { pipVersion } from './module/program.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const pkgs = optional('Packages: a list, or a text with commas')
const bin_env = optional('A virtualenv, a Python or a pip')
const user = optional('Whom pip runs as')
const cwd = optional('Where pip runs')
const requirements = optional('Files of requirements')
const place = { bin_env, user, cwd }
const listing = {
  ...place,
  env_vars: optional('Variables of the environment'),
  kwargs: arg.open('Options of cmd.run_all'),
}

const INSTALL: Record<string, Arg<Value>> = {
  pkgs,
  requirements,
  bin_env,
  use_wheel: off('Prefer wheels; for old versions of pip'),
  no_use_wheel: off('Refuse wheels; for old versions of pip'),
  log: optional('A file for the log of pip'),
  proxy: optional('A proxy; false for none'),
  timeout: optional('Seconds until a connection counts as lost'),
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
  global_options: optional('Options of setup.py, before its command'),
  install_options: optional('Options of its command'),
  user,
  cwd,
  pre_releases: off('Include versions before a release'),
  cert: optional('A bundle of certificates'),
  allow_all_external: off('For old versions of pip'),
  allow_external: optional('For old versions of pip'),
  allow_unverified: optional('For old versions of pip'),
  process_dependency_links: off('For old versions of pip'),
  saltenv: arg.any('Where files of the file server are looked up', { default: 'base' }),
  env_vars: optional('Variables of the environment'),
  use_vt: off('Show the output as it comes'),
  trusted_host: optional('A host whose certificate is not checked'),
  no_cache_dir: off('Keep nothing in a cache'),
  extra_args: optional('Words for pip as they are'),
  cache_dir: optional('Where archives are kept'),
  no_binary: optional('Packages that are built here'),
  disable_version_check: arg.flag('Do not ask whether there is a newer pip', { default: false }),
}

export default defineModule({
  name: 'pip',
  doc: 'Install Python packages with pip.',
  functions: {
    install: changes({
      doc: 'Install packages, or what files of requirements list.',
      args: { ...INSTALL, kwargs: arg.open('Options of cmd.run_all') },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'pip.install pandas,numpy bin_env=/path/to/virtualenv',
      run: (ctx, { kwargs, ...given }) => install(ctx, given as Given, kwargs as Map<string, Value>),
    }),
    uninstall: changes({
      doc: 'Remove packages.',
      args: {
        pkgs,
        requirements,
        bin_env,
        log: optional('A file for the log of pip'),
        proxy: optional('A proxy; false for none'),
        timeout: optional('Seconds until a connection counts as lost'),
        user,
        cwd,
        saltenv: arg.any('Where files of the file server are looked up', { default: 'base' }),
        use_vt: off('Show the output as it comes'),
        extra_args: optional('Words for pip as they are'),
      },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'pip.uninstall pandas bin_env=/path/to/virtualenv',
      run: (ctx, given) => uninstall(ctx, given as Given),
    }),
    freeze: reads({
      doc: 'Installed packages as lines of a file of requirements.',
      args: {
        ...place,
        use_vt: off('Show the output as it comes'),
        env_vars: listing.env_vars,
        kwargs: listing.kwargs,
      },
      returns: ret.texts('The lines'),
      example: 'pip.freeze bin_env=/home/code/path/to/virtualenv',
      run: (ctx, { use_vt, env_vars, kwargs, ...place }) => freeze(ctx, place, { env_vars, use_vt, further: kwargs }),
    }),
    list_freeze_parse: reads({
      doc: 'Installed packages with their versions, read from `pip freeze`.',
      args: { prefix: arg.text('How names begin', { optional: true }), ...listing },
      returns: ret.dict('Versions by name'),
      example: 'pip.list_freeze_parse salt',
      run: (ctx, { prefix, env_vars, kwargs, ...place }) =>
        frozenPackages(ctx, prefix, place, { env_vars, further: kwargs }),
    }),
    list: reads({
      doc: 'Installed packages with their versions.',
      args: { prefix: arg.text('How names begin', { optional: true }), ...listing },
      returns: ret.dict('Versions by name'),
      example: 'pip.list salt',
      calledAs: 'list_',
      run: (ctx, { prefix, env_vars, kwargs, ...place }) => packages(ctx, prefix, place, { env_vars, further: kwargs }),
    }),
    version: reads({
      doc: 'The version of pip.',
      args: { bin_env, cwd, user },
      returns: ret.optional(ret.string('The version')),
      example: 'pip.version',
      run: (ctx, place) => pipVersion(ctx, place),
    }),
    list_upgrades: reads({
      doc: 'Packages of which there is a newer version.',
      args: place,
      returns: ret.dict('Newest versions by name'),
      example: 'pip.list_upgrades',
      run: (ctx, place) => upgrades(ctx, place),
    }),
    is_installed: reads({
      doc: 'Whether a package is installed.',
      args: { pkgname: arg.text('The package'), ...place },
      returns: ret.boolean('Whether it is there'),
      example: 'pip.is_installed salt',
      run: (ctx, { pkgname, ...place }) => isInstalled(ctx, pkgname, place),
    }),
    upgrade_available: reads({
      doc: 'Whether there is a newer version of a package.',
      args: { pkg: arg.any('The package'), ...place },
      returns: ret.boolean('Whether there is one'),
      example: 'pip.upgrade_available numpy',
      run: async (ctx, { pkg, ...place }) => (await upgrades(ctx, place)).has(pkg),
    }),
    upgrade: changes({
      doc: 'Bring all packages to their newest version.',
      args: { ...place, use_vt: off('Show the output as it comes') },
      returns: ret.dict('`changes`, `result` and `comment`'),
      example: 'pip.upgrade',
      run: (ctx, { use_vt, ...place }) => upgradeAll(ctx, place, use_vt),
    }),
    list_all_versions: reads({
      doc: 'All versions of a package that the index has.',
      args: {
        pkg: arg.text('The package'),
        bin_env,
        include_alpha: off('Include alpha versions'),
        include_beta: off('Include beta versions'),
        include_rc: off('Include release candidates'),
        user,
        cwd,
        index_url: optional('The index'),
        extra_index_url: optional('Another index'),
      },
      returns: ret.any('A list, or None'),
      example: 'pip.list_all_versions numpy',
      run: (ctx, { pkg, ...question }) => allVersions(ctx, pkg, question),
    }),
    normalize: reads({
      doc: 'The name of a package as indexes compare it.',
      args: { name: arg.text('The name') },
      returns: ret.string('Small letters, with dashes'),
      example: 'pip.normalize Foo_Bar',
      run: (_ctx, { name }) => normalize(name),
    }),
  },
})
