// Commands on this machine. A command leads a process group of its own, so that a timeout ends all it started.
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, existsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { groupIdsOf } from '../accounts.ts'
import { fromNodeError, HostError, systemError } from '../errors.ts'
import type { Command, CommandResult } from '../host.ts'
import { openInput } from './command-input.ts'
import { localGroup, localGroups, localUser } from './local-accounts.ts'
import { programPath } from './program-path.ts'

const MOST_OUTPUT = 256 << 20

/** How long a command may go on after it was asked to end. */
const GRACE = 2000

/** Collects a stream up to a bound. */
class Collector {
  readonly pieces: Buffer[] = []
  truncated = false
  private left: number

  constructor(limit: number) {
    this.left = limit
  }

  take(piece: Buffer): void {
    if (piece.length > this.left) this.truncated = true
    if (this.left > 0) this.pieces.push(piece.subarray(0, this.left))
    this.left = Math.max(0, this.left - piece.length)
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.pieces)
  }
}

export async function runLocal(command: Command): Promise<CommandResult> {
  const input = command.stdin === undefined ? undefined : openInput(command.stdin)
  const child = launchClosing(command, input)
  const limit = command.maxOutput ?? MOST_OUTPUT
  const [stdout, stderr] = [new Collector(limit), new Collector(limit)]
  child.stdout?.on('data', (piece) => stdout.take(piece))
  child.stderr?.on('data', (piece) => stderr.take(piece))
  const ended = new Promise<number>((done, fail) => {
    child.once('error', (error) => fail(launchError(error, command)))
    child.once('close', (code, signal) => done(signal ? -constants.signals[signal] : (code ?? 0)))
  })
  let timedOut = false
  const timer =
    command.timeout === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true
          endGroup(child)
        }, command.timeout * 1000)
  try {
    const retcode = await ended
    return {
      pid: child.pid ?? 0,
      retcode,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      timedOut,
      truncated: stdout.truncated || stderr.truncated,
    }
  } finally {
    clearTimeout(timer)
  }
}

export async function startLocal(command: Command): Promise<number> {
  const child = launch(command, 'ignore', 'ignore')
  await new Promise<void>((done, fail) => {
    child.once('error', (error) => fail(launchError(error, command)))
    child.once('spawn', done)
  })
  child.unref()
  return child.pid ?? 0
}

/** The child has its own copy of the input. */
function launchClosing(command: Command, input: number | undefined): ChildProcess {
  try {
    return launch(command, input ?? 'ignore', 'pipe')
  } finally {
    if (input !== undefined) closeSync(input)
  }
}

function launch(command: Command, stdin: 'ignore' | number, output: 'pipe' | 'ignore'): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const argv = commandLine(command)
  const inherited = command.cleanEnv ? {} : process.env
  const options: SpawnOptions = {
    env: { ...inherited, ...Object.fromEntries(command.env ?? []) },
    stdio: [stdin, output, output],
    detached: true,
    ...(command.cwd !== undefined && { cwd: command.cwd }),
  }
  try {
    return spawn(argv[0]!, argv.slice(1), options)
  } catch (error) {
    throw launchError(error, command)
  }
}

/** The vector as it is started: with the user's ids, groups and umask set first, and one stream for all output. */
function commandLine(command: Command): string[] {
  const { user, group, mergeStderr, umask } = command
  const argv = [programPath(command), ...command.argv.slice(1)]
  const setup = umask === undefined ? '' : `umask ${umask.toString(8)}; `
  const wrapped = mergeStderr || setup !== ''
  const changesUser = user !== undefined || group !== undefined
  const line = wrapped ? ['/bin/sh', '-c', `${setup}exec "$@"${mergeStderr ? ' 2>&1' : ''}`, 'sh', ...argv] : [...argv]
  return changesUser ? [...asUser(user, group), ...line] : line
}

function asUser(user: string | undefined, group: string | undefined): string[] {
  const account = user === undefined ? undefined : localUser(user)
  if (user !== undefined && account === undefined) throw new HostError('UserUnknown', `User '${user}' is not available`)
  const primary = group === undefined ? undefined : localGroup(group)
  if (group !== undefined && primary === undefined) {
    throw new HostError('GroupUnknown', `Group '${group}' is not available`)
  }
  const gid = primary?.gid ?? account?.gid ?? 0
  const groups = account ? groupIdsOf(account, localGroups()) : [gid]
  const ids = [`--regid=${gid}`, `--groups=${groups.join(',')}`]
  return ['setpriv', ...(account ? [`--reuid=${account.uid}`] : []), ...ids, '--']
}

/** Node reports a missing working directory as a missing program. */
function launchError(error: unknown, { argv, cwd }: Command): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT' && cwd !== undefined) {
    if (!existsSync(cwd)) return systemError('ENOENT', cwd)
    if (!statSync(cwd).isDirectory()) return systemError('ENOTDIR', cwd)
  }
  return fromNodeError(error, argv[0])
}

function endGroup(child: ChildProcess): void {
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-child.pid!, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  signal('SIGTERM')
  const timer = setTimeout(() => signal('SIGKILL'), GRACE)
  child.once('close', () => clearTimeout(timer))
}
