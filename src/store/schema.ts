// Versions of the databases' schemas. A version is `major.minor` and is stored in `user_version` as major * 1000 + minor. A minor step
// only adds: code of the version before it can use the database as it is. A major step may change anything: it needs exclusive use
// of the file, and copies it first. Each step can be reversed.
import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BrineError, recover, StorageError, toError } from '../base/mod.ts'
import type { SqlDatabase } from './sql.ts'

/** The part of a database that a migration uses. */
export interface MigratedDatabase extends SqlDatabase {
  exec(sql: string): void
}

export interface Migration {
  /** The version that `up` leads to. */
  version: string
  /** Statements that lead here from the version before. */
  up: string
  /** Statements that lead back to it. */
  down: string
}

/** A kind of database: its steps, oldest first. The first one also takes over unversioned databases. */
export interface Schema {
  name: string
  migrations: readonly Migration[]
}

type SchemaErrorCode = 'SchemaTooNew' | 'SchemaUnknown' | 'SchemaInUse' | 'NoSuchVersion'

class SchemaError extends BrineError<SchemaErrorCode> {}

const MINORS = 1000

/** How long other programs may take to close a file before its change, in milliseconds. */
const ALONE_MS = 1000

/** How long another program may lock a file. */
export const PATIENCE_MS = 10_000

/** The version of unversioned databases. */
const UNVERSIONED = '0.0'

/** Return the number of a version. */
export function versionNumber(version: string): number {
  const [, major, minor] = /^(\d{1,5})\.(\d{1,3})$/.exec(version) ?? []
  if (major === undefined) throw new SchemaError('NoSuchVersion', `'${version}' is not the version of a database`)
  return Number(major) * MINORS + Number(minor)
}

export const versionText = (number: number): string => `${majorOf(number)}.${number % MINORS}`

const majorOf = (number: number): number => Math.floor(number / MINORS)

/** Return the version that this code writes. */
export const newestVersion = ({ migrations }: Schema): string => migrations.at(-1)?.version ?? UNVERSIONED

/**
 * Return the version of a database. Versions that the schema knows are found without a prepared statement: the driver keeps the file
 * of a closed database open until its statements are collected.
 */
export function schemaVersion(db: MigratedDatabase, schema?: Schema): number {
  const known = schema ? [...numbersOf(schema), versionNumber(newestVersion(schema)) + 1] : []
  const found = known.find((number) => holds(db, `(SELECT user_version FROM pragma_user_version) = ${number}`))
  if (found !== undefined) return found
  return Number((db.prepare('PRAGMA user_version').all()[0] as { user_version: number }).user_version)
}

/** Whether a condition holds, by a statement that fails when it does not. */
function holds(db: MigratedDatabase, condition: string): boolean {
  return recover(
    (error) => toError(error).message.includes('integer overflow'),
    false,
    () => {
      db.exec(`SELECT CASE WHEN ${condition} THEN 1 ELSE abs(-9223372036854775808) END`)
      return true
    },
  )
}

const numbersOf = ({ migrations }: Schema): number[] => [0, ...migrations.map(({ version }) => versionNumber(version))]

/** The relation between the versions of code and database. */
export type Fit = 'same' | 'older' | 'readable' | 'too new'

/**
 * Return the relation between code of version `head` and a database of version `found`: one that is one minor step
 * newer is readable.
 */
export function fitOf(found: number, head: number): Fit {
  if (found === head) return 'same'
  if (found < head) return 'older'
  return found === head + 1 ? 'readable' : 'too new'
}

/**
 * Migrate a database to the version of this code. One that is a minor step newer is unchanged; other newer ones are
 * refused.
 */
export function migrate(db: MigratedDatabase, file: string, schema: Schema): void {
  const [found, head] = [schemaVersion(db, schema), versionNumber(newestVersion(schema))]
  // a damaged file is noticed here, where it can be set aside
  const isEmpty = holds(db, '(SELECT count(*) FROM sqlite_master) = 0')
  const fit = fitOf(found, head)
  if (fit === 'too new') throw tooNew(file, found, head)
  if (fit !== 'older') return
  const steps = stepsBetween(schema, file, found, head)
  const lowest = Math.max(majorOf(found), 1)
  const isMajor = !isEmpty && steps.some(({ version }) => majorOf(versionNumber(version)) > lowest)
  if (isMajor) beAlone(db, file, () => copyBefore(db, file, found))
  apply(db, schema, [found, head], () => {
    for (const { up } of steps) db.exec(up)
  })
  if (isMajor) db.exec('PRAGMA journal_mode = WAL')
}

