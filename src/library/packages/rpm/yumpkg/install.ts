// pkg.install of yum and dnf. The packages are sorted into installs, downgrades and reinstalls, each one call of the
// program. With `update_holds`, held packages are released for that time.
import { recover } from '../../../../base/mod.ts'
import {
  compareDicts,
  compareRpm,
  type Dict,
  dictFrom,
  fnmatch,
  isDict,
  iterate,
  matchVersion,
  SaltError,
  str,
  truthy,
  type Value,
  versionHolds,
} from '../../../../data/mod.ts'
import { arg, type Bound, CommandError, type FunctionContext } from '../../../../sdk/mod.ts'
import { type Options, withoutEpoch } from '../../common/functions.ts'
import { forgetPackages, targetsOf } from '../../common/installed.ts'
import * as param from '../../common/params.ts'
import { ARCHES } from '../rpm_lowpkg/package.ts'
import { listDownloaded, listPatches } from './extras.ts'
import { HOLD_PATTERN, hold, listHolds, unhold } from './holds.ts'
import { listInstalled, listRepoPackages, refreshDb } from './listing.ts'
import { callYum, optionWords, type Program, programOf } from './program.ts'

export const INSTALL = {
  name: param.name,
  refresh: param.refresh(false),
  skip_verify: param.skip_verify,
  pkgs: param.pkgs,
  sources: param.sources,
  downloadonly: param.off('Download packages without installing them'),
  reinstall: arg.isTrue('Reinstall packages that have the wanted version', { default: false }),
  normalize: param.normalize,
  update_holds: param.off('Release held packages while they are upgraded'),
  saltenv: param.saltenv,
  ignore_epoch: arg.any('Ignore epochs when versions are compared; only True counts', { default: false }),
  kwargs: arg.open(
    '`version`, `split_arch`, `diff_attr`, `advisory_ids`, `fromrepo`, `enablerepo`, `disablerepo`, `setopt`',
  ),
}

type Installation = Bound<typeof INSTALL>

type Action = 'install' | 'downgrade' | 'reinstall'

interface Wanted {
  name: string | undefined
  /** The package as a word of the command line. */
  word: string
  version: string | undefined
}

type Target = Pick<Wanted, 'name' | 'word'>

interface Work {
  ctx: FunctionContext
  program: Program
  call: Installation
  kwargs: Options
  errors: string[]
}

async function wantedPackages(work: Work, params: Dict): Promise<Wanted[]> {
  const { ctx, kwargs } = work
  const needsList = [...params].filter(([, version]) => version !== null && /\*|^[<>]/.test(str(version)))
  const names = needsList.map(([name]) => str(name))
  const available = names.length > 0 ? await listRepoPackages(ctx, names, kwargs) : new Map()
  const wanted: Wanted[] = []
  for (const [name, version] of params) {
    const one = version === null ? plain(str(name)) : versioned(work, str(name), str(version), available)
    if (one !== undefined) wanted.push(one)
  }
  return wanted
}

const plain = (name: string): Wanted => ({ name, word: name, version: undefined })

function versioned(work: Work, given: string, asked: string, available: Dict): Wanted | undefined {
  const { ctx, program, call, kwargs, errors } = work
  const lenient = call.ignore_epoch === true
  let version = asked.replace(/^=+/, '')
  const candidates = Array.from(iterate(available.get(given) ?? []), str)
  if (/^[<>]/.test(version)) {
    const order = lenient ? (a: string, b: string) => compareRpm(withoutEpoch(a), withoutEpoch(b)) : compareRpm
    const match = matchVersion(version, candidates, order)
    if (match === undefined) {
      const list = candidates.length > 0 ? candidates.join(', ') : 'None'
      errors.push(`No version matching '${given}${version}' could be found (available: ${list})`)
      return undefined
    }
    version = match
  }
  if (program === 'yum' && lenient) version = withoutEpoch(version)
  const { name, suffix } = archSuffix(ctx, given, kwargs)
  if (version.includes('*')) {
    const listed = Array.from(iterate(available.get(name) ?? []), str)
    const match = listed.find((candidate) => fnmatch(candidate, version))
    if (match === undefined) {
      const list = listed.length > 0 ? listed.join(', ') : 'none'
      errors.push(`No version matching '${version}' found for package '${name}' (available: ${list})`)
      return undefined
    }
    version = match
  }
  return { name, word: `${name}-${lenient ? version : withoutEpoch(version)}${suffix}`, version }
}

