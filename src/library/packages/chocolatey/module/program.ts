// The program of Chocolatey: its path, its version and its calls.
import { comparePep440, failure, hideMarked, str } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, outputOf, runAll } from '../../../../sdk/mod.ts'

const PATH_KEY = 'chocolatey._path'
const VERSION_KEY = 'chocolatey._version'

export async function findChocolatey(ctx: FunctionContext, anew = false): Promise<string> {
  const known = anew ? undefined : ctx.memory.get(PATH_KEY)
  if (known !== undefined) return str(known)
  const env = await ctx.host.env()
  const data = env.get('ProgramData') ?? 'C:\\ProgramData'
  const usual = [
    `${data}\\Chocolatey\\bin\\chocolatey.exe`,
    `${data}\\Chocolatey\\bin\\choco.exe`,
    `${env.get('SystemDrive') ?? 'C:'}\\Chocolatey\\bin\\chocolatey.bat`,
  ]
  let found = await ctx.host.which('chocolatey.exe')
  for (const path of usual) if (found === undefined && (await ctx.host.stat(path))?.type === 'file') found = path
  if (found === undefined) {
    throw failure('Chocolatey not installed. Use chocolatey.bootstrap to install the Chocolatey package manager.')
  }
  ctx.memory.set(PATH_KEY, found)
  return found
}

export async function chocolateyVersion(ctx: FunctionContext, anew = false): Promise<string> {
  const known = anew ? undefined : ctx.memory.get(VERSION_KEY)
  const version = known ?? (await outputOf(ctx, [await findChocolatey(ctx, anew), '-v']))
  ctx.memory.set(VERSION_KEY, version)
  return str(version)
}

export const isAtLeast = async (ctx: FunctionContext, version: string): Promise<boolean> =>
  (comparePep440(await chocolateyVersion(ctx), version) ?? -1) >= 0

export async function choco(
  ctx: FunctionContext,
  words: readonly string[],
  good: readonly number[],
): Promise<CommandOutcome> {
  const outcome = await runAll(ctx, [await findChocolatey(ctx), ...words])
  if (!good.includes(outcome.retcode)) throw failure(`Running chocolatey failed: ${hideMarked(outcome.stdout)}`)
  return outcome
}

/** Return the options that suppress progress output and prompts, if the version supports them. */
export async function silently(ctx: FunctionContext, { progress }: { progress: boolean }): Promise<string[]> {
  const quiet = progress && (await isAtLeast(ctx, '0.10.4')) ? ['--no-progress'] : []
  return [...quiet, ...((await isAtLeast(ctx, '0.9.9')) ? ['--yes'] : [])]
}

/** Options of install, upgrade and uninstall. */
export interface ChocolateyOptions {
  readonly version?: string | null
  readonly source?: string | null
  readonly force?: boolean
  readonly pre_versions?: boolean
  readonly install_args?: string | null
  readonly uninstall_args?: string | null
  readonly override_args?: boolean
  readonly force_x86?: boolean
  readonly package_args?: string | null
  readonly allow_multiple?: boolean
  readonly execution_timeout?: string | null
  readonly virus_check?: boolean | null
}

const OPTIONS: readonly [keyof ChocolateyOptions, string][] = [
  ['version', '--version'],
  ['source', '--source'],
  ['force', '--force'],
  ['pre_versions', '--prerelease'],
  ['install_args', '--installarguments'],
  ['uninstall_args', '--uninstallarguments'],
  ['override_args', '--overridearguments'],
  ['force_x86', '--forcex86'],
  ['package_args', '--packageparameters'],
  ['allow_multiple', '--allow-multiple'],
  ['execution_timeout', '--execution-timeout'],
]

export function optionWords(given: ChocolateyOptions): string[] {
  const words = OPTIONS.flatMap(([name, option]) => {
    const value = given[name]
    return value === true ? [option] : value ? [option, value] : []
  })
  const { virus_check = null } = given
  return virus_check === null ? words : [...words, virus_check ? '--viruscheck' : '--skipviruscheck']
}
