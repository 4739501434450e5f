// pip.installed: missing packages are installed in one call of pip, and its output becomes the report.
import { type Dict, isDict, SaltError, str, truthy, type Value, versionHolds } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { type InstallOptions, satisfied, type Wanted, wantedOf } from './wanted.ts'

export type Given = Readonly<Record<string, Value>>

const NO_CHANGE = [
  'Requirement already satisfied',
  'Requirement already up-to-date',
  'Requirement not upgraded',
  'Collecting',
  'Cloning',
  'Cleaning up...',
  'Looking in indexes',
]

type Report = (result: boolean | null, comment: string, changes?: Dict) => StateReturn

export async function install(
  ctx: StateContext,
  args: Given,
  further: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const { name, pkgs = null, pip_bin = null, repo: _, ...options } = args
  const given: Given = { ...options, bin_env: truthy(options['bin_env'] ?? null) ? options['bin_env']! : pip_bin }
  if (truthy(pkgs) && !Array.isArray(pkgs)) {
    return { name: name!, result: false, changes: {}, comment: 'pkgs argument must be formatted as a list' }
  }
  const texts = (truthy(pkgs) ? (pkgs as Value[]) : [name!]).map((text) => (isDict(text) ? pairText(text) : str(text)))
  const report: Report = (result, comment, changes = new Map()) => ({
    name: texts.join(';'),
    result,
    comment,
    changes,
  })
  const unsupported = await optionProblem(ctx, str(name!), given)
  if (unsupported !== undefined) return report(false, unsupported)
  const byFile = truthy(given['requirements'] ?? null) || truthy(given['editable'] ?? null)
  const wanted: Wanted[] = []
  const complaints: string[] = []
  for (const text of byFile ? [] : texts) {
    const one = await wantedOf(ctx, text)
    if (typeof one === 'string') complaints.push(one)
    else wanted.push(one)
  }
  if (complaints.length > 0) return report(false, complaints.join('\n'))
  const user = given['user'] ?? null
  if (truthy(user) && ctx.has('user.info') && !truthy(await ctx.call('user.info', [user]))) {
    return report(false, `User ${str(user)} does not exist`)
  }
  return byFile ? installFiles(ctx, given, further, report) : installNames(ctx, given, further, wanted, report)
}

const pairText = (pair: Dict): string => {
  const [key, value] = [...pair][0]!
  return `${str(key)} ${str(value)}`
}

/** Return the first option that this version of pip does not support. */
async function optionProblem(ctx: StateContext, name: string, given: Given): Promise<string | undefined> {
  let version: string
  try {
    version = str(await ctx.call('pip.version', [given['bin_env'] ?? null]))
  } catch (error) {
    if (error instanceof SaltError) return `Error installing '${name}': ${error.message}`
    throw error
  }
  for (const option of ['use_wheel', 'no_use_wheel']) {
    if (!truthy(given[option] ?? null)) continue
    if (versionHolds(version, '>=', '1.4') && versionHolds(version, '<=', '9.0.3')) continue
    return `The '${option}' option is only supported in pip between 1.4 and 9.0.3. The version of pip detected was ${version}.`
  }
  if (truthy(given['no_binary'] ?? null) && versionHolds(version, '<', '7.0.0')) {
    return `The 'no_binary' option is only supported in pip 7.0.0 and newer. The version of pip detected was ${version}.`
  }
  return undefined
}

async function callInstall(
  ctx: StateContext,
  given: Given,
  further: ReadonlyMap<string, Value>,
  pkgs: string,
): Promise<Dict> {
  const options = { ...given, pkgs, saltenv: ctx.env, disable_version_check: true, ...Object.fromEntries(further) }
  return ctx.call('pip.install', [], options)
}

const succeeded = (outcome: Dict): boolean => outcome.get('retcode') === 0

function errorOf(outcome: Dict): string {
  if (!outcome.has('stdout')) return `Error: ${str(outcome.get('comment')!)}`
  return `Error: ${str(outcome.get('stdout')!)} ${str(outcome.get('stderr') ?? '')}`
}

