// Which packages of a state must be installed, reinstalled, or unmarked for purge.
import { type Dict, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { conditionsOf, fulfills } from './conditions.ts'
import { installedVersions, isFailure, listPackages, type Options, type Report, repacked, report } from './provider.ts'

export interface InstallRequest {
  name: string
  pkgs: Value
  sources: Value
  skipSuggestions: boolean
  /** True, or a list of options. */
  verify: Value
  normalize: boolean
  ignoreEpoch: Value
  reinstall: boolean
  refresh: boolean
  /** Passed on to the package manager. */
  options: Options
}

export interface Targets {
  /** Versions, or where files are, by name. */
  desired: Dict
  install: Dict
  unpurge: string[]
  reinstall: Dict
  /** Results of the verification by name. */
  altered: Dict
  warnings: string[]
  refreshed: boolean
}

/** An option of verification, given as `- ignore_types: [...]` in the list. */
function verifyOption(verify: Value, name: string): Value {
  const entries = Array.isArray(verify) ? (verify as Value[]).filter(isDict) : []
  return entries.find((entry) => entry.has(name) && entry.get(name) !== null)?.get(name) ?? []
}

export async function verifyPackage(
  ctx: StateContext,
  name: Value,
  request: Pick<InstallRequest, 'verify' | 'options'>,
): Promise<Value> {
  const options = ['ignore_types', 'verify_options'].map(
    (option) => [option, verifyOption(request.verify, option)] as const,
  )
  return ctx.call('pkg.verify', [name], new Map<string, Value>([...request.options, ...options]))
}

const UNKNOWN = 'The following package(s) were not found, and no possible matches were found in the package db: '

/** Return the comment about names that the package manager does not know; empty for none. */
export async function suggestions(ctx: StateContext, wanted: Dict, options: Options): Promise<string> {
  if (!ctx.has('pkg.check_db') || wanted.size === 0) return ''
  let known: Dict
  try {
    known = (await ctx.call('pkg.check_db', [...wanted.keys()], options)) as Dict
  } catch (error) {
    if (isFailure(error)) return ''
    throw error
  }
  const missing = [...known].filter(([, facts]) => (facts as Dict).get('found') === false)
  const similar = (facts: Value): string => ((facts as Dict).get('suggestions') as Value[]).map(str).join(', ')
  const lost = missing
    .filter(([, facts]) => !truthy((facts as Dict).get('suggestions') ?? null))
    .map(([name]) => str(name))
  const comments = [
    ...(lost.length > 0 ? [`${UNKNOWN}${lost.sort().join(', ')}`] : []),
    ...missing
      .filter(([name]) => !lost.includes(str(name)))
      .map(([name, facts]) => `Package '${str(name)}' not found (possible matches: ${similar(facts)})`),
  ]
  return comments.length > 1 ? `${comments.join('. ')}.` : comments.join('')
}

async function desiredOf(ctx: StateContext, { pkgs, sources, normalize }: InstallRequest): Promise<Dict> {
  if (truthy(pkgs)) return repacked(ctx, pkgs, false)
  return ctx.call('pkg_resource.pack_sources', [sources], { normalize })
}

/** Puts versions in place of the word `latest`; whether the lists were fetched for it. */
async function resolveLatest(
  ctx: StateContext,
  desired: Dict,
  current: Dict,
  request: InstallRequest,
): Promise<boolean> {
  const names = [...desired].filter(([, version]) => version === 'latest').map(([name]) => name)
  if (truthy(request.sources) || names.length === 0) return false
  const options = new Map<string, Value>([...request.options, ['refresh', request.refresh]])
  const answer = await ctx.call('pkg.latest_version', names, options)
  const newest: Dict = isDict(answer) ? answer : new Map([[names[0]!, answer]])
  for (const [name, version] of newest) {
    const present = current.get(name) as Value[] | undefined
    desired.set(name, truthy(version) ? version : (present?.at(-1) ?? null))
  }
  return request.refresh
}

type Verdict = 'fine' | 'install' | 'reinstall' | { problem: string } | { warning: string }

interface Case {
  name: string
  wanted: Value
  present: Value[]
}

export async function findTargets(ctx: StateContext, request: InstallRequest): Promise<Targets | Report> {
  const { name, options } = request
  if (truthy(request.pkgs) && truthy(request.sources))
    return report(name, false, 'Only one of "pkgs" and "sources" is permitted.')
  const capabilities = truthy(options.get('resolve_capabilities') ?? false) && ctx.has('pkg.list_provides')
  let current: Dict
  let provides: Dict
  try {
    current = await listPackages(ctx, options)
    provides = capabilities ? await ctx.call('pkg.list_provides', [], options) : new Map()
  } catch (error) {
    if (isFailure(error)) return report(name, false, error.message)
    throw error
  }
  const desired = await desiredOf(ctx, request)
  if (desired.size === 0) {
    const which = truthy(request.pkgs) ? 'pkgs' : 'sources'
    return report(name, false, `Invalidly formatted '${which}' parameter. See minion log.`)
  }
  const purging = await listPackages(ctx, options, { purge_desired: true })
  const unpurge = [...desired.keys()].map(str).filter((one) => purging.has(one))
  const complaint = await unknownNames(ctx, desired, current, request)
  if (complaint !== '') return report(name, false, complaint)
  const refreshed = await resolveLatest(ctx, desired, current, request)
  const found: Targets = {
    desired,
    install: new Map(),
    unpurge,
    reinstall: new Map(),
    altered: new Map(),
    warnings: [],
    refreshed,
  }
  const problems: string[] = []
  let versioned = false
  for (const [key, wanted] of desired) {
    const one = str(key)
    let present = installedVersions(ctx, current, one)
    const provider = provides.get(one) as Value[] | undefined
    if (present.length === 0 && provider) present = installedVersions(ctx, current, str(provider[0]!))
    const verdict = await judge(ctx, { name: one, wanted, present }, request, found)
    if (verdict === 'install') found.install.set(key, wanted)
    else if (verdict === 'reinstall') found.reinstall.set(key, wanted)
    else if (typeof verdict === 'object') {
      if ('problem' in verdict) problems.push(verdict.problem)
      else found.warnings.push(verdict.warning)
      continue
    }
    versioned ||= present.length > 0 && wanted !== null && !request.reinstall
  }
  if (problems.length > 0) return report(name, false, problems.join(' '))
  if (found.install.size + unpurge.length + found.reinstall.size > 0) return found
  const exactly = versioned && !truthy(request.sources) ? ' and are at the desired version' : ''
  const done = report(name, true, `All specified packages are already installed${exactly}`)
  return { ...done, warnings: found.warnings }
}

async function unknownNames(ctx: StateContext, desired: Dict, current: Dict, request: InstallRequest): Promise<string> {
  if (truthy(request.sources) || request.skipSuggestions) return ''
  const missing: Dict = new Map()
  for (const [name, version] of desired) {
    const present = current.get(name)
    const there = present !== undefined && (version === null || (await fulfills(ctx, present, version, request)))
    if (!there) missing.set(name, version)
  }
  return suggestions(ctx, missing, request.options)
}

/** Return the action for a wanted package. */
async function judge(ctx: StateContext, one: Case, request: InstallRequest, found: Targets): Promise<Verdict> {
  if (one.present.length === 0) return 'install'
  if (request.reinstall) return 'reinstall'
  const isFile = truthy(request.sources)
  let version = one.wanted
  if (isFile) {
    if (!ctx.has('lowpkg.bin_pkg_info')) return 'fine'
    const read = await fileVersion(ctx, one.wanted, request.options)
    if (typeof read === 'object') return read
    version = read
  } else {
    if (!truthy(await ctx.call('pkg_resource.check_extra_requirements', [one.name, one.wanted]))) return 'install'
    if ((await ctx.call('pkg_resource.version_clean', [one.wanted])) === null) {
      return truthy(request.verify) ? verdictOfVerify(ctx, one.name, request, found) : 'fine'
    }
  }
  const allowUpdates = !isFile && truthy(request.options.get('allow_updates') ?? false)
  try {
    if (await fulfills(ctx, one.present, version, { ignoreEpoch: request.ignoreEpoch, allowUpdates })) return 'fine'
  } catch (error) {
    if (isFailure(error)) return { problem: error.message }
    throw error
  }
  const isExact = conditionsOf(str(one.wanted)).some(({ operator }) => operator === '==')
  return truthy(request.verify) && isExact ? verdictOfVerify(ctx, one.name, request, found) : 'install'
}

async function verdictOfVerify(
  ctx: StateContext,
  name: string,
  request: InstallRequest,
  found: Targets,
): Promise<Verdict> {
  try {
    const altered = await verifyPackage(ctx, name, request)
    if (!truthy(altered)) return 'fine'
    found.altered.set(name, altered)
    return 'reinstall'
  } catch (error) {
    if (isFailure(error, 'CommandExecutionError', 'SaltInvocationError')) return { problem: error.message }
    throw error
  }
}

/** The version of a package file, fetched first. */
async function fileVersion(
  ctx: StateContext,
  source: Value,
  options: Options,
): Promise<string | Exclude<Verdict, string>> {
  const where = str(source)
  const request = { saltenv: options.get('saltenv') ?? 'base', verify_ssl: options.get('verify_ssl') ?? true }
  let path: Value
  try {
    path = await ctx.call('cp.cache_file', [source], request)
  } catch (error) {
    if (isFailure(error)) return { problem: `Unable to cache ${where}: ${error.message}` }
    throw error
  }
  if (!truthy(path)) return { problem: `Unable to cache ${where}: file not found` }
  if ((await ctx.host.stat(str(path))) === undefined) return { problem: `${where} does not exist on minion` }
  const info = await ctx.call('lowpkg.bin_pkg_info', [path])
  return isDict(info) ? str(info.get('version') ?? '') : { warning: `Failed to parse metadata for ${where}` }
}
