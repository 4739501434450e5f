// Packages are not installed, or not even their configuration is left.
import { type Dict, dictFrom, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { fulfills } from './conditions.ts'
import {
  asReturn,
  failed,
  installedVersions,
  isFailure,
  listPackages,
  meetProvider,
  type Report,
  repacked,
  report,
} from './provider.ts'

export interface Removal {
  name: string
  version: Value
  pkgs: Value
  normalize: Value
  ignore_epoch: Value
  kwargs: Map<string, Value>
}

type Action = 'remove' | 'purge'

/** Return the names to remove, or a report that nothing is to be done. */
async function findTargets(ctx: StateContext, wanted: Removal): Promise<string[] | Report> {
  const { name, version, pkgs, normalize, ignore_epoch, kwargs } = wanted
  const current = await listPackages(ctx, kwargs)
  const single = ctx.has('pkg.normalize_name') ? await ctx.call('pkg.normalize_name', [name]) : name
  const packages: Dict = truthy(pkgs) ? await repacked(ctx, pkgs, truthy(normalize)) : new Map([[single, version]])
  if (packages.size === 0) return report(name, false, 'Invalidly formatted pkgs parameter. See minion log.')
  const targets: string[] = []
  const problems: string[] = []
  let versioned = false
  for (const [key, wish] of packages) {
    const present = installedVersions(ctx, current, str(key))
    if (present.length === 0) continue
    const clean = await ctx.call('pkg_resource.version_clean', [wish])
    versioned ||= clean !== null
    try {
      const isMeant = clean === null || (await fulfills(ctx, present, wish, { ignoreEpoch: ignore_epoch }))
      if (isMeant) targets.push(str(key))
    } catch (error) {
      if (!isFailure(error)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) return report(name, false, problems.join(' '))
  if (targets.length > 0) return targets
  const matching = versioned ? ' (matching specified versions)' : ''
  return report(name, true, `All specified packages${matching} are already absent`)
}

export async function uninstalled(ctx: StateContext, action: Action, given: Removal): Promise<StateReturn> {
  await meetProvider(ctx)
  const kwargs = new Map<string, Value>([...given.kwargs, ['saltenv', ctx.env]])
  try {
    return asReturn(await uninstall(ctx, action, { ...given, kwargs }))
  } catch (error) {
    return asReturn(failed(given.name, error, action === 'purge' ? 'purging package(s)' : 'removing package(s)'))
  }
}

async function parameters(
  ctx: StateContext,
  { name, pkgs, normalize, version, kwargs }: Removal,
): Promise<Dict | string> {
  try {
    const call = new Map<string, Value>([...kwargs, ['normalize', normalize], ['version', version]])
    const [packages] = await ctx.call('pkg_resource.parse_targets', [name, pkgs], call)
    return isDict(packages ?? null) ? (packages as Dict) : new Map()
  } catch (error) {
    if (isFailure(error, 'MinionError')) return `An error was encountered while parsing targets: ${error.message}`
    throw error
  }
}

async function uninstall(ctx: StateContext, action: Action, given: Removal): Promise<Report> {
  const { name, kwargs } = given
  const packages = await parameters(ctx, given)
  if (typeof packages === 'string') return report(name, false, packages)
  const found = await findTargets(ctx, given)
  if (!Array.isArray(found) && action === 'remove') return found
  const targets = Array.isArray(found) ? found : []
  if (action === 'purge') {
    const left = await listPackages(ctx, kwargs, { removed: true })
    targets.push(...[...packages.keys()].map(str).filter((one) => left.has(one)))
  }
  targets.sort()
  if (targets.length === 0) {
    const partially = action === 'purge' ? ' or partially installed' : ''
    return report(name, true, `None of the targeted packages are installed${partially}`)
  }
  if (ctx.test) {
    const change = (): Dict => dictFrom({ new: `${action}d`, old: '' })
    const changes: Dict = new Map(targets.map((one) => [one, change()]))
    return report(name, null, `The following packages will be ${action}d: ${targets.join(', ')}.`, changes)
  }
  return carryOut(ctx, action, given, { packages, targets })
}

interface Work {
  packages: Dict
  targets: string[]
}

async function carryOut(ctx: StateContext, action: Action, given: Removal, work: Work): Promise<Report> {
  const { name, pkgs, version, kwargs } = given
  const call = new Map<string, Value>([...kwargs, ['pkgs', pkgs], ['version', version], ['split_arch', false]])
  const changes = (await ctx.call(`pkg.${action}`, [name], call)) as Dict
  const remaining = await stillThere(ctx, action, given, work.packages)
  if (remaining.length > 0) {
    return report(name, false, `The following packages failed to ${action}: ${remaining.sort().join(', ')}.`, changes)
  }
  const absent = [...work.packages.keys()].map(str).filter((one) => !work.targets.includes(one))
  if (absent.length === 0) return report(name, true, `All targeted packages were ${action}d.`, changes)
  const comments = [
    `The following packages were not installed: ${absent.sort().join(', ')}`,
    `The following packages were ${action}d: ${work.targets.join(', ')}.`,
  ]
  return report(name, true, comments.join(' '), changes)
}

async function stillThere(ctx: StateContext, action: Action, { kwargs }: Removal, packages: Dict): Promise<string[]> {
  const current = await listPackages(ctx, kwargs)
  const severalVersions = ['Suse', 'RedHat', 'Windows'].includes(str(ctx.grains.get('os_family') ?? ''))
  const there: string[] = []
  for (const [name, version] of packages) {
    const present = current.get(name)
    if (present === undefined) continue
    if (!severalVersions || !truthy(version)) there.push(str(name))
    else if ((present as Value[]).includes(version)) there.push(`${str(name)}-${str(version)}`)
  }
  if (action !== 'purge') return there
  const left = await listPackages(ctx, kwargs, { removed: true })
  return [...there, ...[...packages.keys()].map(str).filter((name) => left.has(name))]
}
