// Python packages through pip, of a virtualenv, of a Python or of the machine.
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { saltenv } from '../common/params.ts'
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
import { pipVersion } from './module/program.ts'
import * as param from './params.ts'

const { bin_env, user, cwd, place, requirements, use_vt } = param
const pkgs = arg.words('Package names', { optional: true })
const kwargs = arg.open('Options of `cmd.run_all`')
const listing = { ...place, env_vars: param.env_vars, kwargs }
const prefix = arg.text('Start of the package names to list; default: all packages', { optional: true })
const outcome = ret.dict('Outcome as `cmd.run_all` returns it')
const off = (doc: string) => arg.flag(doc, { default: false })

const INSTALL = {
  pkgs,
  requirements,
  bin_env,
  ...param.source,
  ...param.packageOptions,
  global_options: param.global_options,
  install_options: param.install_options,
  ...param.trustOptions,
  saltenv,
  env_vars: param.env_vars,
  use_vt,
  trusted_host: param.trusted_host,
  no_cache_dir: param.no_cache_dir,
  extra_args: param.extra_args,
  cache_dir: param.cache_dir,
  no_binary: param.no_binary,
  disable_version_check: off('Do not check for a newer pip'),
}

export default defineModule({
  name: 'pip',
  doc: 'Manage Python packages with pip.',
  functions: {
    install: changes({
      doc: 'Install packages, or the packages of requirements files.',
      args: { ...INSTALL, kwargs },
      returns: outcome,
      example: 'pip.install pandas,numpy bin_env=/path/to/virtualenv',
      run: (ctx, { kwargs, ...given }) => install(ctx, given, kwargs),
    }),
    uninstall: changes({
      doc: 'Remove packages.',
      args: {
        pkgs,
        requirements,
        bin_env,
        log: param.log,
        proxy: param.proxy,
        timeout: param.timeout,
        user,
        cwd,
        saltenv,
        use_vt,
        extra_args: param.extra_args,
      },
      returns: outcome,
      example: 'pip.uninstall pandas bin_env=/path/to/virtualenv',
      run: uninstall,
    }),
    freeze: reads({
      doc: 'List the installed packages as lines of a requirements file.',
      args: { ...place, use_vt, env_vars: param.env_vars, kwargs },
      returns: ret.texts('Lines'),
      example: 'pip.freeze bin_env=/home/code/path/to/virtualenv',
      run: (ctx, { use_vt, env_vars, kwargs, ...place }) => freeze(ctx, place, { env_vars, use_vt, further: kwargs }),
    }),
    list_freeze_parse: reads({
      doc: 'List the installed packages with their versions, from `pip freeze`.',
      args: { prefix, ...listing },
      returns: ret.dict('Version by package name'),
      example: 'pip.list_freeze_parse salt',
      run: (ctx, { prefix, env_vars, kwargs, ...place }) =>
        frozenPackages(ctx, prefix, place, { env_vars, further: kwargs }),
    }),
    list: reads({
      doc: 'List the installed packages with their versions.',
      args: { prefix, ...listing },
      returns: ret.dict('Version by package name'),
      example: 'pip.list salt',
      calledAs: 'list_',
      run: (ctx, { prefix, env_vars, kwargs, ...place }) => packages(ctx, prefix, place, { env_vars, further: kwargs }),
    }),
    version: reads({
      doc: 'Return the version of pip.',
      args: { bin_env, cwd, user },
      returns: ret.optional(ret.string('Version')),
      run: (ctx, place) => pipVersion(ctx, place),
    }),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: place,
      returns: ret.dict('Newest version by package name'),
      run: (ctx, place) => upgrades(ctx, place),
    }),
    is_installed: reads({
      doc: 'Return whether a package is installed.',
      args: { pkgname: arg.text('Package name'), ...place },
      returns: ret.boolean('Whether the package is installed'),
      example: 'pip.is_installed salt',
      run: (ctx, { pkgname, ...place }) => isInstalled(ctx, pkgname, place),
    }),
    upgrade_available: reads({
      doc: 'Return whether a newer version of a package is available.',
      args: { pkg: arg.text('Package name'), ...place },
      returns: ret.boolean('Whether a newer version is available'),
      example: 'pip.upgrade_available numpy',
      run: async (ctx, { pkg, ...place }) => (await upgrades(ctx, place)).has(pkg),
    }),
    upgrade: changes({
      doc: 'Upgrade all packages.',
      args: { ...place, use_vt },
      returns: ret.dict('`changes`, `result` and `comment`'),
      run: (ctx, { use_vt, ...place }) => upgradeAll(ctx, place, use_vt),
    }),
    list_all_versions: reads({
      doc: 'List all versions of a package in the index.',
      args: {
        pkg: arg.text('Package name'),
        bin_env,
        include_alpha: off('Include alpha versions'),
        include_beta: off('Include beta versions'),
        include_rc: off('Include release candidates'),
        user,
        cwd,
        index_url: param.index_url,
        extra_index_url: param.extra_index_url,
      },
      returns: ret.any('Versions, lowest first; None without a version'),
      example: 'pip.list_all_versions numpy',
      run: (ctx, { pkg, ...question }) => allVersions(ctx, pkg, question),
    }),
    normalize: reads({
      doc: 'Return a package name in the form that indexes compare.',
      args: { name: arg.text('Package name') },
      returns: ret.string('Name in lower case, with dashes'),
      example: 'pip.normalize Foo_Bar',
      run: (_ctx, { name }) => normalize(name),
    }),
  },
})
