// The embedded database beneath the stores. Loaded when one is opened: most programs open none, and nothing is dearer to load.
import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type Libsql from 'libsql'
import { makeOwnFolder, PASSABLE_FOLDER } from '../base/mod.ts'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, type Value } from '../data/mod.ts'

export type Database = Libsql.Database
export type Statement = Libsql.Statement

/** Written in by the build, which makes scripts. */
declare const BRINE_VERSION: string | undefined

const load = typeof BRINE_VERSION === 'string' ? require : createRequire(import.meta.url)

/** What opens databases. */
export function libsql(): typeof Libsql {
  return load('libsql')
}

/** How long another program may hold a file. */
const PATIENCE_MS = 10_000

/**
 * What the database puts beside the file gets the same rights. A file that is there is not even opened: to close it would
 * undo the locks that this process has on it, and another program that ends would take away what it writes to.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Opens the database of a file, which only its owner reads, and makes the tables that it lacks. */
export function openDatabase(file: string, schema: string): Database {
  makeOwnFolder(dirname(file), PASSABLE_FOLDER)
  makeFile(file)
  const Opened = libsql()
  // from the first look on: after a crash, whoever comes first mends the file, and the others have to wait for that
  const db = new Opened(file, { timeout: PATIENCE_MS } as Libsql.Options)
  // a return of some kilobytes is one page then, and one write
  db.exec('PRAGMA page_size = 16384')
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  db.exec(schema)
  return db
}

/** A value as the database takes it, without a copy. */
export function pack(value: unknown): Buffer {
  const bytes = encodeMsgpack(value, 'bus')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function unpack(kept: unknown): Value {
  // one row has a buffer where several have the memory underneath
  const bytes = kept instanceof Uint8Array ? kept : Buffer.from(kept as ArrayBuffer)
  return decodeMsgpack(bytes, { dialect: 'bus' })
}

export function unpackDict(kept: unknown): Dict {
  const value = unpack(kept)
  return isDict(value) ? value : new Map()
}
