// The package manager of the minion behind one interface: its functions, its results, and reports of its errors.
import { type Dict, isDict, SaltError, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { CommandError, isHostError, isTrue, option, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'

export type Options = ReadonlyMap<string, Value>

/** The report of a state in progress. */
export interface Report {
  name: Value
  changes: Dict
  result: boolean | null
  comment: string
  warnings?: string[]
}

export const report = (name: Value, result: boolean | null, comment: string, changes: Dict = new Map()): Report => ({
  name,
  changes,
  result,
  comment,
})

export const asReturn = ({ warnings = [], ...rest }: Report): StateReturn => ({
  ...rest,
  ...(warnings.length > 0 && { warnings }),
})

/** Makes sure that `ctx.has` speaks of this minion's package manager alone. */
export async function meetProvider(ctx: StateContext): Promise<void> {
  await ctx.module('pkg')
}

export const isFailure = (error: unknown, ...codes: string[]): error is SaltError =>
  error instanceof SaltError && (codes.length === 0 ? ['CommandExecutionError'] : codes).includes(error.code)

/** Return a failed call as a report: its changes, and its error. In Salt, the parts are then in another order. */
export function failed(name: string, error: unknown, doing: string): Report {
  if (!isFailure(error)) throw error
  const info = error instanceof CommandError && truthy(error.info) ? error.info : null
  const changes = ((isDict(info) && info.get('changes')) || new Map()) as Dict
  const said = `An error was encountered while ${doing}: ${error.message}`
  return { name, result: false, changes, comment: info === null ? said : (error as CommandError).withoutChanges }
}

/** Wanted versions by name, from a list as states have it. */
export async function repacked(ctx: StateContext, pkgs: Value, normalize = true): Promise<Dict> {
  const [packages] = await ctx.call('pkg_resource.parse_targets', [null, pkgs], { normalize })
  return isDict(packages ?? null) ? (packages as Dict) : new Map()
}

export const listPackages = async (ctx: StateContext, options: Options, more: Readonly<Record<string, Value>> = {}) =>
  await ctx.call(
    'pkg.list_pkgs',
    [],
    new Map<string, Value>([...withOrigin(ctx, options), ['versions_as_list', true], ...Object.entries(more)]),
  )

/** FreeBSD reports the origin of its packages, because states may name packages by it. */
export const withOrigin = (ctx: StateContext, options: Options): Map<string, Value> =>
  new Map<string, Value>([...options, ...(ctx.grains.get('os') === 'FreeBSD' ? [['with_origin', true] as const] : [])])

/** Installed versions of a package, by its name or by its origin. */
export function installedVersions(ctx: StateContext, packages: Dict, name: string): Value[] {
  const os = ctx.grains.get('os')
  if (os === 'FreeBSD' && name.includes('/')) {
    return [...packages].flatMap(([key, facts]) => (isDict(facts) && facts.get('origin') === name ? [key] : []))
  }
  return versionList(packages.get(name) ?? [])
}

export function versionList(entry: Value): Value[] {
  const list = isDict(entry) && entry.has('version') ? entry.get('version')! : entry
  if (isDict(list)) return [...list.keys()]
  return Array.isArray(list) ? (list as Value[]) : truthy(list) ? [list] : []
}

/**
 * Replace capabilities by the names of packages that provide them, if the package manager can resolve them; then no
 * refresh is needed.
 */
export async function resolveCapabilities(
  ctx: StateContext,
  pkgs: Value,
  refresh: boolean,
  options: Options,
): Promise<{ pkgs: Value; refresh: boolean }> {
  if (!truthy(pkgs) || !ctx.has('pkg.resolve_capabilities')) return { pkgs, refresh }
  const call = new Map<string, Value>([...options, ['refresh', refresh]])
  return { pkgs: await ctx.call('pkg.resolve_capabilities', [pkgs], call), refresh: false }
}

/** Return a package name with its wanted version for a comment. */
export function desiredName(name: Value, desired: Dict): string {
  const version = textOf(desired.get(name) ?? null) ?? ''
  const sign = version === '' || /^[<>=]/.test(version) ? '' : '='
  return `${str(name)}${sign}${version}`
}

const markOf = (ctx: StateContext): string => `${option(ctx.opts, 'cachedir')}/pkg_refresh`

/** Return whether to refresh the package database: if wanted, or once in a state run by default. */
export async function needsRefresh(ctx: StateContext, refresh: Value): Promise<boolean> {
  if (isTrue(refresh)) return true
  return refresh !== false && (await ctx.host.stat(markOf(ctx)))?.type === 'file'
}

/** Notes that the first state of a run still has to fetch the lists. */
export async function markRefresh(ctx: StateContext): Promise<void> {
  if ((await ctx.host.stat(markOf(ctx))) !== undefined) return
  try {
    await ctx.host.write(markOf(ctx), '')
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('warning', `Encountered error writing rtag: ${(error as Error).message}`)
  }
}
