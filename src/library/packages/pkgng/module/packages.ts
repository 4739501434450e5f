// Calls of pkg that list, install, remove, upgrade and lock packages, in this system, a jail or another root directory.
import {
  type Dict,
  dictFrom,
  isDict,
  iterate,
  splitWords,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import { arg, type Bound, CommandError, type FunctionContext, isTrue, outputOf, runAll } from '../../../../sdk/mod.ts'
import type { Options } from '../../common/functions.ts'
import { changesSince, namesOf, single, targetsOf } from '../../common/installed.ts'
import * as param from '../../common/params.ts'
import { switches } from './words.ts'

export const QUIET = { output_loglevel: 'trace' }

export const PLACE = {
  jail: arg.text('Jail to work in, by name or number', { optional: true }),
  chroot: arg.text('Directory to change root to', { optional: true }),
  root: param.root,
}

export type Place = { readonly [K in keyof typeof PLACE]?: Value }

/** Return the option for the place where pkg works; of several places the first counts. */
function placeOf({ jail = null, chroot = null, root = null }: Place): [string, string] | undefined {
  const places: [string, Value][] = [
    ['-j', jail],
    ['-c', chroot],
    ['-r', root],
  ]
  const found = places.find(([, value]) => truthy(value))
  return found && [found[0], str(found[1])]
}

export const pkg = (place: Place, ...words: string[]): string[] => ['pkg', ...(placeOf(place) ?? []), ...words]

const keyOf = (place: Place): string => {
  const where = placeOf(place)
  return where === undefined ? 'pkg.list_pkgs' : `pkg.list_pkgs${where.join('_')}`
}

interface Installed {
  versions: Map<string, string[]>
  origins: Dict
}

async function installed(ctx: FunctionContext, place: Place): Promise<Installed> {
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

export async function list(
  ctx: FunctionContext,
  place: Place,
  { asList = false, origins = false, cached = true } = {},
): Promise<Dict> {
  const key = keyOf(place)
  const known = cached ? ctx.memory.get(key) : undefined
  const found = (known as unknown as Installed | undefined) ?? (await installed(ctx, place))
  ctx.memory.set(key, found as unknown as Value)
  const shown = (versions: string[]): Value => (asList ? [...versions] : versions.join(','))
  const entries = [...found.versions].map(([name, versions]): [string, Value] => [name, shown(versions)])
  if (!origins) return new Map(entries)
  return new Map(entries.map(([name, version]) => [name, dictFrom({ origin: found.origins.get(name) ?? '', version })]))
}

export async function versions(ctx: FunctionContext, names: string[], kwargs: Options): Promise<Value> {
  const further = new Map([...kwargs].filter(([name]) => name !== 'with_origin'))
  const found = await ctx.call('pkg_resource.version', names, further)
  if (!isTrue(kwargs.get('with_origin') ?? false)) return found
  const { origins } = await installed(ctx, Object.fromEntries(kwargs))
  const byName = isDict(found) && names.length !== 1 ? found : new Map<Value, Value>([[names[0]!, found]])
  return new Map([...byName].map(([name, version]) => [name, dictFrom({ origin: origins.get(name) ?? '', version })]))
}

export async function latest(ctx: FunctionContext, names: readonly string[], kwargs: Options): Promise<Value> {
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
  place: Place,
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

/** A flag of install and remove, which read flags as `is_true` does. */
export const isOn = (doc: string) => arg.isTrue(doc, { default: false })
export const fromRepo = (repo: string | null, option = '-r'): string[] => (repo ? [option, repo] : [])
export const dashed = (letters: string): string[] => (letters === '' ? [] : [`-${letters}`])
export const glob = 'Treat the name as a shell glob'
export const regex = 'Treat the name as a regular expression'
export const pcre = 'Treat the name as an extended regular expression'

export const INSTALL = {
  name: param.name,
  fromrepo: param.fromrepo,
  pkgs: param.pkgs,
  sources: param.sources,
  ...PLACE,
  orphan: isOn('Mark installed packages as orphans, which `pkg.autoremove` removes'),
  force: isOn('Reinstall installed packages'),
  glob: isOn(glob),
  local: isOn('Do not update the repository catalogue'),
  dryrun: isOn('Do not install anything'),
  quiet: isOn('Print less output'),
  reinstall_requires: isOn('Reinstall packages that require the installed ones'),
  regex: isOn(regex),
  pcre: isOn(pcre),
  batch: isOn('Set BATCH=true, so that pkg asks no questions'),
  kwargs: param.kwargs,
}

export async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Value> {
  const targets = await targetsOf(ctx, call, call.kwargs)
  if (targets === undefined) return new Map()
  const isFile = targets.type === 'file'
  const all = `y${switches(call, { orphan: 'A', force: 'f', glob: 'g', local: 'U', dryrun: 'n', quiet: 'q', reinstall_requires: 'R', regex: 'x', pcre: 'X' })}`
  const letters = isFile ? [...all].filter((letter) => 'AfIMq'.includes(letter)).join('') : all
  const versioned = (name: Value, wanted: Value): string =>
    wanted === null ? str(name) : `${str(name)}-${str(wanted)}`
  const words =
    targets.type === 'repository' ? Array.from(targets.params, (entry) => versioned(...entry)) : namesOf(targets)
  const command = pkg(call, isFile ? 'add' : 'install', ...fromRepo(call.fromrepo), ...dashed(letters), ...words)
  if (isFile && call.dryrun) return command.join(' ')
  const env = new Map<Value, Value>(call.batch ? Object.entries({ BATCH: 'true', ASSUME_ALWAYS_YES: 'YES' }) : [])
  return run(ctx, call, command, 'installing', { env })
}

export const REMOVE = {
  name: param.name,
  pkgs: param.pkgs,
  ...PLACE,
  all_installed: isOn('Remove all installed packages'),
  force: isOn('Remove packages that others require'),
  glob: isOn(glob),
  dryrun: isOn('Do not remove anything'),
  recurse: isOn('Remove packages that require the removed ones'),
  regex: isOn(regex),
  pcre: isOn(pcre),
  kwargs: param.kwargs,
}

export async function remove(ctx: FunctionContext, call: Bound<typeof REMOVE>): Promise<Dict> {
  const { name, pkgs, dryrun } = call
  const targets = await targetsOf(ctx, { name, pkgs })
  const old = await list(ctx, call, { origins: true })
  const ownName = (given: string): string | undefined => {
    if (given.indexOf('/') <= 0) return old.has(given) ? given : undefined
    const found = [...old].find(([, facts]) => isDict(facts) && facts.get('origin') === given)
    return found && str(found[0])
  }
  const names = (targets ? namesOf(targets) : []).map(ownName).filter((found) => found !== undefined)
  if (names.length === 0) return new Map()
  const letters =
    switches(call, { all_installed: 'a', force: 'f', glob: 'g', dryrun: 'n' }) +
    (dryrun ? '' : 'y') +
    switches(call, { recurse: 'R', regex: 'x', pcre: 'X' })
  return run(ctx, call, pkg(call, 'delete', `-${letters}`, ...names), 'removing', { origins: true })
}

export const repository = (kwargs: Options): string[] => {
  const repo = kwargs.get('fromrepo') ?? null
  return truthy(repo) ? ['--repository', str(repo)] : []
}

export async function upgrade(ctx: FunctionContext, names: readonly string[], kwargs: Options): Promise<Dict> {
  const isGiven = (name: string): boolean => truthy(kwargs.get(name) ?? null)
  const [force, local, fetchonly, dryrun] = ['force', 'local', 'fetchonly', 'dryrun'].map(isGiven)
  const letters = `${force ? 'f' : ''}${local ? 'U' : ''}${fetchonly ? 'F' : ''}${dryrun ? 'n' : 'y'}`
  const pkgs = Array.from(iterate(kwargs.get('pkgs') ?? []), str)
  const place = Object.fromEntries(kwargs)
  const old = await list(ctx, {})
  const words = ['upgrade', `-${letters}`, ...names, ...pkgs, ...repository(kwargs)]
  const outcome = await runAll(ctx, pkg(place, ...words), QUIET)
  ctx.memory.delete(keyOf(place))
  const changes = await changesSince(ctx, old, () => list(ctx, {}))
  if (outcome.retcode === 0) return changes
  const result = dictFrom({ ...outcome })
  throw new CommandError('Problem encountered upgrading packages', dictFrom({ changes, result }))
}

/** Return the names of locked packages after `pkg lock` or `pkg unlock`. */
export async function locks(
  ctx: FunctionContext,
  verb: 'lock' | 'unlock',
  kwargs: Options,
  ...names: string[]
): Promise<string[]> {
  const words = [verb, '-y', '--quiet', '--show-locked', ...names]
  const outcome = await runAll(ctx, pkg(Object.fromEntries(kwargs), ...words), QUIET)
  if (outcome.retcode !== 0) {
    const result = dictFrom({ ...outcome })
    throw new CommandError(`Problem encountered ${verb}ing packages`, dictFrom({ result }))
  }
  return outcome.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, Math.max(line.lastIndexOf('-'), 0)) || line)
}
