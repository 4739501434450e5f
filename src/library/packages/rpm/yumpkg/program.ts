// The program behind `pkg` on machines with rpm: the first of dnf5, dnf, tdnf and yum on the path. It runs through
// cmd.run_all, in a systemd scope where systemd runs.
import { dictFrom, str, truthy, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, type Host, runAll } from '../../../../sdk/mod.ts'
import { configuredEnvironment, scopeWords } from '../../common/command.ts'
import type { Options } from '../../common/functions.ts'
import { listed } from '../../common/installed.ts'
import { type RpmPackage, resolveName } from '../rpm_lowpkg/package.ts'

const PROGRAMS = ['dnf5', 'dnf', 'tdnf', 'yum'] as const
export type Program = (typeof PROGRAMS)[number]

export async function findProgram(host: Host): Promise<Program | undefined> {
  const path = (await host.env()).get('PATH') ?? '/bin:/usr/bin'
  for (const folder of path.split(':')) {
    for (const program of PROGRAMS) {
      const file = `${folder}/${program}`
      const there = await host.stat(file)
      if (there && there.type !== 'directory' && (await host.access(file, 'execute'))) return program
    }
  }
  return undefined
}

export async function programOf(ctx: FunctionContext): Promise<Program> {
  const known = ctx.memory.get('yum_bin') as Program | undefined
  const program = known ?? (await findProgram(ctx.host)) ?? 'yum'
  ctx.memory.set('yum_bin', program)
  return program
}

export const isDnf = (program: Program): boolean => program === 'dnf' || program === 'dnf5'

export async function callYum(
  ctx: FunctionContext,
  words: readonly string[],
  options: Readonly<Record<string, Value>> = {},
): Promise<CommandOutcome> {
  const command = [...(await scopeWords(ctx)), await programOf(ctx), ...words]
  return runAll(ctx, command, { output_loglevel: 'trace', env: configuredEnvironment(ctx, 'yumpkg'), ...options })
}

const CHOICES = ['fromrepo', 'repo', 'disablerepo', 'enablerepo', 'disableexcludes', 'branch', 'setopt']

const several = (value: Value): Value[] => (Array.isArray(value) ? value : [value])

/** Return the options for repositories and settings of a call; `further` turns all other keywords into options too. */
export function optionWords(kwargs: Options, { further = false } = {}): string[] {
  const get = (name: string): Value => kwargs.get(name) ?? ''
  const from = truthy(get('fromrepo')) ? get('fromrepo') : get('repo')
  const each = (name: string): string[] =>
    truthy(get(name)) ? several(get(name)).map((value) => `--${name}=${str(value)}`) : []
  const one = (name: string): string[] => (truthy(get(name)) ? [`--${name}=${str(get(name))}`] : [])
  const repos = truthy(from)
    ? ['--disablerepo=*', `--enablerepo=${str(from)}`]
    : [...each('disablerepo'), ...each('enablerepo')]
  const settings = listed(kwargs.get('setopt') ?? null).map((item) => `--setopt=${item}`)
  return [...repos, ...one('disableexcludes'), ...one('branch'), ...settings, ...(further ? extraWords(kwargs) : [])]
}

function extraWords(kwargs: Options): string[] {
  const names = [...kwargs.keys()].filter((name) => !name.startsWith('__') && !CHOICES.includes(name)).sort()
  return names.flatMap((name) => {
    const value = kwargs.get(name)!
    if (typeof value === 'string') return [`--${name}=${value}`]
    return value === true ? [`--${name}`] : []
  })
}

const HEADERS = [
  'installed packages',
  'available packages',
  'available upgrades',
  'updated packages',
  'upgraded packages',
]

export interface ListedPackage extends Pick<RpmPackage, 'name' | 'arch' | 'version' | 'repoid'> {}

/** Parse a list in three columns; lines with long names may be broken. */
export function parseList(ctx: FunctionContext, output: string): ListedPackage[] {
  const lines = output.split('\n').filter((line) => !HEADERS.includes(line.toLowerCase()))
  const words = lines.join('\n').split(/\s+/).filter(Boolean)
  const osarch = str(ctx.grains.get('osarch') ?? '')
  const found: ListedPackage[] = []
  for (let i = 0; i + 2 < words.length; i += 3) {
    const [full, version, repo] = words.slice(i, i + 3) as [string, string, string]
    const dot = full.lastIndexOf('.')
    const arch = dot < 0 ? osarch : full.slice(dot + 1)
    const name = resolveName(dot < 0 ? full : full.slice(0, dot), arch, osarch)
    found.push({ name, arch, version: version.replace(/-+$/, ''), repoid: repo.replace(/^@+/, '') })
  }
  return found
}

export const info = (outcome: CommandOutcome): Value => dictFrom({ ...outcome })
