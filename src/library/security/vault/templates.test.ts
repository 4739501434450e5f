import { expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../../data/mod.ts'
import { expand, names } from './templates.ts'

const pillar = fromPlain({
  roles: ['web', 'db'],
  site: { name: 'north', n: 5 },
  nested: [['a']],
  long: Array(300).fill('x'),
}) as Dict
const mappings = {
  minion: 'web1',
  pillar: async () => pillar,
  grains: fromPlain({ os: 'Debian', bad: 'a\nb' }) as Dict,
}

test.each([
  ['saltstack/minions', ['saltstack/minions']],
  ['saltstack/{minion}', ['saltstack/web1']],
  ['{grains[os]}/{pillar[site][name]}/{pillar[site][n]}', ['Debian/north/5']],
  ['role/{pillar[roles]}', ['role/web', 'role/db']],
  ['{pillar[roles]}-{pillar[roles]}', ['web-web', 'web-db', 'db-web', 'db-db']],
  ['{pillar[roles][1]}', ['db']],
  ['{{x}}{minion}', ['{x}web1']],
])('%s', async (pattern, texts) => {
  expect((await expand(pattern, mappings)).texts).toEqual(texts)
})

test.each([
  ['{nobody}', "'nobody'"],
  ['{pillar[none]}', "'none'"],
  ['{pillar[nested]}', "'pillar'"],
  ['{grains[bad]}', 'the value of grains cannot stand in a pattern'],
  ['{pillar[long]}', 'more than 256 texts'],
  ['{minion.x}', "'{minion.x}' in a pattern is neither {name} nor {name[key]}"],
  ['{minion', "Single '{'"],
])('%s cannot be worked out', async (pattern, problem) => {
  await expect(expand(pattern, mappings)).rejects.toThrow(problem)
})

test('Whether a pattern asks for a value', () => {
  expect([names('a/{pillar[x]}', 'pillar'), names('a/{minion}', 'pillar')]).toEqual([true, false])
})
