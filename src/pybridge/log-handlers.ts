// Log handlers from users' own files and extensions: modules with a function `setup_handlers`, in a separate Python
// process, which get the lines of a daemon's log. The log never waits for them: lines wait in a bounded queue, and the
// oldest are dropped when it is full.
import { setTimeout as sleep } from 'node:timers/promises'
import { LOG_LEVELS, type Log, type LogLevel, toError, wrapLog } from '../base/mod.ts'
import { type Dict, float, isDict, str, type Value } from '../data/mod.ts'
import { callPython, type ModuleFile, moduleFolders, type Scope, upstreamFiles } from '../python/mod.ts'
import { familyFiles } from './family-files.ts'

/** Limits of waiting lines and their characters. */
const MOST_LINES = 10_000
const MOST_CHARACTERS = 8 << 20

/** How long lines are gathered, in milliseconds. */
const PAUSE_MS = 200

/** Time limit of handlers for a batch of lines, in seconds. */
const SECONDS = 20

/**
 * How long handlers get nothing after they hung or crashed Python, and how often one problem is logged, in
 * milliseconds.
 */
const RECOVERY_MS = 30_000

/** How long the end of a daemon waits for them, in milliseconds. */
const PARTING_MS = 3000

export interface LogLine {
  level: LogLevel
  name: string
  text: string
  jid: string
  /** Milliseconds since 1970. */
  time: number
}

export class LogHandlers {
  private readonly scope: Scope
  private readonly files: readonly ModuleFile[]
  private waiting: LogLine[] = []
  private characters = 0
  private dropped = 0
  private timer: NodeJS.Timeout | undefined
  private sending: Promise<void> | undefined
  private readonly told = new Map<string, number>()
  private restUntil = 0
  /** Whether a line is about the handlers, which must not reach them. */
  private isOwn = false

  /** Undefined if there are no handlers, which costs the listing of a few folders. */
  static open(opts: Dict, log: Log): LogHandlers | undefined {
    const { python, native } = familyFiles(opts, 'log_handlers')
    for (const { path } of native) log('warning', `${path} is no log handler: log handlers are in Python`)
    const files = [...python, ...upstreamFiles(opts, 'log_handlers')]
    return files.length === 0 ? undefined : new LogHandlers(opts, log, files)
  }

  private constructor(opts: Dict, log: Log, files: readonly ModuleFile[]) {
    this.files = files
    const quiet = wrapLog(log, (inner) => (level, text) => {
      this.isOwn = true
      inner(level, text)
      this.isOwn = false
    })
    this.scope = {
      opts,
      grains: new Map(),
      pillar: new Map(),
      memory: new Map(),
      log: quiet,
      most: SECONDS,
      process: 'log_handlers',
      facts: new Map<Value, Value>([['utils', moduleFolders(opts, 'utils')]]),
      answers: new Map(),
    }
  }

  /** Take a line of the log. */
  take(line: LogLine): void {
    if (this.isOwn) return
    this.waiting.push(line)
    this.characters += line.text.length
    while (this.waiting.length > MOST_LINES || this.characters > MOST_CHARACTERS) {
      this.characters -= this.waiting.shift()!.text.length
      this.dropped++
    }
    this.timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref()
  }

  private flush(): void {
    this.timer = undefined
    if (this.sending || this.waiting.length === 0) return
    const rest = this.restUntil - performance.now()
    if (rest > 0) {
      this.timer = setTimeout(() => this.flush(), rest).unref()
      return
    }
    this.sending = this.send().finally(() => {
      this.sending = undefined
      if (this.waiting.length > 0) this.timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref()
    })
  }

  private async send(): Promise<void> {
    const lines = this.waiting.splice(0)
    this.characters = 0
    const { dropped } = this
    this.dropped = 0
    if (dropped > 0) this.tell('queue', `${dropped} lines did not reach the log handlers: they came too fast`)
    const installed: Dict = new Map(
      this.files.flatMap(({ path, extension }) =>
        extension ? [[path, [extension.package, `${extension.name} ${extension.version}`]] as const] : [],
      ),
    )
    const params = [this.files.map(({ path }) => path), installed, lines.map(recordOf)]
    try {
      const problems = await callPython(this.scope, { method: 'log_records', params, what: 'the log handlers' })
      for (const [name, problem] of isDict(problems) ? problems : []) {
        this.tell(str(name), `Log handler ${str(name)} failed: ${str(problem)}`)
      }
    } catch (error) {
      this.restUntil = performance.now() + RECOVERY_MS
      this.tell('', `The log handlers did not take ${lines.length} lines: ${toError(error).message}`)
    }
  }

  /** Log a problem of a handler, each at most once per `RECOVERY_MS`. */
  private tell(name: string, text: string): void {
    const last = this.told.get(name)
    if (last !== undefined && performance.now() - last < RECOVERY_MS) return
    this.told.set(name, performance.now())
    this.scope.log('warning', text)
  }

  /** Pass on the waiting lines, within limits. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    const last = async (): Promise<void> => {
      await this.sending
      if (this.waiting.length > 0 && this.restUntil <= performance.now()) await this.send()
    }
    await Promise.race([last(), sleep(PARTING_MS, undefined, { ref: false })])
    clearTimeout(this.timer)
  }
}

const recordOf = ({ level, name, text, jid, time }: LogLine): Value[] => [
  LOG_LEVELS[level],
  name,
  text,
  jid,
  float(time / 1000),
  process.pid,
]
