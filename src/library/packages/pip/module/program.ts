// Selects the pip program: that of a virtualenv, of a Python, an explicit program, or that of the machine's Python. It
// runs through cmd.run_all, and in a virtualenv it gets the path of the virtualenv.
import { failure, isDict, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const missing = (message: string): SaltError => new SaltError('CommandNotFoundError', message)
/** The user and the target of a call of pip. */
export interface Place {
  bin_env: Value
  user?: Value
  cwd?: Value
}

const isWindows = (ctx: FunctionContext): boolean => ctx.grains.get('kernel') === 'Windows'
const join = (...parts: string[]): string => parts.join('/').replace(/\/+/g, '/')

/** The words that start pip. */
async function pipCommand(ctx: FunctionContext, bin_env: Value): Promise<string[]> {
  if (!truthy(bin_env)) {
    const python = (await ctx.host.which('python3')) ?? (await ctx.host.which('python'))
    if (python === undefined) throw missing('Could not find a `pip` binary')
    return [python, '-m', 'pip']
  }
  const path = str(bin_env)
  if (await isDirectory(ctx, path)) {
    const python = await pythonIn(ctx, path)
    if (python === undefined) throw missing(`Could not find a pip binary in virtualenv ${path}`)
    return [python, '-m', 'pip']
  }
  if (!(await ctx.host.access(path, 'execute'))) {
    throw missing(`Access denied to ${path}, could not find a pip binary`)
  }
  return path.slice(path.lastIndexOf('/') + 1).includes('python') ? [path, '-m', 'pip'] : [path]
}

async function pythonIn(ctx: FunctionContext, folder: string): Promise<string | undefined> {
  const program = isWindows(ctx) ? 'python.exe' : 'python'
  const usual = [join(folder, program), join(folder, 'bin', program), join(folder, 'Scripts', program)]
  const bin = join(folder, 'bin')
  const others = (await isDirectory(ctx, bin)) ? (await ctx.host.list(bin)).sort() : []
  const versioned = others.filter((name) => /^python\d+(\.\d+)?$/.test(name))
  versioned.sort((a, b) => Number(b === 'python3') - Number(a === 'python3'))
  for (const path of [...usual, ...versioned.map((name) => join(bin, name))]) {
    const isFile = (await ctx.host.stat(path))?.type === 'file'
    if (isFile && (await ctx.host.access(path, 'execute'))) return path
  }
  return undefined
}

export async function isDirectory(ctx: FunctionContext, path: string): Promise<boolean> {
  return (await ctx.host.stat(path))?.type === 'directory'
}

/** Return the environment of a call: the virtualenv, and the user's variables. */
export async function environment(ctx: FunctionContext, bin_env: Value, env_vars: Value = null): Promise<Value> {
  if (truthy(env_vars) && !isDict(env_vars)) throw failure(`env_vars ${str(env_vars)} is not a dictionary`)
  const env = new Map<Value, Value>()
  if (isDict(env_vars)) for (const [key, value] of env_vars) env.set(str(key), str(value))
  if (truthy(bin_env) && (await isDirectory(ctx, str(bin_env)))) env.set('VIRTUAL_ENV', bin_env)
  return env.size > 0 ? env : null
}

export async function runPip(
  ctx: FunctionContext,
  { bin_env, user = null, cwd = null }: Place,
  words: readonly string[],
  options: Readonly<Record<string, Value>> = {},
): Promise<CommandOutcome> {
  const env = 'env' in options ? {} : { env: await environment(ctx, bin_env) }
  return runAll(ctx, [...(await pipCommand(ctx, bin_env)), ...words], { runas: user, cwd, ...env, ...options })
}

const versionKey = (bin_env: Value): string => (bin_env === null ? 'pip.version' : `pip.version.${str(bin_env)}`)

export function forgetVersion(ctx: FunctionContext, bin_env: Value): void {
  ctx.memory.delete(versionKey(bin_env))
}

/** None if pip does not report a version. */
export async function pipVersion(ctx: FunctionContext, place: Place): Promise<string | null> {
  const known = ctx.memory.get(versionKey(place.bin_env))
  if (known !== undefined) return known as string | null
  const { retcode, stdout } = await runPip(ctx, place, ['--version'], { env: null })
  if (retcode !== 0) throw missing('Could not find a `pip` binary')
  const version = /^pip (\S+)/.exec(stdout)?.[1] ?? null
  ctx.memory.set(versionKey(place.bin_env), version)
  return version
}
