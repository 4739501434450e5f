// Removal, purge and upgrade by apt-get.
import {
  compareDicts,
  type Dict,
  dictFrom,
  fnmatch,
  isDict,
  SaltError,
  splitLines,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { CommandError, type FunctionContext } from '../../../../sdk/mod.ts'
import type { Options } from '../../common/functions.ts'

import { callApt, givenEnvironment } from './call.ts'
import { forgetPackages, listVersions } from './installed.ts'
import { refreshDb } from './refresh.ts'

/** Return the wanted names of known packages; a name with `*` means all packages that it matches. */
function expanded(present: Dict, wanted: Dict): string[] {
  const plain = [...wanted.keys()].map(str).filter((name) => !name.includes('*'))
  const globs = [...wanted.keys()].map(str).filter((name) => name.includes('*'))
  const last = globs.at(-1)
  const matches = last === undefined ? [] : [...present.keys()].map(str).filter((name) => fnmatch(name, last))
  return [...new Set([...plain, ...matches])].filter((name) => present.has(name))
}

async function targetsOf(ctx: FunctionContext, name: string | null, pkgs: Value): Promise<Dict> {
  try {
    const [packages = null] = await ctx.call('pkg_resource.parse_targets', [name, pkgs])
    return isDict(packages) ? packages : new Map()
  } catch (error) {
    if (error instanceof SaltError && error.code === 'MinionError') throw new CommandError(error.message)
    throw error
  }
}

export async function uninstall(
  ctx: FunctionContext,
  action: 'remove' | 'purge',
  { name, pkgs, kwargs }: { name: string | null; pkgs: Value; kwargs: Options },
): Promise<Dict> {
  const packages = await targetsOf(ctx, name, pkgs)
  const old = await listVersions(ctx)
  const oldRemoved = await listVersions(ctx, { removed: true })
  const targets = [...expanded(old, packages), ...(action === 'purge' ? expanded(oldRemoved, packages) : [])]
  if (targets.length === 0) return new Map()
  const env = givenEnvironment(kwargs.get('env') ?? null)
  const { retcode, stderr } = await callApt(ctx, ['apt-get', '-q', '-y', action, ...targets], { env })
  forgetPackages(ctx)
  const installed = compareDicts(old, await listVersions(ctx))
  const removed = compareDicts(oldRemoved, await listVersions(ctx, { removed: true }))
  const changes = action === 'purge' ? dictFrom({ removed, installed }) : installed
  if (retcode !== 0 && stderr !== '') {
    throw new CommandError('Problem encountered removing package(s)', dictFrom({ errors: [stderr], changes }))
  }
  return changes
}

const REMOVED = 'The following packages will be REMOVED:'

/** Remove the packages that nothing requires, or only list them. */
export async function autoremove(ctx: FunctionContext, listOnly: boolean, purge: boolean): Promise<Value> {
  const rest = [...(purge ? ['--purge'] : []), 'autoremove']
  const options = { ignore_retcode: true }
  if (!listOnly) {
    const old = await listVersions(ctx)
    await callApt(ctx, ['apt-get', '--assume-yes', ...rest], { options })
    forgetPackages(ctx)
    return compareDicts(old, await listVersions(ctx))
  }
  const { stdout } = await callApt(ctx, ['apt-get', '--assume-no', ...rest], { options })
  const names: string[] = []
  let found = false
  for (const line of splitLines(stdout)) {
    if (!found) found = line.includes(REMOVED)
    else if (line.startsWith(' ')) names.push(...splitWords(line))
    else found = false
  }
  return names.sort()
}

export interface Upgrade {
  refresh: boolean
  dist_upgrade: boolean
  kwargs: Options
}

export async function upgrade(ctx: FunctionContext, { refresh, dist_upgrade, kwargs }: Upgrade): Promise<Dict> {
  const flag = (...names: string[]): boolean => names.some((name) => truthy(kwargs.get(name) ?? false))
  if (refresh) await refreshDb(ctx, { cacheValidTime: kwargs.get('cache_valid_time') ?? 0 })
  const old = await listVersions(ctx)
  const configuration = flag('force_conf_new') ? ['--force-confnew'] : ['--force-confold', '--force-confdef']
  const words = [
    ...['apt-get', '-q', '-y'],
    ...configuration.flatMap((option) => ['-o', `DPkg::Options::=${option}`]),
    ...(flag('force_yes') ? ['--force-yes'] : []),
    ...(flag('skip_verify') ? ['--allow-unauthenticated'] : []),
    ...(flag('download_only', 'downloadonly') ? ['--download-only'] : []),
    ...(flag('allow_downgrades') ? ['--allow-downgrades'] : []),
    dist_upgrade ? 'dist-upgrade' : 'upgrade',
  ]
  const result = await callApt(ctx, words, { env: new Map() })
  forgetPackages(ctx)
  const changes = compareDicts(old, await listVersions(ctx))
  if (result.retcode !== 0) {
    throw new CommandError(
      'Problem encountered upgrading packages',
      dictFrom({ changes, result: dictFrom({ ...result }) }),
    )
  }
  return changes
}
