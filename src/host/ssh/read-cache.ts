// Recent reads of a target. A repeated read costs no round trip, and predicted reads are requested together. Every
// possible change of the target empties the cache. Likely next reads are then requested right after the change, in the
// same round trip: the shell answers them after the change, so no answer is older than the change.
import type { ExpectedRead } from '../host.ts'
import { isWithin } from '../within.ts'
import { isLookingCommand, isLookingLine, isReadCommand, type ReadCommand } from './reading-commands.ts'

/** A read as plain data, so that it can be kept for the next run on the same target. */
export type SshRead =
  | Exclude<ExpectedRead, { op: 'line' }>
  | { op: 'which'; program: string }
  | { op: 'run'; command: ReadCommand }

/** How long a read is valid, in milliseconds after its answer. */
const FRESH = 5000

/** How many planned reads are requested together with a missing one, and after a change. */
const AHEAD = 8

/**
 * How many of the last reads are requested again after each change: code that changes a file usually reads the file
 * again.
 */
const LATELY = 10

/** How many concurrent changes may have all their reads requested again. */
const MOST_AT_ONCE = 24

/**
 * How many of the last reads of accounts are requested again: they are cheap, and states about other things repeat
 * them.
 */
const ACCOUNTS = 6

/** Limit of the reads that a session keeps and that a plan may request. */
const MOST = 2000

/** Content beyond this size is neither kept nor planned, in bytes. */
const MOST_CONTENT = 256 << 10

/** Paths whose content changes without commands. */
const VOLATILE = /^(\/var)?\/(proc|sys|dev|run)(\/|$)/

const isVolatile = (read: SshRead): boolean => 'path' in read && VOLATILE.test(read.path)

/** Whether a command must run at the moment of its request after a change, such as for the state of a service. */
const isOfTheMoment = (read: SshRead): boolean => read.op === 'run' && !isLookingCommand(read.command)

/**
 * Whether a read concerns a file outside a place. Facts about a parent directory that a change in the place does not
 * affect count too.
 */
function isElsewhere(read: Extract<SshRead, { path: string }>, place: readonly string[]): boolean {
  if (place.some((own) => isWithin(read.path, own))) return false
  const isAround = place.some((own) => isWithin(own, read.path) || read.path === '/')
  return !isAround || ['stat', 'lstat', 'realPath', 'access'].includes(read.op)
}

/** Whether the request of a read is sent at once: another user has to be looked up before. */
const isSentAtOnce = (read: SshRead): boolean =>
  read.op !== 'run' || (read.command.user === undefined && read.command.group === undefined)

interface Entry {
  value: Promise<unknown>
  /** When the answer came. */
  since: number | undefined
  /** When it was requested, counted in changes. */
  era: number
  isServedOnce: boolean
}

type KeyedReads = Map<string, SshRead>

const keyed = (reads: readonly SshRead[]): KeyedReads =>
  new Map(reads.filter((read) => !isVolatile(read)).map((read) => [JSON.stringify(read), read]))

export class ReadCache {
  private readonly entries = new Map<string, Entry>()
  private readonly record: KeyedReads = new Map()
  /** The last reads, latest last. */
  private readonly recent = { accounts: new Map<string, SshRead>(), others: new Map<string, SshRead>() }
  /** The last command that looked at files for a line of a shell. */
  private lastLook: ReadCommand | undefined
  private plan: Array<[string, SshRead]> = []
  private planned = new Map<string, number>()
  private next = 0
  /** The reads predicted soon, and later. */
  private forecast: Record<'soon' | 'later', readonly ExpectedRead[]> = { soon: [], later: [] }
  /** Commands of the forecast that ran already. */
  private readonly past = new Set<string>()
  /** Commands that run now and may change anything at any time. */
  private changing = 0
  /** Whether this session changed anything. */
  private isChanged = false
  /** Changes without requests after them yet. */
  private unfollowed = 0
  /** How often cached reads were dropped. */
  private era = 0
  /** Places of work that goes on beside other work. */
  private places: ReadonlyArray<readonly string[]> = []
  /** Reads requested again after a change in one of the places, for the time after this work. */
  private readonly renewed = new Map<string, Entry>()
  private readonly perform: (read: SshRead) => Promise<unknown>

