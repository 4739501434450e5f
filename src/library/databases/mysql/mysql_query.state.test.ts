import { describe, expect, test } from 'vitest'
import { fromPlain, tuple } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import mysqlQuery from './mysql_query.state.ts'

const others = {
  'mysql.db_exists': () => true,
  // the module returns columns and rows as tuples, as the driver of Salt does
  'mysql.query': () =>
    new Map([
      ['columns', tuple(['id', 'name'])],
      ['results', tuple([tuple(['1', 'joe']), tuple(['2', 'ann'])])],
    ]),
}
const kwargs = { name: 'people', database: 'app', query: 'SELECT id, name FROM people' }

describe('mysql_query.run', () => {
  test('shows rows as dicts by column in the comment', async () => {
    const report = await tryState(mysqlQuery, 'run', { kwargs, others })
    expect(report.get('result')).toBe(true)
    expect(report.get('comment')).toBe(
      "{'columns': ('id', 'name'), 'results': [{'id': '1', 'name': 'joe'}, {'id': '2', 'name': 'ann'}]}",
    )
    expect(report.get('changes')).toEqual(fromPlain({ query: 'Executed' }))
  })

  test('runs nothing in a dry run', async () => {
    const report = await tryState(mysqlQuery, 'run', { kwargs, others: { 'mysql.db_exists': () => true }, test: true })
    expect(report.get('result')).toBe(null)
    expect(report.get('comment')).toBe('Query would execute, not storing result')
  })
})
