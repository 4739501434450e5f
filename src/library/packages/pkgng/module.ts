// Packages of FreeBSD and DragonFly through pkg, of this system, a jail or another root directory.
import { lookup } from '../../../base/mod.ts'
import { type Dict, isDict, numberOf, splitWords, str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import {
  CommandError,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  isTrue,
  option,
  outputOf,
  ret,
  retcodeOf,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'
import { type Call, changing, type Given, reading } from '../common/declare.ts'
import { isDryRun, judged, type Verdict } from '../common/holds.ts'
import { changesSince, clearRefreshMark, failure, infoOf, namesOf, single, targetsOf } from '../common/installed.ts'
import { switches, upgradesIn } from './module/words.ts'

const QUIET = { output_loglevel: 'trace' }
const PLACE = 'jail chroot root'
const CONFIG = '/usr/local/etc/pkg.conf'

type Options = Readonly<Record<string, Value>>

/** Where pkg is to work; of several places the first counts. */
function placeOf({ jail = null, chroot = null, root = null }: Options): [string, string] | undefined {
  const places: [string, Value][] = [
    ['-j', jail],
    ['-c', chroot],
    ['-r', root],
  ]
  const found = places.find(([, value]) => truthy(value))
  return found && [found[0], str(found[1])]
}

const pkg = (place: Options, ...words: string[]): string[] => ['pkg', ...(placeOf(place) ?? []), ...words]

const keyOf = (place: Options): string => {
  const where = placeOf(place)
  return where === undefined ? 'pkg.list_pkgs' : `pkg.list_pkgs${where.join('_')}`
}

interface Installed {
  versions: Map<string, string[]>
  origins: Dict
}

async function installed(ctx: FunctionContext, place: Options): Promise<Installed> {
  const command = pkg(place, 'info', '-ao')
  const output = await ctx.call('cmd.run_stdout', [command], { ...QUIET, python_shell: false })
  const found: Installed = { versions: new Map(), origins: new Map() }
  for (const line of output.split('\n')) {
    const parts = splitWords(line)
    const dash = parts[0]?.lastIndexOf('-') ?? -1
    if (parts.length !== 2 || dash < 0) continue
    const name = parts[0]!.slice(0, dash)
    const versions = new Set([...(found.versions.get(name) ?? []), parts[0]!.slice(dash + 1)])
    found.versions.set(name, [...versions].sort())
    found.origins.set(name, parts[1]!)
  }
  return found
}

async function list(
  ctx: FunctionContext,
  place: Options,
  { asList = false, origins = false, cached = true } = {},
): Promise<Dict> {
  const key = keyOf(place)
  const known = cached ? ctx.memory.get(key) : undefined
  const found = (known as unknown as Installed | undefined) ?? (await installed(ctx, place))
  ctx.memory.set(key, found as unknown as Value)
  const shown = (versions: string[]): Value => (asList ? [...versions] : versions.join(','))
  const entries = [...found.versions].map(([name, versions]): [string, Value] => [name, shown(versions)])
  if (!origins) return new Map(entries)
  return new Map(entries.map(([name, version]) => [name, infoOf({ origin: found.origins.get(name) ?? '', version })]))
}

async function versions(ctx: FunctionContext, { rest, kwargs }: Call): Promise<Value> {
  const further = new Map([...kwargs].filter(([name]) => name !== 'with_origin'))
  const found = await ctx.call('pkg_resource.version', rest, further)
  if (!isTrue(kwargs.get('with_origin') ?? false)) return found
  const { origins } = await installed(ctx, Object.fromEntries(kwargs))
  const byName = isDict(found) && rest.length !== 1 ? found : new Map<Value, Value>([[rest[0]!, found]])
  return new Map([...byName].map(([name, version]) => [name, infoOf({ origin: origins.get(name) ?? '', version })]))
}

async function latest(
  ctx: FunctionContext,
  names: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
  if (names.length === 0) return ''
  const place = Object.fromEntries(kwargs)
  const current = await list(ctx, place)
  const found: Dict = new Map()
  for (const name of names) {
    const field = name.includes('/') ? 'origin' : 'name'
    const offline = isTrue(kwargs.get('refresh') ?? null) ? [] : ['-U']
    const output = await outputOf(ctx, pkg(place, 'search', '-eqS', field, ...offline, name), QUIET)
    const version = output === '' ? '' : output.slice(output.lastIndexOf('-') + 1)
    const mine = str(current.get(name) ?? '')
    found.set(name, mine !== '' && versionHolds(mine, '>=', version) ? '' : version)
  }
  return single(found, names)
}

async function run(
  ctx: FunctionContext,
  place: Options,
  words: string[],
  doing: string,
  options: { env?: Value; origins?: boolean } = {},
): Promise<Dict> {
  const { env = null, origins = false } = options
  const old = await list(ctx, place, { origins })
  const { retcode, stderr } = await runAll(ctx, words, { ...QUIET, ...(env === null ? {} : { env }) })
  ctx.memory.delete(keyOf(place))
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => list(ctx, place, { origins }), errors, `Problem encountered ${doing} package(s)`)
}

const INSTALL = {
  orphan: 'A',
  force: 'f',
  glob: 'g',
  local: 'U',
  dryrun: 'n',
  quiet: 'q',
  reinstall_requires: 'R',
  regex: 'x',
  pcre: 'X',
}

async function install(ctx: FunctionContext, { given, kwargs }: Call): Promise<Value> {
  const targets = await targetsOf(ctx, given, kwargs)
  if (targets === undefined) return new Map()
  const isFile = targets.type === 'file'
  const all = `y${switches(given, INSTALL)}`
  const letters = isFile ? [...all].filter((letter) => 'AfIMq'.includes(letter)).join('') : all
  const version = (name: Value, wanted: Value): string => (wanted === null ? str(name) : `${str(name)}-${str(wanted)}`)
  const words = isFile ? namesOf(targets) : [...(targets.params as Dict)].map(([name, wanted]) => version(name, wanted))
  const from = truthy(given['fromrepo']!) ? ['-r', str(given['fromrepo']!)] : []
  const command = pkg(given, isFile ? 'add' : 'install', ...from, ...(letters === '' ? [] : [`-${letters}`]), ...words)
  if (isFile && isTrue(given['dryrun']!)) return command.join(' ')
  const env = new Map<Value, Value>(
    isTrue(given['batch']!) ? Object.entries({ BATCH: 'true', ASSUME_ALWAYS_YES: 'YES' }) : [],
  )
  return run(ctx, given, command, 'installing', { env })
}

const REMOVE = { all_installed: 'a', force: 'f', glob: 'g', dryrun: 'n' }

async function remove(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const targets = await targetsOf(ctx, { name: given['name']!, pkgs: given['pkgs']! })
  const old = await list(ctx, given, { origins: true })
  const ownName = (name: string): string | undefined => {
    if (name.indexOf('/') <= 0) return old.has(name) ? name : undefined
    const found = [...old].find(([, facts]) => (facts as Dict).get('origin') === name)
    return found && str(found[0])
  }
  const names = (targets ? namesOf(targets) : []).map(ownName).filter((name) => name !== undefined)
  if (names.length === 0) return new Map()
  const sure = isTrue(given['dryrun']!) ? '' : 'y'
  const letters = switches(given, REMOVE) + sure + switches(given, { recurse: 'R', regex: 'x', pcre: 'X' })
  return run(ctx, given, pkg(given, 'delete', `-${letters}`, ...names), 'removing', { origins: true })
}

async function upgrade(ctx: FunctionContext, { rest, kwargs }: Call): Promise<Dict> {
  const options = Object.fromEntries(kwargs)
  const letters =
    switches(options, { force: 'f', local: 'U', fetchonly: 'F', dryrun: 'n' }) +
    (truthy(options['dryrun'] ?? null) ? '' : 'y')
  const pkgs = ((options['pkgs'] ?? []) as Value[]).map((name) => str(name))
  const from = truthy(options['fromrepo'] ?? null) ? ['--repository', str(options['fromrepo']!)] : []
  const old = await list(ctx, {})
  const outcome = await runAll(ctx, pkg(options, 'upgrade', `-${letters}`, ...rest, ...pkgs, ...from), QUIET)
  ctx.memory.delete(keyOf(options))
  const changes = await changesSince(ctx, old, () => list(ctx, {}))
  if (outcome.retcode === 0) return changes
  const result = new Map<Value, Value>(Object.entries({ ...outcome }))
  throw new CommandError('Problem encountered upgrading packages', infoOf({ changes, result }))
}

/** The names of locked packages after `pkg lock` or `pkg unlock`. */
async function locks(
  ctx: FunctionContext,
  verb: 'lock' | 'unlock',
  name: string | null,
  kwargs: ReadonlyMap<string, Value>,
): Promise<string[]> {
  const words = [verb, '-y', '--quiet', '--show-locked', ...(name === null ? [] : [name])]
  const outcome = await runAll(ctx, pkg(Object.fromEntries(kwargs), ...words), QUIET)
  if (outcome.retcode !== 0) {
    const result = new Map<Value, Value>(Object.entries({ ...outcome }))
    throw new CommandError(`Problem encountered ${verb}ing packages`, infoOf({ result }))
  }
  return outcome.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, Math.max(line.lastIndexOf('-'), 0)) || line)
}

