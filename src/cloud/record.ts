// Running creations, one file each below `<cachedir>/creating`. A file whose process is gone describes what must be
// undone.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { hasCode, isGone, isRunning, type Log, processMark, recover, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, str, textOf, type Value } from '../data/mod.ts'
import { executionFailure } from './errors.ts'

/** The data of a creation. */
export interface Creation {
  name: string
  alias: string
  driver: string
  token: string
  /** The facts that the driver noted. */
  noted: Dict
  /** The key that was accepted for the minion. */
  publicPem?: string
  /** Whether the driver was told to create the machine. */
  isRequested: boolean
}

interface Stored extends Creation {
  /** Identifies the process that creates the machine, or that undoes it. */
  process: string
}

/** A record, or one whose creation is being undone by the process with that number. */
const RECORD = /\.p(\.undo-\d+)?$/
const HALF_WRITTEN = /\.new-(\d+)$/
const UNDOING = /\.undo-\d+$/

export class Records {
  private readonly folder: string
  private readonly log: Log

  constructor(cachedir: string, log: Log) {
    this.folder = join(cachedir, 'creating')
    this.log = log
  }

  /** Begin a creation, unless one of that name is going on. */
  begin(name: string, provider: { alias: string; driver: string }): RecordedCreation {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const busy = `${name} is being created by another process, or its creation could not be undone yet`
    if (this.all().some(({ creation }) => creation.name === name)) throw executionFailure(busy)
    const { alias, driver } = provider
    const token = randomBytes(16).toString('hex')
    const record = new RecordedCreation(this.file(name), {
      ...{ name, alias, driver, token, noted: new Map(), isRequested: false },
      process: processMark(process.pid),
    })
    try {
      record.create()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      throw executionFailure(busy)
    }
    return record
  }

  /** Return creations whose process is gone, and remove half-written files. */
  abandoned(): RecordedCreation[] {
    for (const name of this.files()) {
      const [, pid] = HALF_WRITTEN.exec(name) ?? []
      if (pid !== undefined && isGone(Number(pid))) rmSync(join(this.folder, name), { force: true })
    }
    return this.all().filter((record) => record.isAbandoned)
  }

  private all(): RecordedCreation[] {
    const found: RecordedCreation[] = []
    for (const name of this.names()) {
      const path = join(this.folder, name)
      try {
        const record = RecordedCreation.read(path)
        if (record) found.push(record)
      } catch (error) {
        // another process has just ended it
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
        this.log('error', `The record ${path} of a creation cannot be read: ${toError(error).message}`)
      }
    }
    return found
  }

  private names(): string[] {
    return this.files().filter((name) => RECORD.test(name))
  }

  private files(): string[] {
    return recover(hasCode('ENOENT'), [], () => readdirSync(this.folder))
  }

  /** Names are checked before; the encoding keeps a file in the folder all the same. */
  private file(name: string): string {
    return join(this.folder, `${encodeURIComponent(name).replaceAll('.', '%2E')}.p`)
  }
}

export class RecordedCreation {
  readonly creation: Creation
  private path: string
  private readonly stored: Stored

  constructor(path: string, stored: Stored) {
    this.path = path
    this.stored = stored
    this.creation = stored
  }

  static read(path: string): RecordedCreation | undefined {
    const value = decodeMsgpack(readFileSync(path), { dialect: 'bus' })
    if (!isDict(value)) return undefined
    const text = (key: string): string => str(value.get(key) ?? '')
    const noted = value.get('noted')
    const publicPem = textOf(value.get('publicPem') ?? null)
    return new RecordedCreation(path, {
      ...{ name: text('name'), alias: text('alias'), driver: text('driver'), token: text('token') },
      noted: noted !== undefined && isDict(noted) ? noted : new Map(),
      isRequested: value.get('isRequested') === true,
      process: text('process'),
      ...(publicPem !== undefined && { publicPem }),
    })
  }

  get isAbandoned(): boolean {
    return !isRunning(this.stored.process)
  }

  /** Write the file at once, or fail with EEXIST. */
  create(): void {
    const fresh = this.written()
    try {
      linkSync(fresh, this.path)
    } finally {
      rmSync(fresh, { force: true })
    }
  }

  keep(changes: Partial<Pick<Creation, 'noted' | 'publicPem' | 'isRequested'>>): void {
    Object.assign(this.stored, changes)
    renameSync(this.written(), this.path)
  }

  /**
   * Take over the undo of a creation; return whether this process got it: the first process that renames the file takes
   * it.
   */
  takeOver(): boolean {
    const own = `${this.path.replace(UNDOING, '')}.undo-${process.pid}`
    try {
      renameSync(this.path, own)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
    this.path = own
    this.stored.process = processMark(process.pid)
    this.keep({})
    return true
  }

  /** Release the creation for a later undo: this process failed to undo it, and may continue to run. */
  abandon(): void {
    this.stored.process = ''
    this.keep({})
  }

  /** The creation has ended, well or undone. */
  remove(): void {
    rmSync(this.path, { force: true })
  }

  /** Write the data to a file beside the record, and wait until it is on disk. */
  private written(): string {
    const fresh = `${this.path}.new-${process.pid}`
    const file = openSync(fresh, 'w', 0o600)
    try {
      writeFileSync(file, encodeMsgpack(new Map(Object.entries(this.stored) as [Value, Value][]), 'bus'))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return fresh
  }
}
