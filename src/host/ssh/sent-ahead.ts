// Commands that were sent together, each behind its conditions, to one shell that runs them in order. The work that a
// command belongs to claims the answers later: the shell has decided by the same conditions, at the same point of the
// order, as the work does. From the first doubt on, the shell runs nothing more.
import type {
  AccessMode,
  Command,
  CommandResult,
  ExpectedRead,
  FileStat,
  SentCommands,
  UpcomingCommand,
} from '../host.ts'
import type { Agents } from './agents.ts'
import type { SshRead } from './read-cache.ts'
import { pathWord } from './shell-text.ts'
import { type CommandTools, runIf } from './ssh-commands.ts'

/** The answer to one command; undefined if its conditions kept it from running. */
type Answer = Promise<CommandResult | undefined>

interface Step {
  command: string
  answer: Answer
  isClaimed: boolean
  conditions: Array<{ command: string; answer: Answer }>
  reads: Map<string, Promise<unknown>>
}

/** What makes two commands the same. */
function keyOf({ argv, cwd, env, cleanEnv, user, group, umask, mergeStderr }: Command): string {
  return JSON.stringify([argv, cwd, env && [...env].sort(), cleanEnv, user, group, umask, mergeStderr])
}

const FILE_TYPES: Partial<Record<FileStat['type'], string>> = { file: '-f', directory: '-d' }

const TESTS: Record<AccessMode, string> = { exists: '-e', read: '-r', write: '-w', execute: '-x' }

/** Return the shell's test of a read; undefined if it has none. A command depends on the type of a file only. */
function testOf(read: ExpectedRead, answer: unknown): string | undefined {
  if (read.op === 'stat') {
    const test = FILE_TYPES[(answer as FileStat | undefined)?.type ?? 'socket']
    return test && `[ ${test} ${pathWord(read.path)} ]`
  }
  if (read.op === 'access' && answer === true) {
    return `[ ${TESTS[read.wish]} ${pathWord(read.path)} ]`
  }
  // the name of the shell's own user
  return read.op === 'user' ? ':' : undefined
}

export class SentAhead implements SentCommands {
  /** Resolved when everything that was sent is answered. */
  answered: Promise<unknown> = Promise.resolve()
  private readonly agents: Agents
  private readonly tools: CommandTools
  private readonly noteRead: (command: Command) => void
  private readonly steps: Step[] = []
  /** The step of the present work. */
  private step: Step | undefined
  /** The same, as long as its answers count. */
  private current: Step | undefined
  private shell: Promise<string> | undefined
  private stopping: Promise<void> | undefined
  private isAnswered = false
  /** Ends the command that runs, once the shell starts no other. */
  private readonly ender = new AbortController()

  /** `noteRead` receives each condition that is claimed. */
  constructor(
    { agents, ...tools }: CommandTools,
    signal: AbortSignal | undefined,
    noteRead: (command: Command) => void,
  ) {
    this.agents = agents
    // files in memory were written before
    this.tools = { agents, ...tools, settle: () => undefined }
    this.noteRead = noteRead
    signal?.addEventListener('abort', () => void this.stop(signal.reason), { once: true })
  }

  send(commands: readonly UpcomingCommand[]): void {
    const sent: Array<Promise<unknown>> = []
    this.agents.inOneShell(() => {
      const shell = this.agents.request(`_halt=; printf %s "$$"`, { isRead: true })
      this.shell = shell.then(({ stdout }) => stdout.toString())
      sent.push(this.shell)
      for (const upcoming of commands) {
        const step = this.sendOne(upcoming)
        this.steps.push(step)
        sent.push(step.answer, ...step.conditions.map(({ answer }) => answer), ...step.reads.values())
      }
    })
    this.answered = Promise.allSettled(sent).then(() => {
      this.isAnswered = true
    })
  }

  private sendOne({ command, onlyif, unless, creates, reads }: UpcomingCommand): Step {
    const tests = reads.map(([read, answer]) => testOf(read, answer) ?? 'false')
    const begun = this.agents.request(`_still() { ${['{ :', ...tests].join(' && ')}; } || _halt=1; }; _begin`, {
      isRead: true,
    })
    begun.catch(() => {})
    const conditions = [
      ...onlyif.map((one) => this.sendCommand(one, '_onlyif')),
      ...unless.map((one) => this.sendCommand(one, '_unless')),
    ]
    const known = reads.map(([read, answer]): [string, Promise<unknown>] => [
      JSON.stringify(read),
      Promise.resolve(answer),
    ])
    const paths = creates.map((path): [string, Promise<unknown>] => {
      const asked = this.agents.request(`_creates ${pathWord(path)}`, { isRead: true })
      const read: ExpectedRead = { op: 'access', path, wish: 'exists' }
      return [JSON.stringify(read), asked.then(({ status }) => status === 0)]
    })
    const own = this.sendCommand(command, '_then')
    return { ...own, isClaimed: false, conditions, reads: new Map([...known, ...paths]) }
  }

  private sendCommand(
    command: Command,
    condition: '_onlyif' | '_unless' | '_then',
  ): { command: string; answer: Answer } {
    const answer = runIf(this.tools, { ...command, signal: this.ender.signal }, condition)
    // the work that claims it gets the error
    answer.catch(() => {})
    return { command: keyOf(command), answer }
  }

  begin(index: number): void {
    this.step = this.steps[index]
    this.current = this.stopping ? undefined : this.step
  }

  async end(): Promise<boolean> {
    const { step } = this
    this.step = undefined
    this.current = undefined
    return step !== undefined && !step.isClaimed && (await step.answer) !== undefined
  }

  /** Return the answer to a read of the present work, if it was sent for it. */
  answerTo<T>(read: SshRead): Promise<T> | undefined {
    return this.current?.reads.get(JSON.stringify(read)) as Promise<T> | undefined
  }

  /** Return the answer to a command of the present work; undefined if the command has to be run now. */
  async take(command: Command): Answer {
    const step = this.current
    if (!step) return undefined
    const key = keyOf(command)
    const at = step.conditions.findIndex((condition) => condition.command === key)
    const isOwn = at < 0 && key === step.command
    if (isOwn) step.isClaimed = true
    const [condition] = at < 0 ? [] : step.conditions.splice(0, at + 1).slice(-1)
    const answer = await (isOwn ? step.answer : condition?.answer)
    if (answer) {
      if (!isOwn) this.noteRead(command)
      return answer
    }
    // not what was foreseen: nothing that was sent may run after this
    this.current = undefined
    await this.stop()
    await this.answered
    return undefined
  }

  /** Let the shell start nothing more of what was sent; then end what runs, if there is a reason for it. */
  stop(reason?: unknown): Promise<void> {
    this.stopping ??= this.halt()
    return reason === undefined ? this.stopping : this.stopping.then(() => this.ender.abort(reason))
  }

  private async halt(): Promise<void> {
    if (this.isAnswered || !this.shell) return
    try {
      await this.agents.requestBeside(`kill -USR1 ${await this.shell}`)
    } catch {
      // a lost connection ends the shell
    }
  }
}