  /** `perform` asks the target, without this cache. */
  constructor(perform: (read: SshRead) => Promise<unknown>) {
    this.perform = perform
  }

  /** Return the reads of this session, each once, in their order. */
  recorded(): SshRead[] {
    return [...this.record.values()]
  }

  /** Request reads in one round trip, and store them as the plan of this session. */
  async prefetch(reads: readonly SshRead[]): Promise<void> {
    this.plan = [...keyed(reads)].slice(0, MOST)
    this.planned = new Map(this.plan.map(([key], i) => [key, i]))
    this.next = 0
    await Promise.allSettled(this.ask(new Map(this.plan)))
  }

  /**
   * Receive a forecast: `soon` is requested with the next missing read and after each change, `later` with the next
   * missing read.
   */
  expect(soon: readonly ExpectedRead[], later: readonly ExpectedRead[]): void {
    this.forecast = { soon, later }
    this.past.clear()
  }

  /**
   * Return the reads of a forecast that can be requested: a line needs an earlier one, whose user and environment it
   * gets.
   */
  private expected(part: 'soon' | 'later'): KeyedReads {
    const reads = this.forecast[part].flatMap((read): SshRead[] => {
      if (read.op !== 'line') return [read]
      if (this.lastLook === undefined || !isLookingLine(read.line)) return []
      const [shell = '', option = ''] = this.lastLook.argv
      return [{ op: 'run', command: { ...this.lastLook, argv: [shell, option, read.line] } }]
    })
    return new Map([...keyed(reads)].filter(([key]) => !this.past.has(key)))
  }

  /** Return a read from the cache or from the target. */
  async get<T>(read: SshRead): Promise<T> {
    if (isVolatile(read)) return this.perform(read) as Promise<T>
    const key = JSON.stringify(read)
    if (this.record.size < MOST && !this.record.has(key)) this.record.set(key, read)
    if (this.changing > 0) return this.perform(read) as Promise<T>
    this.noteRecent(key, read)
    const place = this.planned.get(key)
    if (place !== undefined && place >= this.next) this.next = place + 1
    const found = this.fresh(key)
    const entry = found ?? this.fetch(key, read)
    if (!found) this.ask(this.ahead(new Map([...this.expected('soon'), ...this.expected('later')])))
    if (entry.isServedOnce) this.entries.delete(key)
    return entry.value as Promise<T>
  }