/** Split off a foreign architecture, which comes after the version. */
export function archSuffix(ctx: FunctionContext, name: string, kwargs: Options): { name: string; suffix: string } {
  const dot = name.lastIndexOf('.')
  const arch = name.slice(dot + 1)
  const split =
    dot >= 0 && ARCHES.has(arch) && (arch !== ctx.grains.get('osarch') || truthy(kwargs.get('split_arch') ?? true))
  return split ? { name: name.slice(0, dot), suffix: `.${arch}` } : { name, suffix: '' }
}

async function wantedFiles({ ctx }: Work, paths: readonly Value[]): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  for (const path of paths) {
    const facts = await ctx.call('lowpkg.bin_pkg_info', [path])
    if (isDict(facts)) {
      wanted.push({ name: str(facts.get('name')!), word: str(path), version: str(facts.get('version')!) })
    } else {
      ctx.log(
        'error',
        `pkg.install: Unable to get rpm information for ${str(path)}. Version comparisons will be unavailable, and return data may be inaccurate if reinstall=True.`,
      )
      wanted.push({ name: undefined, word: str(path), version: undefined })
    }
  }
  return wanted
}

async function wantedAdvisories({ ctx }: Work, ids: readonly Value[]): Promise<Wanted[]> {
  const known = await listPatches(ctx)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw new CommandError(`Advisory id "${str(unknown)}" not found`)
  return ids.map((id) => plain(str(id)))
}

/** Return the action for a package; undefined when it stays as it is. */
function actionFor({ call }: Work, { name, version }: Wanted, installed: Dict, type: string): Action | undefined {
  const reinstall = call.reinstall
  const current = Array.from(iterate(installed.get(name ?? '') ?? []), str)
  if (version === undefined) return reinstall && type === 'repository' && current.length > 0 ? 'reinstall' : 'install'
  const order = (a: string, b: string): number =>
    call.ignore_epoch === true ? compareRpm(withoutEpoch(a), withoutEpoch(b)) : compareRpm(a, b)
  if (reinstall && current.length > 0) {
    return current.some((one) => versionHolds(version, '==', one, order)) ? 'reinstall' : undefined
  }
  const newer = current.length === 0 || current.some((one) => versionHolds(version, '>=', one, order))
  return newer || /^kernel(|-devel)$/.test(name ?? '') ? 'install' : 'downgrade'
}

async function heldPackages(ctx: FunctionContext): Promise<string[]> {
  return recover(
    (error) => error instanceof SaltError && error.code === 'SaltInvocationError',
    [],
    () => listHolds(ctx, HOLD_PATTERN, false),
  )
}

/** Run an action on the packages that are not held, and on held ones that may be released for it. */
async function withHolds(
  { ctx, call, errors }: Work,
  targets: readonly Target[],
  held: readonly string[],
  prevented: string[],
  act: (words: string[]) => Promise<void>,
): Promise<void> {
  const isHeld = ({ name }: Target): boolean => name !== undefined && held.includes(name)
  const words = targets.filter((target) => !isHeld(target)).map(({ word }) => word)
  const locked = targets.filter(isHeld)
  if (!call.update_holds) prevented.push(...locked.map(({ name }) => name!))
  if (locked.length === 0 || !call.update_holds) {
    if (words.length > 0) await act(words)
    return
  }
  const pkgs = locked.map(({ name }) => name!)
  try {
    for (const [name, outcome] of await unhold(ctx, { name: null, pkgs })) {
      if (truthy((outcome as Dict).get('result')!)) words.push(locked.find((target) => target.name === name)!.word)
      else errors.push(str(name))
    }
    if (words.length > 0) await act(words)
  } finally {
    await hold(ctx, { name: null, pkgs })
  }
}

