// Ensures that packages have the newest available version.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { installableVersions } from './planned.ts'
import {
  asReturn,
  isFailure,
  meetProvider,
  needsRefresh,
  type Report,
  repacked,
  report,
  resolveCapabilities,
} from './provider.ts'

export interface Latest {
  name: string
  refresh: Value
  fromrepo: Value
  skip_verify: Value
  pkgs: Value
  watch_flags: Value
  kwargs: Map<string, Value>
}

const byName = (answer: Value, name: Value): Dict => (isDict(answer) ? answer : new Map([[name, answer]]))

export async function latest(ctx: StateContext, given: Latest): Promise<StateReturn> {
  const { name, pkgs } = given
  await meetProvider(ctx)
  if (truthy(given.kwargs.get('sources') ?? null)) {
    return asReturn(report(name, false, 'The "sources" parameter is not supported.'))
  }
  if (isList(pkgs) && !truthy(pkgs)) return asReturn(report(name, true, 'No packages to install provided'))
  const listed: Value[] = truthy(pkgs) ? [...(await repacked(ctx, pkgs)).keys()] : [name]
  if (listed.length === 0) {
    return asReturn(report(name, false, 'Invalidly formatted "pkgs" parameter. See minion log.'))
  }
  const kwargs = new Map<string, Value>([...given.kwargs, ['saltenv', ctx.env]])
  const resolved = await resolveCapabilities(ctx, listed, await needsRefresh(ctx, given.refresh), kwargs)
  const desired = resolved.pkgs as Value[]
  let available: Dict
  let current: Dict
  try {
    const asked = new Map<string, Value>([...kwargs, ['fromrepo', given.fromrepo], ['refresh', resolved.refresh]])
    available = byName(await ctx.call('pkg.latest_version', desired, asked), desired[0]!)
  } catch (error) {
    if (!isFailure(error)) throw error
    const doing = 'checking the newest available version of package(s)'
    return asReturn(report(name, false, `An error was encountered while ${doing}: ${error.message}`))
  }
  try {
    current = byName(await ctx.call('pkg.version', desired, kwargs), desired[0]!)
  } catch (error) {
    if (!isFailure(error)) throw error
    return asReturn(report(name, false, error.message))
  }
  return asReturn(await bringUp(ctx, { given, kwargs, desired, available, current }))
}

interface Work {
  given: Latest
  kwargs: Map<string, Value>
  desired: Value[]
  available: Dict
  current: Dict
}

async function bringUp(ctx: StateContext, work: Work): Promise<Report> {
  const { given, desired, available, current } = work
  const targets: Dict = new Map()
  const problems: string[] = []
  for (const one of desired) {
    if (truthy(available.get(one) ?? null)) targets.set(one, available.get(one)!)
    else if (!truthy(current.get(one) ?? null)) problems.push(`No information found for '${str(one)}'.`)
    else if (truthy(given.watch_flags) && ctx.grains.get('os') === 'Gentoo') {
      if (truthy(await ctx.call('portage_config.is_changed_uses', [one]))) targets.set(one, current.get(one)!)
    }
  }
  if (problems.length > 0) return report(given.name, false, problems.join(' '))
  if (targets.size === 0) return report(given.name, true, upToDateText(desired.map(str)))
  const listed = truthy(given.pkgs) ? (given.pkgs as Value[]) : []
  const fresh = listed.filter((one) => !targets.has(one))
  return ctx.test ? planned(ctx, work, targets, fresh) : upgrade(ctx, work, targets, fresh.map(str).sort())
}

function upToDateText(names: readonly string[]): string {
  if (names.length > 10) return `All ${names.length} packages are up-to-date.`
  if (names.length > 1) return `All packages are up-to-date (${[...names].sort().join(', ')}).`
  return `Package ${names[0]} is already up-to-date`
}

async function planned(ctx: StateContext, { given, current }: Work, targets: Dict, fresh: Value[]): Promise<Report> {
  const comments = [
    `The following packages would be installed/upgraded: ${[...targets.keys()].map(str).sort().join(', ')}`,
  ]
  const shown = fresh
    .map(str)
    .sort()
    .map((one) => `${one} (${str(current.get(one) ?? null)})`)
  if (fresh.length > 10) comments.push(`${fresh.length} packages are already up-to-date`)
  else if (fresh.length > 0) comments.push(`The following packages are already up-to-date: ${shown.join(', ')}`)
  const changes = await installableVersions(ctx, targets, { current, refresh: false })
  return report(given.name, null, comments.join('\n'), changes)
}

async function upgrade(ctx: StateContext, { given, kwargs }: Work, targets: Dict, fresh: string[]): Promise<Report> {
  const { name, fromrepo, skip_verify } = given
  const call = { name: null, refresh: false, fromrepo, skip_verify, pkgs: [...targets.keys()] }
  let changes: Dict
  try {
    changes = (await ctx.call('pkg.install', [], new Map<string, Value>([...kwargs, ...Object.entries(call)]))) as Dict
  } catch (error) {
    if (!isFailure(error)) throw error
    return report(name, false, `An error was encountered while installing package(s): ${error.message}`)
  }
  return truthy(changes) ? upgraded(name, changes, targets, fresh) : notUpgraded(name, targets, fresh)
}

function upgraded(name: string, changes: Dict, targets: Dict, fresh: string[]): Report {
  const isBad = ([one, version]: [Value, Value]): boolean => {
    const change = changes.get(one) ?? null
    if (!isDict(change) || change.size === 0) return true
    const now = change.get('new') ?? null
    return now !== null && version !== 'latest' && !str(now).split(',').includes(str(version))
  }
  const names = (entries: [Value, Value][]): string =>
    entries
      .map(([one]) => str(one))
      .sort()
      .join(', ')
  const bad = [...targets].filter(isBad)
  const good = [...targets].filter((entry) => !isBad(entry))
  const comments: string[] = []
  if (bad.length > 0) comments.push(`The following packages failed to update: ${names(bad)}`)
  if (good.length > 0) comments.push(`The following packages were successfully installed/upgraded: ${names(good)}`)
  if (fresh.length > 10) comments.push(`${fresh.length} packages were already up-to-date `)
  else if (fresh.length > 0) comments.push(`The following packages were already up-to-date: ${fresh.join(', ')}`)
  return report(name, bad.length === 0, comments.join(' '), changes)
}

function notUpgraded(name: string, targets: Dict, fresh: string[]): Report {
  const names = [...targets.keys()].map(str).sort()
  let comment = `Package ${names[0]} failed to update.`
  if (names.length > 10) comment = `${names.length} targeted packages failed to update. See debug log for details.`
  else if (names.length > 1) {
    comment = `The following targeted packages failed to update. See debug log for details: (${names.join(', ')}).`
  }
  if (fresh.length > 10) comment += `${fresh.length} packages were already up-to-date`
  else if (fresh.length > 0) comment += ` The following packages were already up-to-date: ${fresh.join(', ')}`
  return report(name, false, comment)
}
