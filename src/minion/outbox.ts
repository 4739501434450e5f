// Returns on their way to the master. Each return is on disk before it is sent, and stays there until the master
// confirms it, so that neither an outage nor a crash loses one. Returns that a crash left are sent at the next start.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, namingErrors, Repeats, StorageError, type Storing, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, str } from '../data/mod.ts'

/** How long closing waits for a return that is being sent, in milliseconds. */
const LAST_MOMENT_MS = 1000

/** Bytes of a return; a master refuses messages of more than 256 MiB, and would be sent the same again and again. */
const LARGEST = 240 << 20

/** The folder of returns that any master may have, or the only one. */
export const OUTBOX = 'outbox'

/** The folder of returns for one of several masters. */
export const outboxOf = (master: string): string => `${OUTBOX}-${master.replace(/[^\w.-]/g, '_')}`

export interface OutboxOptions {
  directory: string
  /** Resolves when the master has taken it. */
  send(load: Dict): Promise<unknown>
  /** Seconds before the n-th attempt after the first. */
  delay(attempt: number): number
  log: Log
  /** How returns are written and removed. */
  storing?: Storing
}

export class ReturnOutbox {
  private readonly options: OutboxOptions
  private readonly stopped = new AbortController()
  private readonly sending = new Map<Promise<void>, Dict>()
  private count = 0
  /** When the log repeats that the master accepts nothing. */
  private repeats = new Repeats()

  constructor(options: OutboxOptions) {
    this.options = options
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  }

  /** Send the returns that an earlier process left; return the ids of those jobs. */
  resume(): Set<string> {
    const jids = new Set<string>()
    for (const name of readdirSync(this.options.directory).sort()) {
      const file = join(this.options.directory, name)
      const load = name.endsWith('.p') ? this.read(file) : undefined
      if (load) {
        jids.add(str(load.get('jid') ?? ''))
        void this.start(file, load)
      } else rmSync(file, { force: true })
    }
    return jids
  }

  /** Store a return and start sending it. A return that can never be sent is replaced by an error. */
  post(given: Dict): Promise<void> {
    const name = `${Date.now()}-${process.pid}-${String(this.count++).padStart(6, '0')}`
    const file = join(this.options.directory, `${name}.p`)
    const { load, bytes } = this.sendable(given)
    try {
      this.keep(file, bytes)
    } catch (error) {
      // it is sent all the same, only a crash would lose it
      const level = error instanceof StorageError ? 'debug' : 'error'
      this.options.log(level, `A return cannot be kept on disk until it is sent: ${toError(error).message}`)
    }
    return this.start(file, load)
  }

  private sendable(load: Dict): { load: Dict; bytes: Uint8Array } {
    let reason: string
    try {
      const bytes = encodeMsgpack(load, 'bus')
      if (bytes.length <= LARGEST) return { load, bytes }
      reason = `it has ${bytes.length} bytes, ${LARGEST} are allowed`
    } catch (error) {
      reason = toError(error).message
    }
    const what = `The return of ${str(load.get('fun') ?? '')} cannot be sent: ${reason}`
    this.options.log('error', `${what} (job ${str(load.get('jid') ?? '')})`)
    const instead: Dict = new Map(load).set('return', what).set('success', false).set('retcode', 1)
    return { load: instead, bytes: encodeMsgpack(instead, 'bus') }
  }

  private keep(file: string, bytes: Uint8Array): void {
    const fresh = `${file}.tmp`
    this.storing(file, () => {
      try {
        writeFileSync(fresh, bytes, { mode: 0o600 })
        renameSync(fresh, file)
      } catch (error) {
        rmSync(fresh, { force: true })
        throw error
      }
    })
  }

  private get storing(): Storing {
    return this.options.storing ?? namingErrors
  }

  /** The returns that the master has not taken yet. */
  get unsent(): Dict[] {
    return [...this.sending.values()]
  }

  /**
   * Stop sending; unsent returns stay on disk. A return that is being sent gets a short time, so that an absent master
   * does not delay the end.
   */
  async close(): Promise<void> {
    this.stopped.abort()
    await Promise.race([Promise.all(this.sending.keys()), sleep(LAST_MOMENT_MS, undefined, { ref: false })])
  }

  private start(file: string, load: Dict): Promise<void> {
    const sent = this.deliver(file, load).catch((error: unknown) => {
      this.options.log('error', `A return could not be sent: ${toError(error).stack ?? ''}`)
    })
    this.sending.set(sent, load)
    return sent.finally(() => this.sending.delete(sent))
  }

  private async deliver(file: string, load: Dict): Promise<void> {
    for (let attempt = 1; !this.stopped.signal.aborted; attempt++) {
      try {
        await this.options.send(load)
        this.repeats = new Repeats()
        this.remove(file)
        return
      } catch (error) {
        if (this.stopped.signal.aborted) return
        const seconds = this.options.delay(attempt)
        this.options.log(
          this.repeats.due() ? 'warning' : 'debug',
          `The master did not take a return, next try in ${seconds} s: ${toError(error).message}`,
        )
        await this.pause(seconds)
      }
    }
  }

  /** A return that was taken is not sent again because its file stays, as on a disk that became read-only. */
  private remove(file: string): void {
    try {
      this.storing(file, () => rmSync(file, { force: true }))
    } catch (error) {
      this.options.log('error', `A return that was sent stays on disk: ${toError(error).message}`)
    }
  }

  private read(file: string): Dict | undefined {
    try {
      const load = decodeMsgpack(readFileSync(file), { dialect: 'bus' })
      if (isDict(load)) return load
    } catch (error) {
      this.options.log('debug', toError(error).message)
    }
    this.options.log('error', `Removed ${file}, which holds no return`)
    return undefined
  }

  private pause(seconds: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(finish, seconds * 1000)
      const { signal } = this.stopped
      function finish(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        done()
      }
      signal.addEventListener('abort', finish)
    })
  }
}
