// What was read from a target lately. A read that is repeated costs no round trip, and reads that are known beforehand are asked for
// together. Anything that may change the target empties the cache; what was planned is then asked for again with the next read that
// misses, in the same round trip.
import { basename } from 'node:path/posix'
import type { AccessWish, Command } from '../host.ts'

/** A read as plain data, so that it can be kept for the next run on the same target. */
export type SshRead =
  | { op: 'stat' | 'lstat' | 'read' | 'list' | 'realPath' | 'readLink'; path: string }
  | { op: 'hash'; path: string; algorithm: string }
  | { op: 'access'; path: string; wish: AccessWish }
  | { op: 'which'; program: string }
  | { op: 'user' | 'group'; key: string | number }
  | { op: 'run'; command: ReadCommand }

/** A command that only reads. */
export interface ReadCommand {
  argv: readonly string[]
  cwd?: string
  env?: ReadonlyArray<readonly [string, string]>
  cleanEnv?: boolean
  user?: string
  group?: string
  umask?: number
  mergeStderr?: boolean
}

/** How long a read counts, in milliseconds. */
const FRESH = 5000

/** How many planned reads are asked for together with one that misses. */
const AHEAD = 8

/** How many of the last reads are asked for again behind a change: code that changes a file mostly reads the file again. */
const LATELY = 6

/** Bounds what a session keeps and what a plan may ask for. */
const MOST = 2000

/** Content beyond this size is neither kept nor planned, in bytes. */
const MOST_CONTENT = 256 << 10

/** What lies here changes by itself. */
const VOLATILE = /^(\/var)?\/(proc|sys|dev|run)(\/|$)/

const isVolatile = (read: SshRead): boolean => 'path' in read && VOLATILE.test(read.path)

interface Entry {
  value: Promise<unknown>
  since: number
  isServedOnce: boolean
}

export class ReadCache {
  private readonly entries = new Map<string, Entry>()
  private readonly record = new Map<string, SshRead>()
  /** The last reads, latest last. */
  private readonly recent = new Map<string, SshRead>()
  private plan: SshRead[] = []
  private places = new Map<string, number>()
  private next = 0
  /** Commands that run now and may change anything at any time. */
  private changing = 0
  /** Whether this session changed anything: then commands tell how things are only when they are asked for. */
  private isChanged = false
  private readonly perform: (read: SshRead) => Promise<unknown>

  /** `perform` asks the target, without this cache. */
  constructor(perform: (read: SshRead) => Promise<unknown>) {
    this.perform = perform
  }

  /** Return the reads of this session, each once, in their order. */
  recorded(): SshRead[] {
    return [...this.record.values()]
  }

  /** Ask for reads in one round trip, and keep them as the plan of this session. */
  async prefetch(reads: readonly SshRead[]): Promise<void> {
    this.plan = reads.filter((read) => !isVolatile(read)).slice(0, MOST)
    this.places = new Map(this.plan.map((read, i) => [JSON.stringify(read), i]))
    this.next = 0
    await Promise.allSettled(this.plan.map((read) => this.fetch(JSON.stringify(read), read).value))
  }

  /** Return a read from the cache or from the target. */
  async get<T>(read: SshRead): Promise<T> {
    if (isVolatile(read)) return this.perform(read) as Promise<T>
    const key = JSON.stringify(read)
    if (this.record.size < MOST && !this.record.has(key)) this.record.set(key, read)
    if (this.changing > 0) return this.perform(read) as Promise<T>
    this.noteRecent(key, read)
    const place = this.places.get(key)
    if (place !== undefined) this.next = place + 1
    const found = this.fresh(key)
    const entry = found ?? this.fetch(key, read)
    if (!found) this.fetchAhead()
    if (entry.isServedOnce) this.entries.delete(key)
    return entry.value as Promise<T>
  }

