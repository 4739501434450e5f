import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minion } from './minion.ts'
import { canServe } from './servers.ts'

describe.runIf(canServe('SQLite', '/usr/bin/sqlite3'))('SQLite', () => {
  const salt = minion()
  let directory: string
  let db: string

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'brine-sqlite-'))
    db = join(directory, 'test.db')
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  test('makes a table, and not even a file in a dry run', async () => {
    const wish = { name: 't', db, schema: ['id INTEGER PRIMARY KEY', 'name TEXT'] }
    expect((await salt.state('sqlite3.table_present', wish, true)).comment).toBe("'t' will be created")
    expect(existsSync(db)).toBe(false)
    expect((await salt.state('sqlite3.table_present', wish)).comment).toBe("Created table 't'")
    expect((await salt.state('sqlite3.table_present', wish)).comment).toBe("'t' exists with matching schema")
  })

  test('keeps rows, whatever their texts hold', async () => {
    const wish = { name: 'r', db, table: 't', data: { id: 1, name: "it's\n\tx" }, where_sql: 'id=?', where_args: [1] }
    expect((await salt.state('sqlite3.row_present', wish)).comment).toBe('Inserted row')
    expect((await salt.state('sqlite3.row_present', wish)).comment).toBe('Row exists')
    expect(await salt.call('sqlite3.fetch', [db, "SELECT *, NULL, 'NULL' FROM t"])).toEqual([
      [1, "it's\n\tx", null, 'NULL'],
    ])
    const changed = { ...wish, data: { id: 1, name: 'y' }, update: true }
    expect((await salt.state('sqlite3.row_present', changed)).comment).toBe('Row updated')
    expect((await salt.state('sqlite3.row_absent', { name: 'r', db, table: 't', where_sql: 'id=1' })).comment).toBe(
      'Row removed',
    )
  })

  test('drops a table, whatever its name holds', async () => {
    const odd = `a"; DROP TABLE t; --`
    await salt.state('sqlite3.table_present', { name: 'other', db, schema: ['id INTEGER'] })
    await salt.state('sqlite3.table_present', { name: odd, db, schema: ['id INTEGER'] })
    const wish = { name: odd, db }
    expect(await salt.state('sqlite3.table_absent', wish, true)).toMatchObject({
      result: null,
      comment: `'${odd}' will be dropped`,
    })
    expect(await salt.state('sqlite3.table_absent', wish)).toMatchObject({
      result: true,
      comment: `'${odd}' was dropped`,
      changes: { old: expect.stringContaining('id INTEGER') },
    })
    expect(await salt.state('sqlite3.table_absent', wish)).toMatchObject({ result: true, changes: {} })
    expect(await salt.call('sqlite3.tables', [db])).toEqual([['other'], ['t']])
  })

  test("reports SQLite's error", async () => {
    const { result, comment } = await salt.state('sqlite3.row_absent', { name: 'r', db, table: 'nope', where_sql: '1' })
    expect([result, comment]).toEqual([false, 'no such table: nope'])
  })
})
