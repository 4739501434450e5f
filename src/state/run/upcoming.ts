// Consecutive states that run one command each, on a remote machine: their commands are sent together, each behind its
// conditions, and the shell of the machine runs them in order. The states then run one after the other as usual, and
// find the answers. The command of a state is found by calling the state with a host that runs nothing.
import { type Log, silentLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../../data/mod.ts'
import type { Command, ExpectedRead, Host, SentCommands, UpcomingCommand } from '../../host/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import { Checks } from './checks.ts'
import type { RunSurroundings } from './surroundings.ts'

/** How many commands are sent together. */
const MOST = 24

/** Keys of a chunk whose command can be sent before its turn. */
const PLAIN_KEYS = new Set<Value>(
  `state fun name __sls__ __env__ __id__ order require onlyif unless creates
  cwd env prepend_path shell umask stateful hide_output output_loglevel`.split(/\s+/),
)

/** Reads that the machine's shell can check again. */
const READS = ['access', 'stat', 'user'] as const

/** Members that depend on nothing that a command changes. */
const UNCHANGING = new Set<PropertyKey>(['env', 'identity', 'now', 'umask'])

/** Thrown where a state would run its command. */
class Found extends Error {}

/** Calls a state with other surroundings. */
export type CallIn = (run: RunSurroundings, low: LowChunk) => Promise<unknown>

export class UpcomingCommands {
  private readonly run: RunSurroundings
  private readonly callIn: CallIn
  /** Whether commands of this run can be sent together at all. */
  readonly isOn: boolean
  private sent: { commands: SentCommands; first: number; count: number } | undefined

  constructor(run: RunSurroundings, callIn: CallIn) {
    const { opts, functions, mocked, steps } = run
    this.run = run
    this.callIn = callIn
    const isPlain =
      !mocked && !steps && !option(opts, 'failhard') && !option(opts, 'test') && !option(opts, 'state_events')
    this.isOn = isPlain && functions.ctx.host.sendCommands !== undefined && functions.isBuiltIn('cmd')
  }

  /** Whether the command of a chunk may be sent before its turn, judged by its arguments. */
  async isPlain(low: LowChunk): Promise<boolean> {
    const { states } = this.run
    const module = str(low.get('state') ?? null)
    if (!states.isSettled(module)) await states.load(module)
    const isOne = states.get(`${module}.${str(low.get('fun') ?? null)}`)?.isOneCommand
    if (!isOne || ![...low.keys()].every((key) => PLAIN_KEYS.has(key))) return false
    if (mentions(low, '__slot__:')) return false
    return ['onlyif', 'unless', 'creates'].every((key) => linesOf(low.get(key)) !== undefined)
  }

  /** Whether the answers for a chunk are on their way. */
  has(place: number): boolean {
    return this.sent !== undefined && place >= this.sent.first && place < this.sent.first + this.sent.count
  }

  /** Send the commands of these chunks, up to the first that cannot be sent before its turn. */
  async send(lows: readonly LowChunk[], first: number): Promise<void> {
    const { host } = this.run.functions.ctx
    const commands: UpcomingCommand[] = []
    for (const low of lows.slice(0, MOST)) {
      const upcoming = await this.upcomingOf(low, commands.length === 0)
      if (!upcoming) break
      commands.push(upcoming)
    }
    const isUseful = commands.length > 1 || commands.some(({ onlyif, unless }) => onlyif.length + unless.length > 0)
    if (!isUseful || !host.sendCommands) return
    const sent = await host.sendCommands(commands, host.ending)
    this.sent = { commands: sent, first, count: commands.length }
  }

  /** Run a state with the answers that were sent for. */
  async claim<T>(place: number, running: Dict, tag: string, work: () => T): Promise<Awaited<T>> {
    const { commands, first } = this.sent!
    commands.begin(place - first)
    const outcome = await work()
    if (await commands.end()) {
      const ret = running.get(tag) ?? null
      const text = 'The command ran on the machine, but the state did not ask for it'
      if (isDict(ret)) ret.set('result', false).set('comment', text)
    }
    return outcome
  }

  /** Run nothing more of what was sent: the run ends. */
  async stop(): Promise<void> {
    await this.sent?.commands.stop()
  }

  /** Return the command of a chunk; undefined if it cannot be sent, or if the state is known to do nothing. */
  private async upcomingOf(low: LowChunk, isFirst: boolean): Promise<UpcomingCommand | undefined> {
    const search = new Search(this.run.functions.ctx.host)
    const run = search.surroundings(this.run)
    try {
      const onlyif = await this.conditions(search, run, low, 'onlyif')
      const unless = await this.conditions(search, run, low, 'unless')
      const creates = linesOf(low.get('creates'))!
      if (isFirst && (await this.isKnownToSkip({ onlyif, unless, creates }))) return undefined
      const bare = new Map(low)
      for (const key of ['onlyif', 'unless', 'creates']) bare.delete(key)
      const command = await search.commandOf(() => this.callIn(run, bare))
      if (!command || !search.isTestable || this.isStaged([command, ...onlyif, ...unless])) return undefined
      return { command, onlyif, unless, creates, reads: [...search.reads.values()] }
    } catch {
      // the state itself reports the error
      return undefined
    }
  }

  private async conditions(
    search: Search,
    run: RunSurroundings,
    low: LowChunk,
    kind: 'onlyif' | 'unless',
  ): Promise<Command[]> {
    const found: Command[] = []
    for (const line of linesOf(low.get(kind))!) {
      const one: LowChunk = new Map([...low, [kind, line]])
      for (const other of ['onlyif', 'unless', 'creates']) if (other !== kind) one.delete(other)
      const checks = new Checks(run.functions, run.functions.ctx.host, run.grains, run.log)
      const command = await search.commandOf(() => checks.conditions(one))
      if (!command) throw new Found()
      found.push(command)
    }
    return found
  }

  private async isKnownToSkip({
    onlyif,
    unless,
    creates,
  }: Pick<UpcomingCommand, 'onlyif' | 'unless' | 'creates'>): Promise<boolean> {
    const { host } = this.run.functions.ctx
    const ends = (commands: readonly Command[]): Promise<Array<number | undefined>> =>
      Promise.all(commands.map(async (command) => (await host.knownAnswer?.(command))?.retcode))
    if ((await ends(onlyif)).some((code) => code !== undefined && code !== 0)) return true
    if (unless.length > 0 && (await ends(unless)).every((code) => code === 0)) return true
    const exist = await Promise.all(creates.map((path) => host.access(path, 'exists')))
    return creates.length > 0 && exist.every(Boolean)
  }

  /** Whether a command names a file that is copied to the machine first. */
  private isStaged(commands: readonly Command[]): boolean {
    const cache = option(this.run.opts, 'cachedir')
    return commands.some(({ argv, cwd = '' }) => [...argv, cwd].some((word) => word.includes(cache)))
  }
}

/** Return the texts of a condition; undefined if one is no text. */
function linesOf(value: Value | undefined): string[] | undefined {
  const items = value === undefined ? [] : isList(value) ? value : [value]
  return items.every((item) => typeof item === 'string') ? items : undefined
}

/** Whether a text is in a value, or in what it holds. */
function mentions(value: Value, text: string): boolean {
  if (typeof value === 'string') return value.includes(text)
  const items = value instanceof Map ? [...value.values()] : isList(value) ? value : []
  return items.some((item) => mentions(item, text))
}

/** A search for the command that a call would run, and for the reads before it. */
class Search {
  readonly reads = new Map<string, readonly [ExpectedRead, unknown]>()
  /** Whether the shell can check all reads again. */
  isTestable = true
  private readonly host: Host
  private found: Command | undefined

  constructor(host: Host) {
    this.host = new Proxy(host, { get: (target, name) => this.member(target, name) })
  }

  /** Return the surroundings of a run in which nothing changes. */
  surroundings(run: RunSurroundings): RunSurroundings {
    const log: Log = silentLog
    const functions = run.functions.with({ host: this.host, log, memory: new Map(), hint: () => {} })
    return { ...run, functions, log, steps: undefined, fireEvent: undefined }
  }

  async commandOf(call: () => Promise<unknown>): Promise<Command | undefined> {
    this.found = undefined
    await call().catch((error) => {
      if (!(error instanceof Found)) throw error
    })
    return this.found
  }

  private member(host: Host, name: PropertyKey): unknown {
    const member = Reflect.get(host, name) as unknown
    if (name === 'run') {
      return async (command: Command) => {
        if (this.found) this.isTestable = false
        this.found = command
        throw new Found()
      }
    }
    if (typeof member !== 'function') return member
    if (UNCHANGING.has(name)) return member.bind(host)
    return async (...args: unknown[]) => {
      const op = READS.find((one) => one === name)
      if (!op) {
        this.isTestable = false
        throw new Found()
      }
      const answer = await (member as (...args: unknown[]) => unknown).apply(host, args)
      const read = readOf(op, args)
      this.reads.set(JSON.stringify(read), [read, answer])
      return answer
    }
  }
}

function readOf(op: (typeof READS)[number], [first, second]: unknown[]): ExpectedRead {
  if (op === 'user') return { op, key: first as string | number }
  return op === 'access' ? { op, path: first as string, wish: second as 'read' } : { op, path: first as string }
}
