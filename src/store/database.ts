// The embedded database beneath the stores. Loaded when one is opened: most programs open none, and nothing is dearer to load.
import { closeSync, openSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type Libsql from 'libsql'
import {
  isOneFile,
  type Log,
  makeOwnFolder,
  namingErrors,
  PASSABLE_FOLDER,
  StorageError,
  type Storing,
} from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, type Value } from '../data/mod.ts'
import { cutLog, setAside } from './cut-files.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { salvage } from './salvage.ts'
import { type MigratedDatabase, migrate, PATIENCE_MS, type Schema } from './schema.ts'
import type { Statement } from './sql.ts'
import type { StorageUse } from './storage-watch.ts'

/** A database of Brine. Errors of its disk are thrown as `StorageError`. */
export class Database implements MigratedDatabase {
  private readonly file: string
  /** Wraps disk access from now on. */
  storing: Storing
  private readonly db: Libsql.Database
  /** Whether its newest entries were missing when it was opened. */
  wasCut = false

  constructor(file: string, storing: Storing, db: Libsql.Database) {
    this.file = file
    this.storing = storing
    this.db = db
  }

  exec(sql: string): void {
    this.storing(this.file, () => this.db.exec(sql))
  }

  prepare(sql: string): Statement {
    const { file, storing } = this
    const statement = storing(file, () => this.db.prepare(sql))
    return {
      run: (...values) => storing(file, () => statement.run(...values)),
      get: (...values) => storing(file, () => statement.get(...values)),
      all: (...values) => storing(file, () => statement.all(...values)),
    }
  }

  /** Do work as a whole or not at all. */
  transaction(work: () => void): void {
    this.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.exec('COMMIT')
    } catch (error) {
      // the database itself gives up a transaction when the disk is full
      if (this.db.inTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.db.close()
  }
}

/** Written in by the build, which makes scripts. */
declare const BRINE_VERSION: string | undefined

const load = typeof BRINE_VERSION === 'string' ? require : createRequire(import.meta.url)

/** Return the library that opens databases. */
export function libsql(): typeof Libsql {
  if (isOneFile) return nodeSqlite(load)
  // the library finds its build by a report of this process, which would ask for the name of the other end of every connection
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean | undefined } = process.report
  const isExcluded = report.excludeNetwork
  report.excludeNetwork = true
  try {
    return load('libsql')
  } finally {
    report.excludeNetwork = isExcluded
  }
}

/**
 * Files that the database creates beside its own get the same mode. An existing file is not even opened: closing it
 * would release this process's locks on it.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Open the database of a file, which only its owner reads, and bring it to the version of its schema. A use with a log is that of
 * the daemon that owns the file: the log says when the file was cut short, and a damaged file is moved away.
 */
export function openDatabase(file: string, schema: Schema, use: StorageUse = { storing: namingErrors }): Database {
  const { storing, log } = use
  return storing(file, () => {
    makeOwnFolder(dirname(file), PASSABLE_FOLDER)
    return log ? openOwn(file, schema, storing, log) : opened(file, schema, storing)
  })
}

/** Open the existing database of a file without migration, for programs that inspect or migrate it. */
export function connectDatabase(file: string): Database {
  statSync(file)
  return namingErrors(file, () => connected(file, namingErrors))
}

function connected(file: string, storing: Storing): Database {
  const Opened = libsql()
  // with the first access: after a crash, the first program repairs the file, and the others must wait for that
  return new Database(file, storing, new Opened(file, { timeout: PATIENCE_MS } as Libsql.Options))
}

function opened(file: string, schema: Schema, storing: Storing): Database {
  makeFile(file)
  const db = connected(file, storing)
  try {
    // a return of some kilobytes is one page then, and one write
    db.exec('PRAGMA page_size = 16384')
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    migrate(db, file, schema)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function openOwn(file: string, schema: Schema, storing: Storing, log: Log): Database {
  const cut = cutLog(file)
  if (cut) {
    const what = `${cut.lost} of the ${cut.written} pages that were written to it last are missing`
    log('error', `${file}-wal was cut short: ${what}, so the newest entries of ${file} are lost`)
  }
  const db = whole(file, schema, log)
  db.storing = storing
  db.wasCut = cut !== undefined
  return db
}

/** Open a database; if it is damaged, create a new one with its readable rows. */
function whole(file: string, schema: Schema, log: Log): Database {
  let why: string | undefined
  try {
    const db = opened(file, schema, namingErrors)
    why = damage(file, db)
    if (why === undefined) return db
    db.close()
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'StorageDamaged') throw error
    why = error.plain
  }
  const aside = setAside(file)
  const fresh = opened(file, schema, namingErrors)
  const rows = takenOver(aside, fresh)
  log('error', `${file} cannot be used: ${why}. Moved it to ${aside} and began a new one with ${rows} rows of it`)
  return fresh
}

/** Copy the readable rows of a damaged database; return their number. */
function takenOver(file: string, fresh: Database): number {
  const damaged = connected(file, namingErrors)
  try {
    // a file that is shorter than it says is not even read without this
    damaged.exec('PRAGMA writable_schema = ON')
    return salvage(damaged, fresh)
  } finally {
    damaged.close()
  }
}

/** Return the problem of a database whose file is shorter than its header says; undefined if it is complete. */
function damage(file: string, db: Database): string | undefined {
  const value = (pragma: string): unknown => Object.values(db.prepare(`PRAGMA ${pragma}`).get() as object)[0]
  const [bytes, wanted] = [statSync(file).size, Number(value('page_count')) * Number(value('page_size'))]
  // pages that the database lacks may be in its log
  if (bytes >= wanted || value('quick_check(1)') === 'ok') return undefined
  return `the file was cut short, ${bytes} of ${wanted} bytes are there`
}

/** A value as the database takes it, without a copy. */
export function pack(value: unknown): Buffer {
  const bytes = encodeMsgpack(value, 'bus')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function unpackValue(kept: unknown): Value {
  // one row has a buffer where several have the memory underneath
  const bytes = kept instanceof Uint8Array ? kept : Buffer.from(kept as ArrayBuffer)
  return decodeMsgpack(bytes, { dialect: 'bus' })
}

export function unpackDict(kept: unknown): Dict {
  const value = unpackValue(kept)
  return isDict(value) ? value : new Map()
}
