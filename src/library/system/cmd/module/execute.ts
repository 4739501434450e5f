// Execution of commands: directory, user, environment, shell, and the result. As in Salt, a line is split into words unless
// `python_shell` is on.
import {
  type Dict,
  decodeBytes,
  dictFrom,
  encodeText,
  failure,
  PyError,
  repr,
  SaltError,
  shlexSplit,
  str,
  strip,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import {
  type Command,
  type CommandResult,
  type FunctionContext,
  type HostError,
  isHostError,
} from '../../../../sdk/mod.ts'
import { commandEnvironment } from './environment.ts'
import { type Given, given, homeOf, optionsOf } from './given.ts'
import { isPermitted, renderCommand } from './preparation.ts'
import { succeeds, successRules } from './success.ts'

export type Stderr = 'apart' | 'merged'

export interface Outcome {
  pid: number
  retcode: number | null
  stdout: string
  stderr: string
}

/** Return whether to use a shell: by default yes for a call of an operator, no for a call of a module. */
export function shellChoice(ctx: FunctionContext, args: Given): Value {
  const choice = given(args, 'python_shell')
  if (choice !== null) return choice
  return truthy(given(args, '__pub_jid')) || ctx.opts.get('cmd_safe') === false ? true : null
}

async function defaultShell(ctx: FunctionContext): Promise<string> {
  return (await ctx.host.env()).get('SHELL') ?? '/bin/sh'
}

export async function execute(ctx: FunctionContext, args: Given, stderr: Stderr): Promise<Dict> {
  const shell = str(truthy(given(args, 'shell')) ? given(args, 'shell') : await defaultShell(ctx))
  const runas = truthy(given(args, 'runas')) ? given(args, 'runas') : (ctx.memory.get('runas') ?? null)
  const user = truthy(runas) ? str(runas) : undefined
  const startedIn = await workingDirectory(ctx, given(args, 'cwd'), user)
  if (!(await isShell(ctx, shell))) throw failure(`The shell ${shell} is not available`)
  const { cmd, cwd } = await renderCommand(ctx, args, startedIn)
  if (optionsOf(args).has('__pub_jid') && !(await isPermitted(ctx, cmd))) {
    throw failure(`The shell command "${str(cmd)}" is not permitted`)
  }
  const quiet = given(args, 'output_loglevel') === 'quiet'
  if (!quiet) ctx.log('info', `Executing command '${firstWord(cmd)}' in directory '${cwd}'`)
  if (user !== undefined && !(await ctx.host.user(user))) throw failure(`User '${user}' is not available`)
  const group = await wantedGroup(ctx, given(args, 'group'), user)
  const env = await commandEnvironment(ctx, { args, user, group, shell })
  const umask = umaskOf(given(args, 'umask'))
  const directory = await ctx.host.stat(cwd)
  if (!cwd.startsWith('/') || directory?.type !== 'directory') {
    throw failure(`Specified cwd '${cwd}' either not absolute or does not exist`)
  }
  const python_shell = shellChoice(ctx, args)
  const words = python_shell === true || typeof cmd !== 'string' ? cmd : shlexSplit(cmd)
  const success = successRules(args)
  const timeout = timeoutOf(given(args, 'timeout'))
  const current = (await ctx.host.user((await ctx.host.identity()).uid))?.name
  const command: Command = {
    argv: vector(words, python_shell, shell),
    cwd,
    env,
    cleanEnv: true,
    mergeStderr: stderr === 'merged',
    systemPipes: true,
    ...(user !== undefined && user !== current && { user }),
    ...(group !== undefined && { group }),
    ...(umask !== undefined && { umask }),
    ...stdinOf(args),
    ...(timeout !== undefined && { timeout }),
  }
  const context = () => contextText(args, { cwd, python_shell, shell, stderr, user, group, umask })
  const outcome = await perform(ctx, { args, command, words, context, quiet })
  if (outcome instanceof Map) return outcome
  if (succeeds(success, outcome)) outcome.retcode = 0
  report(ctx, args, cmd, outcome, quiet)
  return dictFrom(outcome)
}

interface Performance {
  args: Given
  command: Command
  words: Value
  context: () => string
  quiet: boolean
}

/** Run the command; return the outcome, or Salt's answer for a timeout. */
async function perform(
  ctx: FunctionContext,
  { args, command, words, context, quiet }: Performance,
): Promise<Outcome | Dict> {
  const isBackground = truthy(given(args, 'bg'))
  try {
    if (isBackground) return { pid: await ctx.host.start(command), retcode: null, stdout: '', stderr: '' }
    const result = await ctx.host.run(command)
    if (!result.timedOut) return decoded(result, args)
    const stdout = `${str(words)} : Timed out after ${str(given(args, 'timeout'))} seconds`
    return dictFrom({ stdout, stderr: '', retcode: 1, pid: result.pid })
  } catch (error) {
    if (!isHostError(error)) throw error
    throw spawnFailure(error, quiet ? 'REDACTED' : str(words), context())
  }
}

function spawnFailure(error: HostError, words: string, context: string): Error {
  if (error.errno === 0) return failure(error.message)
  return failure(`Unable to run command '${words}' with the context '${context}', reason: ${error.message}`)
}

interface Circumstances {
  cwd: string
  python_shell: Value
  shell: string
  stderr: Stderr
  user: string | undefined
  group: string | undefined
  umask: number | undefined
}

/** Return the text that Salt shows about how it would have started the program. */
function contextText(args: Given, circumstances: Circumstances): string {
  const { cwd, python_shell, shell, stderr, user, group, umask } = circumstances
  const context = new Map<Value, Value>([
    ['cwd', cwd],
    ['shell', python_shell ?? false],
    ['stdout', -1],
    ['stderr', stderr === 'merged' ? -2 : -1],
    ['with_communicate', true],
    ['timeout', given(args, 'timeout')],
    ['bg', given(args, 'bg') ?? false],
  ])
  const changesIds = user !== undefined || group !== undefined || umask !== undefined
  if (changesIds) context.set('preexec_fn', '')
  if (python_shell === true) context.set('executable', shell)
  const ids = [user ?? null, umask ?? null, group ?? null].map((id) => repr(id)).join(', ')
  const before = `functools.partial(<function chugid_and_umask at 0x7f0000000000>, ${ids})`
  return repr(context.set('close_fds', true)).replace("'preexec_fn': ''", () => `'preexec_fn': ${before}`)
}

/** Return the program and its arguments. */
function vector(words: Value, python_shell: Value, shell: string): string[] {
  const list = Array.isArray(words) ? (words as Value[]).map((word) => textOf(word) ?? str(word)) : [str(words)]
  if (truthy(python_shell)) return [python_shell === true ? shell : '/bin/sh', '-c', ...list]
  return Array.isArray(words) || typeof words === 'string' ? list : shlexSplit(list[0]!)
}

async function workingDirectory(ctx: FunctionContext, wanted: Value, user: string | undefined): Promise<string> {
  if (truthy(wanted)) return str(wanted)
  const home = await homeOf(ctx, user)
  const isUsable = (await ctx.host.stat(home))?.type === 'directory' && (await ctx.host.access(home, 'read'))
  return isUsable ? home : '/'
}

async function isShell(ctx: FunctionContext, shell: string): Promise<boolean> {
  return (await ctx.host.stat(shell))?.type === 'file' && (await ctx.host.access(shell, 'execute'))
}

async function wantedGroup(ctx: FunctionContext, group: Value, user: string | undefined): Promise<string | undefined> {
  if (!truthy(group)) return undefined
  if (!(await ctx.host.which('sudo'))) throw failure('group argument requires sudo but not found')
  // as in Salt, the text names the user
  if (!(await ctx.host.group(str(group)))) throw failure(`Group '${user ?? 'None'}' is not available`)
  return str(group)
}

function umaskOf(umask: Value): number | undefined {
  if (umask === null) return undefined
  const digits = str(umask).replace(/^0+/, '')
  if (digits === '') throw failure('Zero umask is not allowed.')
  if (!/^[0-7]+$/.test(digits)) throw failure(`Invalid umask: '${str(umask)}'`)
  return Number.parseInt(digits, 8)
}

function timeoutOf(timeout: Value): number | undefined {
  if (!truthy(timeout)) return undefined
  const seconds = typeof timeout === 'object' || typeof timeout === 'bigint' ? Number(str(timeout)) : timeout
  if (typeof seconds === 'number' && !Number.isNaN(seconds)) return seconds
  throw new SaltError('TimedProcTimeoutError', `Error: timeout ${str(timeout)} must be a number`)
}

function stdinOf(args: Given): { stdin?: Uint8Array } {
  const stdin = given(args, 'stdin')
  if (stdin === null || truthy(given(args, 'bg'))) return {}
  const text = str(stdin)
  return { stdin: encodeText(truthy(given(args, 'stdin_raw_newlines')) ? text : text.replaceAll('\\n', '\n')) }
}

function decoded(result: CommandResult, args: Given): Outcome {
  const encoding = textOf(given(args, 'output_encoding')) ?? 'utf-8'
  const text = (bytes: Uint8Array): string => {
    const whole = decodedText(bytes, encoding)
    return truthy(given(args, 'rstrip') ?? true) && !truthy(given(args, 'use_vt')) ? withoutTail(whole) : whole
  }
  const { pid, retcode } = result
  return { pid, retcode, stdout: text(result.stdout), stderr: text(result.stderr) }
}

function decodedText(bytes: Uint8Array, encoding: string): string {
  try {
    return decodeBytes(bytes, encoding)
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'UnicodeDecodeError') throw error
    return decodeBytes(bytes, encoding, 'replace')
  }
}

