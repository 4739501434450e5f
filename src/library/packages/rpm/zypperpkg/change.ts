// Installing, upgrading and removing with zypper.
import {
  compareDicts,
  compareLoose,
  type Dict,
  dictFrom,
  failure,
  fnmatch,
  splitComparison,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { arg, type Bound, CommandError, type FunctionContext, outputOf } from '../../../../sdk/mod.ts'
import { namesOf, type TargetCall, targetsOf } from '../../common/installed.ts'
import * as param from '../../common/params.ts'
import { listDownloaded } from './downloads.ts'
import { forgetInstalled, listInstalled, patches } from './listing.ts'
import { attribute, succeeded, zypper, zypperElements } from './program.ts'
import { refresh } from './refresh.ts'

const OPERATORS = ['<', '<=', '=', '>=', '>']
const BATCH = 500

/** Return the newest version that a request such as `>=1.*` matches. */
async function wildcard(
  ctx: FunctionContext,
  name: string | null,
  requested: string | null,
  root: string | null,
): Promise<string | undefined> {
  if (!requested) return undefined
  const version = requested.replace(/[<>=+]*/g, '')
  const operator = requested.replace(version, '')
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

/** Return the kinds other than packages in names such as `pattern:base`. */
const kindsIn = (names: readonly string[]): string[] =>
  [...new Set(names.filter((name) => name.includes(':')).map((name) => name.slice(0, name.indexOf(':'))))].sort()

async function advisories(ctx: FunctionContext, ids: readonly Value[], root: Value): Promise<string[]> {
  const known = await patches(ctx, root, false)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw failure(`Advisory id "${str(unknown)}" not found`)
  return ids.map((id) => str(id))
}

const no_recommends = param.off('Do not install recommended packages')

export const INSTALL = {
  name: param.name,
  refresh: param.off('Refresh the package database first'),
  fromrepo: param.fromrepo,
  pkgs: param.pkgs,
  sources: param.sources,
  downloadonly: arg.flag('Download packages without installing them', { optional: true }),
  skip_verify: param.skip_verify,
  version: arg.text('Version of the package, with an operator and `*` if wanted, such as `>=1.2*`', { optional: true }),
  ignore_repo_failure: param.off('Continue when a repository fails'),
  no_recommends,
  root: param.root,
  kwargs: arg.open('`resolve_capabilities`, `diff_attr`, `advisory_ids`, and options of `pkg.refresh_db`'),
}

type Installation = Bound<typeof INSTALL>

function installWords(call: Installation): string[] {
  return [
    ...(call.skip_verify ? ['--no-gpg-checks'] : []),
    ...(call.refresh ? [] : ['--no-refresh']),
    'install',
    '--auto-agree-with-licenses',
    truthy(call.kwargs.get('resolve_capabilities') ?? null) ? '--capability' : '--name',
    ...(call.downloadonly ? ['--download-only'] : []),
    ...(call.fromrepo ? ['--force', '--force-resolution', '--from', call.fromrepo] : []),
    ...(call.no_recommends ? ['--no-recommends'] : []),
  ]
}

export async function install(ctx: FunctionContext, call: Installation): Promise<Dict> {
  const { root, name, pkgs, sources, kwargs } = call
  if (call.refresh) await refresh(ctx, { force: root, ...Object.fromEntries(kwargs) })
  const found = await targetsOf(ctx, { name, pkgs, sources }, kwargs, true)
  if (found === undefined) return new Map()
  const version = await wildcard(ctx, name, call.version, root)
  const alone = pkgs === null && sources === null
  const words =
    found.type === 'repository'
      ? targetWords(version !== undefined && alone ? new Map([[name, version]]) : found.params)
      : found.type === 'advisory'
        ? await advisories(ctx, found.params, root)
        : namesOf(found)
  const includes = kindsIn(words)
  const attr = new Map([['attr', kwargs.get('diff_attr') ?? null]])
  const snapshot = (): Promise<Dict> =>
    call.downloadonly ? listDownloaded(ctx, root) : listInstalled(ctx, { root, includes, kwargs: attr })
  const old = await snapshot()
  const command = installWords(call)
  const lenient = call.ignore_repo_failure
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

export const UPGRADE = {
  name: param.name,
  pkgs: param.pkgs,
  refresh: arg.flag('Refresh the package database first', { default: true }),
  dryrun: param.off('Return what zypper would do, without doing it'),
  dist_upgrade: param.off('Upgrade the distribution'),
  fromrepo: arg.words('Repositories to take packages from', { optional: true }),
  novendorchange: param.off('Do not change the vendor of packages'),
  skip_verify: param.skip_verify,
  no_recommends,
  root: param.root,
  diff_attr: arg.any('Facts in the changes: a list, a text with commas, or `all`; default: versions', {
    optional: true,
  }),
  kwargs: arg.open('Options of `pkg.refresh_db`'),
}

async function upgradeWords(ctx: FunctionContext, call: Bound<typeof UPGRADE>): Promise<string[]> {
  const { name, pkgs, dist_upgrade, kwargs } = call
  const repos = (call.fromrepo ?? []).map((repo) => repo.trim()).filter(Boolean)
  const words = [
    ...(call.skip_verify ? ['--no-gpg-checks'] : []),
    dist_upgrade ? 'dist-upgrade' : 'update',
    '--auto-agree-with-licenses',
    ...(call.dryrun ? ['--dry-run'] : []),
    ...repos.flatMap((repo) => [dist_upgrade ? '--from' : '--repo', repo]),
  ]
  if (dist_upgrade) {
    const release = ctx.grains.get('osrelease_info')
    const modern = Array.isArray(release) && Number(release[0]) > 11
    if (call.novendorchange && modern) words.push('--no-allow-vendor-change')
    else if (call.novendorchange) ctx.log('warning', 'Disabling vendor changes is not supported on this Zypper version')
    if (call.no_recommends) words.push('--no-recommends')
  } else if (name || truthy(pkgs)) {
    const targets = await targetsOf(ctx, { name, pkgs }, kwargs, true)
    if (targets) words.push(...namesOf(targets))
  }
  return words
}

export async function upgrade(ctx: FunctionContext, call: Bound<typeof UPGRADE>): Promise<Value> {
  const { root, dryrun, kwargs } = call
  if (call.refresh) await refresh(ctx, { force: root, ...Object.fromEntries(kwargs) })
  const words = await upgradeWords(ctx, call)
  if (dryrun && call.dist_upgrade) {
    await zypper(ctx, [...words, '--debug-solver'], { root, scope: true, lenient: true })
  }
  const attr = new Map([['attr', call.diff_attr]])
  const old = await listInstalled(ctx, { root, kwargs: attr })
  const outcome = await zypper(ctx, words, { root, scope: true, lenient: true })
  forgetInstalled(ctx)
  const changes = compareDicts(old, await listInstalled(ctx, { root, kwargs: attr }))
  if (!succeeded(outcome)) {
    const { retcode, stdout, stderr, pid } = outcome
    const result = dictFrom({ retcode, stdout, stderr, pid })
    throw new CommandError('Problem encountered upgrading packages', dictFrom({ changes, result }))
  }
  return dryrun ? `${outcome.stdout}\n${outcome.stderr}`.trim() : changes
}

/** Return the temporary fixes among packages, which zypper removes by another command. */
async function temporaryFixes(ctx: FunctionContext, names: readonly string[], root: string | null): Promise<string[]> {
  const query = ['rpm', ...(root ? ['--root', root] : []), '-q', '--qf', '%{NAME}: [%{PROVIDES} ]\n', ...names]
  const lines = (await outputOf(ctx, query)).split('\n')
  return lines.filter((line) => /^[^:]*:.*ptf\(\)/.test(line)).map((line) => line.slice(0, line.indexOf(':')))
}

export async function remove(ctx: FunctionContext, call: TargetCall & { root: string | null }): Promise<Dict> {
  const { name, pkgs = null, root } = call
  const targets = await targetsOf(ctx, { name, pkgs }, new Map(), true)
  const wanted: Dict = targets?.type === 'repository' ? targets.params : new Map()
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
