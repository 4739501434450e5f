// Watches the disks of a daemon. A failing disk is reported once at the beginning, again from time to time, and once
// when it is over: in the log and as an event, however many requests fail meanwhile. It is over when a file can be
// written there again.
import { rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  guarded,
  isAnyError,
  type Log,
  PRIVATE_FILE,
  recover,
  StorageError,
  type Storing,
  storageError,
} from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'

/** How a store uses the disk: errors are converted, and with a log, damaged files are reported when they are opened. */
export interface StorageUse {
  storing: Storing
  log?: Log
}

export type StorageMoment = 'failed' | 'recovered'

export interface WatchOptions {
  log: Log
  /** Fires the event of a moment. */
  fire?(moment: StorageMoment, data: Dict): void
  /** Milliseconds between looks at a disk that failed. */
  lookMs?: number
  /** Milliseconds after which a lasting failure is reported again. */
  againMs?: number
}

const LOOK_MS = 5000
const AGAIN_MS = 600_000

/** Bytes that must fit for a disk to count as usable again: with less the next return would not fit. */
const PROBE_BYTES = 1 << 20

interface Trouble {
  error: StorageError
  /** An existing directory on the disk. */
  folder: string
  since: number
  last: number
  told: number
  count: number
}

export class StorageWatch implements StorageUse {
  readonly log: Log
  private readonly options: WatchOptions
  private readonly troubles = new Map<string, Trouble>()
  private timer: NodeJS.Timeout | undefined
  /** Operations that failed so far. */
  errors = 0

  constructor(options: WatchOptions) {
    this.options = options
    this.log = options.log
  }

  /** Work may be a promise. */
  readonly storing: Storing = (path, work) => {
    const fail = (error: unknown): never => {
      throw this.failed(error, path)
    }
    try {
      const done = work()
      return done instanceof Promise ? (done.catch(fail) as typeof done) : done
    } catch (error) {
      return fail(error)
    }
  }

  /** Convert an error, and report it if it begins a failure. */
  failed(thrown: unknown, path: string): unknown {
    const error = storageError(thrown, path)
    if (error instanceof StorageError) this.note(error)
    return error
  }

  /** The present failures. */
  get current(): StorageError[] {
    return [...this.troubles.values()].map(({ error }) => error)
  }

  close(): void {
    clearInterval(this.timer)
  }

  private note(error: StorageError): void {
    this.errors++
    const folder = existingFolder(error.path)
    const key = `${error.code} ${deviceOf(folder)}`
    const now = Date.now()
    const known = this.troubles.get(key)
    if (known) {
      known.last = now
      known.count++
      return
    }
    const trouble: Trouble = { error, folder, since: now, last: now, told: now, count: 1 }
    this.troubles.set(key, trouble)
    this.log('error', `${error.message}. ${ADVICE[error.code]}`)
    this.fire('failed', trouble)
    this.timer ??= setInterval(
      guarded(this.log, 'Looking at a failed disk', () => this.look()),
      this.options.lookMs ?? LOOK_MS,
    )
    this.timer.unref()
  }

  private fire(moment: StorageMoment, { error, since, count }: Trouble): void {
    this.options.fire?.(
      moment,
      new Map<Value, Value>([
        ['code', error.code],
        ['errno', error.errno],
        ['path', error.path],
        ['message', error.message],
        ['since', new Date(since).toISOString()],
        ['failures', count],
      ]),
    )
  }

  private look(): void {
    const { lookMs = LOOK_MS, againMs = AGAIN_MS } = this.options
    const now = Date.now()
    for (const [key, trouble] of this.troubles) {
      const { error, folder, last, told, since, count } = trouble
      if (now - last >= lookMs && isOver(trouble)) {
        this.troubles.delete(key)
        const seconds = Math.round((now - since) / 1000)
        this.log(
          'warning',
          `${folder} can be written again: ${count} operations failed in ${seconds} s (${error.plain})`,
        )
        this.fire('recovered', trouble)
      } else if (now - told >= againMs) {
        trouble.told = now
        const begin = new Date(since).toISOString()
        this.log('error', `${error.message}; ${count} operations have failed since ${begin}. ${ADVICE[error.code]}`)
      }
    }
    if (this.troubles.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

const ADVICE: Readonly<Record<StorageError['code'], string>> = {
  StorageFull: 'Free space on that disk',
  StorageReadOnly: 'Mount it for writing',
  StorageDamaged: 'Restore the file from a backup, or move it away and restart',
  TooManyFiles: 'Raise the limit of open files (LimitNOFILE of the unit, or ulimit -n)',
  StorageFailed: 'Check the disk',
}

/** Whether a failure is over. A damaged database stays damaged, even if its disk works. */
function isOver({ error, folder }: Trouble): boolean {
  return error.code !== 'StorageDamaged' && canWrite(folder)
}

function canWrite(folder: string): boolean {
  const file = join(folder, `.storage-probe-${process.pid}`)
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { mode: PRIVATE_FILE })
    return true
  } catch {
    // the failure lasts, and was reported
    return false
  } finally {
    rmSync(file, { force: true })
  }
}

/** The nearest directory that exists: the path itself, or one above it. */
function existingFolder(path: string): string {
  const above = dirname(path)
  return above === path || infoOf(path)?.isDirectory() ? path : existingFolder(above)
}

const deviceOf = (folder: string): number => infoOf(folder)?.dev ?? 0

/** Undefined if nothing exists, or the disk fails. */
function infoOf(path: string): Stats | undefined {
  // the original error is the one to report
  return recover(isAnyError, undefined, () => statSync(path, { throwIfNoEntry: false }))
}
