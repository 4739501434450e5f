// Packages of FreeBSD and DragonFly through pkg, of this system, a jail or another root directory.
import { lookup } from '../../../base/mod.ts'
import { type Dict, failure, isDict, numberOf, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  option,
  outputOf,
  reads,
  ret,
  retcodeOf,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'
import { latestVersion, upgradeAvailable, version, versionCmp } from '../common/functions.ts'
import { isDryRun, judged, packageNames, type Verdict } from '../common/holds.ts'
import { clearRefreshMark, wantsRemoved } from '../common/installed.ts'
import * as param from '../common/params.ts'
import {
  dashed,
  fromRepo,
  glob,
  INSTALL,
  install,
  isOn,
  latest,
  list,
  locks,
  PLACE,
  type Place,
  pcre,
  pkg,
  QUIET,
  REMOVE,
  regex,
  remove,
  repository,
  upgrade,
  versions,
} from './module/packages.ts'
import { switches, upgradesIn } from './module/words.ts'

const CONFIG = '/usr/local/etc/pkg.conf'

interface Holding {
  verb: 'lock' | 'unlock'
  doc: string
  already: string
  foreseen: string
  done: string
  failed: string
  changes: readonly [fresh: string, old: string]
}

const HOLD: Holding = {
  verb: 'lock',
  doc: 'Hold packages at their version.',
  already: 'is already set to be held.',
  foreseen: 'is set to be held.',
  done: 'is now being held.',
  failed: 'was unable to be held.',
  changes: ['hold', ''],
}

const UNHOLD: Holding = {
  verb: 'unlock',
  doc: 'Release held packages.',
  already: 'is not being held.',
  foreseen: 'is set to be unheld.',
  done: 'is no longer held.',
  failed: 'was unable to be unheld.',
  changes: ['', 'hold'],
}

const holding = (fun: string, { verb, doc, ...texts }: Holding): FunctionDeclaration =>
  changes({
    doc,
    example: `pkg.${fun} zsh`,
    args: { name: param.name, pkgs: param.pkgs, kwargs: param.kwargs },
    returns: param.holdReports,
    run: (ctx, { name, pkgs, kwargs }) =>
      judged(truthy(pkgs) ? packageNames(pkgs) : [str(name)], async (one): Promise<Verdict> => {
        const locked = verb === 'lock'
        if ((await locks(ctx, 'lock', kwargs)).includes(one) === locked)
          return [true, `Package ${one} ${texts.already}`]
        if (isDryRun(ctx)) return [null, `Package ${one} ${texts.foreseen}`]
        const done = (await locks(ctx, verb, kwargs, one)).includes(one) === locked
        if (!done) return [false, `Package ${one} ${texts.failed}`]
        return [true, `Package ${one} ${texts.done}`, texts.changes]
      }),
  })

/** Run a command of pkg with letters for its switches, and return its output. */
const outputOfPkg = (ctx: FunctionContext, place: Place, command: string, letters = '', ...words: string[]) =>
  outputOf(ctx, pkg(place, command, ...dashed(letters), ...words), QUIET)

const output = ret.string('Output of pkg')
const { off } = param
const dryrun = off('Do not change anything')
const quiet = off('Print less output')
const file_name = arg.text('Path of the backup')
const SEARCH = {
  exact: 'e',
  glob: 'g',
  regex: 'x',
  pcre: 'X',
  comment: 'c',
  desc: 'D',
  full: 'f',
  depends: 'd',
  size: 's',
  quiet: 'q',
  origin: 'o',
  prefix: 'p',
}
const FETCH = { fetch_all: 'a', quiet: 'q', glob: 'g', regex: 'x', pcre: 'X', local: 'L', depends: 'd' }
const SYMBOLS: Readonly<Record<string, number>> = lookup({ '<': -1, '>': 1, '=': 0 })

const refresh_db = changes({
  doc: 'Refresh the package database.',
  example: 'pkg.refresh_db',
  args: { ...PLACE, force: off('Fetch catalogues that are up to date too'), kwargs: param.kwargs },
  returns: ret.boolean('Whether the refresh succeeded'),
  run: async (ctx, call) => {
    await clearRefreshMark(ctx)
    return (await retcodeOf(ctx, pkg(call, 'update', ...(call.force ? ['-f'] : [])))) === 0
  },
})
const installedVersion = version(versions)
const latest_version = latestVersion(latest)
const removing = changes({
  doc: 'Remove packages.',
  example: 'pkg.remove zsh',
  args: REMOVE,
  returns: param.versionChanges,
  run: remove,
})

export default defineModule({
  name: 'pkgng',
  virtual: 'pkg',
  doc: 'Install packages with pkg.',
  when: ({ opts, grains }) => {
    const number = (name: string): number => Number(numberOf(grains.get(name) ?? null) ?? str(grains.get(name) ?? ''))
    const isFree = grains.get('os') === 'FreeBSD'
    if (grains.get('kernel') === 'DragonFly' || (isFree && number('osrelease') >= 10)) return true
    const providers = option(opts, 'providers')
    if (isFree && number('osmajorrelease') === 9 && isDict(providers) && providers.get('pkg') === 'pkgng') return true
    return 'The pkgng execution module cannot be loaded: only available on FreeBSD 10 or FreeBSD 9 with providers.pkg set to pkgng.'
  },
  functions: {
    version: installedVersion,
    info: installedVersion,
    refresh_db,
    update: refresh_db,
    latest_version,
    available_version: latest_version,
    upgrade_available: upgradeAvailable(async (ctx, name, options) => (await latest(ctx, [name], options)) !== ''),
    list_pkgs: reads({
      doc: 'List the installed packages with their versions.',
      args: {
        versions_as_list: param.versions_as_list,
        ...PLACE,
        with_origin: isOn('Return dicts with `origin` and `version`'),
        kwargs: param.kwargs,
      },
      returns: param.versionsByName,
      run: (ctx, call) => {
        const { versions_as_list: asList, with_origin: origins, kwargs } = call
        if (wantsRemoved(kwargs)) return new Map()
        return list(ctx, call, { asList, origins, cached: kwargs.get('use_context') !== false })
      },
    }),
    install: changes({
      doc: 'Install packages.',
      example: 'pkg.install zsh',
      args: INSTALL,
      returns: ret.any('`old` and `new` version by package name; the command for a dry run with `sources`'),
      run: install,
    }),
    remove: removing,
    delete: removing,
    purge: removing,
    upgrade: changes({
      doc: 'Upgrade packages; all of them when none is given.',
      args: {
        names: param.names,
        kwargs: arg.open('`jail`, `chroot`, `root`, `force`, `local`, `fetchonly`, `dryrun`, `pkgs`, `fromrepo`'),
      },
      returns: param.versionChanges,
      run: (ctx, { names, kwargs }) => upgrade(ctx, names.map(str), kwargs),
    }),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: {
        refresh: arg.flag('Refresh the package database first', { default: true }),
        kwargs: arg.open('`jail`, `chroot`, `root`, `fromrepo`'),
      },
      returns: param.versionsByName,
      run: async (ctx, { refresh, kwargs }) => {
        const offline = refresh ? [] : ['--no-repo-update']
        const place = Object.fromEntries(kwargs)
        const words = pkg(place, 'upgrade', '--dry-run', '--quiet', ...offline, ...repository(kwargs))
        const options = { ...QUIET, python_shell: false, ignore_retcode: true }
        return upgradesIn(await ctx.call('cmd.run_stdout', [words], options))
      },
    }),
    version_cmp: versionCmp(async (ctx, a, b) => {
      const words = ['pkg', 'version', '--test-version', a, b]
      return SYMBOLS[(await runAll(ctx, words, { ...QUIET, ignore_retcode: true })).stdout] ?? null
    }),
    hold: holding('hold', HOLD),
    unhold: holding('unhold', UNHOLD),
    list_locked: reads({
      doc: 'List the held packages with their versions.',
      args: { kwargs: param.kwargs },
      returns: ret.texts('Packages as `name-version`'),
      run: async (ctx, { kwargs }) => {
        const found: string[] = []
        for (const name of await locks(ctx, 'lock', kwargs)) {
          found.push(`${name}-${str(await ctx.call('pkg_resource.version', [name], kwargs))}`)
        }
        return found
      },
    }),
    locked: reads({
      doc: 'Return whether a package is held.',
      example: 'pkg.locked zsh',
      args: { name: param.pkg, kwargs: param.kwargs },
      returns: ret.boolean('Whether the package is held'),
      run: async (ctx, { name, kwargs }) => (await locks(ctx, 'lock', kwargs)).includes(name),
    }),
    lock: changes({
      doc: 'Hold a package at its version.',
      example: 'pkg.lock zsh',
      args: { name: param.pkg, kwargs: param.kwargs },
      returns: ret.boolean('Whether the package is held now'),
      run: async (ctx, { name, kwargs }) => (await locks(ctx, 'lock', kwargs, name)).includes(name),
    }),
    unlock: changes({
      doc: 'Release a held package.',
      example: 'pkg.unlock zsh',
      args: { name: param.pkg, kwargs: param.kwargs },
      returns: ret.boolean('Whether the package is released now'),
      run: async (ctx, { name, kwargs }) => !(await locks(ctx, 'unlock', kwargs, name)).includes(name),
    }),
    parse_config: reads({
      doc: 'Return the configuration of pkg.',
      args: { file_name: arg.text('Path of the configuration file', { default: CONFIG }) },
      returns: ret.any('Settings by name, with `config_file`; a text when the file does not exist'),
      run: async (ctx, { file_name: path }) => {
        const text = await textAt(ctx.host, path)
        if (text === undefined) return `Unable to find ${path} on file system`
        const found: Dict = new Map()
        for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
          const [key, value, more] = line.split('\t')
          if (value === undefined || more !== undefined) throw failure(`Unable to read the line '${line}' of ${path}`)
          found.set(key!, `${value}\n`)
        }
        return found.set('config_file', path)
      },
    }),
    stats: reads({
      doc: 'Return statistics about packages.',
      args: {
        local: off('Only installed packages'),
        remote: off('Only packages of repositories'),
        ...PLACE,
        bytes: off('Sizes in bytes'),
      },
      returns: ret.texts('Lines of pkg'),
      run: async (ctx, call) => {
        const letters = switches(call, { local: 'l', remote: 'r', bytes: 'b' })
        const text = await outputOfPkg(ctx, call, 'stats', letters)
        return text.split('\n').map((line) => line.replace(/^\t+|\t+$/g, ''))
      },
    }),
    backup: changes({
      doc: 'Export the installed packages to a file.',
      example: 'pkg.backup /tmp/pkg',
      args: { file_name, ...PLACE },
      returns: output,
      run: async (ctx, call) => (await outputOfPkg(ctx, call, 'backup', 'd', call.file_name)).split('...')[1] ?? '',
    }),
    restore: changes({
      doc: 'Import the installed packages from a file.',
      example: 'pkg.restore /tmp/pkg',
      args: { file_name, ...PLACE },
      returns: output,
      run: (ctx, call) => outputOfPkg(ctx, call, 'backup', 'r', call.file_name),
    }),
    audit: reads({
      doc: 'List the installed packages with known vulnerabilities.',
      args: PLACE,
      returns: output,
      run: (ctx, call) => outputOfPkg(ctx, call, 'audit', 'F'),
    }),
    clean: changes({
      doc: 'Clean the cache of package files.',
      args: { ...PLACE, clean_all: off('Remove all files, not only outdated ones'), dryrun },
      returns: output,
      run: (ctx, call) =>
        outputOfPkg(ctx, call, 'clean', switches(call, { clean_all: 'a' }) + (call.dryrun ? 'n' : 'y')),
    }),
    autoremove: changes({
      doc: 'Remove packages that nothing requires.',
      args: { ...PLACE, dryrun },
      returns: output,
      run: (ctx, call) => outputOfPkg(ctx, call, 'autoremove', call.dryrun ? 'n' : 'y'),
    }),
    check: changes({
      doc: 'Check installed packages.',
      example: 'pkg.check depends=True',
      args: {
        ...PLACE,
        depends: off('Install missing dependencies'),
        recompute: off('Recompute sizes and checksums'),
        checksum: off('Find wrong checksums'),
        checklibs: off('Find missing shared libraries'),
      },
      returns: output,
      run: (ctx, call) => {
        const letters = switches(call, { depends: 'dy', recompute: 'r', checksum: 's', checklibs: 'B' })
        if (letters === '') return 'One of depends, recompute, checksum or checklibs must be set to True'
        return outputOfPkg(ctx, call, 'check', letters)
      },
    }),
    which: reads({
      doc: 'Return the package that owns a file.',
      example: 'pkg.which /usr/local/bin/zsh',
      args: { path: arg.text('File path'), ...PLACE, origin: off('Return the origin of the package'), quiet },
      returns: output,
      run: (ctx, call) => outputOfPkg(ctx, call, 'which', switches(call, { quiet: 'q', origin: 'o' }), call.path),
    }),
    search: reads({
      doc: 'Search the repositories for packages.',
      example: 'pkg.search zsh',
      args: {
        name: arg.text('Name or pattern'),
        ...PLACE,
        exact: off('Match the exact name'),
        glob: off(glob),
        regex: off(regex),
        pcre: off(pcre),
        comment: off('Search comments'),
        desc: off('Search descriptions'),
        full: off('Return all facts'),
        depends: off('Return dependencies'),
        size: off('Return sizes'),
        quiet,
        origin: off('Return origins'),
        prefix: off('Return installation prefixes'),
      },
      returns: output,
      run: (ctx, call) => outputOfPkg(ctx, call, 'search', switches(call, SEARCH), call.name),
    }),
    fetch: changes({
      doc: 'Fetch package files.',
      example: 'pkg.fetch zsh',
      args: {
        name: arg.text('Name or pattern'),
        ...PLACE,
        fetch_all: off('Fetch all packages'),
        quiet,
        fromrepo: param.fromrepo,
        glob: arg.flag(glob, { default: true }),
        regex: off(regex),
        pcre: off(pcre),
        local: off('Do not update the repository catalogue'),
        depends: off('Fetch dependencies too'),
      },
      returns: output,
      run: (ctx, call) => {
        const words = ['-y', ...fromRepo(call.fromrepo), ...dashed(switches(call, FETCH)), call.name]
        return outputOfPkg(ctx, call, 'fetch', '', ...words)
      },
    }),
    updating: reads({
      doc: 'Return the notes of UPDATING about a package.',
      example: 'pkg.updating zsh',
      args: {
        name: param.pkg,
        ...PLACE,
        filedate: arg.text('Only notes since this date, `YYYYMMDD`', { optional: true }),
        filename: arg.text('Alternative path of UPDATING', { optional: true }),
      },
      returns: output,
      run: (ctx, call) => {
        const { name, filedate, filename } = call
        const letters = (filedate ? `d ${filedate}` : '') + (filename ? `f ${filename}` : '')
        return outputOfPkg(ctx, call, 'updating', letters, name)
      },
    }),
  },
})
