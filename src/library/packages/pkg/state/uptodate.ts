// All packages are at their newest versions; all packages of a group are installed.
import { type Dict, dictFrom, isDict, isList, PyError, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { asReturn, failed, isFailure, meetProvider, type Report, report, resolveCapabilities } from './provider.ts'

export interface UpToDate {
  name: string
  refresh: Value
  pkgs: Value
  kwargs: Map<string, Value>
}

export async function uptodate(ctx: StateContext, given: UpToDate): Promise<StateReturn> {
  await meetProvider(ctx)
  return asReturn(await bringUpToDate(ctx, given))
}

async function bringUpToDate(ctx: StateContext, given: UpToDate): Promise<Report> {
  const { name, kwargs } = given
  if (!ctx.has('pkg.list_upgrades')) return report(name, false, 'State pkg.uptodate is not available')
  if (kwargs.has('fromrepo') && ctx.grains.get('os') === 'Gentoo') {
    return report(name, false, "'fromrepo' argument not supported on this platform")
  }
  if (typeof given.refresh !== 'boolean') return report(name, false, 'refresh must be either True or False')
  const { pkgs, refresh } = await resolveCapabilities(ctx, given.pkgs, given.refresh, kwargs)
  let expected: Dict
  try {
    expected = await expectedChanges(ctx, refresh, pkgs, kwargs)
  } catch (error) {
    return report(name, false, error instanceof Error ? error.message : String(error))
  }
  if (expected.size === 0) return report(name, true, 'System is already up-to-date')
  if (ctx.test) return report(name, null, 'System update will be performed', expected)
  let changes: Dict
  try {
    const call = new Map<string, Value>([...kwargs, ['refresh', refresh], ['pkgs', pkgs]])
    changes = (await ctx.call('pkg.upgrade', [], call)) as Dict
  } catch (error) {
    const { comment, changes: partial } = failed(name, error, 'updating packages')
    return report(name, false, comment, partial)
  }
  const missing = isList(pkgs) ? [...expected.keys()].filter((one) => !changes.has(one)) : []
  if (missing.length === 0) return report(name, true, 'Upgrade ran successfully', changes)
  return report(name, false, `The following package(s) failed to update: ${missing.map(str).join(', ')}`, changes)
}

async function expectedChanges(
  ctx: StateContext,
  refresh: boolean,
  pkgs: Value,
  kwargs: Map<string, Value>,
): Promise<Dict> {
  const call = new Map<string, Value>([...kwargs, ['refresh', refresh]])
  const expected: Dict = new Map()
  for (const [name, version] of await ctx.call('pkg.list_upgrades', [], call)) {
    const old = await ctx.call('pkg.version', [name], kwargs)
    const isMeant = !isList(pkgs) || (pkgs as Value[]).includes(name)
    if (isMeant) expected.set(name, dictFrom({ new: version, old }))
  }
  return expected
}

export interface GroupRequest {
  name: string
  skip: Value
  include: Value
  kwargs: Map<string, Value>
}

const withoutOwn = (kwargs: Map<string, Value>): Map<string, Value> =>
  new Map([...kwargs].filter(([key]) => !key.startsWith('__')))

export async function groupInstalled(ctx: StateContext, given: GroupRequest): Promise<StateReturn> {
  const { name, kwargs } = given
  await meetProvider(ctx)
  if (!ctx.has('pkg.group_diff'))
    return asReturn(report(name, false, 'pkg.group_install not available for this platform'))
  for (const option of ['skip', 'include'] as const) {
    const isBad = given[option] !== null && !isList(given[option])
    if (isBad) return asReturn(report(name, false, `${option} must be formatted as a list`))
  }
  let diff: Dict
  try {
    diff = await ctx.call('pkg.group_diff', [name], withoutOwn(kwargs))
  } catch (error) {
    if (!isFailure(error) && !(error instanceof PyError && error.code === 'TypeError')) throw error
    const comment = error.message.includes('unexpected keyword argument')
      ? 'Repo options are not supported on this platform'
      : `An error was encountered while installing/updating group '${name}': ${error.message}.`
    return asReturn(report(name, false, comment))
  }
  return asReturn(await installGroup(ctx, given, diff))
}

const PARTS = ['mandatory', 'default', 'optional']

async function installGroup(
  ctx: StateContext,
  { name, skip, include, kwargs }: GroupRequest,
  diff: Dict,
): Promise<Report> {
  const texts = (list: Value): string[] => ((list ?? []) as Value[]).map(str)
  const part = (kind: string, which: string): string[] => {
    const facts = diff.get(kind) ?? null
    return isDict(facts) ? texts(facts.get(which) ?? []) : []
  }
  const skipped = texts(skip)
  const mandatory = [...part('mandatory', 'installed'), ...part('mandatory', 'not installed')]
  const refused = mandatory.filter((one) => skipped.includes(one))
  if (refused.length > 0) {
    return report(name, false, `The following mandatory packages cannot be skipped: ${refused.join(', ')}`)
  }
  const required = [...part('mandatory', 'not installed'), ...texts(include)]
  const usual = part('default', 'not installed').filter((one) => !skipped.includes(one))
  const targets = [...part('mandatory', 'not installed'), ...usual, ...texts(include)]
  if (targets.length === 0) return report(name, true, `Group '${name}' is already installed`)
  const partially = PARTS.some((kind) => part(kind, 'installed').length > 0)
  if (ctx.test) {
    return report(
      name,
      null,
      `Group '${name}' ${partially ? 'is partially installed and will be updated' : 'will be installed'}`,
    )
  }
  let changes: Dict
  try {
    changes = (await ctx.call('pkg.install', [], new Map<string, Value>([...kwargs, ['pkgs', targets]]))) as Dict
  } catch (error) {
    return failed(name, error, `installing/updating group '${name}'`)
  }
  const current = await ctx.call('pkg.list_pkgs', [], kwargs)
  const missing = required.filter((one) => !current.has(one))
  if (missing.length > 0)
    return report(name, false, `Failed to install the following packages: ${missing.join(', ')}`, changes)
  return report(name, true, `Group '${name}' was ${partially ? 'updated' : 'installed'}`, changes)
}
