// Making a virtualenv: the program `virtualenv`, or Python's own `venv`, each with the options that it knows.
import { isInt, repr, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, option, runAll } from '../../../../sdk/mod.ts'

export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

export interface Creation {
  path: Value
  venv_bin: Value
  system_site_packages: Value
  distribute: Value
  clear: Value
  python: Value
  extra_search_dir: Value
  never_download: Value
  prompt: Value
  pip: Value
  symlinks: Value
  upgrade: Value
  user: Value
  use_vt: Value
  saltenv: Value
  kwargs: Map<string, Value>
}

const isBlank = (value: Value): boolean => value === null || str(value).trim() === ''
const isWindows = (ctx: FunctionContext): boolean => ctx.grains.get('kernel') === 'Windows'

/** The path of a program of a virtualenv. */
export function programOf(ctx: FunctionContext, venv: string, name: string): string {
  return isWindows(ctx) ? `${venv}\\Scripts\\${name}.exe` : `${venv.replace(/\/$/, '')}/bin/${name}`
}

async function chosenProgram(ctx: FunctionContext, asked: Value): Promise<string> {
  if (asked !== null) return str(asked)
  const set = [ctx.pillar.get('venv_bin') ?? null, option(ctx.opts, 'venv_bin') ?? null].find(truthy)
  if (set !== undefined) return str(set)
  for (const name of ['virtualenv3', 'virtualenv']) {
    if ((await ctx.host.which(name)) !== undefined) return name
  }
  return 'venv'
}

/** The numbers of the version of `virtualenv`. */
export async function virtualenvVersion(
  ctx: FunctionContext,
  program: string,
  user: Value,
  further: ReadonlyMap<string, Value>,
): Promise<number[]> {
  const options = { runas: user, redirect_stderr: true, ...Object.fromEntries(further) }
  const outcome = await runAll(ctx, [program, '--version'], options)
  if (outcome.retcode > 0 || outcome.stdout.trim() === '') {
    const data = new Map<Value, Value>(Object.entries({ ...outcome }))
    const command = repr([program, '--version'])
    throw failure(`Unable to get the virtualenv version output using '${command}'. Returned data: ${repr(data)}`)
  }
  const version = outcome.stdout
    .trim()
    .split(/\s+/)
    .filter((word) => /^\d.\d*/.test(word))
    .join('')
  return version
    .replace(/(rc|\+ds).*$/, '')
    .split('.')
    .map(Number)
}

const atLeast = (version: readonly number[], major: number, minor: number): boolean =>
  version[0]! > major || (version[0] === major && (version[1] ?? 0) >= minor)

async function virtualenvOptions(ctx: FunctionContext, program: string, creation: Creation): Promise<string[]> {
  const { upgrade, symlinks, distribute, python, extra_search_dir, never_download, prompt, user, kwargs } = creation
  const unsupported = (option: string): SaltError =>
    failure(`The \`${option}\`(\`--${option}\`) option is not supported by '${program}'`)
  if (upgrade !== null) throw unsupported('upgrade')
  if (symlinks !== null) throw unsupported('symlinks')
  const version = await virtualenvVersion(ctx, program, user, kwargs)
  const words: string[] = []
  if (truthy(distribute) && !atLeast(version, 1, 10)) words.push('--distribute')
  if (!isBlank(python)) {
    if ((await ctx.host.which(str(python))) === undefined)
      throw failure(`Cannot find requested python (${str(python)}).`)
    words.push(`--python=${str(python)}`)
  }
  if (extra_search_dir !== null) {
    const folders = Array.isArray(extra_search_dir) ? (extra_search_dir as Value[]) : str(extra_search_dir).split(',')
    words.push(...folders.map((folder) => `--extra-search-dir=${str(folder).trim()}`))
  }
  const hasNeverDownload = !atLeast(version, 1, 10) || atLeast(version, 14, 0)
  if (never_download === true && hasNeverDownload) words.push('--never-download')
  else if (never_download === false && atLeast(version, 20, 0)) words.push('--download')
  if (!isBlank(prompt)) words.push(`--prompt='${str(prompt)}'`)
  return words
}

function venvOptions(program: string, creation: Creation): string[] {
  const { python, extra_search_dir, never_download, prompt, upgrade, symlinks } = creation
  const refused: [string, boolean][] = [
    ['python', !isBlank(python)],
    ['extra_search_dir', !isBlank(extra_search_dir)],
    ['never_download', never_download !== null],
    ['prompt', !isBlank(prompt)],
  ]
  const wrong = refused.find(([, given]) => given)?.[0]
  if (wrong !== undefined) {
    const option = wrong.replaceAll('_', '-')
    throw failure(`The \`${wrong}\`(\`--${option}\`) option is not supported by '${program}'`)
  }
  return [...(upgrade === true ? ['--upgrade'] : []), ...(symlinks === true ? ['--symlinks'] : [])]
}

async function programWords(ctx: FunctionContext, program: string): Promise<string[]> {
  if (program !== 'venv') return [program]
  const python = (await ctx.host.which('python3')) ?? (await ctx.host.which('python'))
  if (python === undefined) throw failure('Could not find a Python that makes virtualenvs')
  return [python, '-m', 'venv']
}

export async function create(ctx: FunctionContext, creation: Creation): Promise<CommandOutcome> {
  const { clear, system_site_packages, user, kwargs, pip, distribute } = creation
  const program = await chosenProgram(ctx, creation.venv_bin)
  const own = program.includes('venv')
    ? venvOptions(program, creation)
    : await virtualenvOptions(ctx, program, creation)
  const path = str(creation.path)
  const words = [
    ...(await programWords(ctx, program)),
    ...own,
    ...(clear === true ? ['--clear'] : []),
    ...(system_site_packages === true ? ['--system-site-packages'] : []),
    path,
  ]
  const outcome = await runAll(ctx, words, { runas: user, ...Object.fromEntries(kwargs) })
  if (outcome.retcode !== 0) return outcome
  const absent = async (name: string): Promise<boolean> =>
    (await ctx.host.stat(programOf(ctx, path, name))) === undefined
  if ((truthy(pip) || truthy(distribute)) && (await absent('easy_install'))) {
    await runScript(ctx, 'https://bootstrap.pypa.io/ez_setup.py', path, creation)
  }
  if (!truthy(pip) || !(await absent('pip'))) return outcome
  const second = await runScript(ctx, 'https://bootstrap.pypa.io/get-pip.py', path, creation)
  const both = (name: 'stdout' | 'stderr'): string => `${outcome[name]}\n${second[name]}`.trim()
  return { ...outcome, retcode: second.retcode, stdout: both('stdout'), stderr: both('stderr') }
}

/** Fetches a script and runs it with the virtualenv's Python. */
async function runScript(
  ctx: FunctionContext,
  source: string,
  path: string,
  { user, use_vt, saltenv }: Creation,
): Promise<CommandOutcome> {
  const cached = await ctx.call('cp.cache_file', [source, saltenv])
  if (!truthy(cached)) throw failure(`Unable to fetch ${source}`)
  const script = await ctx.host.tempFile({ directory: path })
  try {
    await ctx.host.copy(str(cached), script)
    await ctx.host.chmod(script, 0o500)
    const uid = await ctx.call('file.user_to_uid', [user])
    if (isInt(uid)) await ctx.host.chown(script, Number(uid), -1)
    const env = new Map<Value, Value>([['VIRTUAL_ENV', path]])
    const options = { runas: user, cwd: path, env, use_vt }
    return await runAll(ctx, [programOf(ctx, path, 'python'), script], options)
  } finally {
    await ctx.host.remove(script)
  }
}
