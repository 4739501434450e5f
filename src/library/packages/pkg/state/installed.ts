// The state pkg.installed.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { nestedText, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { fulfills } from './conditions.ts'
import { applyHold, type HoldReports, holdInstalled, mergeHolds } from './holds.ts'
import { plannedReport } from './planned.ts'
import {
  asReturn,
  desiredName,
  failed,
  isFailure,
  listPackages,
  meetProvider,
  needsRefresh,
  type Report,
  report,
  resolveCapabilities,
  versionList,
  withOrigin,
} from './provider.ts'
import { findTargets, type InstallRequest, type Targets, verifyPackage } from './targets.ts'

export interface Installed {
  name: string
  version: Value
  refresh: Value
  fromrepo: Value
  skip_verify: Value
  skip_suggestions: Value
  pkgs: Value
  sources: Value
  allow_updates: Value
  pkg_verify: Value
  normalize: Value
  ignore_epoch: Value
  reinstall: Value
  update_holds: Value
  kwargs: Map<string, Value>
}

const isEmptyList = (value: Value): boolean => isList(value) && (value as Value[]).length === 0

/** A name alone as a list of packages. */
function packagesOf({ name, version, pkgs, sources }: Installed): Value {
  if (!name || truthy(pkgs) || truthy(sources)) return pkgs
  return truthy(version) ? [new Map<Value, Value>([[name, version]])] : [name]
}

export async function installed(ctx: StateContext, given: Installed): Promise<StateReturn> {
  const { name, sources, pkg_verify } = given
  if (isEmptyList(given.pkgs)) return asReturn(report(name, true, 'No packages to install provided'))
  await meetProvider(ctx)
  const kwargs = new Map<string, Value>([...given.kwargs, ['saltenv', ctx.env]])
  const listed = packagesOf(given)
  const wanted = await resolveCapabilities(ctx, listed, await needsRefresh(ctx, given.refresh), kwargs)
  const verify = isList(pkg_verify) ? pkg_verify : pkg_verify === true
  if (verify !== false && !ctx.has('pkg.verify')) return asReturn(report(name, false, 'pkg.verify not implemented'))
  kwargs.set('allow_updates', given.allow_updates)
  const request: InstallRequest = {
    name,
    pkgs: wanted.pkgs,
    sources,
    skipSuggestions: truthy(given.skip_suggestions),
    verify,
    normalize: truthy(given.normalize),
    ignoreEpoch: given.ignore_epoch,
    reinstall: truthy(given.reinstall),
    refresh: wanted.refresh,
    options: new Map<string, Value>([...kwargs, ['fromrepo', given.fromrepo], ['split_arch', false]]),
  }
  const found = await findTargets(ctx, request)
  if ('comment' in found) {
    const packages = new Map<string, Value>(Object.entries({ name, pkgs: wanted.pkgs, sources }))
    return asReturn(await holdInstalled(ctx, found, kwargs, packages))
  }
  const add = (done: Report): StateReturn => asReturn({ ...done, warnings: found.warnings })
  if (found.unpurge.length > 0 && !ctx.has('lowpkg.unpurge')) {
    return add(report(name, false, 'lowpkg.unpurge not implemented'))
  }
  if (ctx.test) return add(await plannedReport(ctx, request, found))
  return add(await carryOut(ctx, { given, request, found, kwargs }))
}

interface Work {
  given: Installed
  request: InstallRequest
  found: Targets
  kwargs: Map<string, Value>
}

const pairs = (packages: Dict): Value[] => [...packages].map(([name, version]) => new Map([[name, version]]))

/** The packages, or files, that are left to be installed. */
function remaining({ request, found }: Work): { pkgs: Value; sources: Value } {
  if (truthy(request.pkgs))
    return { pkgs: [...pairs(found.install), ...pairs(found.reinstall)], sources: request.sources }
  const files = ((request.sources ?? []) as Value[]).filter(isDict)
  const among = (packages: Dict): Value[] => files.filter((file) => packages.has([...file.keys()][0]!))
  return { pkgs: request.pkgs, sources: [...among(found.install), ...among(found.reinstall)] }
}

