// Installing, upgrading and removing with zypper.
import {
  compareDicts,
  compareLoose,
  type Dict,
  fnmatch,
  splitComparison,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { CommandError, type FunctionContext, outputOf } from '../../../../sdk/mod.ts'
import type { Call, Given } from '../../common/declare.ts'
import { failure, infoOf, listed, namesOf, targetsOf } from '../../common/installed.ts'
import { listDownloaded } from './downloads.ts'
import { forgetInstalled, listInstalled, patches } from './listing.ts'
import { attribute, succeeded, zypper, zypperElements } from './program.ts'
import { refresh } from './refresh.ts'

const OPERATORS = ['<', '<=', '=', '>=', '>']
const BATCH = 500

/** The newest version that a wish such as `>=1.*` means. */
async function wildcard(ctx: FunctionContext, name: Value, wish: Value, root: Value): Promise<string | undefined> {
  if (!truthy(wish)) return undefined
  const version = str(wish).replace(/[<>=+]*/g, '')
  const operator = str(wish).replace(version, '')
  if (operator !== '' && !OPERATORS.includes(operator)) throw failure(`Zypper do not supports operator "${operator}".`)
  const solvables = await zypperElements(ctx, 'solvable', ['se', '-xv', str(name)], { root, readOnly: true })
  if (solvables.length === 0) throw failure(`No packages found matching '${str(name)}'`)
  const versions = [...new Set(solvables.map((one) => attribute(one, 'edition')))].filter((one) => one !== '')
  const fitting = versions.filter((one) => fnmatch(one, version)).sort((a, b) => compareLoose(a, b) ?? 0)
  return fitting.length > 0 ? `${operator}${fitting.at(-1)}` : undefined
}

function targetWords(params: Dict): string[] {
  return [...params].map(([name, version]) => {
    if (version === null) return str(name)
    const [operator, text] = splitComparison(str(version))
    return `${str(name)}${operator || '='}${text}`
  })
}

/** Kinds other than packages that names speak of: `pattern:base`. */
const kindsIn = (names: readonly string[]): string[] =>
  [...new Set(names.filter((name) => name.includes(':')).map((name) => name.slice(0, name.indexOf(':'))))].sort()

async function advisories(ctx: FunctionContext, ids: readonly Value[], root: Value): Promise<string[]> {
  const known = await patches(ctx, root, false)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw failure(`Advisory id "${str(unknown)}" not found`)
  return ids.map((id) => str(id))
}

function installWords(given: Given, kwargs: ReadonlyMap<string, Value>): string[] {
  const on = (name: string): boolean => truthy(given[name] ?? null)
  return [
    ...(on('skip_verify') ? ['--no-gpg-checks'] : []),
    ...(on('refresh') ? [] : ['--no-refresh']),
    'install',
    '--auto-agree-with-licenses',
    truthy(kwargs.get('resolve_capabilities') ?? null) ? '--capability' : '--name',
    ...(on('downloadonly') ? ['--download-only'] : []),
    ...(on('fromrepo') ? ['--force', '--force-resolution', '--from', str(given['fromrepo']!)] : []),
    ...(on('no_recommends') ? ['--no-recommends'] : []),
  ]
}

export async function install(ctx: FunctionContext, { given, kwargs }: Call): Promise<Dict> {
  const { root = null, name = null, pkgs = null, sources = null } = given
  if (truthy(given['refresh']!)) await refresh(ctx, { force: root, ...Object.fromEntries(kwargs) })
  const found = await targetsOf(ctx, { name, pkgs, sources }, kwargs, true)
  if (found === undefined) return new Map()
  const version = await wildcard(ctx, name, given['version']!, root)
  const alone = pkgs === null && sources === null
  const params = version !== undefined && alone ? new Map<Value, Value>([[name, version]]) : found.params
  const words =
    found.type === 'repository'
      ? targetWords(params as Dict)
      : found.type === 'advisory'
        ? await advisories(ctx, found.params as Value[], root)
        : namesOf(found)
  const includes = kindsIn(words)
  const attr = new Map([['attr', kwargs.get('diff_attr') ?? null]])
  const snapshot = (): Promise<Dict> =>
    truthy(given['downloadonly']!) ? listDownloaded(ctx, root) : listInstalled(ctx, { root, includes, kwargs: attr })
  const old = await snapshot()
  const command = installWords(given, kwargs)
  const lenient = truthy(given['ignore_repo_failure']!)
  const targets = found.type === 'advisory' ? words.map((id) => `patch:${id}`) : words
  const downgrades: string[] = []
  for (let i = 0; i < targets.length; i += BATCH) {
    const { stdout } = await zypper(ctx, [...command, ...targets.slice(i, i + BATCH)], { root, scope: true, lenient })
    for (const match of stdout.matchAll(/^The selected package '([^']+)'.+has lower version/gm))
      downgrades.push(match[1]!)
  }
  for (let i = 0; i < downgrades.length; i += BATCH) {
    await zypper(ctx, [...command, '--force', ...downgrades.slice(i, i + BATCH)], { root, lenient })
  }
  forgetInstalled(ctx)
  const changes = compareDicts(old, await snapshot())
  if (includes.length > 0) forgetInstalled(ctx)
  return changes
}

async function upgradeWords(ctx: FunctionContext, { given, kwargs }: Call): Promise<string[]> {
  const on = (name: string): boolean => truthy(given[name] ?? null)
  const whole = on('dist_upgrade')
  const words = [
    ...(on('skip_verify') ? ['--no-gpg-checks'] : []),
    whole ? 'dist-upgrade' : 'update',
    '--auto-agree-with-licenses',
    ...(on('dryrun') ? ['--dry-run'] : []),
    ...listed(given['fromrepo'] ?? null).flatMap((repo) => [whole ? '--from' : '--repo', repo]),
  ]
  if (whole) {
    const release = ctx.grains.get('osrelease_info')
    const modern = Array.isArray(release) && Number((release as Value[])[0]) > 11
    if (on('novendorchange') && modern) words.push('--no-allow-vendor-change')
    else if (on('novendorchange'))
      ctx.log('warning', 'Disabling vendor changes is not supported on this Zypper version')
    if (on('no_recommends')) words.push('--no-recommends')
  } else if (on('name') || on('pkgs')) {
    const targets = await targetsOf(ctx, { name: given['name']!, pkgs: given['pkgs']! }, kwargs, true)
    if (targets) words.push(...namesOf(targets))
  }
  return words
}

export async function upgrade(ctx: FunctionContext, call: Call): Promise<Value> {
  const { given, kwargs } = call
  const { root = null } = given
  if (truthy(given['refresh']!)) await refresh(ctx, { force: root, ...Object.fromEntries(kwargs) })
  const words = await upgradeWords(ctx, call)
  const dryRun = truthy(given['dryrun']!)
  if (dryRun && truthy(given['dist_upgrade']!)) {
    await zypper(ctx, [...words, '--debug-solver'], { root, scope: true, lenient: true })
  }
  const attr = new Map([['attr', given['diff_attr'] ?? null]])
  const old = await listInstalled(ctx, { root, kwargs: attr })
  const outcome = await zypper(ctx, words, { root, scope: true, lenient: true })
  forgetInstalled(ctx)
  const changes = compareDicts(old, await listInstalled(ctx, { root, kwargs: attr }))
  if (!succeeded(outcome)) {
    const { retcode, stdout, stderr, pid } = outcome
    const result = infoOf({ retcode, stdout, stderr, pid })
    throw new CommandError('Problem encountered upgrading packages', infoOf({ changes, result }))
  }
  return dryRun ? `${outcome.stdout}\n${outcome.stderr}`.trim() : changes
}

/** Temporary fixes, which zypper removes in a way of their own. */
async function temporaryFixes(ctx: FunctionContext, names: readonly string[], root: Value): Promise<string[]> {
  const query = [
    'rpm',
    ...(truthy(root) ? ['--root', str(root)] : []),
    '-q',
    '--qf',
    '%{NAME}: [%{PROVIDES} ]\n',
    ...names,
  ]
  const lines = (await outputOf(ctx, query)).split('\n')
  return lines.filter((line) => /^[^:]*:.*ptf\(\)/.test(line)).map((line) => line.slice(0, line.indexOf(':')))
}

export async function remove(ctx: FunctionContext, { given }: Call): Promise<Dict> {
  const { root = null } = given
  const targets = await targetsOf(ctx, { name: given['name']!, pkgs: given['pkgs']! }, new Map(), true)
  const wanted = (targets?.params ?? new Map()) as Dict
  const names = [...wanted.keys()].map((name) => str(name))
  const fixes = await temporaryFixes(ctx, names, root)
  const includes = kindsIn(names)
  const old = await listInstalled(ctx, { root, includes })
  const words: string[] = []
  for (const [name, version] of wanted) {
    if (fixes.includes(str(name)) || !old.has(name)) continue
    if (!truthy(version)) words.push(str(name))
    else if (str(old.get(name)!).split(',').includes(str(version))) words.push(`${str(name)}-${str(version)}`)
  }
  if (words.length === 0 && fixes.length === 0) return new Map()
  for (let i = 0; i < words.length; i += BATCH) {
    await zypper(ctx, ['remove', ...words.slice(i, i + BATCH)], { root, scope: true })
  }
  for (let i = 0; i < fixes.length; i += BATCH) {
    await zypper(ctx, ['removeptf', '--allow-downgrade', ...fixes.slice(i, i + BATCH)], { root, scope: true })
  }
  forgetInstalled(ctx)
  return compareDicts(old, await listInstalled(ctx, { root, includes }))
}
