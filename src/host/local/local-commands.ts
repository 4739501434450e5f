// Commands on this machine. Each command leads its own process group, so that a timeout ends all its processes.
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, existsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { hasCode, recover } from '../../base/mod.ts'
import { groupIdsOf } from '../accounts.ts'
import { fromNodeError, HostError, systemError } from '../errors.ts'
import type { Command, CommandResult } from '../host.ts'
import { openInput } from './command-input.ts'
import { CommandOutput, systemPipe } from './command-output.ts'
import { localGroup, localGroups, localUser } from './local-accounts.ts'
import { programPath } from './program-path.ts'

const MOST_OUTPUT = 256 << 20

/** The process groups of commands that this process waits for. */
const groups = new Set<number>()

/** How long a command may take to end after SIGTERM, in milliseconds. */
const GRACE = 2000

export async function runLocal(command: Command): Promise<CommandResult> {
  const limit = command.maxOutput ?? MOST_OUTPUT
  const stdout = new CommandOutput(limit, command.hear)
  const stderr = command.mergeStderr ? undefined : new CommandOutput(limit)
  const child = launchGathering(command, stdout, stderr)
  const ended = new Promise<number>((done, fail) => {
    child.once('error', (error) => fail(launchError(error, command)))
    child.once('close', (code, signal) => done(signal ? -constants.signals[signal] : (code ?? 0)))
  })
  const { pid } = child
  if (pid !== undefined) {
    groups.add(pid)
    command.started?.(pid)
  }
  let timedOut = false
  const timer =
    command.timeout === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true
          endGroup(child)
        }, command.timeout * 1000)
  const end = (): void => endGroup(child)
  command.signal?.addEventListener('abort', end)
  try {
    const retcode = await ended
    command.signal?.throwIfAborted()
    const [out, err] = [await stdout.bytes(), (await stderr?.bytes()) ?? new Uint8Array()]
    const truncated = stdout.truncated || (stderr?.truncated ?? false)
    return { pid: pid ?? 0, retcode, stdout: out, stderr: err, timedOut, truncated }
  } finally {
    if (pid !== undefined) groups.delete(pid)
    clearTimeout(timer)
    command.signal?.removeEventListener('abort', end)
  }
}

export async function startLocal(command: Command): Promise<number> {
  const child = launch(command, ['ignore', 'ignore', 'ignore'])
  await new Promise<void>((done, fail) => {
    child.once('error', (error) => fail(launchError(error, command)))
    child.once('spawn', done)
  })
  child.unref()
  return child.pid ?? 0
}

/**
 * Start the command and collect its outputs. The child has copies of the descriptors, so this process closes its own.
 */
function launchGathering(command: Command, stdout: CommandOutput, stderr: CommandOutput | undefined): ChildProcess {
  const input = command.stdin === undefined ? undefined : openInput(command.stdin)
  const isPlain = !command.systemPipes && stderr !== undefined
  const pipes = isPlain ? [] : [stdout, ...(stderr ? [stderr] : [])].map((output) => ({ output, ...systemPipe() }))
  try {
    const [out = 'pipe', err = out] = pipes.map(({ writer }) => writer)
    const child = launch(command, [input ?? 'ignore', out, err])
    if (isPlain) {
      stdout.gather(child.stdout!)
      stderr.gather(child.stderr!)
    }
    return child
  } finally {
    if (input !== undefined) closeSync(input)
    for (const { output, writer, source } of pipes) {
      output.gather(source)
      closeSync(writer)
    }
  }
}

function launch(command: Command, stdio: Array<'ignore' | 'pipe' | number>): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const program = programPath(command)
  const argv = commandLine(command)
  const isWrapped = argv[0] !== command.argv[0]
  const inherited = command.cleanEnv ? {} : process.env
  const options: SpawnOptions = {
    env: { ...inherited, ...Object.fromEntries(command.env ?? []) },
    stdio,
    detached: true,
    ...(command.cwd !== undefined && { cwd: command.cwd }),
  }
  try {
    return spawn(isWrapped ? argv[0]! : program, argv.slice(1), { ...options, argv0: argv[0]! })
  } catch (error) {
    throw launchError(error, command)
  }
}

/** The vector as it is started: with the user's ids, groups and umask set first. */
function commandLine(command: Command): string[] {
  const { user, group, umask } = command
  const argv = [...command.argv]
  const line = umask === undefined ? argv : ['/bin/sh', '-c', `umask ${umask.toString(8)}; exec "$@"`, 'sh', ...argv]
  const changesUser = user !== undefined || group !== undefined
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

function signalGroup(pid: number, name: NodeJS.Signals): void {
  // the command has ended, or it runs as a user whom this process cannot signal
  recover(hasCode('ESRCH', 'EPERM'), undefined, () => void process.kill(-pid, name))
}

/** Pass a Ctrl-C on to the commands that this process waits for: the terminal does not signal their process groups. */
export function interruptCommands(): void {
  for (const pid of groups) signalGroup(pid, 'SIGINT')
}

function endGroup(child: ChildProcess): void {
  signalGroup(child.pid!, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child.pid!, 'SIGKILL'), GRACE)
  child.once('close', () => clearTimeout(timer))
}
