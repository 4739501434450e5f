// Returns on their way to the master. Each is on disk before it is sent, and stays there until the master has said that it
// came, so that neither an outage nor a crash loses one. What a crash left behind is sent at the next start.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict } from '../data/mod.ts'

export interface OutboxOptions {
  directory: string
  /** Resolves when the master has taken it. */
  send(load: Dict): Promise<unknown>
  /** Seconds before the n-th attempt after the first. */
  delay(attempt: number): number
  log: Log
}

export class Outbox {
  private readonly options: OutboxOptions
  private readonly stopped = new AbortController()
  private readonly sending = new Set<Promise<void>>()
  private count = 0

  constructor(options: OutboxOptions) {
    this.options = options
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  }

  /** Sends what an earlier life left. */
  resume(): void {
    const names = readdirSync(this.options.directory).sort()
    for (const name of names) {
      const file = join(this.options.directory, name)
      if (!name.endsWith('.p')) rmSync(file, { force: true })
      else this.start(file)
    }
  }

  /** Keeps a return and begins to send it. */
  post(load: Dict): Promise<void> {
    const name = `${Date.now()}-${process.pid}-${String(this.count++).padStart(6, '0')}`
    const file = join(this.options.directory, `${name}.p`)
    const fresh = `${file}.tmp`
    writeFileSync(fresh, encodeMsgpack(load, 'bus'), { mode: 0o600 })
    renameSync(fresh, file)
    return this.start(file, load)
  }

  /** Stops sending; what is left stays on disk. */
  async close(): Promise<void> {
    this.stopped.abort()
    await Promise.all(this.sending)
  }

  private start(file: string, load?: Dict): Promise<void> {
    const sent = this.deliver(file, load).catch((error: unknown) => {
      this.options.log('error', `A return could not be sent: ${toError(error).stack ?? ''}`)
    })
    this.sending.add(sent)
    return sent.finally(() => this.sending.delete(sent))
  }

  private async deliver(file: string, given?: Dict): Promise<void> {
    const load = given ?? this.read(file)
    if (load === undefined) return
    for (let attempt = 1; !this.stopped.signal.aborted; attempt++) {
      try {
        await this.options.send(load)
        rmSync(file, { force: true })
        return
      } catch (error) {
        const seconds = this.options.delay(attempt)
        this.options.log(
          'warning',
          `The master did not take a return, next try in ${seconds} s: ${toError(error).message}`,
        )
        await this.pause(seconds)
      }
    }
  }

  private read(file: string): Dict | undefined {
    const load = decodeMsgpack(readFileSync(file), { dialect: 'bus' })
    if (isDict(load)) return load
    this.options.log('error', `Removed ${file}, which holds no return`)
    rmSync(file, { force: true })
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
