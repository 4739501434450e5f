// Packages lie ready for installation; patches by their advisories are installed, or lie ready.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { fulfills } from './conditions.ts'
import { verifyInstalled } from './installed.ts'
import {
  asReturn,
  desiredName,
  failed,
  isFailure,
  meetProvider,
  type Options,
  type Report,
  repacked,
  report,
  resolveCapabilities,
} from './provider.ts'
import { suggestions } from './targets.ts'

export interface Download {
  name: string
  version: Value
  pkgs: Value
  fromrepo: Value
  ignore_epoch: Value
  kwargs: Map<string, Value>
}

const isEmptyList = (value: Value): boolean => isList(value) && (value as Value[]).length === 0

async function downloadedPackages(ctx: StateContext, options: Options): Promise<Dict> {
  return ctx.call('pkg.list_downloaded', [], options)
}

async function findTargets(ctx: StateContext, given: Download, pkgs: Value, options: Options): Promise<Dict | Report> {
  const { name } = given
  const current = await downloadedPackages(ctx, options)
  const wanted = await repacked(ctx, pkgs)
  if (wanted.size === 0) return report(name, false, 'Invalidly formatted pkgs parameter. See minion log.')
  const complaint = await suggestions(ctx, wanted, new Map([...options, ['fromrepo', given.fromrepo]]))
  if (complaint !== '') return report(name, false, complaint)
  const targets: Dict = new Map()
  const problems: string[] = []
  let versioned = false
  for (const [one, version] of wanted) {
    const present = current.get(one)
    if (present === undefined || !truthy(present)) targets.set(one, version)
    else if (truthy(version)) {
      versioned = true
      try {
        if (!(await fulfills(ctx, present, version, { ignoreEpoch: given.ignore_epoch }))) targets.set(one, version)
      } catch (error) {
        if (!isFailure(error)) throw error
        problems.push(error.message)
      }
    }
  }
  if (problems.length > 0) return report(name, false, problems.join(' '))
  if (targets.size > 0) return targets
  const matching = versioned ? ' (matching specified versions)' : ''
  return report(name, true, `All specified packages${matching} are already downloaded`)
}

export async function downloaded(ctx: StateContext, given: Download): Promise<StateReturn> {
  const { name, version } = given
  await meetProvider(ctx)
  if (!ctx.has('pkg.list_downloaded')) {
    return asReturn(report(name, false, 'The pkg.downloaded state is not available on this platform'))
  }
  if (isEmptyList(given.pkgs)) return asReturn(report(name, true, 'No packages to download provided'))
  const single: Value[] = truthy(version) ? [new Map([[name as Value, version]])] : [name]
  const options = new Map([...given.kwargs].filter(([key]) => key !== 'downloadonly'))
  const listed = truthy(given.pkgs) ? given.pkgs : single
  const { pkgs } = await resolveCapabilities(ctx, listed, false, options)
  const found = await findTargets(ctx, given, pkgs, options)
  if (!isDict(found as Value)) return asReturn(found as Report)
  const targets = found as Dict
  const names = [...targets.keys()].map(str).join(', ')
  if (ctx.test) return asReturn(report(name, null, `The following packages would be downloaded: ${names}`))
  const rest = truthy(given.pkgs) ? version : null
  const call = {
    name,
    pkgs,
    version: rest,
    downloadonly: true,
    fromrepo: given.fromrepo,
    ignore_epoch: given.ignore_epoch,
  }
  let changes: Dict
  try {
    changes = (await ctx.call('pkg.install', [], new Map<string, Value>([...options, ...Object.entries(call)]))) as Dict
  } catch (error) {
    return asReturn(failed(name, error, 'downloading package(s)'))
  }
  const current = await downloadedPackages(ctx, options)
  const { bad } = await verifyInstalled(ctx, targets, current, { ignoreEpoch: given.ignore_epoch })
  if (bad.length > 0) {
    const summary = bad.map((one) => desiredName(one, targets)).join(', ')
    return asReturn(report(name, false, `The following packages failed to download: ${summary}`, changes))
  }
  return asReturn(report(name, true, changes.size === 0 ? `Packages downloaded: ${names}` : '', changes))
}

export interface Patches {
  name: string
  advisory_ids: Value
  downloadonly: Value
  kwargs: Map<string, Value>
}

/** Return the advisories that are not applied yet, or a report that there are none. */
async function missingPatches(ctx: StateContext, { name, advisory_ids, kwargs }: Patches): Promise<Value[] | Report> {
  const current = await ctx.call('pkg.list_installed_patches', [], kwargs)
  const isThere = (one: Value): boolean => truthy(current.get(one) ?? null)
  if (!truthy(advisory_ids) && isThere(name)) return report(name, true, `Advisory patch ${name} is already installed`)
  const wanted = truthy(advisory_ids) ? (advisory_ids as Value[]) : [name]
  const targets = wanted.filter((one) => !isThere(one))
  return targets.length > 0 ? targets : report(name, true, 'All specified advisory patches are already installed')
}

export async function patched(ctx: StateContext, fun: string, given: Patches): Promise<StateReturn> {
  const { name, advisory_ids, downloadonly, kwargs } = given
  await meetProvider(ctx)
  if (!ctx.has('pkg.list_patches')) {
    return asReturn(report(name, false, `The pkg.${fun} state is not available on this platform`))
  }
  if (isEmptyList(advisory_ids)) return asReturn(report(name, true, 'No advisory ids provided'))
  const targets = await missingPatches(ctx, given)
  if (!Array.isArray(targets)) return asReturn(targets)
  if (ctx.test) {
    const names = targets.map(str).join(', ')
    return asReturn(report(name, null, `The following advisory patches would be downloaded: ${names}`))
  }
  let changes: Dict
  try {
    const call = Object.entries({ name, advisory_ids, downloadonly })
    changes = (await ctx.call('pkg.install', [], new Map<string, Value>([...kwargs, ...call]))) as Dict
  } catch (error) {
    return asReturn(failed(name, error, 'downloading package(s)'))
  }
  const status = truthy(downloadonly) ? 'downloaded' : 'installed'
  const needless = `Advisory patch is not needed or related packages are already ${status}`
  return asReturn(report(name, true, changes.size === 0 ? needless : '', changes))
}