async function install(ctx: StateContext, work: Work): Promise<Value> {
  const { given, request, found, kwargs } = work
  const refresh = found.refreshed ? false : request.refresh
  const version = truthy(request.pkgs) && given.pkgs === null ? null : given.version
  const call: Readonly<Record<string, Value>> = {
    name: null,
    refresh,
    version: version === null ? null : str(version),
    fromrepo: given.fromrepo,
    skip_verify: given.skip_verify,
    ...remaining(work),
    reinstall: found.reinstall.size > 0,
    normalize: given.normalize,
    update_holds: given.update_holds,
    ignore_epoch: given.ignore_epoch,
    split_arch: false,
  }
  return ctx.call('pkg.install', [], new Map<string, Value>([...kwargs, ...Object.entries(call)]))
}

async function carryOut(ctx: StateContext, work: Work): Promise<Report> {
  const { request, found, kwargs } = work
  const { name } = request
  const comments: string[] = []
  let changes: Dict = new Map()
  if (found.install.size + found.reinstall.size > 0) {
    try {
      const answer = await install(ctx, work)
      if (isDict(answer)) changes = answer
      else if (typeof answer === 'string') comments.push(answer)
    } catch (error) {
      return failed(name, error, 'installing package(s)')
    }
  }
  const reinstalled = new Set(changes.keys())
  let holds: HoldReports = { modified: [], unchanged: [], failed: [] }
  if (ctx.has('pkg.hold') && kwargs.has('hold')) {
    try {
      const packages = new Map<string, Value>([
        ['name', name],
        ['pkgs', found.desired],
      ])
      const answer = await applyHold(ctx, kwargs.get('hold')!, packages)
      if ('failure' in answer) return report(name, false, answer.failure)
      holds = answer
    } catch (error) {
      if (!isFailure(error, 'CommandExecutionError', 'SaltInvocationError')) throw error
      return report(name, false, [...comments, error.message].join('\n'), changes)
    }
  }
  if (found.unpurge.length > 0) changes.set('purge_desired', await ctx.call('lowpkg.unpurge', found.unpurge))
  return summarize(ctx, { work, changes, comments, holds, reinstalled })
}

interface Outcome {
  work: Work
  changes: Dict
  comments: string[]
  holds: HoldReports
  reinstalled: ReadonlySet<Value>
}

const commentOf = (one: Dict): string => str(one.get('comment') ?? '')

async function summarize(ctx: StateContext, { work, changes, comments, holds, reinstalled }: Outcome): Promise<Report> {
  const { request, found } = work
  const shown = (name: Value): string => (truthy(request.sources) ? str(name) : desiredName(name, found.desired))
  const state = truthy(request.sources) ? fileOutcome(found, changes) : await packageOutcome(ctx, work)
  const started = (name: Value): boolean => {
    const change = changes.get(name) ?? null
    return isDict(change) && change.get('install status') === 'task started'
  }
  const modified = [...state.modified, ...state.failed.filter(started)]
  const broken = state.failed.filter((name) => !started(name))
  if (modified.length > 0) comments.push(modifiedText(modified.map(shown)))
  mergeHolds(changes, holds.modified)
  comments.push(...holds.modified.map(commentOf))
  if (state.unchanged.length > 0) comments.push(unchangedText(state.unchanged.map(shown)))
  comments.push(...holds.unchanged.map(commentOf))
  if (broken.length > 0) {
    comments.unshift(`The following packages failed to install/update: ${broken.map(shown).join(', ')}`)
  }
  comments.push(...holds.failed.map(commentOf))
  const again = await reinstallOutcome(ctx, request, found, reinstalled)
  for (const [name, isGood] of again) comments.push(...reinstallText(shown(name), isGood, found.altered.get(name)))
  const result = broken.length === 0 && holds.failed.length === 0 && [...again.values()].every(Boolean)
  return report(request.name, result, comments.join('\n'), changes)
}

const plural = (count: number): string => `${count} targeted package${count > 1 ? 's were' : ' was'}`

function modifiedText(names: readonly string[]): string {
  const summary = names.join(', ')
  if (summary.length < 20) return `The following packages were installed/updated: ${summary}`
  return `${plural(names.length)} installed/updated.`
}

function unchangedText(names: readonly string[]): string {
  if (names.length <= 20) return `The following packages were already installed: ${names.join(', ')}`
  return `${plural(names.length)} already installed`
}

