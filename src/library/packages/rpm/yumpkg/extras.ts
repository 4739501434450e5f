// Downloaded package files, advisories, and services that still use replaced files.
import { type Dict, dictFrom, failure, misuse, str } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, outputOf } from '../../../../sdk/mod.ts'
import { packageFiles } from '../rpm_lowpkg/downloads.ts'
import { isDnf, programOf } from './program.ts'

export const listDownloaded = async (ctx: FunctionContext): Promise<Dict> =>
  packageFiles(ctx, `/var/cache/${await programOf(ctx)}`)

export async function download(ctx: FunctionContext, packages: readonly string[]): Promise<Dict> {
  if ((await ctx.host.which('yumdownloader')) === undefined) throw failure("'yumdownloader' command not available")
  if (packages.length === 0) throw misuse('No packages were specified')
  const folder = `/var/cache/${await programOf(ctx)}/packages`
  await ctx.host.makeDirectory(folder, { parents: true })
  for (const name of await namesIn(ctx.host, folder)) {
    if (packages.some((wanted) => name.startsWith(`${wanted}-`))) await ctx.host.remove(`${folder}/${name}`)
  }
  await outputOf(ctx, ['yumdownloader', '-q', `--destdir=${folder}`, ...packages], { output_loglevel: 'trace' })
  const found: Dict = new Map()
  for (const name of await namesIn(ctx.host, folder)) {
    const wanted = name.endsWith('.rpm') ? packages.find((one) => name.startsWith(`${one}-`)) : undefined
    if (wanted !== undefined) found.set(wanted, `${folder}/${name}`)
  }
  if (found.size === 0) throw failure(`Unable to download any of the following packages: ${packages.join(', ')}`)
  const failed = packages.filter((name) => !found.has(name))
  if (failed.length > 0) found.set('_error', `The following package(s) failed to download: ${failed.join(', ')}`)
  return found
}

/** Return the advisories with their packages. */
export async function listPatches(ctx: FunctionContext, installedOnly = false): Promise<Dict> {
  const program = await programOf(ctx)
  const output = str(
    await ctx.call('cmd.run_stdout', [[program, '--quiet', 'updateinfo', 'list', 'all']], { python_shell: false }),
  )
  const patches = new Map<string, { installed: boolean; summary: string[] }>()
  for (const line of output.split('\n')) {
    const match = /^([i|\s])? ?([^\s]+) +([^\s]+) +([^\s]+)/.exec(line)
    if (!match) continue
    const patch = patches.get(match[2]!) ?? { installed: true, summary: [] }
    patch.installed &&= match[1] === 'i'
    patch.summary.push(match[4]!)
    patches.set(match[2]!, patch)
  }
  const chosen = [...patches].filter(([, { installed }]) => installed || !installedOnly)
  return new Map(chosen.map(([id, patch]) => [id, dictFrom(patch)]))
}

/** Return the services whose processes use replaced files. */
export async function outdatedServices(ctx: FunctionContext): Promise<string[]> {
  const program = await programOf(ctx)
  if (!isDnf(program)) throw failure('dnf or dnf5 is required to list outdated services.')
  if ((await ctx.host.stat('/run/systemd/system')) === undefined) {
    throw failure('systemd is required to list outdated services.')
  }
  const output = str(
    await ctx.call('cmd.run_stdout', [[program, '--quiet', 'needs-restarting']], { python_shell: false }),
  )
  const services = new Set<string>()
  for (const line of output.split('\n')) {
    const pid = /^\s*(\d+)\s*:/.exec(line)?.[1]
    if (pid === undefined) continue
    const unit = await outputOf(ctx, ['systemctl', 'status', '--no-pager', '--lines=0', pid])
    const service = /^\S*\s*(\S+)\.service\b/.exec(unit)?.[1]
    if (service !== undefined) services.add(service)
  }
  return [...services]
}
