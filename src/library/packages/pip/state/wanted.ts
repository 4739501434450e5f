// What is wanted of one package, and whether the machine has it.
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
  /** Empty for a URL or path that says no name. */
  prefix: string
  /** As the user wrote it. */
  text: string
  specifiers: readonly Specifier[]
}

/** The wish, or what is wrong with it. */
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

export interface Wish {
  ignore_installed: Value
  force_reinstall: Value
  upgrade: Value
  user: Value
  cwd: Value
  bin_env: Value
  index_url: Value
  extra_index_url: Value
}

/** The sentence about a package that needs nothing; undefined for one that must be installed. */
export async function satisfied(
  ctx: StateContext,
  { prefix, text, specifiers }: Wanted,
  installed: Dict,
  wish: Wish,
): Promise<string | undefined> {
  const found = [...installed].find(([name]) => str(name).toLowerCase() === prefix)
  if (wish.ignore_installed !== false || !found || wish.force_reinstall !== false) return undefined
  const version = str(found[1])
  const already = `Python package ${text} was already installed`
  if (!truthy(wish.upgrade)) return accepted(version, specifiers) ? already : undefined
  const newest = await newestAccepted(ctx, prefix, specifiers, wish)
  if (newest === undefined) {
    return `Python package ${prefix} was already installed and\nthe available upgrade doesn't fulfills the version requirements`
  }
  return comparePep440(version, newest) === 0 ? already : undefined
}

async function newestAccepted(
  ctx: StateContext,
  prefix: string,
  specifiers: readonly Specifier[],
  { user, cwd, bin_env, index_url, extra_index_url }: Wish,
): Promise<string | undefined> {
  const mentions = (mark: string): boolean => specifiers.some(([, version]) => version.includes(mark))
  const available = (await ctx.call('pip.list_all_versions', [prefix], {
    bin_env,
    include_alpha: mentions('a'),
    include_beta: mentions('b'),
    include_rc: mentions('rc'),
    user,
    cwd,
    index_url,
    extra_index_url,
  })) as Value
  const versions = Array.isArray(available) ? (available as Value[]).map((version) => str(version)) : []
  return versions.findLast((version) => specifiers.length === 0 || accepted(version, specifiers))
}
