// Runs git: working directory, user, key, and error reports.
import {
  type Dict,
  failure,
  misuse,
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

/** The parameters about running git that most functions share. */
export interface Access {
  user?: string | null
  password?: string | null
  /** The private keys to try: a path, or a list of paths. */
  identity?: Value
  ignore_retcode?: boolean
  saltenv?: string
  output_encoding?: string | null
}

/** Return an absolute path; a relative one is below the home directory of the user. */
export async function expandPath(ctx: FunctionContext, path: string, user: string | null = null): Promise<string> {
  return path.startsWith('/') ? path : `${await homeOf(ctx, user)}/${path}`
}

async function homeOf(ctx: FunctionContext, user: string | null): Promise<string> {
  if (user) return (await ctx.host.user(user))?.home ?? `~${user}`
  const home = (await ctx.host.env()).get('HOME')
  return home ?? (await ctx.host.user((await ctx.host.identity()).uid))?.home ?? '~'
}

/** Return options as words: text is split as a shell does, and a last `--` is dropped. */
export function words(opts: Value): string[] {
  if (opts === null) return []
  if (Array.isArray(opts)) return opts.map(str)
  const list = typeof opts === 'string' ? shlexSplit(opts) : [str(opts)]
  return list.at(-1) === '--' ? list.slice(0, -1) : list
}

/** Return a URL with a user name and a password for HTTPS. */
export function withAuth(url: string, user: string | null, password: string | null): string {
  try {
    return withBasicAuth(url, user, password)
  } catch (error) {
    if (error instanceof PyError) throw misuse(error.message)
    throw error
  }
}

export interface Circumstances {
  cwd?: string
  /** Whether stderr is part of the output. */
  merged?: boolean
  /** Whether a failure is returned instead of thrown. */
  lenient?: boolean
  env?: Dict
}

export interface Outcome {
  retcode: number
  stdout: string
  stderr: string
}

/** Run git; throw when it fails. */
export async function git(
  ctx: FunctionContext,
  argv: readonly string[],
  args: Access,
  circumstances: Circumstances = {},
): Promise<Outcome> {
  const command = ['git', ...argv]
  if (truthy(args.identity ?? null)) return withIdentity(ctx, command, args, circumstances)
  const outcome = await call(ctx, command, args, circumstances)
  if (outcome.retcode === 0 || circumstances.lenient) return outcome
  const said = circumstances.merged ? outcome.stdout : outcome.stderr
  throw failure(`Command '${redactUrl(command.join(' '))}' failed${said === '' ? '' : `: ${redactUrl(said)}`}`)
}

async function call(
  ctx: FunctionContext,
  command: readonly string[],
  args: Access,
  { cwd, merged, env }: Circumstances,
): Promise<Outcome> {
  const answer = await ctx.call('cmd.run_all', [[...command]], {
    cwd: cwd ?? null,
    runas: args.user ?? null,
    password: args.password ?? null,
    env: env ?? new Map(),
    python_shell: false,
    ignore_retcode: args.ignore_retcode ?? false,
    redirect_stderr: merged ?? false,
    output_encoding: args.output_encoding ?? null,
  })
  const part = (name: string): Value => answer.get(name) ?? null
  return { retcode: Number(str(part('retcode'))), stdout: str(part('stdout')), stderr: str(part('stderr')) }
}

interface InCheckout extends Access {
  cwd: string
  git_opts?: Value
}

/** Run git in a checkout, and return its output. */
export async function inCheckout(
  ctx: FunctionContext,
  args: InCheckout,
  argv: readonly string[],
  circumstances: Circumstances = {},
): Promise<string> {
  const cwd = await expandPath(ctx, args.cwd, args.user)
  return (await git(ctx, [...words(args.git_opts ?? null), ...argv], args, { ...circumstances, cwd })).stdout
}

/** Run git with one key after the other until it succeeds. */
async function withIdentity(
  ctx: FunctionContext,
  command: readonly string[],
  args: Access,
  circumstances: Circumstances,
): Promise<Outcome> {
  const errors: string[] = []
  const missing: string[] = []
  let last: Outcome | undefined
  const { identity = null } = args
  for (const key of Array.isArray(identity) ? identity.map(str) : [str(identity)]) {
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

async function keyFile(ctx: FunctionContext, key: string, args: Access): Promise<string | undefined> {
  if (key.startsWith('salt://')) {
    return (await ctx.call('cp.cache_file', [key, args.saltenv ?? 'base'])) || undefined
  }
  return (await ctx.host.stat(key))?.type === 'file' ? key : undefined
}

function sshEnvironment(key: string): Dict {
  const options = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR'
  return new Map([['GIT_SSH_COMMAND', `ssh -i '${key.replaceAll("'", "'\\''")}' ${options}`]])
}

/** Return the version of git; ask for it once. */
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
