// Installed packages, as providers of `pkg` list them: gathered once and kept until something changes.
import { compareDicts, type Dict, fnmatch, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { CommandError, type FunctionContext, isHostError, isTrue, option } from '../../../sdk/mod.ts'
import type { Call } from './declare.ts'

const KEY = 'pkg.list_pkgs'

export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)
export const misuse = (message: string): SaltError => new SaltError('SaltInvocationError', message)

export type Versions = Map<string, string[]>

export function addPackage(versions: Versions, name: string, version: string): void {
  const list = versions.get(name) ?? []
  list.push(version)
  versions.set(name, list)
}

/** In order, each once. */
function tidied(versions: Versions): Versions {
  for (const [name, list] of versions) versions.set(name, [...new Set(list)].sort())
  return versions
}

const asText = (versions: Versions): Dict => new Map([...versions].map(([name, list]) => [name, list.join(',')]))

export const forgetPackages = (ctx: FunctionContext): boolean => ctx.memory.delete(KEY)

export interface ListCall {
  asList?: boolean
  /** False looks anew. */
  cached?: boolean
}

export type Gather = (ctx: FunctionContext) => Promise<Versions>

export async function listPackages(
  ctx: FunctionContext,
  gather: Gather,
  { asList = false, cached = true }: ListCall = {},
): Promise<Dict> {
  const known = cached ? (ctx.memory.get(KEY) as Versions | undefined) : undefined
  const versions = known ?? tidied(await gather(ctx))
  ctx.memory.set(KEY, versions as Dict)
  return asList ? new Map([...versions].map(([name, list]) => [name, [...list]])) : asText(versions)
}

/** `list_pkgs` as users call it; nothing is ever removed and still known, unless dpkg says so. */
export async function listCalled(ctx: FunctionContext, gather: Gather, { given, kwargs }: Call): Promise<Dict> {
  if (isTrue(kwargs.get('removed') ?? null) || isTrue(kwargs.get('purge_desired') ?? null)) return new Map()
  const asList = isTrue(given['versions_as_list'] ?? false)
  return listPackages(ctx, gather, { asList, cached: kwargs.get('use_context') !== false })
}

/** Packages with wanted versions, or files. */
export interface Targets {
  params: Dict | Value[]
  type: 'repository' | 'file' | 'advisory'
}

/** Which packages a call means; undefined when it means none. */
export async function targetsOf(
  ctx: FunctionContext,
  { name = null, pkgs = null, sources = null, saltenv = 'base' }: Readonly<Record<string, Value>>,
  kwargs: ReadonlyMap<string, Value> = new Map(),
  normalize = false,
): Promise<Targets | undefined> {
  const options = new Map<string, Value>([...kwargs, ['saltenv', saltenv], ['normalize', normalize]])
  const [params, type] = (await ctx.call('pkg_resource.parse_targets', [name, pkgs, sources], options)) as [
    Value,
    Value,
  ]
  return truthy(params) ? { params: params as Dict | Value[], type: type as Targets['type'] } : undefined
}

/** Names alone. */
export const namesOf = ({ params }: Targets): string[] =>
  params instanceof Map ? [...params.keys()].map((name) => str(name)) : params.map((path) => str(path))

/** Wanted names, those with a `*` replaced by the installed packages that they mean. */
export function matchWildcards(installed: Dict, wanted: Dict): Dict {
  const plain: Dict = new Map([...wanted].filter(([name]) => !str(name).includes('*')))
  for (const [pattern, version] of wanted) {
    if (!str(pattern).includes('*')) continue
    for (const name of installed.keys()) if (fnmatch(str(name), str(pattern))) plain.set(name, version)
  }
  return plain
}

/** What a change did to the packages; with errors it is one, and carries them. */
export async function changesSince(
  ctx: FunctionContext,
  old: Dict,
  list: () => Promise<Dict>,
  errors: readonly string[] = [],
  message = '',
): Promise<Dict> {
  forgetPackages(ctx)
  const changes = compareDicts(old, await list())
  if (errors.length === 0) return changes
  throw new CommandError(message, infoOf({ errors: [...errors], changes }))
}

export const infoOf = (info: Readonly<Record<string, Value>>): Dict => new Map<Value, Value>(Object.entries(info))

/** The mark that a state run still has to refresh; a refresh takes it away. */
export async function clearRefreshMark(ctx: FunctionContext): Promise<void> {
  const cachedir = option(ctx.opts, 'cachedir')
  if (cachedir === '') return
  try {
    await ctx.host.remove(`${cachedir}/pkg_refresh`)
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return
    if (!isHostError(error)) throw error
    ctx.log('warning', `Encountered error removing rtag: ${(error as Error).message}`)
  }
}

/** One value for one name, a dict for several. */
export const single = (found: Dict, names: readonly string[]): Value =>
  names.length === 1 ? (found.get(names[0]!) ?? '') : found

/** Words of a text with commas, or of a list. */
export function listed(value: Value): string[] {
  if (Array.isArray(value)) return (value as Value[]).map((item) => str(item))
  if (!truthy(value)) return []
  return str(value)
    .split(',')
    .map((item) => item.trim())
}