interface Sorted {
  modified: Value[]
  unchanged: Value[]
  failed: Value[]
}

function fileOutcome({ desired, install, reinstall }: Targets, changes: Dict): Sorted {
  const modified = [...changes.keys()].filter((name) => install.has(name))
  return {
    modified,
    unchanged: [...desired.keys()].filter((name) => !install.has(name) && !reinstall.has(name)),
    failed: [...install.keys()].filter((name) => !modified.includes(name)),
  }
}

async function packageOutcome(ctx: StateContext, { request, found, kwargs }: Work): Promise<Sorted> {
  const { install, reinstall } = found
  const current = await listPackages(ctx, kwargs)
  const capable = truthy(kwargs.get('resolve_capabilities') ?? false) && ctx.has('pkg.list_provides')
  const provides = capable ? await ctx.call('pkg.list_provides', [], withOrigin(ctx, kwargs)) : new Map()
  const { good, bad } = await verifyInstalled(ctx, found.desired, current, {
    ignoreEpoch: request.ignoreEpoch,
    provides,
  })
  return {
    modified: good.filter((name) => install.has(name)),
    unchanged: good.filter((name) => !install.has(name) && !reinstall.has(name)),
    failed: bad.filter((name) => install.has(name)),
  }
}

/** Installed versions of a wanted package, under all the names it may have. */
async function versionsNow(ctx: StateContext, name: string, current: Dict, provides: Dict): Promise<Value[]> {
  const os = ctx.grains.get('os')
  const at = (key: Value): Value[] => versionList(current.get(key) ?? [])
  if (os === 'FreeBSD' && name.includes('/')) {
    return [...current].flatMap(([key, facts]) => (isDict(facts) && facts.get('origin') === name ? [key] : []))
  }
  if (os === 'MacOS' && name.includes('/')) return current.has(name) ? at(name) : at(name.split('/').at(-1)!)
  if (os === 'OpenBSD') return at(name.split('%')[0]!)
  const lookup = name.split('=')[0]!
  if (at(lookup).length > 0) return at(lookup)
  const normal = ctx.has('pkg.normalize_name') ? await ctx.call('pkg.normalize_name', [lookup]) : lookup
  if (at(normal).length > 0) return at(normal)
  const provider = provides.get(lookup) as Value[] | undefined
  return provider ? at(provider[0]!) : []
}

export async function verifyInstalled(
  ctx: StateContext,
  desired: Dict,
  current: Dict,
  { ignoreEpoch, provides = new Map() }: { ignoreEpoch: Value; provides?: Dict },
): Promise<{ good: Value[]; bad: Value[] }> {
  const good: Value[] = []
  const bad: Value[] = []
  for (const [name, version] of desired) {
    const present = await versionsNow(ctx, str(name), current, provides)
    const anything = version === 'latest' || !truthy(await ctx.call('pkg_resource.version_clean', [version]))
    const text = version === null ? '' : str(version)
    const isPrefix = text.endsWith('*') && present.length > 0 && str(present[0]!).startsWith(text.slice(0, -1))
    const isGood =
      present.length > 0 && (anything || isPrefix || (await fulfills(ctx, present, version, { ignoreEpoch })))
    ;(isGood ? good : bad).push(name)
  }
  return { good, bad }
}

/** Return whether each package was reinstalled. */
async function reinstallOutcome(
  ctx: StateContext,
  request: InstallRequest,
  found: Targets,
  reinstalled: ReadonlySet<Value>,
): Promise<Map<Value, boolean>> {
  const outcome = new Map<Value, boolean>()
  for (const name of found.reinstall.keys()) {
    if (request.reinstall) outcome.set(name, reinstalled.has(name))
    else if (truthy(request.verify)) {
      const altered = await verifyPackage(ctx, name, request)
      if (truthy(altered)) found.altered.set(name, altered)
      outcome.set(name, !truthy(altered))
    }
  }
  return outcome
}

function reinstallText(name: string, isGood: boolean, altered: Value | undefined): string[] {
  const said = isGood ? `Package ${name} was reinstalled.` : `Reinstall was not successful for package ${name}.`
  if (altered === undefined) return [said]
  return [`${said} The following files ${isGood ? 'were' : 'could not be'} remediated:`, nestedText(altered)]
}
