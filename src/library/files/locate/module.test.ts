import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import locate from './module.ts'

test.each<[Record<string, Value>, string]>([
  [{}, 'locate  passwd'],
  [{ limit: 3, database: '/db' }, 'locate  -d /db -l 3 passwd'],
  [{ existing: true, ignore: true, count: false, regex: true }, 'locate -ei --regex passwd'],
])('locate.locate with %j runs %s', async (kwargs, line) => {
  const { others, ran } = scripted({ 'locate*': '/etc/passwd' })
  expect(await tryFunction(locate, 'locate', { args: ['passwd'], kwargs, others })).toEqual(['/etc/passwd'])
  expect(ran).toEqual([line])
})

test('locate.stats returns the counts and the database', async () => {
  const { others } = scripted({
    'locate -S': 'Database /var/db:\n\t12 directories\n\t34 files',
    'locate -V': 'v',
    updatedb: '',
  })
  const stats = toPlain(await tryFunction(locate, 'stats', { others }))
  expect(stats).toEqual({ database: '/var/db', directories: '12', files: '34' })
  expect(await tryFunction(locate, 'version', { others })).toEqual(['v'])
  expect(await tryFunction(locate, 'updatedb', { others })).toEqual([])
})
