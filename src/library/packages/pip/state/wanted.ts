// The requirement for one package, and whether the machine meets it.
import {
  comparePep440,
  type Dict,
  parseRequirement,
  type Specifier,
  specifiersAccept,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export interface Wanted {
  /** Package name; empty for a URL or path without a name. */
  prefix: string
  /** The text of the user. */
  text: string
  specifiers: readonly Specifier[]
}

/** Parse a requirement; return the error as text. */
export async function wantedOf(ctx: StateContext, text: string): Promise<Wanted | string> {
  const parsed = parseRequirement(text)
  const complaint = typeof parsed === 'string' ? parsed : await badDirectory(ctx, text, parsed.directory)
  if (complaint !== undefined) {
    if (text.includes('=') && !text.includes('==')) {
      return `Invalid version specification in package ${text}. '=' is not supported, use '==' instead.`
    }
    return `pip raised an exception while parsing '${text}': ${complaint}`
  }
  const { name = '', specifiers } = parsed as Exclude<typeof parsed, string>
  return { prefix: name.replace(/[-_.]+/g, '-').toLowerCase(), text, specifiers }
}

async function badDirectory(
  { host }: StateContext,
  text: string,
  directory: string | undefined,
): Promise<string | undefined> {
  if (directory === undefined) return undefined
  const type = (await host.stat(directory))?.type
  if (type === undefined) {
    return `Invalid requirement: '${text}'\nHint: It looks like a path. File '${directory}' does not exist.`
  }
  const projects = [`${directory}/setup.py`, `${directory}/pyproject.toml`]
  for (const path of projects) if ((await host.stat(path)) !== undefined) return undefined
  if (type !== 'directory') return undefined
  return `Directory '${text}' is not installable. Neither 'setup.py' nor 'pyproject.toml' found.`
}

function accepted(version: string, specifiers: readonly Specifier[]): boolean {
  const verdict = specifiersAccept(version, specifiers)
  if (verdict !== undefined) return verdict
  return specifiers.every(([operator, wanted]) => versionHolds(version, operator, wanted, comparePep440))
}

export interface InstallOptions {
  ignore_installed: Value
  force_reinstall: Value
  upgrade: Value
  user: Value
  cwd: Value
  bin_env: Value
  index_url: Value
  extra_index_url: Value
}

/** Return the comment about a package that needs no change; undefined for a package to install. */
export async function satisfied(
  ctx: StateContext,
  { prefix, text, specifiers }: Wanted,
  installed: Dict,
  options: InstallOptions,
): Promise<string | undefined> {
  const found = [...installed].find(([name]) => str(name).toLowerCase() === prefix)
  if (options.ignore_installed !== false || !found || options.force_reinstall !== false) return undefined
  const version = str(found[1])
  const already = `Python package ${text} was already installed`
  if (!truthy(options.upgrade)) return accepted(version, specifiers) ? already : undefined
  const newest = await newestAccepted(ctx, prefix, specifiers, options)
  if (newest === undefined) {
    return `Python package ${prefix} was already installed and\nthe available upgrade doesn't fulfills the version requirements`
  }
  return comparePep440(version, newest) === 0 ? already : undefined
}

async function newestAccepted(
  ctx: StateContext,
  prefix: string,
  specifiers: readonly Specifier[],
  { user, cwd, bin_env, index_url, extra_index_url }: InstallOptions,
): Promise<string | undefined> {
  const mentions = (mark: string): boolean => specifiers.some(([, version]) => version.includes(mark))
  const available = await ctx.call('pip.list_all_versions', [prefix], {
    bin_env,
    include_alpha: mentions('a'),
    include_beta: mentions('b'),
    include_rc: mentions('rc'),
    user,
    cwd,
    index_url,
    extra_index_url,
  })
  const versions = Array.isArray(available) ? (available as Value[]).map((version) => str(version)) : []
  return versions.findLast((version) => specifiers.length === 0 || accepted(version, specifiers))
}
