// Options of `pip install` by argument, in the order of Salt.
import {
  failure,
  isDict,
  isFloat,
  iterate,
  PyError,
  schemeOf,
  str,
  truthy,
  type Value,
  valueError,
  versionHolds,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { isDirectory } from './program.ts'

export type Given = Readonly<Record<string, Value>>

type Words = string[] | Promise<string[]>
type Option = (ctx: FunctionContext, given: Given, version: string) => Words

const VALID_PROTOS = ['http', 'https', 'ftp', 'file']
const validUrl = (url: string): boolean => VALID_PROTOS.includes(schemeOf(url) ?? '')

export function listOf(value: Value): string[] {
  const items = Array.isArray(value) ? value.map(str) : str(value).split(',')
  return items.map((item) => item.trim()).filter(Boolean)
}

const on = (given: Given, name: string): boolean => truthy(given[name] ?? null)

/** An option without a value. */
const flag =
  (name: string, word = `--${name.replaceAll('_', '-')}`): Option =>
  (_, given) =>
    on(given, name) ? [word] : []

/** An option with a value. */
const setting =
  (name: string, word = `--${name.replaceAll('_', '-')}`): Option =>
  (_, given) =>
    on(given, name) ? [word, str(given[name]!)] : []

/** An option for each item of a list. */
const repeated =
  (name: string, word: string): Option =>
  (_, given) =>
    on(given, name) ? listOf(given[name]!).flatMap((item) => [word, item]) : []

const within = (version: string, low: string, high: string): boolean =>
  versionHolds(version, '>=', low) && versionHolds(version, '<=', high)

/** An option of some versions of pip; for others it is ignored and logged. */
const limited =
  (name: string, option: string, low: string, high: string): Option =>
  (ctx, given, version) => {
    if (!on(given, name)) return []
    if (within(version, low, high)) return [option]
    ctx.log(
      'error',
      `The ${option} option is only supported in pip between ${low} and ${high}. The version of pip detected is ${version}. This option will be ignored.`,
    )
    return []
  }

const noBinary: Option = (_, given, version) => {
  const wanted = given['no_binary'] ?? null
  if (!truthy(wanted) || versionHolds(version, '<', '7.0.0')) return []
  return ['--no-binary', Array.isArray(wanted) ? wanted.map(str).join(',') : str(wanted)]
}

export const logFile: Option = async ({ host, ...ctx }, given) => {
  if (!on(given, 'log')) return []
  const path = str(given['log']!)
  const oserror = (message: string): PyError => new PyError('OSError', message)
  if (await isDirectory({ ...ctx, host }, path)) throw oserror(`'${path}' is a directory. Use --log path_to_file`)
  if ((await host.stat(path)) !== undefined) {
    if (!(await host.access(path, 'write'))) throw oserror(`'${path}' is not writeable`)
    return ['--log', path]
  }
  const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  const problem = (await host.stat(parent)) === undefined ? 'does not exist' : 'is not writeable'
  if (problem === 'does not exist' || !(await host.access(parent, 'write'))) {
    throw oserror(`Trying to create '${path}' but parent directory '${parent}' ${problem}.`)
  }
  return ['--log', path]
}

export const proxy: Option = ({ opts }, given) => {
  const asked = given['proxy'] ?? null
  if (truthy(asked)) return ['--proxy', str(asked)]
  const opt = (name: string): string => (truthy(opts.get(name) ?? null) ? str(opts.get(name)!) : '')
  if (asked === false || !opt('proxy_host') || !opt('proxy_port')) return []
  const account =
    opt('proxy_username') && opt('proxy_password') ? `${opt('proxy_username')}:${opt('proxy_password')}@` : ''
  return ['--proxy', `http://${account}${opt('proxy_host')}:${opt('proxy_port')}`]
}

export const timeout: Option = (_, given) => {
  const value = given['timeout'] ?? null
  if (!truthy(value)) return []
  if (isFloat(value) || !/^\s*[+-]?\d+\s*$/.test(str(value))) {
    throw valueError(`'${str(value)}' is not a valid timeout, must be an integer`)
  }
  return ['--timeout', str(value)]
}

const findLinks: Option = async (ctx, given) => {
  const links = on(given, 'find_links') ? listOf(given['find_links']!) : []
  for (const link of links) {
    if (!validUrl(link) && (await ctx.host.stat(link)) === undefined)
      throw failure(`'${link}' is not a valid URL or path`)
  }
  return links.flatMap((link) => ['--find-links', link])
}

const exclusive: Option = (_, given) => {
  if (on(given, 'no_index') && (on(given, 'index_url') || on(given, 'extra_index_url'))) {
    throw failure("'no_index' and ('index_url' or 'extra_index_url') are mutually exclusive.")
  }
  return []
}

/** An option with a URL as its value. */
export const url =
  (name: string): Option =>
  (ctx, given, version) => {
    if (on(given, name) && !validUrl(str(given[name]!))) throw failure(`'${str(given[name]!)}' is not a valid URL`)
    return setting(name)(ctx, given, version)
  }

const mirrors: Option = (_, given, version) => {
  if (!on(given, 'mirrors')) return []
  if (versionHolds(version, '>=', '7.0.0')) {
    throw failure('pip >= 7.0.0 does not support mirror argument: use index_url and/or extra_index_url instead')
  }
  const urls = listOf(given['mirrors']!)
  const wrong = urls.find((mirror) => !mirror.startsWith('http://'))
  if (wrong !== undefined) throw failure(`'${wrong}' is not a valid URL`)
  return ['--use-mirrors', ...urls.flatMap((mirror) => ['--mirrors', mirror])]
}

const target: Option = async ({ host }, given) => {
  const fallback = given['bin_env'] === null ? ((await host.env()).get('VENV_PIP_TARGET') ?? null) : null
  const path = given['target'] ?? fallback
  return truthy(path) ? ['--target', str(path)] : []
}

const cache: Option = (_, given, version) => {
  const folder = truthy(given['download_cache'] ?? null) ? given['download_cache']! : (given['cache_dir'] ?? null)
  const word = versionHolds(version, '>=', '6.0') ? '--cache-dir' : '--download-cache'
  return truthy(folder) ? [word, str(folder)] : []
}

const existsAction: Option = (_, given) => {
  if (!on(given, 'exists_action')) return []
  const action = str(given['exists_action']!)
  if (!['s', 'i', 'w', 'b'].includes(action.toLowerCase())) {
    throw failure(`The exists_action pip option only supports the values s, i, w, and b. '${action}' is not valid.`)
  }
  return ['--exists-action', action]
}

const editable: Option = (_, given) => {
  const entries = on(given, 'editable') ? listOf(given['editable']!) : []
  for (const entry of entries) {
    const local = entry === '.' || entry.startsWith('file://') || entry.startsWith('/')
    if (!local && !/(?:#|#.*?&)egg=([^&]+)/.test(entry)) throw failure('You must specify an egg for this editable')
  }
  return entries.flatMap((entry) => ['--editable', entry])
}

/** Further arguments of a user; a dict is an option and its value. */
export const extraArgs: Option = (_, given) => {
  const extra = given['extra_args'] ?? null
  if (!truthy(extra)) return []
  return Array.from(iterate(extra)).flatMap((item) => {
    if (!isDict(item)) return [str(item)]
    const [key, value] = [...item].at(-1)!
    if (isDict(value) || Array.isArray(value)) throw new PyError('TypeError', `Too many levels in: ${str(key)}`)
    return [str(key), str(value)]
  })
}

/** Options before the package names. */
export const BEFORE: readonly Option[] = [
  limited('use_wheel', '--use-wheel', '1.4', '9.0.3'),
  limited('no_use_wheel', '--no-use-wheel', '1.4', '9.0.3'),
  noBinary,
  logFile,
  proxy,
  timeout,
  findLinks,
  exclusive,
  url('index_url'),
  url('extra_index_url'),
  flag('no_index'),
  mirrors,
  flag('disable_version_check', '--disable-pip-version-check'),
  setting('build'),
  target,
  setting('download'),
  cache,
  setting('source'),
  flag('upgrade'),
  flag('force_reinstall'),
  flag('ignore_installed'),
  existsAction,
  flag('no_deps'),
  flag('no_install'),
  flag('no_download'),
  flag('no_cache_dir'),
  (_, given, version) => (on(given, 'pre_releases') && versionHolds(version, '>=', '1.4') ? ['--pre'] : []),
  setting('cert'),
  repeated('global_options', '--global-option'),
  repeated('install_options', '--install-option'),
]

/** Options after the package names. */
export const AFTER: readonly Option[] = [
  editable,
  flag('allow_all_external'),
  repeated('allow_external', '--allow-external'),
  repeated('allow_unverified', '--allow-unverified'),
  flag('process_dependency_links'),
  setting('trusted_host'),
  extraArgs,
]

export async function optionWords(
  ctx: FunctionContext,
  options: readonly Option[],
  given: Given,
  version: string,
): Promise<string[]> {
  const words: string[] = []
  for (const option of options) words.push(...(await option(ctx, given, version)))
  return words
}
