// Installed packages, as providers of `pkg` list them: read once and cached until a package changes.
import { compareDicts, type Dict, dictFrom, fnmatch, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { CommandError, type FunctionContext, isHostError, isTrue, option } from '../../../sdk/mod.ts'

const KEY = 'pkg.list_pkgs'

/** Refuse keywords other than the known ones. */
export function refuseOptions(options: ReadonlyMap<string, Value>, known: readonly string[]): void {
  const others = [...options].filter(([name]) => !name.startsWith('__') && !known.includes(name))
  if (others.length === 0) return
  const list = others.map(([name, value]) => `${name}=${str(value)}`).join(', ')
  throw misuse(`The following keyword arguments are not valid: ${list}`)
}

export type Versions = Map<string, string[]>

export function addPackage(versions: Versions, name: string, version: string): void {
  const list = versions.get(name) ?? []
  list.push(version)
  versions.set(name, list)
}

/** Sort the versions of each package, without duplicates. */
function tidied(versions: Versions): Versions {
  for (const [name, list] of versions) versions.set(name, [...new Set(list)].sort())
  return versions
}

const asText = (versions: Versions): Dict => new Map([...versions].map(([name, list]) => [name, list.join(',')]))

export const forgetPackages = (ctx: FunctionContext): boolean => ctx.memory.delete(KEY)

export interface ListCall {
  asList?: boolean
  /** Whether a cached list is used. */
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

/** Run `list_pkgs`. Only dpkg knows packages that are removed or waiting for a purge; the others have none. */
export async function listCalled(
  ctx: FunctionContext,
  gather: Gather,
  asList: boolean,
  options: ReadonlyMap<string, Value>,
): Promise<Dict> {
  if (wantsRemoved(options)) return new Map()
  return listPackages(ctx, gather, { asList, cached: options.get('use_context') !== false })
}

/** Return whether a call asks for packages that are removed or waiting for a purge. */
export const wantsRemoved = (options: ReadonlyMap<string, Value>): boolean =>
  isTrue(options.get('removed') ?? null) || isTrue(options.get('purge_desired') ?? null)

/** The packages that a call means: versions by name from repositories, else paths of files or ids of advisories. */
export type Targets = { type: 'repository'; params: Dict } | { type: 'file' | 'advisory'; params: Value[] }

export interface TargetCall {
  name?: string | null | undefined
  pkgs?: Value
  sources?: Value
  saltenv?: string
}

/** Return the packages that a call means; undefined when it means none. */
export async function targetsOf(
  ctx: FunctionContext,
  { name = null, pkgs = null, sources = null, saltenv = 'base' }: TargetCall,
  kwargs: ReadonlyMap<string, Value> = new Map(),
  normalize = false,
): Promise<Targets | undefined> {
  const options = new Map<string, Value>([...kwargs, ['saltenv', saltenv], ['normalize', normalize]])
  const [params = null, type] = await ctx.call('pkg_resource.parse_targets', [name, pkgs, sources], options)
  return truthy(params) ? ({ params, type } as Targets) : undefined
}

/** Return the names, paths or ids of targets. */
export const namesOf = ({ params }: Targets): string[] =>
  Array.from(params instanceof Map ? params.keys() : params, str)

/** Replace wanted names that contain `*` by the installed packages that they match. */
export function matchWildcards(installed: Dict, wanted: Dict): Dict {
  const plain: Dict = new Map([...wanted].filter(([name]) => !str(name).includes('*')))
  for (const [pattern, version] of wanted) {
    if (!str(pattern).includes('*')) continue
    for (const name of installed.keys()) if (fnmatch(str(name), str(pattern))) plain.set(name, version)
  }
  return plain
}

/** Return how the packages changed; raise an error that carries the changes when there are errors. */
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
  throw new CommandError(message, dictFrom({ errors: [...errors], changes }))
}

/** Remove the file that tells a state run to refresh the package database. */
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

/** Return the value of a single name, or the dict for several names. */
export const single = (found: Dict, names: readonly string[]): Value =>
  names.length === 1 ? (found.get(names[0]!) ?? '') : found

/** Return the items of a list, or of a text with commas. */
export function listed(value: Value): string[] {
  if (Array.isArray(value)) return value.map(str)
  if (!truthy(value)) return []
  return str(value)
    .split(',')
    .map((item) => item.trim())
}