  private fresh(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry && (entry.since === undefined || performance.now() - entry.since <= FRESH)) return entry
    this.entries.delete(key)
    return undefined
  }

  private fetch(key: string, read: SshRead, entries = this.entries): Entry {
    if (entries.size >= MOST) entries.clear()
    const entry: Entry = { value: this.perform(read), since: undefined, era: this.era, isServedOnce: read.op === 'run' }
    entries.set(key, entry)
    entry.value.then(
      (value) => {
        entry.since = performance.now()
        if (this.entries.get(key) === entry) this.alsoByName(read, value, entry)
        if (!(value instanceof Uint8Array) || value.length <= MOST_CONTENT) return
        if (this.entries.get(key) === entry) this.entries.delete(key)
        this.record.delete(key)
      },
      // callers that await it get the failure
      () => {
        entry.since = performance.now()
      },
    )
    return entry
  }

  /** An account that was requested by its number is usually requested by its name next. */
  private alsoByName(read: SshRead, value: unknown, entry: Entry): void {
    if ((read.op !== 'user' && read.op !== 'group') || typeof read.key !== 'number') return
    const { name } = (value ?? {}) as { name?: unknown }
    const key = JSON.stringify({ op: read.op, key: name })
    if (typeof name === 'string' && !this.entries.has(key)) this.entries.set(key, entry)
  }

  /** Request the missing reads. Reads of one kind are sent together. */
  private ask(reads: KeyedReads): Array<Promise<unknown>> {
    return this.wanted(reads)
      .filter(([key]) => !this.fresh(key))
      .map(([key, read]) => this.fetch(key, read).value)
  }

  /** Request again, for the time after the work in the places, the reads that are valid only until then. */
  private askAgain(reads: KeyedReads): void {
    for (const [key, read] of this.wanted(reads)) {
      const known = this.renewed.get(key) ?? this.entries.get(key)
      if (known && known.era !== this.era) this.fetch(key, read, this.renewed)
    }
  }

  private wanted(reads: KeyedReads): Array<[string, SshRead]> {
    return [...reads]
      .filter(([, read]) => !(this.isChanged && isOfTheMoment(read)))
      .sort(([, { op: one }], [, { op: other }]) => (one < other ? -1 : one > other ? 1 : 0))
  }

  /** Return these reads, and the next ones of the plan. */
  private ahead(reads: KeyedReads): KeyedReads {
    return new Map([...reads, ...this.plan.slice(this.next, this.next + AHEAD)])
  }

  private noteRecent(key: string, read: SshRead): void {
    if (read.op === 'run') {
      if (isLookingCommand(read.command)) this.lastLook = read.command
      this.past.add(key)
      return
    }
    const [alike, most] = 'key' in read ? [this.recent.accounts, ACCOUNTS] : [this.recent.others, LATELY * MOST_AT_ONCE]
    alike.delete(key)
    alike.set(key, read)
    for (const [oldest] of alike) if (alike.size > most) alike.delete(oldest)
  }

  /** Return the likely reads after this many changes. */
  private following(changes: number): KeyedReads {
    const { accounts, others } = this.recent
    const lately = [...others].slice(-LATELY * changes)
    return this.ahead(new Map([...accounts, ...lately, ...this.expected('soon')]))
  }

  /** Forget everything: something changed. */
  clear(): void {
    this.era++
    this.entries.clear()
    this.renewed.clear()
  }

  /**
   * Let work go on in each of these places. A change in one does not invalidate reads of the others until this ends.
   */
  setPlaces(places: ReadonlyArray<readonly string[]>): void {
    this.places = places
    for (const [key, { era }] of this.entries) if (era !== this.era) this.entries.delete(key)
    for (const [key, entry] of this.renewed) if (entry.era === this.era) this.entries.set(key, entry)
    this.renewed.clear()
  }

  /** Forget the reads that a change of these paths may have made stale for other work. */
  private forget(paths: readonly string[]): void {
    const place = this.places.find((own) => paths.every((path) => own.some((folder) => isWithin(path, folder))))
    if (paths.length === 0 || !place) return this.clear()
    this.era++
    for (const key of this.entries.keys()) {
      const read = JSON.parse(key) as SshRead
      if (!('key' in read) && !('path' in read && isElsewhere(read, place))) this.entries.delete(key)
    }
  }

  /**
   * Drop reads that a change of these paths may affect, and request recent and likely ones again: in the same round
   * trip as the change, once after all changes in this turn of the event loop.
   */
  renew(paths: readonly string[] = []): void {
    this.isChanged = true
    this.forget(paths)
    if (this.unfollowed++ > 0) return
    process.nextTick(() => {
      const changes = this.unfollowed
      this.unfollowed = 0
      if (this.changing > 0) return
      this.ask(this.following(changes))
      if (this.places.length > 0) this.askAgain(this.ahead(this.expected('soon')))
    })
  }

  /**
   * Run work that may change the target at any time until it ends. It calls `sent` when its request is on the way and
   * later ones would be answered after it.
   */
  async whileChanging<T>(work: (sent: () => void) => Promise<T>): Promise<T> {
    let followed: number | undefined
    this.changing++
    this.clear()
    try {
      return await work(() => {
        if (this.changing > 1) return
        this.isChanged = true
        this.ask(new Map([...this.following(1)].filter(([, read]) => isSentAtOnce(read))))
        followed = this.era
      })
    } finally {
      this.changing--
      // reads requested after this work are valid only if nothing else changed meanwhile
      if (followed !== this.era) this.renew()
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

const PATH_READS = new Set(['stat', 'lstat', 'read', 'list', 'realPath', 'readLink', 'hash', 'access'])

/** Return the reads in stored data; invalid ones, and commands that could change something, are dropped. */
export function keptReads(data: unknown): SshRead[] {
  if (!Array.isArray(data)) return []
  return data.filter((read: Partial<Record<string, unknown>> | null): read is SshRead => {
    if (read === null || typeof read !== 'object') return false
    const { op, path, program, key, command } = read
    if (op === 'run') return isReadCommand(command)
    if (op === 'which') return typeof program === 'string'
    if (op === 'user' || op === 'group') return typeof key === 'string' || typeof key === 'number'
    return PATH_READS.has(String(op)) && typeof path === 'string'
  })
}
