import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase, openDatabase } from './database.ts'
import { downgradeKept, MASTER_DATABASES, schemaHeads } from './kept-databases.ts'
import { queueSchema } from './queues.ts'
import { newestVersion, type Schema, schemaVersion } from './schema.ts'
import type { SqlDatabase, SqlParameter } from './sql.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-schema-'))
afterAll(() => rmSync(directory, { recursive: true }))

let file: string
let count = 0
beforeEach(() => {
  file = join(directory, `${count++}`, 'jobs.db')
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Let go of closed databases: the driver keeps their files open until their statements are collected. */
async function released(): Promise<void> {
  collect()
  for (let turn = 0; turn < 3; turn++) await nextTick()
}

type Row = Record<string, unknown>

const SCHEMAS: Schema[] = [...Object.values(MASTER_DATABASES), queueSchema('queue')]

/** A schema up to one of its versions. */
const upTo = (schema: Schema, version: string): Schema => ({
  ...schema,
  migrations: schema.migrations.slice(0, schema.migrations.findIndex((step) => step.version === version) + 1),
})

/** Return the statements that create a database, without their layout. */
function madeOf(db: SqlDatabase): string[] {
  const rows = db.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name').all() as Row[]
  return rows.map(({ sql }) => String(sql).replace(/\s+/g, ' '))
}

/** The committed statements by `name version`. */
function committed(): Map<string, string[]> {
  const sections = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of readFileSync(join(import.meta.dirname, 'schemas.txt'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      lines = []
      sections.set(line.slice(3), lines)
    } else if (line !== '' && sections.size > 0) lines.push(line)
  }
  return sections
}

/** Put a row into each table, with values of the declared types. */
function fill(db: SqlDatabase): Map<string, unknown[]> {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  return new Map(
    (tables as Row[]).map(({ name }) => {
      const columns = db.prepare(`PRAGMA table_info("${String(name)}")`).all() as Array<{ type: string }>
      const sample: Record<string, SqlParameter> = {
        TEXT: 'text',
        INTEGER: 7,
        REAL: 1.5,
        BLOB: Buffer.from([129, 1, 2]),
      }
      db.prepare(`INSERT INTO "${String(name)}" VALUES (${columns.map(() => '?').join(', ')})`).run(
        ...columns.map(({ type }) => sample[type] ?? 'any'),
      )
      return [String(name), db.prepare(`SELECT * FROM "${String(name)}"`).all()]
    }),
  )
}

/** Expect every row, in the columns of both versions. */
function expectRows(db: SqlDatabase, rows: ReadonlyMap<string, unknown[]>): void {
  for (const [table, kept] of rows) {
    const now = db.prepare(`SELECT * FROM "${table}"`).all() as Row[]
    expect(now, table).toHaveLength(kept.length)
    for (const [index, row] of (kept as Row[]).entries()) {
      for (const [column, value] of Object.entries(now[index]!)) if (column in row) expect(value).toEqual(row[column])
    }
  }
}

describe.each(SCHEMAS)('the database $name', (schema) => {
  it.each(schema.migrations.map(({ version }) => version))('has the committed tables in version %s', (version) => {
    const db = openDatabase(file, upTo(schema, version))
    // a change of tables needs a new step and a new section in schemas.txt, not a new text of an old one
    expect(madeOf(db)).toEqual(committed().get(`${schema.name} ${version}`))
    db.close()
  })

  it('keeps its rows on the way up from each version and back down again', async () => {
    for (const [index, { version }] of schema.migrations.entries()) {
      const old = `${file}-${index}`
      const before = openDatabase(old, upTo(schema, version))
      const rows = fill(before)
      const tables = madeOf(before)
      before.close()
      const newest = openDatabase(old, schema)
      expectRows(newest, rows)
      newest.close()
      await released()
      downgradeKept({ file: old, schema }, version)
      const back = connectDatabase(old)
      expectRows(back, rows)
      expect(madeOf(back)).toEqual(tables)
      back.close()
    }
  })

  it('takes over a file from before there were versions, and goes back to it', async () => {
    // the columns of later versions are lost on the way back
    const first = openDatabase(file, upTo(schema, schema.migrations[0]!.version))
    const rows = fill(first)
    first.close()
    await released()
    openDatabase(file, schema).close()
    await released()
    expect(downgradeKept({ file, schema }, '0.0')).toEqual({ from: newestVersion(schema), to: '0.0' })
    const old = connectDatabase(file)
    expect([schemaVersion(old), madeOf(old).length > 0]).toEqual([0, true])
    old.close()
    const again = openDatabase(file, schema)
    expectRows(again, rows)
    again.close()
  })
})

it('schemas.txt has no section of a version that is not there', () => {
  const known = SCHEMAS.flatMap(({ name, migrations }) => migrations.map(({ version }) => `${name} ${version}`))
  expect([...committed().keys()].sort()).toEqual(known.sort())
  expect(Object.keys(schemaHeads()).sort()).toEqual(SCHEMAS.map(({ name }) => name).sort())
})

/** A database with an addition (1.1) and a change of existing tables (2.0). */
const THREE: Schema = {
  name: 'shop',
  migrations: [
    { version: '1.0', up: 'CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name TEXT)', down: '' },
    { version: '1.1', up: 'ALTER TABLE item ADD COLUMN price REAL', down: 'ALTER TABLE item DROP COLUMN price' },
    {
      version: '2.0',
      up: 'ALTER TABLE item RENAME COLUMN name TO title',
      down: 'ALTER TABLE item RENAME COLUMN title TO name',
    },
  ],
}
const [OLD, MIDDLE] = [upTo(THREE, '1.0'), upTo(THREE, '1.1')]

function versionIn(path: string): number {
  const db = connectDatabase(path)
  const version = schemaVersion(db)
  db.close()
  return version
}

const names = (): string[] => readdirSync(join(file, '..')).sort()

describe('a migration', () => {
  it('leaves a copy of the older version before it changes tables, and one copy at most', async () => {
    const old = openDatabase(file, OLD)
    old.exec("INSERT INTO item (name) VALUES ('pear')")
    old.close()
    openDatabase(file, MIDDLE).close()
    await released()
    expect(names()).toEqual(['jobs.db'])
    openDatabase(file, THREE).close()
    await released()
    expect(names()).toEqual(['jobs.db', 'jobs.db.before-1.1'])
    expect(statSync(`${file}.before-1.1`).mode & 0o777).toBe(0o600)
    const copy = openDatabase(`${file}.before-1.1`, MIDDLE)
    expect(copy.prepare('SELECT name, price FROM item').all()).toEqual([{ name: 'pear', price: null }])
    copy.close()
    expect(downgradeKept({ file, schema: THREE })).toEqual({ from: '2.0', to: '1.1' })
    await released()
    expect(names()).toEqual(['jobs.db', 'jobs.db.before-2.0'])
    const back = openDatabase(file, MIDDLE)
    expect(back.prepare('SELECT name FROM item').all()).toEqual([{ name: 'pear' }])
    back.close()
  })

  it('that fails in the middle leaves the file as it was', async () => {
    openDatabase(file, MIDDLE).close()
    await released()
    const broken = {
      ...THREE,
      migrations: [...MIDDLE.migrations, { version: '2.0', up: 'DROP TABLE item; NONSENSE', down: '' }],
    }
    expect(() => openDatabase(file, broken)).toThrow('syntax error')
    const db = openDatabase(file, MIDDLE)
    expect([schemaVersion(db), db.prepare('SELECT count(*) AS n FROM item').all()]).toEqual([1001, [{ n: 0 }]])
    db.close()
  })

  it('lets code use a file that is one addition newer, and write to it', () => {
    openDatabase(file, MIDDLE).close()
    const old = openDatabase(file, OLD)
    old.exec("INSERT INTO item (name) VALUES ('plum')")
    old.close()
    expect(versionIn(file)).toBe(1001)
    const newer = openDatabase(file, MIDDLE)
    expect(newer.prepare('SELECT name, price FROM item').all()).toEqual([{ name: 'plum', price: null }])
    newer.close()
  })

  it('refuses any other newer file, names it with its version, gives the remedy, and does not change it', () => {
    openDatabase(file, THREE).close()
    const before = readFileSync(file)
    for (const schema of [OLD, MIDDLE]) {
      let refusal: unknown
      try {
        openDatabase(file, schema)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toMatchObject({
        code: 'SchemaTooNew',
        message: expect.stringContaining(`${file} has version 2.0`),
      })
      expect(refusal).toMatchObject({ hint: expect.stringContaining('brine downgrade-db') })
    }
    expect(readFileSync(file).equals(before)).toBe(true)
    const odd = connectDatabase(file)
    odd.exec('PRAGMA user_version = 1007')
    odd.close()
    expect(() => openDatabase(file, THREE)).toThrow('knows no version 1.7')
  })

  it('that changes tables is refused while another program has the file open', async () => {
    openDatabase(file, MIDDLE).close()
    await released()
    const script = `
      const db = new (require('libsql'))(${JSON.stringify(file)})
      db.prepare('SELECT count(*) FROM item').get()
      console.log('open')
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    try {
      expect(() => openDatabase(file, THREE)).toThrow('another program has it open')
    } finally {
      other.kill()
      await once(other, 'exit')
    }
    expect([versionIn(file), existsSync(`${file}.before-1.1`)]).toEqual([1001, false])
    await released()
    openDatabase(file, THREE).close()
    expect(versionIn(file)).toBe(2000)
  })
})