async function runAction(work: Work, action: Action, words: readonly string[], type: string): Promise<void> {
  const { ctx, program, call, kwargs, errors } = work
  const best = action === 'install' ? ['--best', '--allowerasing'] : []
  const advisory = type === 'advisory' && action === 'install'
  const line = [
    '-y',
    ...(program === 'dnf' ? best : []),
    ...optionWords(kwargs),
    ...(call.skip_verify ? ['--nogpgcheck'] : []),
    ...(call.downloadonly && program !== 'dnf5' ? ['--downloadonly'] : []),
    advisory ? 'update' : action,
    ...(program === 'dnf5' ? best : []),
    ...words.map((word) => (advisory ? `--advisory=${word}` : word)),
  ]
  const { retcode, stdout } = await callYum(ctx, line, { redirect_stderr: true })
  if (retcode !== 0) errors.push(stdout)
}

const ACTIONS: readonly Action[] = ['install', 'downgrade', 'reinstall']

export async function install(ctx: FunctionContext, call: Installation): Promise<Dict> {
  const kwargs = new Map(call.kwargs)
  const version = kwargs.get('version') ?? null
  if (version !== null) kwargs.set('version', str(version))
  if (call.refresh) await refreshDb(ctx, kwargs)
  const normalize = call.normalize && truthy(kwargs.get('split_arch') ?? true)
  const targets = await targetsOf(ctx, call, kwargs, normalize)
  if (targets === undefined) return new Map()
  const downloadOnly = call.downloadonly
  const attr = new Map([['attr', kwargs.get('diff_attr') ?? null]])
  const snapshot = (): Promise<Dict> => (downloadOnly ? listDownloaded(ctx) : listInstalled(ctx, false, attr))
  const old = await snapshot()
  const installed = downloadOnly ? await listDownloaded(ctx) : await listInstalled(ctx, true)
  const work: Work = { ctx, program: await programOf(ctx), call, kwargs, errors: [] }
  const { type } = targets
  const wanted = await (targets.type === 'repository'
    ? wantedPackages(work, targets.params)
    : (targets.type === 'advisory' ? wantedAdvisories : wantedFiles)(work, targets.params))
  const sorted: Record<Action, Target[]> = { install: [], downgrade: [], reinstall: [] }
  for (const one of wanted) {
    const action = actionFor(work, one, installed, type)
    if (action !== undefined) sorted[action].push(one)
  }
  const held = await heldPackages(ctx)
  const prevented: string[] = []
  for (const action of ACTIONS) {
    await withHolds(work, sorted[action], held, prevented, (words) => runAction(work, action, words, type))
  }
  forgetPackages(ctx)
  const fresh = await snapshot()
  return reported(work, old, fresh, sorted.reinstall, prevented)
}

function reported(
  { errors }: Work,
  old: Dict,
  fresh: Dict,
  reinstalled: readonly Target[],
  prevented: readonly string[],
): Dict {
  const changes = compareDicts(old, fresh)
  for (const { name } of reinstalled) {
    changes.set(name!, dictFrom({ old: old.get(name!) ?? '', new: fresh.get(name!) ?? '' }))
  }
  if (prevented.length > 0) {
    errors.push(
      `The following package(s) could not be updated because they are being held: ${prevented.join(', ')}. Set 'update_holds' to True to temporarily unhold these packages so that they can be updated.`,
    )
  }
  if (errors.length === 0) return changes
  const what = reinstalled.length > 0 ? 'installing/reinstalling' : 'installing'
  throw new CommandError(`Error occurred ${what} package(s)`, dictFrom({ errors, changes }))
}