/** Like `str.rstrip()`. */
function withoutTail(text: string): string {
  return strip(`.${text}`).slice(1)
}

/** Return the program name for the log, as Salt does. */
function firstWord(cmd: Value): string {
  if (Array.isArray(cmd)) {
    if (cmd.length === 0) throw new PyError('IndexError', 'list index out of range')
    return strip(str(cmd[0] as Value))
  }
  const word = strip(str(cmd)).split(/\s+/)[0]
  if (!word) throw new PyError('IndexError', 'list index out of range')
  return word
}

function report(ctx: FunctionContext, args: Given, cmd: Value, outcome: Outcome, quiet: boolean): void {
  const ignored = truthy(given(args, 'ignore_retcode')) || truthy(given(args, 'bg'))
  ctx.memory.set('retcode', ignored ? 0 : outcome.retcode)
  if (quiet) return
  const failed = !ignored && outcome.retcode !== 0
  if (failed) ctx.log('error', `Command '${firstWord(cmd)}' failed with return code: ${str(outcome.retcode)}`)
  const level = failed ? 'error' : 'debug'
  if (outcome.stdout !== '') ctx.log(level, `stdout: ${outcome.stdout}`)
  if (outcome.stderr !== '') ctx.log(level, `stderr: ${outcome.stderr}`)
  if (outcome.retcode !== 0 && outcome.retcode !== null) ctx.log(level, `retcode: ${outcome.retcode}`)
}
