// Commands on a target. A command leads its own session, so that a timeout kills all its processes, through another
// shell. Its output goes through pipes of the target: their end is the end of the output, and programs can open them by
// name.
import { constants } from 'node:os'
import { groupIdsOf, type User, type UserGroup } from '../accounts.ts'
import { HostError, type SystemErrorCode, systemError } from '../errors.ts'
import type { Command, CommandResult } from '../host.ts'
import type { AgentAnswer } from './agent.ts'
import type { Agents } from './agents.ts'
import type { Facts } from './facts.ts'
import { contentWords, INLINE, isVariableName, pathWord, word, words } from './shell-text.ts'
import { toolError } from './tool-errors.ts'

const MOST_OUTPUT = 256 << 20

/** How long a command may take to end after SIGTERM, in milliseconds. */
const GRACE = 2000

export interface CommandTools {
  agents: Agents
  facts: Facts
  /** Variables that were set or removed since the login. */
  variables: ReadonlyMap<string, string | null>
  user(name: string): Promise<User | undefined>
  group(name: string): Promise<UserGroup | undefined>
  groups(): Promise<UserGroup[]>
  /** Called when a command is on the way: later requests are answered after it. */
  sent?(): void
  /**
   * Whether the command only reads and ends soon: other requests may wait for it, and files that it needs are on disk.
   */
  isReading?: boolean
  /** Ends each of the commands that run now. */
  running: Set<() => void>
  /** Write files that are held in memory; return a promise to await, if any, right before a command is sent. */
  settle(): Promise<unknown> | undefined
  /** Put large input into a file of the target that only this user can read. */
  inputFile(data: Uint8Array): Promise<string>
}

/** Signals by which a shell reports a killed command: 128 plus the number. */
const SIGNALS = new Set(Object.values(constants.signals))

export async function runRemote(tools: CommandTools, command: Command): Promise<CommandResult> {
  command.signal?.throwIfAborted()
  // without a wait if there is nothing to wait for, so that it follows the last request directly
  const asOther = isOwn(command) ? [] : await asUser(tools, command)
  const definition = `_x() { ${setUp(tools, command)}; _go ${launchWords(tools, command, asOther)}; }`
  const input = command.stdin === undefined ? undefined : await inputDefinition(tools, command.stdin)
  const call = `${input === undefined ? '_run' : '_runin'}${command.mergeStderr ? '1' : ''}`
  const output = new CommandStream(command)
  const ending = new Ending(tools, command, output)
  try {
    const settling = tools.isReading ? undefined : tools.settle()
    if (settling) await settling
    const asked = tools.agents.request(`${definition}\n${input ?? ''}\n${call}`, {
      ...(tools.isReading ? { isRead: true } : { isLong: true }),
      limit: command.maxOutput ?? MOST_OUTPUT,
      hear: (piece) => output.take(piece),
    })
    tools.sent?.()
    const answer = await asked
    command.signal?.throwIfAborted()
    output.raise(answer, command)
    const isSignalled = answer.isSignalled || ending.isForced
    const retcode = isSignalled && SIGNALS.has(answer.status - 128) ? 128 - answer.status : answer.status
    const { pid, bytes, isTruncated } = output.result()
    const truncated = isTruncated || answer.isTruncated
    return { pid, retcode, stdout: bytes, stderr: answer.stderr, timedOut: ending.timedOut, truncated }
  } finally {
    ending.close()
  }
}

/** Start a command that nothing waits for. */
export async function startRemote(tools: CommandTools, command: Command): Promise<number> {
  const asOther = isOwn(command) ? [] : await asUser(tools, command)
  const definition = `_x() { ${setUp(tools, command)}; _leave ${launchWords(tools, command, asOther)}; }`
  const text = `${definition}\n( ( _x ) 3>&- 4>&- 2>/dev/null & ) </dev/null | cat`
  const settling = tools.settle()
  if (settling) await settling
  const answer = await tools.agents.request(text)
  const line = answer.stdout.toString().trim()
  raiseLaunch(line, command)
  if (!/^\d+$/.test(line)) throw toolError(answer, command.argv[0])
  return Number(line)
}

