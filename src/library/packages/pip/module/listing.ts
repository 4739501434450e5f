// Installed packages, upgrades and available versions of pip.
import {
  compareDicts,
  comparePep440,
  type Dict,
  dictFrom,
  loadJson,
  splitLines,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import { CommandError, type CommandOutcome, type FunctionContext } from '../../../../sdk/mod.ts'
import { optionWords, url } from './options.ts'
import { environment, forgetVersion, type Place, pipVersion, runPip } from './program.ts'

export const normalize = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase()

/** Options that callers of the listing functions may add. */
export interface Extras {
  env_vars?: Value
  use_vt?: Value
  further?: ReadonlyMap<string, Value>
}

async function succeeded(
  ctx: FunctionContext,
  place: Place,
  words: string[],
  { env_vars = null, use_vt = null, further = new Map() }: Extras = {},
): Promise<CommandOutcome> {
  const env = await environment(ctx, place.bin_env, env_vars)
  const options = { env, ...(use_vt === null ? {} : { use_vt }), ...Object.fromEntries(further) }
  const outcome = await runPip(ctx, place, words, options)
  if (outcome.retcode !== 0) throw new CommandError(outcome.stderr, infoOf(outcome))
  return outcome
}

const infoOf = ({ pid, retcode, stdout, stderr }: CommandOutcome): Dict => dictFrom({ pid, retcode, stdout, stderr })

function entriesOf(outcome: CommandOutcome): Dict[] {
  try {
    return loadJson(outcome.stdout) as Dict[]
  } catch (error) {
    if (error instanceof Error) throw new CommandError('Invalid JSON', infoOf(outcome))
    throw error
  }
}

export async function freeze(ctx: FunctionContext, place: Place, extras: Extras): Promise<string[]> {
  const version = (await pipVersion(ctx, { ...place, user: null })) ?? ''
  const all = versionHolds(version, '<', '8.0.3') ? [] : ['--all']
  const { stdout } = await succeeded(ctx, place, ['freeze', ...all, '--disable-pip-version-check'], extras)
  return splitLines(stdout)
}

/** Packages by the lines of `pip freeze`, which old versions of pip have only. */
export async function frozenPackages(
  ctx: FunctionContext,
  prefix: string | null,
  place: Place,
  extras: Extras,
): Promise<Dict> {
  const packages: Dict = new Map()
  const wanted = prefix === null ? '' : prefix
  if ('pip'.startsWith(wanted)) packages.set('pip', await pipVersion(ctx, { ...place, user: null }))
  for (const line of await freeze(ctx, place, extras)) {
    const entry = frozen(line)
    if (entry?.[0].toLowerCase().startsWith(wanted.toLowerCase())) packages.set(entry[0], entry[1])
  }
  return packages
}

function frozen(line: string): [name: string, version: string] | undefined {
  if (/^(?:-f|#|-e hg\+not trust)/.test(line)) return undefined
  const editable = line.startsWith('-e')
  const text = editable ? (line.split('-e ')[1] ?? '') : line
  if (editable && text.includes('#egg=')) {
    const [version, name] = text.split('#egg=')
    return [name!, version!]
  }
  const [name, version] = text.split(text.includes('===') ? '===' : '==')
  return version === undefined ? undefined : [name!, version]
}

export async function packages(
  ctx: FunctionContext,
  prefix: string | null,
  place: Place,
  extras: Extras,
): Promise<Dict> {
  const version = (await pipVersion(ctx, place)) ?? ''
  if (versionHolds(version, '<', '9.0')) return frozenPackages(ctx, prefix, place, extras)
  const outcome = await succeeded(ctx, place, ['list', '--format=json', '--disable-pip-version-check'], extras)
  const wanted = prefix ? normalize(prefix) : ''
  const found: Dict = new Map()
  for (const entry of entriesOf(outcome)) {
    const name = normalize(str(entry.get('name')!))
    if (name.startsWith(wanted)) found.set(name, entry.get('version')!)
  }
  return found
}

export async function upgrades(ctx: FunctionContext, place: Place): Promise<Dict> {
  const version = (await pipVersion(ctx, place)) ?? ''
  const json = versionHolds(version, '>=', '9.0')
  const words = ['list', '--outdated', '--disable-pip-version-check', ...(json ? ['--format=json'] : [])]
  const outcome = await succeeded(ctx, place, words)
  const found: Dict = new Map()
  if (json) {
    for (const entry of entriesOf(outcome)) {
      found.set(entry.get('name')!, `${str(entry.get('latest_version')!)} [${str(entry.get('latest_filetype')!)}]`)
    }
    return found
  }
  const old = versionHolds(version, '<', '8.0.0')
  const pattern = old ? /(\S*)\s+\(.*Latest:\s+(.*)\)/ : /(\S*)\s+\(.*\)\s+-\s+Latest:\s+(.*)/
  for (const line of splitLines(outcome.stdout)) {
    const match = pattern.exec(line)
    if (match) found.set(match[1]!, match[2]!)
    else ctx.log('error', `Can't parse line '${line}'`)
  }
  return found
}

/** Brings every package to its newest version. */
export async function upgradeAll(ctx: FunctionContext, place: Place, use_vt: Value): Promise<Dict> {
  const old = await packages(ctx, null, place, {})
  let comment = ''
  let result = true
  for (const name of (await upgrades(ctx, place)).keys()) {
    const words = ['install', '-U', '--disable-pip-version-check', str(name)]
    const outcome = await runPip(ctx, place, words, { use_vt })
    if (outcome.retcode !== 0) result = false
    comment += outcome.stderr
  }
  forgetVersion(ctx, place.bin_env)
  const changes = compareDicts(old, await packages(ctx, null, place, {}))
  return dictFrom({ changes, result, comment })
}

export interface VersionQuestion extends Place {
  include_alpha: Value
  include_beta: Value
  include_rc: Value
  index_url: Value
  extra_index_url: Value
}

/** Return all versions in the index, the lowest first; None if there are none. */
export async function allVersions(ctx: FunctionContext, name: string, question: VersionQuestion): Promise<Value> {
  const version = (await pipVersion(ctx, question)) ?? ''
  const index = versionHolds(version, '>=', '21.2')
  const legacy = !index && versionHolds(version, '>=', '20.3') ? ['--use-deprecated=legacy-resolver'] : []
  const asking = index ? ['index', 'versions', name] : [...legacy, 'install', `${name}==versions`]
  const { index_url, extra_index_url } = question
  const urls = await optionWords(
    ctx,
    [url('index_url'), url('extra_index_url')],
    { index_url, extra_index_url },
    version,
  )
  const words = ['--disable-pip-version-check', ...asking, ...urls]
  const { stdout } = await runPip(ctx, question, words, { output_loglevel: 'quiet', redirect_stderr: true })
  const pattern = index ? /\s*Available versions: (.*)/ : /\s*Could not find a version.* \(from versions: (.*)\)/
  const listed = splitLines(stdout)
    .map((line) => pattern.exec(line)?.[1])
    .find((text) => text !== undefined)
  const versions = (listed ?? '').split(', ').filter((text) => text !== '' && !excluded(text, question))
  versions.sort((a, b) => comparePep440(a, b) ?? 0)
  return versions.length > 0 ? versions : null
}

function excluded(version: string, { include_alpha, include_beta, include_rc }: VersionQuestion): boolean {
  const marks: [Value, string][] = [
    [include_alpha, 'a'],
    [include_beta, 'b'],
    [include_rc, 'rc'],
  ]
  return marks.some(([included, mark]) => !truthy(included) && version.includes(mark))
}

export async function isInstalled(ctx: FunctionContext, name: string, place: Place): Promise<boolean> {
  const text = name
  const found = await packages(ctx, text, place, {})
  return [...found.keys()].some((key) => str(key).toLowerCase() === text.toLowerCase())
}