/** Take a database back to an older version. The copy of its present state stays beside it. Return the version it had. */
export function migrateDown(db: MigratedDatabase, file: string, schema: Schema, to: string): string {
  const [found, target, head] = [schemaVersion(db, schema), versionNumber(to), versionNumber(newestVersion(schema))]
  if (found > head) throw tooNew(file, found, head)
  const steps = stepsBetween(schema, file, target, found)
  if (steps.length > 0) {
    beAlone(db, file, () => copyBefore(db, file, found))
    apply(db, schema, [found, target], () => {
      for (const { down } of [...steps].reverse()) db.exec(down)
    })
    db.exec('PRAGMA journal_mode = WAL')
  }
  return versionText(found)
}

/** Return the version before another one; undefined for one without any before it. */
export function versionBefore({ migrations }: Schema, version: string): string | undefined {
  const index = migrations.findIndex((migration) => migration.version === version)
  return index < 0 ? undefined : (migrations[index - 1]?.version ?? UNVERSIONED)
}

/** Return the steps after one version up to another. Both must be known. */
function stepsBetween(schema: Schema, file: string, from: number, to: number): Migration[] {
  const { migrations, name } = schema
  const numbers = numbersOf(schema)
  for (const number of [from, to]) {
    if (numbers.includes(number)) continue
    throw new SchemaError(
      'SchemaUnknown',
      `${file}: this version of Brine knows no version ${versionText(number)} of the database '${name}'`,
    )
  }
  return migrations.filter(({ version }) => versionNumber(version) > from && versionNumber(version) <= to)
}

/** Do the steps and note the new version, as a whole or not at all; nothing when another program was faster. */
function apply(db: MigratedDatabase, schema: Schema, [from, to]: [number, number], steps: () => void): void {
  db.transaction(() => {
    if (schemaVersion(db, schema) !== from) return
    steps()
    db.exec(`PRAGMA user_version = ${to}`)
  })
}

/** Do work while no other program has the file open. The journal can leave the mode WAL only then. */
function beAlone(db: MigratedDatabase, file: string, work: () => void): void {
  try {
    db.exec(`PRAGMA busy_timeout = ${ALONE_MS}`)
    db.exec('PRAGMA journal_mode = DELETE')
    db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('SQLITE_BUSY')) throw error
    throw new SchemaError('SchemaInUse', `${file} cannot be migrated, because another program has it open`, {
      hint: 'Stop salt-master, salt-api and all programs that use them, then try again',
      cause: error,
    })
  }
  work()
}

/** Copy a database beside itself, with its version in the name. Only the newest such copy is kept. */
function copyBefore(db: MigratedDatabase, file: string, version: number): void {
  const [folder, prefix] = [dirname(file), `${basename(file)}.before-`]
  checkSpace(file, folder)
  const copy = join(folder, `${prefix}${versionText(version)}`)
  copyDatabase(db, `${copy}.tmp`)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && !name.endsWith('.tmp')) rmSync(join(folder, name))
  }
  renameSync(`${copy}.tmp`, copy)
}

/** Write a consistent copy of a database that others may be using into a new file. */
export function copyDatabase(db: MigratedDatabase, target: string): void {
  rmSync(target, { force: true })
  closeSync(openSync(target, 'wx', 0o600))
  db.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`)
  chmodSync(target, 0o600)
}

/** Return the bytes of a database with its log. */
export function databaseBytes(file: string): number {
  const sizes = ['', '-wal'].map((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

function checkSpace(file: string, folder: string): void {
  const [{ bavail, bsize }, needed] = [statfsSync(folder), databaseBytes(file)]
  if (bavail * bsize > needed) return
  const text = `no space left on the disk for a copy before its migration, which needs ${needed} bytes`
  throw new StorageError('StorageFull', text, file, 'ENOSPC')
}

function tooNew(file: string, found: number, head: number): SchemaError {
  const [has, knows] = [versionText(found), versionText(head)]
  const text = `${file} has version ${has}, and this version of Brine can use ${knows} and, of newer ones, only ${versionText(head + 1)}`
  return new SchemaError('SchemaTooNew', text, {
    hint: `Install the newer version of Brine again and run 'brine downgrade-db' with it, or restore a backup. The file was not changed`,
  })
}