/**
 * Variables that every shell sets, or that the shell removes at its start: their values may differ from those at the
 * login.
 */
const OF_SHELLS = new Set(['_', 'CDPATH', 'ENV', 'OLDPWD', 'PWD', 'SHLVL'])

/** The lines that make the surroundings of a command: directory, umask and environment. */
function setUp({ facts, variables }: CommandTools, command: Command): string {
  const { argv, cwd, umask, env, cleanEnv } = command
  const lines: string[] = []
  if (cwd !== undefined) lines.push(`_cd ${pathWord(cwd)}`)
  if (umask !== undefined) lines.push(`umask ${umask.toString(8)}`)
  const given = new Map(cleanEnv ? [] : variables)
  for (const [name, value] of env ?? []) given.set(name, value)
  const gone = cleanEnv ? ['PWD', 'OLDPWD', 'SHLVL', ...facts.env.keys(), ...variables.keys()] : []
  const unset = new Set([...gone, ...[...given].filter(([, value]) => value === null).map(([name]) => name)])
  for (const name of unset) if (isVariableName(name) && (given.get(name) ?? null) === null) lines.push(`unset ${name}`)
  const isThere = (name: string, value: string): boolean =>
    facts.env.get(name) === value && !variables.has(name) && !OF_SHELLS.has(name)
  for (const [name, value] of given) {
    if (value !== null && isVariableName(name) && !isThere(name, value))
      lines.push(`${name}=${word(value)}; export ${name}`)
  }
  lines.push(`_find ${word(argv[0] ?? '')}`)
  return lines.join('; ')
}

/** The vector that is started: for another user, and with the variables that a shell cannot have. */
function launchWords(tools: CommandTools, command: Command, asOther: readonly string[]): string {
  const odd = [...(command.env ?? [])]
    .filter(([name]) => !isVariableName(name))
    .map(([name, value]) => `${name}=${value}`)
  // bash adds variables to the environment of its child processes
  const removed = command.cleanEnv && tools.facts.isBash ? ['-u', '_', '-u', 'SHLVL', '-u', 'PWD', '-u', 'OLDPWD'] : []
  const environment = odd.length + removed.length > 0 ? ['env', ...removed, ...odd] : []
  return words([...asOther, ...environment, ...command.argv])
}

/** Whether the command runs as the user of the shell. */
const isOwn = ({ user, group }: Command): boolean => user === undefined && group === undefined

async function asUser(tools: CommandTools, { user, group }: Command): Promise<string[]> {
  const account = user === undefined ? undefined : await tools.user(user)
  if (user !== undefined && !account) throw new HostError('UserUnknown', `User '${user}' is not available`)
  const primary = group === undefined ? undefined : await tools.group(group)
  if (group !== undefined && !primary) throw new HostError('GroupUnknown', `Group '${group}' is not available`)
  const { facts } = tools
  const gid = primary?.gid ?? account?.gid ?? 0
  if ((account?.uid ?? facts.uid) === facts.uid && gid === facts.gid) return []
  if (facts.tools.has('setpriv') && facts.tools.has('setids')) {
    const groups = account ? groupIdsOf(account, await tools.groups()) : [gid]
    const ids = [`--regid=${gid}`, `--groups=${groups.join(',')}`]
    return ['setpriv', ...(account ? [`--reuid=${account.uid}`] : []), ...ids, '--']
  }
  const name = account?.name ?? 'root'
  if (facts.tools.has('runuser')) return ['runuser', '-u', name, ...(primary ? ['-g', primary.name] : []), '--']
  if (!facts.tools.has('su')) {
    throw new HostError('EPERM', 'The target has no program to change the user: setpriv, runuser and su are missing')
  }
  return ['su', '-s', '/bin/sh', '-c', 'exec "$0" "$@"', name, '--']
}

