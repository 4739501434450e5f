import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { trySdb } from '../../../sdk/mod.ts'
import yaml from './sdb.ts'

const files = { '/a.yaml': 'top: hello\na: {b: 1, l: [1]}\nlist: [x, y]\n', '/b.yaml': 'a: {c: 2, l: [2]}\n' }

async function get(key: string, profile: Plain, lines: string[] = []): Promise<Plain> {
  const host = await MemoryHost.with({ files })
  const log = (level: string, text: string): void => void lines.push(`${level}: ${text}`)
  return toPlain(await trySdb(yaml, 'get', { key, profile: fromPlain(profile) as Dict, host, context: { log } }))
}

test.each<[string, Plain]>([
  ['top', 'hello'],
  ['a:b', 1],
  ['a', { b: 1, l: [2], c: 2 }],
  ['list:0', 'x'],
  ['list:9', null],
])('The value of %s in files that are merged', async (key, expected) => {
  const lines: string[] = []
  expect(await get(key, { driver: 'yaml', files: ['/a.yaml', '/b.yaml', '/none.yaml'] }, lines)).toEqual(expected)
  expect(lines).toEqual(["error: File '/none.yaml' not found "])
})

test('Lists are merged on demand', async () => {
  const profile = { files: ['/a.yaml', '/b.yaml'], merge: { strategy: 'recurse', merge_lists: true } }
  expect(await get('a', profile)).toEqual({ b: 1, l: [1, 2], c: 2 })
})

test('A setting that is not known is reported', async () => {
  const lines: string[] = []
  await get('top', { files: ['/a.yaml'], merges: {} }, lines)
  expect(lines[0]).toMatch(/^warning: .*'yaml' has the unknown setting 'merges', which has no effect.*'merge'/)
})