function holding(verb: 'lock' | 'unlock') {
  const texts =
    verb === 'lock'
      ? {
          already: 'is already set to be held.',
          would: 'is set to be held.',
          done: 'is now being held.',
          failed: 'was unable to be held.',
        }
      : {
          already: 'is not being held.',
          would: 'is set to be unheld.',
          done: 'is no longer held.',
          failed: 'was unable to be unheld.',
        }
  return async (ctx: FunctionContext, { given, kwargs }: Call): Promise<Dict> => {
    const wanted = truthy(given['pkgs']!) ? (given['pkgs'] as Value[]) : [given['name']!]
    const names = wanted.map((one) => str(isDict(one) ? [...one.keys()][0]! : one))
    return judged(names, async (name): Promise<Verdict> => {
      const isLocked = (await locks(ctx, 'lock', null, kwargs)).includes(name)
      if (isLocked === (verb === 'lock')) return [true, `Package ${name} ${texts.already}`]
      if (isDryRun(ctx)) return [null, `Package ${name} ${texts.would}`]
      const done = (await locks(ctx, verb, name, kwargs)).includes(name) === (verb === 'lock')
      if (!done) return [false, `Package ${name} ${texts.failed}`]
      return [true, `Package ${name} ${texts.done}`, verb === 'lock' ? ['hold', ''] : ['', 'hold']]
    })
  }
}