  private fresh(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry && performance.now() - entry.since <= FRESH) return entry
    this.entries.delete(key)
    return undefined
  }

  private fetch(key: string, read: SshRead): Entry {
    if (this.entries.size >= MOST) this.entries.clear()
    const entry = { value: this.perform(read), since: performance.now(), isServedOnce: read.op === 'run' }
    this.entries.set(key, entry)
    entry.value.then(
      (value) => {
        if (!(value instanceof Uint8Array) || value.length <= MOST_CONTENT) return
        this.entries.delete(key)
        this.record.delete(key)
      },
      // a failure is told to those who ask
      () => {},
    )
    return entry
  }

  private fetchAhead(): void {
    for (const read of this.plan.slice(this.next, this.next + AHEAD)) {
      if (read.op === 'run' && this.isChanged) continue
      const key = JSON.stringify(read)
      if (!this.fresh(key)) this.fetch(key, read)
    }
  }

  private noteRecent(key: string, read: SshRead): void {
    if (read.op === 'run') return
    this.recent.delete(key)
    this.recent.set(key, read)
    if (this.recent.size > LATELY) this.recent.delete(this.recent.keys().next().value!)
  }

  /** Forget everything: something changed. */
  clear(): void {
    this.entries.clear()
  }

  /** Forget everything, and ask behind the change for what was read lately and for what is planned next. */
  renew(): void {
    this.isChanged = true
    this.clear()
    if (this.changing > 0) return
    for (const [key, read] of this.recent) this.fetch(key, read)
    this.fetchAhead()
  }

  /** Run something that may change the target at any time until it ends. */
  async whileChanging<T>(work: () => Promise<T>): Promise<T> {
    const end = this.beginChanging()
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Keep nothing until the returned function is called, because something may change the target at any time. */
  beginChanging(): () => void {
    this.changing++
    this.clear()
    return () => {
      this.changing--
      this.renew()
    }
  }
}

/** Programs that only read, whatever their arguments. */
const READERS = new Set(['dpkg-query', 'getent', 'id', 'uname', 'apt-cache', 'lsb_release', 'systemd-detect-virt'])

/** First arguments with which a program only reads. */
const READING: ReadonlyMap<string, RegExp> = new Map([
  ['systemctl', /^(show|is-active|is-enabled|is-failed|cat|status|list-units|list-unit-files)$/],
  ['rpm', /^(-q[a-z]*|--query)$/],
  ['dpkg', /^(-l|-s|-L|--list|--status|--print-architecture|--compare-versions)$/],
  ['hostname', /^-[fsidIA]$/],
])

/** Arguments of these programs that run something else. */
const RUNNING = /^(--pipe|--eval|-E|--load|--macros|--define|-D)/

/** Return the command as a read, or undefined when it may change the target or its output is heard as it comes. */
export function readOnlyCommand(command: Command): ReadCommand | undefined {
  const { argv, stdin, hear, maxOutput, cwd, env, cleanEnv, user, group, umask, mergeStderr } = command
  const [program = '', ...args] = argv
  const first = args.find((word) => !/^--(no-pager|full|plain|no-legend|quiet)\b/.test(word)) ?? ''
  const isReader = READERS.has(basename(program)) || (READING.get(basename(program))?.test(first) ?? false)
  if (!isReader || args.some((word) => RUNNING.test(word))) return undefined
  if (stdin !== undefined || hear || maxOutput !== undefined) return undefined
  return {
    argv: [...argv],
    ...(cwd !== undefined && { cwd }),
    ...(env && env.size > 0 && { env: [...env] }),
    ...(cleanEnv && { cleanEnv }),
    ...(user !== undefined && { user }),
    ...(group !== undefined && { group }),
    ...(umask !== undefined && { umask }),
    ...(mergeStderr && { mergeStderr }),
  }
}

const PATH_READS = new Set(['stat', 'lstat', 'read', 'list', 'realPath', 'readLink', 'hash', 'access'])

/** Return the reads in data that was kept; what is no read, or a command that could change something, is left out. */
export function keptReads(data: unknown): SshRead[] {
  if (!Array.isArray(data)) return []
  return data.filter((read: Partial<Record<string, unknown>> | null): read is SshRead => {
    if (read === null || typeof read !== 'object') return false
    const { op, path, program, key, command } = read
    if (op === 'run') return isKeptCommand(command)
    if (op === 'which') return typeof program === 'string'
    if (op === 'user' || op === 'group') return typeof key === 'string' || typeof key === 'number'
    return PATH_READS.has(String(op)) && typeof path === 'string'
  })
}

function isKeptCommand(data: unknown): boolean {
  const { argv } = (data ?? {}) as { argv?: unknown }
  if (!Array.isArray(argv) || !argv.every((word) => typeof word === 'string')) return false
  return readOnlyCommand({ argv }) !== undefined
}
