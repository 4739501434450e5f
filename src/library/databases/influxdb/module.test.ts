import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import influxdb from './module.ts'

/** A server with fixed answers by statement, which records its requests. */
function server(answers: Record<string, unknown>) {
  const asked: string[] = []
  const others = {
    'config.option': (_args: readonly Value[], kwargs: unknown) => (kwargs as { default: Value }).default,
    'http.query': (_args: readonly Value[], kwargs: unknown) => {
      const statement = new URLSearchParams((kwargs as { data: string }).data).get('q')!
      asked.push(statement)
      return fromPlain({ status: 200, dict: answers[statement] ?? { results: [{}] } })
    },
  }
  return { asked, ask: (name: string, ...args: Value[]) => tryFunction(influxdb, name, { args, others }) }
}

const series = (name: string, columns: string[], ...values: unknown[][]) => ({
  results: [{ series: [{ name, columns, values }] }],
})

describe('influxdb', () => {
  test('creates a missing database', async () => {
    const { asked, ask } = server({ 'SHOW DATABASES': series('databases', ['name'], ['_internal'], ['app']) })
    expect(await ask('create_db', 'app')).toBe(false)
    expect(await ask('create_db', 'other "x"')).toBe(true)
    expect(asked.at(-1)).toBe('CREATE DATABASE "other \\"x\\""')
  })

  test('returns the privileges of a user', async () => {
    const grants = series('', ['database', 'privilege'], ['app', 'READ'], ['logs', 'ALL PRIVILEGES'])
    const { ask } = server({ 'SHOW GRANTS FOR "joe"': grants })
    expect(await ask('list_privileges', 'joe')).toEqual(fromPlain({ app: 'read', logs: 'all' }))
  })

  test('quotes passwords', async () => {
    const { asked, ask } = server({ 'SHOW USERS': series('', ['user', 'admin']) })
    expect(await ask('create_user', 'joe', "p'w", true)).toBe(true)
    expect(asked.at(-1)).toBe(`CREATE USER "joe" WITH PASSWORD 'p\\'w' WITH ALL PRIVILEGES`)
  })

  test('reports errors of the server', async () => {
    const { ask } = server({ 'SHOW USERS': { error: 'unable to parse authentication credentials' } })
    await expect(ask('list_users')).rejects.toThrow('unable to parse authentication credentials')
  })
})