/** A function that is one call of pkg, with letters for its switches and perhaps a name at the end. */
function command(
  doc: string,
  name: string,
  args: string,
  letters: Readonly<Record<string, string>>,
  more: (given: Given) => { before?: string; words?: string[] } = () => ({}),
): FunctionDeclaration {
  const declare = ['which', 'search', 'updating', 'audit'].includes(name) ? reading : changing
  return declare(doc, args, `pkg.${name}`, (ctx, { given }) => {
    const { before = '', words = [] } = more(given)
    const all = switches(given, letters) + before
    return outputOf(ctx, pkg(given, name, ...(all === '' ? [] : [`-${all}`]), ...words), QUIET)
  })
}

const last = (key: string) => (given: Given) => ({ words: [str(given[key]!)] })
const orSure = (given: Given) => ({ before: truthy(given['dryrun']!) ? 'n' : 'y' })
const SYMBOLS: Readonly<Record<string, number>> = lookup({ '<': -1, '>': 1, '=': 0 })

const version = reading('Installed versions.', '*names **kwargs', 'pkg.version zsh', versions)
const refresh_db = changing(
  'Fetch the package lists.',
  `${PLACE} force=false **kwargs`,
  'pkg.refresh_db',
  async (ctx, { given }) => {
    await clearRefreshMark(ctx)
    return (await retcodeOf(ctx, pkg(given, 'update', ...(truthy(given['force']!) ? ['-f'] : [])))) === 0
  },
)
const latest_version = reading(
  'The newest version that can be installed.',
  '*names **kwargs',
  'pkg.latest_version zsh',
  (ctx, { rest, kwargs }) => latest(ctx, rest, kwargs),
)
const removing = changing(
  'Remove packages.',
  `name pkgs ${PLACE} all_installed=false force=false glob=false dryrun=false recurse=false regex=false pcre=false **kwargs`,
  'pkg.remove zsh',
  remove,
)

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
    version,
    info: version,
    refresh_db,
    update: refresh_db,
    latest_version,
    available_version: latest_version,
    upgrade_available: reading(
      'Whether there is a newer version of a package.',
      '!name **kwargs',
      'pkg.upgrade_available zsh',
      async (ctx, { given, kwargs }) => (await latest(ctx, [str(given['name']!)], kwargs)) !== '',
    ),
    list_pkgs: reading(
      'Installed packages with their versions.',
      `versions_as_list=false ${PLACE} with_origin=false **kwargs`,
      'pkg.list_pkgs',
      (ctx, { given, kwargs }) => {
        if (isTrue(kwargs.get('removed') ?? null) || isTrue(kwargs.get('purge_desired') ?? null)) return new Map()
        const cached = kwargs.get('use_context') !== false
        return list(ctx, given, {
          asList: isTrue(given['versions_as_list']!),
          origins: isTrue(given['with_origin']!),
          cached,
        })
      },
      ret.dict('Versions by name'),
    ),
    install: changing(
      'Install packages.',
      `name fromrepo pkgs sources ${PLACE} orphan=false force=false glob=false local=false dryrun=false quiet=false reinstall_requires=false regex=false pcre=false batch=false **kwargs`,
      'pkg.install zsh',
      install,
    ),
    remove: removing,
    delete: removing,
    purge: removing,
    upgrade: changing('Bring packages to their newest version.', '*names **kwargs', 'pkg.upgrade', upgrade),
    list_upgrades: reading(
      'Packages of which there is a newer version.',
      'refresh=true **kwargs',
      'pkg.list_upgrades',
      async (ctx, { given, kwargs }) => {
        const offline = truthy(given['refresh']!) ? [] : ['--no-repo-update']
        const from = truthy(kwargs.get('fromrepo') ?? null) ? ['--repository', str(kwargs.get('fromrepo')!)] : []
        const words = pkg(Object.fromEntries(kwargs), 'upgrade', '--dry-run', '--quiet', ...offline, ...from)
        return upgradesIn(
          await ctx.call('cmd.run_stdout', [words], { ...QUIET, python_shell: false, ignore_retcode: true }),
        )
      },
      ret.dict('New versions by name'),
    ),
    version_cmp: reading(
      'Which of two versions is newer.',
      '!pkg1 !pkg2 ignore_epoch=false **kwargs',
      "pkg.version_cmp '2.1.11' '2.1.12'",
      async (ctx, { given }) => {
        const words = ['pkg', 'version', '--test-version', str(given['pkg1']!), str(given['pkg2']!)]
        return SYMBOLS[(await runAll(ctx, words, { ...QUIET, ignore_retcode: true })).stdout] ?? null
      },
    ),
    hold: changing(
      'Hold packages at their version.',
      'name pkgs **kwargs',
      'pkg.hold zsh',
      holding('lock'),
      ret.dict('What was done, by package'),
    ),
    unhold: changing(
      'Let held packages go.',
      'name pkgs **kwargs',
      'pkg.unhold zsh',
      holding('unlock'),
      ret.dict('What was done, by package'),
    ),
    list_locked: reading(
      'Held packages with their versions.',
      '**kwargs',
      'pkg.list_locked',
      async (ctx, { kwargs }) => {
        const found: string[] = []
        for (const name of await locks(ctx, 'lock', null, kwargs)) {
          found.push(`${name}-${str(await ctx.call('pkg_resource.version', [name], kwargs))}`)
        }
        return found
      },
    ),
    locked: reading('Whether a package is held.', '!name **kwargs', 'pkg.locked zsh', async (ctx, { given, kwargs }) =>
      (await locks(ctx, 'lock', null, kwargs)).includes(str(given['name']!)),
    ),
    lock: changing('Hold a package.', '!name **kwargs', 'pkg.lock zsh', async (ctx, { given, kwargs }) =>
      (await locks(ctx, 'lock', str(given['name']!), kwargs)).includes(str(given['name']!)),
    ),
    unlock: changing(
      'Let a held package go.',
      '!name **kwargs',
      'pkg.unlock zsh',
      async (ctx, { given, kwargs }) =>
        !(await locks(ctx, 'unlock', str(given['name']!), kwargs)).includes(str(given['name']!)),
    ),
    parse_config: reading(
      'The configuration of pkg.',
      `file_name="${CONFIG}"`,
      'pkg.parse_config',
      async (ctx, { given }) => {
        const path = str(given['file_name']!)
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
    ),
    stats: reading(
      'Numbers about packages.',
      `local=false remote=false ${PLACE} bytes=false`,
      'pkg.stats',
      async (ctx, { given }) => {
        const letters = switches(given, { local: 'l', remote: 'r', bytes: 'b' })
        const output = await outputOf(ctx, pkg(given, 'stats', ...(letters === '' ? [] : [`-${letters}`])), QUIET)
        return output.split('\n').map((line) => line.replace(/^\t+|\t+$/g, ''))
      },
    ),
    backup: changing(
      'Write the list of packages to a file.',
      `!file_name ${PLACE}`,
      'pkg.backup /tmp/pkg',
      async (ctx, { given }) =>
        (await outputOf(ctx, pkg(given, 'backup', '-d', str(given['file_name']!)), QUIET)).split('...')[1] ?? '',
    ),
    restore: changing(
      'Read the list of packages from a file.',
      `!file_name ${PLACE}`,
      'pkg.restore /tmp/pkg',
      (ctx, { given }) => outputOf(ctx, pkg(given, 'backup', '-r', str(given['file_name']!)), QUIET),
    ),
    audit: reading('Packages with known holes.', PLACE, 'pkg.audit', (ctx, { given }) =>
      outputOf(ctx, pkg(given, 'audit', '-F'), QUIET),
    ),
    clean: command('Empty the cache.', 'clean', `${PLACE} clean_all=false dryrun=false`, { clean_all: 'a' }, orSure),
    autoremove: command('Remove packages that nothing needs.', 'autoremove', `${PLACE} dryrun=false`, {}, orSure),
    check: changing(
      'Check installed packages.',
      `${PLACE} depends=false recompute=false checksum=false checklibs=false`,
      'pkg.check depends=True',
      (ctx, { given }) => {
        const letters = switches(given, { depends: 'dy', recompute: 'r', checksum: 's', checklibs: 'B' })
        if (letters === '') return 'One of depends, recompute, checksum or checklibs must be set to True'
        return outputOf(ctx, pkg(given, 'check', `-${letters}`), QUIET)
      },
    ),
    which: command(
      'The package that a file belongs to.',
      'which',
      `!path ${PLACE} origin=false quiet=false`,
      { quiet: 'q', origin: 'o' },
      last('path'),
    ),
    search: command(
      'Look for packages.',
      'search',
      `!name ${PLACE} exact=false glob=false regex=false pcre=false comment=false desc=false full=false depends=false size=false quiet=false origin=false prefix=false`,
      {
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
      },
      last('name'),
    ),
    fetch: changing(
      'Fetch package files.',
      `!name ${PLACE} fetch_all=false quiet=false fromrepo glob=true regex=false pcre=false local=false depends=false`,
      'pkg.fetch zsh',
      (ctx, { given }) => {
        const letters = switches(given, {
          fetch_all: 'a',
          quiet: 'q',
          glob: 'g',
          regex: 'x',
          pcre: 'X',
          local: 'L',
          depends: 'd',
        })
        const from = truthy(given['fromrepo']!) ? ['-r', str(given['fromrepo']!)] : []
        return outputOf(
          ctx,
          pkg(given, 'fetch', '-y', ...from, ...(letters === '' ? [] : [`-${letters}`]), str(given['name']!)),
          QUIET,
        )
      },
    ),
    updating: command(
      'What to know before a port is updated.',
      'updating',
      `!name ${PLACE} filedate filename`,
      {},
      (given) => {
        const date = truthy(given['filedate']!) ? `d ${str(given['filedate']!)}` : ''
        const file = truthy(given['filename']!) ? `f ${str(given['filename']!)}` : ''
        return { before: date + file, words: [str(given['name']!)] }
      },
    ),
  },
})