/** The shell function that writes the input. */
async function inputDefinition(tools: CommandTools, stdin: string | Uint8Array): Promise<string> {
  const bytes = Buffer.from(stdin as Uint8Array)
  if (bytes.length <= INLINE) return `_in() { printf ${contentWords(bytes)}; }`
  const file = pathWord(await tools.inputFile(bytes))
  return `_in() { { rm -f ${file}; cat; } < ${file}; }`
}

/** The output of a command: first a line with its process id or with the reason why it cannot start, then its stdout. */
class CommandStream {
  pid = 0
  private line = ''
  private isStarted = false
  private isTruncated = false
  private left: number
  private readonly command: Command
  private readonly pieces: Buffer[] = []
  private onStart: (() => void) | undefined

  constructor(command: Command) {
    this.command = command
    this.left = command.maxOutput ?? MOST_OUTPUT
  }

  /** Call back when the process id is known. */
  whenStarted(tell: () => void): void {
    if (this.isStarted) tell()
    else this.onStart = tell
  }

  take(piece: Buffer): void {
    if (this.isStarted) return this.keep(piece)
    const end = piece.indexOf('\n')
    this.line += piece.toString('latin1', 0, end < 0 ? piece.length : end)
    if (end < 0) return
    this.isStarted = true
    this.pid = Number(this.line)
    if (this.pid > 0) {
      this.command.started?.(this.pid)
      this.onStart?.()
    }
    if (end + 1 < piece.length) this.keep(piece.subarray(end + 1))
  }

  private keep(piece: Buffer): void {
    if (this.command.hear) return this.command.hear(piece)
    if (piece.length > this.left) this.isTruncated = true
    if (this.left > 0) this.pieces.push(piece.subarray(0, this.left))
    this.left = Math.max(0, this.left - piece.length)
  }

  /** Raise the reason why the command did not start. */
  raise(answer: AgentAnswer, command: Command): void {
    raiseLaunch(this.line, command)
    if (!(this.pid > 0)) throw toolError(answer, command.argv[0])
  }

  result(): { pid: number; bytes: Buffer; isTruncated: boolean } {
    return { pid: this.pid, bytes: Buffer.concat(this.pieces), isTruncated: this.isTruncated }
  }
}

function raiseLaunch(line: string, { argv, cwd }: Command): void {
  const [, code, what] = /^!(E[A-Z]+) (cwd|program)$/.exec(line) ?? []
  if (code !== undefined) throw systemError(code as SystemErrorCode, what === 'cwd' ? cwd : argv[0])
}

/** Ends a command at its time limit or an abort: the whole group gets SIGTERM, then SIGKILL. */
class Ending {
  timedOut = false
  isForced = false
  private readonly tools: CommandTools
  private readonly command: Command
  private readonly output: CommandStream
  private readonly timers: NodeJS.Timeout[] = []
  private readonly onAbort = (): void => this.end()

  constructor(tools: CommandTools, command: Command, output: CommandStream) {
    this.tools = tools
    this.command = command
    this.output = output
    command.signal?.addEventListener('abort', this.onAbort)
    tools.running.add(this.onAbort)
    if (command.timeout !== undefined) {
      this.later(command.timeout * 1000, () => {
        this.timedOut = true
        this.end()
      })
    }
  }

  private later(milliseconds: number, run: () => void): void {
    this.timers.push(setTimeout(run, milliseconds))
  }

  private end(): void {
    this.isForced = true
    this.output.whenStarted(() => {
      this.signal('TERM')
      this.later(GRACE, () => this.signal('KILL'))
    })
  }

  private signal(name: string): void {
    // the caller that awaits the command gets the error of a lost connection
    this.tools.agents.requestBeside(`( _kill ${name} ${this.output.pid} ) </dev/null`).catch(() => {})
  }

  close(): void {
    this.tools.running.delete(this.onAbort)
    this.command.signal?.removeEventListener('abort', this.onAbort)
    for (const timer of this.timers) clearTimeout(timer)
  }
}
