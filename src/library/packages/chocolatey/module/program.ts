// Chocolatey's program: where it is, its version, and calls of it.
import { comparePep440, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, isTrue, outputOf, runAll } from '../../../../sdk/mod.ts'

export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

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
  if (!good.includes(outcome.retcode)) throw failure(`Running chocolatey failed: ${outcome.stdout}`)
  return outcome
}

/** A change without progress and questions, as far as the version knows how to. */
export async function silently(ctx: FunctionContext, { progress }: { progress: boolean }): Promise<string[]> {
  const quiet = progress && (await isAtLeast(ctx, '0.10.4')) ? ['--no-progress'] : []
  return [...quiet, ...((await isAtLeast(ctx, '0.9.9')) ? ['--yes'] : [])]
}

/** Switches by argument: with its value, or alone where it is true. */
const OPTIONS: readonly [string, string, 'value' | 'flag'][] = [
  ['version', '--version', 'value'],
  ['source', '--source', 'value'],
  ['force', '--force', 'flag'],
  ['pre_versions', '--prerelease', 'flag'],
  ['install_args', '--installarguments', 'value'],
  ['uninstall_args', '--uninstallarguments', 'value'],
  ['override_args', '--overridearguments', 'flag'],
  ['force_x86', '--forcex86', 'flag'],
  ['package_args', '--packageparameters', 'value'],
  ['allow_multiple', '--allow-multiple', 'flag'],
  ['execution_timeout', '--execution-timeout', 'value'],
]

export function optionWords(given: Readonly<Record<string, Value>>): string[] {
  const words = OPTIONS.flatMap(([name, option, kind]) => {
    const value = given[name] ?? null
    if (kind === 'value') return truthy(value) ? [option, str(value)] : []
    return isTrue(value) ? [option] : []
  })
  const check = given['virus_check'] ?? null
  return check === null ? words : [...words, truthy(check) ? '--viruscheck' : '--skipviruscheck']
}
