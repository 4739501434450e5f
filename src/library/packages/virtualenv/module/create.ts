// Creation of a virtualenv by the program `virtualenv` or by the module `venv` of Python, each with its own options.
import { dictFrom, failure, isInt, repr, type SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  type CommandOutcome,
  type FunctionContext,
  option,
  optionalText,
  runAll,
} from '../../../../sdk/mod.ts'
import { saltenv } from '../../common/params.ts'

const off = (doc: string) => arg.flag(doc, { default: false })

export const CREATION = {
  path: arg.text('Path of the virtualenv'),
  venv_bin: optionalText('Program that creates it, such as `virtualenv`; `venv` for the module of Python'),
  system_site_packages: arg.any('Give access to the packages of the system; only True counts', { default: false }),
  distribute: off('Use distribute; old versions of virtualenv'),
  clear: arg.any('Clear an existing virtualenv; only True counts', { default: false }),
  python: arg.text('Python interpreter of the virtualenv', { optional: true }),
  extra_search_dir: arg.any('Directory of archives, several separated by commas, or a list', { optional: true }),
  never_download: arg.any('True to download nothing, False to download', { optional: true }),
  prompt: arg.text('Prompt prefix of the virtualenv', { optional: true }),
  pip: off('Install setuptools and pip if they are missing'),
  symlinks: arg.any('Create symlinks instead of copies; for venv; only True counts', { optional: true }),
  upgrade: arg.any('Upgrade to the present Python; for venv; only True counts', { optional: true }),
  user: arg.text('Name of the user that creates the virtualenv', { optional: true }),
  use_vt: off('Show the output while it runs'),
  saltenv,
  kwargs: arg.open('Options of `cmd.run_all`'),
}

type Creation = Bound<typeof CREATION>

const isBlank = (value: Value): boolean => value === null || str(value).trim() === ''
const isWindows = (ctx: FunctionContext): boolean => ctx.grains.get('kernel') === 'Windows'

/** Return the path of a program in a virtualenv. */
export function programOf(ctx: FunctionContext, venv: string, name: string): string {
  return isWindows(ctx) ? `${venv}\\Scripts\\${name}.exe` : `${venv.replace(/\/$/, '')}/bin/${name}`
}

async function chosenProgram(ctx: FunctionContext, asked: string | null): Promise<string> {
  if (asked !== null) return asked
  const set = [ctx.pillar.get('venv_bin') ?? null, option(ctx.opts, 'venv_bin') ?? null].find(truthy)
  if (set !== undefined) return str(set)
  for (const name of ['virtualenv3', 'virtualenv']) {
    if ((await ctx.host.which(name)) !== undefined) return name
  }
  return 'venv'
}

/** Return the version of `virtualenv` as numbers. */
export async function virtualenvVersion(
  ctx: FunctionContext,
  program: string,
  user: string | null,
  further: ReadonlyMap<string, Value>,
): Promise<number[]> {
  const options = { runas: user, redirect_stderr: true, ...Object.fromEntries(further) }
  const outcome = await runAll(ctx, [program, '--version'], options)
  if (outcome.retcode > 0 || outcome.stdout.trim() === '') {
    const data = dictFrom({ ...outcome })
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
  if (distribute && !atLeast(version, 1, 10)) words.push('--distribute')
  if (python?.trim()) {
    if ((await ctx.host.which(python)) === undefined) throw failure(`Cannot find requested python (${python}).`)
    words.push(`--python=${python}`)
  }
  if (extra_search_dir !== null) {
    const folders = Array.isArray(extra_search_dir) ? extra_search_dir : str(extra_search_dir).split(',')
    words.push(...folders.map((folder) => `--extra-search-dir=${str(folder).trim()}`))
  }
  const hasNeverDownload = !atLeast(version, 1, 10) || atLeast(version, 14, 0)
  if (never_download === true && hasNeverDownload) words.push('--never-download')
  else if (never_download === false && atLeast(version, 20, 0)) words.push('--download')
  if (prompt?.trim()) words.push(`--prompt='${prompt}'`)
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
  const { path, clear, system_site_packages, user, kwargs, pip, distribute } = creation
  const program = await chosenProgram(ctx, creation.venv_bin)
  const own = program.includes('venv')
    ? venvOptions(program, creation)
    : await virtualenvOptions(ctx, program, creation)
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
  if ((pip || distribute) && (await absent('easy_install'))) {
    await runScript(ctx, 'https://bootstrap.pypa.io/ez_setup.py', path, creation)
  }
  if (!pip || !(await absent('pip'))) return outcome
  const second = await runScript(ctx, 'https://bootstrap.pypa.io/get-pip.py', path, creation)
  const both = (name: 'stdout' | 'stderr'): string => `${outcome[name]}\n${second[name]}`.trim()
  return { ...outcome, retcode: second.retcode, stdout: both('stdout'), stderr: both('stderr') }
}

/** Fetch a script, and run it with the Python of the virtualenv. */
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