async function installFiles(
  ctx: StateContext,
  given: Given,
  further: ReadonlyMap<string, Value>,
  report: Report,
): Promise<StateReturn> {
  const requirements = given['requirements'] ?? null
  const editable = given['editable'] ?? null
  const sentences = (file: string, checkout: string): string[] => [
    ...(truthy(requirements) ? [file] : []),
    ...(truthy(editable) ? [checkout] : []),
  ]
  const [files, places] = [str(requirements), str(editable)]
  if (ctx.test) {
    const develop = `Package will be installed in editable mode (i.e. setuptools "develop mode") from ${places}.`
    return report(null, sentences(`Requirements file '${files}' will be processed.`, develop).join(' '))
  }
  const outcome = await callInstall(ctx, given, further, '')
  if (!succeeded(outcome)) {
    const failed = sentences(
      `Unable to process requirements file "${files}"`,
      `Unable to install from VCS checkout ${places}.`,
    )
    return report(false, [...failed, errorOf(outcome)].join(' '))
  }
  const lines = str(outcome.get('stdout') ?? '').split('\n')
  const changed =
    truthy(requirements) && lines.some((line) => !NO_CHANGE.some((start) => line.trim().startsWith(start)))
  const changes: Dict = new Map()
  if (changed) changes.set('requirements', true)
  if (truthy(editable)) changes.set('editable', true)
  const processed = changed
    ? `Successfully processed requirements file ${files}.`
    : 'Requirements were already installed.'
  const checkout = `Package successfully installed from VCS checkout ${places}.`
  return report(true, sentences(processed, checkout).join(' '), changes)
}

async function installedPackages(ctx: StateContext, given: Given): Promise<Dict> {
  const { bin_env = null, user = null, cwd = null, env_vars = null } = given
  try {
    return await ctx.call('pip.list', [], { bin_env, user, cwd, env_vars })
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    ctx.log(
      'warning',
      `Pre-caching of PIP packages during states.pip.installed failed by exception from pip.list: ${error.message}`,
    )
    return new Map()
  }
}

async function installNames(
  ctx: StateContext,
  given: Given,
  further: ReadonlyMap<string, Value>,
  wanted: readonly Wanted[],
  report: Report,
): Promise<StateReturn> {
  const installed = await installedPackages(ctx, given)
  const already: string[] = []
  const missing: Wanted[] = []
  for (const one of wanted) {
    const known =
      one.prefix === '' ? undefined : await satisfied(ctx, one, installed, given as unknown as InstallOptions)
    if (known !== undefined) already.push(known)
    else if (ctx.test) return report(null, foreseen(wanted, one))
    else missing.push({ ...one, text: one.text.replaceAll(',', ';') })
  }
  const withKnown = (sentence: string): string => [...already, sentence].join('\n')
  if (missing.length === 0) {
    const current = truthy(given['upgrade'] ?? null) ? ' and up-to-date' : ''
    return report(true, withKnown(`All specified packages are already installed${current}`))
  }
  const outcome = await callInstall(ctx, given, further, missing.map(({ text }) => text).join(','))
  if (!succeeded(outcome)) {
    const names = missing.map(({ text }) => text).join(', ')
    return report(false, withKnown(`Failed to install packages: ${names}. ${errorOf(outcome)}`))
  }
  const { changes, absent } = await installedChanges(ctx, given, further, missing, str(outcome.get('stdout') ?? ''))
  const last = str(wanted.at(-1)?.text ?? '')
  const gone = `There was no error installing package '${last}' although it does not show when calling 'pip.freeze'.`
  const sentences = Array.from({ length: absent }, () => gone)
  return report(
    true,
    withKnown(absent > 0 ? sentences.join('\n') : 'All packages were successfully installed'),
    changes,
  )
}

function foreseen(wanted: readonly Wanted[], one: Wanted): string {
  if (wanted.length === 1) return `Python package ${one.text} is set to be installed`
  return ['Python package(s) set to be installed:', ...wanted.map(({ text }) => text)].join('\n')
}

/** Return the installed versions after the change, and the number of missing packages. */
async function installedChanges(
  ctx: StateContext,
  given: Given,
  further: ReadonlyMap<string, Value>,
  missing: readonly Wanted[],
  output: string,
): Promise<{ changes: Dict; absent: number }> {
  const { bin_env = null, user = null, cwd = null, env_vars = null } = given
  const current = [...output.matchAll(/^Requirement already up-to-date: *(\S+)/gm)].map((match) =>
    match[1]!.toLowerCase(),
  )
  const changes: Dict = new Map()
  let absent = 0
  for (const { prefix, text } of missing) {
    if (prefix === '') {
      changes.set(`${text}==???`, 'Installed')
      continue
    }
    const options = { user, cwd, env_vars, ...Object.fromEntries(further) }
    const found = await ctx.call('pip.list', [prefix, bin_env], options)
    const version = [...found].find(([name]) => str(name).toLowerCase() === prefix)?.[1]
    if (found.size === 0) absent++
    else if (version !== undefined && !current.includes(prefix)) changes.set(`${prefix}==${str(version)}`, 'Installed')
  }
  return { changes, absent }
}
