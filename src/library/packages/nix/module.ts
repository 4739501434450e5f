// Packages of Nix, in the profile of one user: the option `nixpkg.user`, `nix.user`, or the user of the minion.
import { isA, recover } from '../../../base/mod.ts'
import {
  type Dict,
  failure,
  isDict,
  isList,
  loadJson,
  PyError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  isTrue,
  option,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { commonFunctions, latestVersion, type Options } from '../common/functions.ts'
import { packageNames } from '../common/holds.ts'
import { addPackage, changesSince, listPackages, single, type Versions } from '../common/installed.ts'
import * as param from '../common/params.ts'

type Place = Pick<FunctionContext, 'opts' | 'host'>

function userOf({ opts }: Pick<Place, 'opts'>): string {
  return str(opts.get('nixpkg.user') ?? opts.get('nix.user') ?? option(opts, 'user'))
}

/** Return the directory of the programs of Nix. */
async function programs({ opts, host }: Place): Promise<string> {
  const name = userOf({ opts })
  const user = await host.user(name)
  if (!user) throw failure(`There is no user '${name}', whose packages Nix would manage`)
  return `${user.home}/.nix-profile/bin`
}

async function run(ctx: FunctionContext, program: string, ...words: string[]) {
  const path = `${await programs(ctx)}/${program}`
  return runAll(ctx, [path, ...words], { runas: userOf(ctx) })
}

const nix = (ctx: FunctionContext, ...words: string[]) => run(ctx, 'nix', ...words)

/** Return JSON of a program; None for another text. */
function jsonIn(text: string): Value {
  return recover(isA(PyError), null, () => loadJson(text))
}

/** The version in `/nix/store/<hash>-<name>-<version>`: the first part after the hash that begins with a digit. */
function versionIn(paths: Value): string {
  for (const path of isList(paths) ? paths.map(str) : []) {
    const [, ...parts] = path.slice(path.lastIndexOf('/') + 1).split('-')
    const version = parts.find((part) => /^\d/.test(part))
    if (version !== undefined) return version
  }
  return 'unknown'
}

async function gather(ctx: FunctionContext): Promise<Versions> {
  const versions: Versions = new Map()
  const listed = jsonIn((await nix(ctx, 'profile', 'list', '--json')).stdout)
  const elements = isDict(listed) ? (listed.get('elements') ?? null) : null
  for (const [name, facts] of isDict(elements) ? elements : []) {
    addPackage(versions, str(name), versionIn(isDict(facts) ? (facts.get('storePaths') ?? null) : null))
  }
  return versions
}

const list = (ctx: FunctionContext): Promise<Dict> => listPackages(ctx, gather)

const refresh = async (ctx: FunctionContext): Promise<boolean> =>
  (await nix(ctx, 'flake', 'prefetch', 'nixpkgs')).retcode === 0

async function change(ctx: FunctionContext, doing: string, ...words: string[]): Promise<Dict> {
  const old = await list(ctx)
  const { retcode, stderr } = await nix(ctx, 'profile', ...words)
  const errors = retcode !== 0 && stderr !== '' ? [stderr] : []
  return changesSince(ctx, old, () => list(ctx), errors, `Problem encountered ${doing} package(s)`)
}

async function latest(ctx: FunctionContext, names: readonly string[], options: Options): Promise<Value> {
  if (isTrue(options.get('refresh') ?? true)) await refresh(ctx)
  const installed = await list(ctx)
  const found: Dict = new Map()
  for (const name of names) {
    const { retcode, stdout } = await nix(ctx, 'search', 'nixpkgs', '--json', '--', name)
    const results = retcode === 0 ? jsonIn(stdout) : null
    const all = isDict(results) ? [...results] : []
    const [, facts = null] = all.find(([path]) => str(path).split('.').at(-1) === name) ?? all[0] ?? []
    const version = isDict(facts) ? str(facts.get('version') ?? '') : ''
    found.set(name, installed.get(name) === version ? '' : version)
  }
  return single(found, names)
}

const named = ({ name, pkgs }: { name: string | null; pkgs: Value }): string[] =>
  truthy(pkgs) ? packageNames(pkgs) : name ? name.split(',') : []

const INSTALL = { name: param.name, pkgs: param.pkgs, kwargs: param.kwargs }
const names = arg.rest('Names of packages')

async function remove(ctx: FunctionContext, wanted: readonly string[]): Promise<Dict> {
  const installed = await list(ctx)
  const targets = wanted.filter((name) => installed.has(name))
  return targets.length === 0 ? new Map() : change(ctx, 'removing', 'remove', '--', ...targets)
}

async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Dict> {
  const targets = named(call).map((name) => (name.includes('#') ? name : `nixpkgs#${name}`))
  // new releases call it `add`, and know this word too
  return targets.length === 0 ? new Map() : change(ctx, 'installing', 'install', '--', ...targets)
}

export default defineModule({
  name: 'nixpkg',
  virtual: 'pkg',
  doc: 'Install packages with Nix.',
  when: async (ctx) => {
    if (!(await ctx.host.user(userOf(ctx)))) return `There is no user '${userOf(ctx)}'`
    const folder = await programs(ctx)
    const isThere = async (name: string): Promise<boolean> => (await ctx.host.stat(`${folder}/${name}`)) !== undefined
    const missing =
      'The `nix` binaries required cannot be found or are not installed. (`nix-collect-garbage` and `nix`)'
    return ((await isThere('nix')) && (await isThere('nix-collect-garbage'))) || missing
  },
  functions: {
    ...commonFunctions(gather),
    refresh_db: changes({
      doc: 'Fetch the present list of packages.',
      args: { kwargs: param.kwargs },
      returns: ret.boolean('Whether it could be fetched'),
      run: refresh,
    }),
    latest_version: latestVersion(latest),
    available_version: latestVersion(latest),
    install: changes({
      doc: 'Install packages.',
      examples: ["salt '*' pkg.install vim", "salt '*' pkg.install pkgs='[vim, nixpkgs#git]'"],
      args: INSTALL,
      returns: param.versionChanges,
      run: install,
    }),
    remove: changes({
      doc: 'Remove packages.',
      example: 'pkg.remove vim',
      args: INSTALL,
      returns: param.versionChanges,
      run: (ctx, call) => remove(ctx, named(call)),
    }),
    uninstall: changes({
      doc: 'Remove packages.',
      example: 'pkg.uninstall vim git',
      args: { pkgs: names },
      returns: param.versionChanges,
      run: (ctx, { pkgs }) => remove(ctx, pkgs.map(str)),
    }),
    upgrade: changes({
      doc: 'Upgrade packages; all of them when none is given.',
      args: { pkgs: names, kwargs: param.kwargs },
      returns: param.versionChanges,
      run: async (ctx, { pkgs, kwargs }) => {
        if (isTrue(kwargs.get('refresh') ?? true)) await refresh(ctx)
        return change(ctx, 'upgrading', 'upgrade', ...(pkgs.length > 0 ? ['--', ...pkgs.map(str)] : ['--all']))
      },
    }),
    list_upgrades: reads({
      doc: 'List the packages with a newer version.',
      args: { refresh: param.refresh(true), kwargs: param.kwargs },
      returns: param.versionsByName,
      run: async (ctx, { refresh: refreshing }) => {
        if (refreshing) await refresh(ctx)
        const found: Dict = new Map()
        for (const name of (await list(ctx)).keys()) {
          const version = await latest(ctx, [str(name)], new Map([['refresh', false]]))
          if (truthy(version)) found.set(name, version)
        }
        return found
      },
    }),
    collect_garbage: changes({
      doc: 'Remove old generations of profiles, and what no profile uses.',
      returns: ret.texts('Lines of the program'),
      run: async (ctx) => splitLines((await run(ctx, 'nix-collect-garbage', '--delete-old')).stdout),
    }),
  },
})
