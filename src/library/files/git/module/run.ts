// Calling git: where, as whom, with which key, and what a failure is told as.
import {
  type Dict,
  PyError,
  redactUrl,
  SaltError,
  shlexSplit,
  str,
  truthy,
  type Value,
  withBasicAuth,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** The arguments of a call by name. */
export type Given = Readonly<Record<string, Value | Map<string, Value>>>

export const value = (args: Given, name: string): Value => (args[name] as Value | undefined) ?? null

export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)
export const misuse = (message: string): SaltError => new SaltError('SaltInvocationError', message)

/** A path as the user would mean it: relative to the home. */
export async function expandPath(ctx: FunctionContext, path: Value, user: Value): Promise<string> {
  const text = str(path)
  if (text.startsWith('/')) return text
  return `${await homeOf(ctx, user)}/${text}`
}

async function homeOf(ctx: FunctionContext, user: Value): Promise<string> {
  if (truthy(user)) return (await ctx.host.user(str(user)))?.home ?? `~${str(user)}`
  const home = (await ctx.host.env()).get('HOME')
  return home ?? (await ctx.host.user((await ctx.host.identity()).uid))?.home ?? '~'
}

/** Options as words: a text is split as a shell does, and a last `--` is dropped. */
export function words(opts: Value): string[] {
  if (opts === null) return []
  if (Array.isArray(opts)) return (opts as Value[]).map((word) => str(word))
  const list = typeof opts === 'string' ? shlexSplit(opts) : [str(opts)]
  return list.at(-1) === '--' ? list.slice(0, -1) : list
}

/** Texts of a list, or of a text with commas. */
export function listed(given: Value): string[] {
  return Array.isArray(given) ? (given as Value[]).map((item) => str(item)) : str(given).split(',')
}

export function withAuth(url: Value, user: Value, password: Value): string {
  try {
    return withBasicAuth(str(url), user === null ? null : str(user), password === null ? null : str(password))
  } catch (error) {
    if (error instanceof PyError) throw misuse(error.message)
    throw error
  }
}

export interface Circumstances {
  cwd?: string
  /** Stderr is part of the output. */
  merged?: boolean
  /** A failure is an answer, not an error. */
  lenient?: boolean
  env?: Dict
}

export interface Outcome {
  retcode: number
  stdout: string
  stderr: string
}

export async function git(
  ctx: FunctionContext,
  argv: readonly string[],
  args: Given,
  circumstances: Circumstances = {},
): Promise<Outcome> {
  const command = ['git', ...argv]
  const identity = value(args, 'identity')
  if (truthy(identity)) return withIdentity(ctx, command, args, circumstances)
  const outcome = await call(ctx, command, args, circumstances)
  if (outcome.retcode === 0 || circumstances.lenient) return outcome
  const said = circumstances.merged ? outcome.stdout : outcome.stderr
  throw failure(`Command '${redactUrl(command.join(' '))}' failed${said === '' ? '' : `: ${redactUrl(said)}`}`)
}

async function call(
  ctx: FunctionContext,
  command: readonly string[],
  args: Given,
  { cwd, merged, env }: Circumstances,
): Promise<Outcome> {
  const answer = await ctx.call('cmd.run_all', [[...command]], {
    cwd: cwd ?? null,
    runas: value(args, 'user'),
    password: value(args, 'password'),
    env: env ?? new Map(),
    python_shell: false,
    ignore_retcode: truthy(value(args, 'ignore_retcode')),
    redirect_stderr: merged ?? false,
    output_encoding: value(args, 'output_encoding'),
  })
  const part = (name: string): Value => (answer as Dict).get(name) ?? null
  return { retcode: Number(str(part('retcode'))), stdout: str(part('stdout')), stderr: str(part('stderr')) }
}

/** Tries one key after the other. */
async function withIdentity(
  ctx: FunctionContext,
  command: readonly string[],
  args: Given,
  circumstances: Circumstances,
): Promise<Outcome> {
  const errors: string[] = []
  const missing: string[] = []
  let last: Outcome | undefined
  const keys = value(args, 'identity')
  for (const key of Array.isArray(keys) ? (keys as Value[]).map((item) => str(item)) : [str(keys)]) {
    const path = await keyFile(ctx, key, args)
    if (path === undefined) {
      if (!key.startsWith('salt://')) missing.push(key)
      ctx.log('error', `identity ${key} does not exist.`)
      continue
    }
    last = await call(ctx, command, args, { ...circumstances, env: sshEnvironment(path) })
    if (last.retcode === 0) return last
    const said = circumstances.merged ? last.stdout : last.stderr
    if (said !== '') errors.push(redactUrl(said))
  }
  if (circumstances.lenient && last) return last
  const lines = `Unable to authenticate using identity file:\n\n${errors.join('\n')}`
  const absent = `The following identity file(s) were not found: ${missing.join(', ')}`
  throw failure(missing.length === 0 ? lines : `${lines}${errors.length > 0 ? '\n\n' : ''}${absent}`)
}

async function keyFile(ctx: FunctionContext, key: string, args: Given): Promise<string | undefined> {
  if (key.startsWith('salt://')) {
    const cached = await ctx.call('cp.cache_file', [key, value(args, 'saltenv') ?? 'base'])
    return truthy(cached) ? str(cached) : undefined
  }
  return (await ctx.host.stat(key))?.type === 'file' ? key : undefined
}

function sshEnvironment(key: string): Dict {
  const options = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR'
  return new Map([['GIT_SSH_COMMAND', `ssh -i '${key.replaceAll("'", "'\\''")}' ${options}`]])
}

/** The version of git, asked for once. */
export async function gitVersion(ctx: FunctionContext): Promise<string> {
  const known = ctx.memory.get('git.version')
  if (typeof known === 'string') return known
  let version = 'unknown'
  try {
    const { stdout } = await git(ctx, ['--version'], {})
    version = stdout.split('(')[0]!.split('.windows')[0]!.trim().split(/\s+/).at(-1) || 'unknown'
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    ctx.log('error', `Failed to obtain the git version (error follows):\n${error.message}`)
  }
  ctx.memory.set('git.version', version)
  return version
}
