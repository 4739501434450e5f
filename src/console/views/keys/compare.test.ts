import { expect, it } from 'vitest'
import { judge, readList, unknownIds } from './compare.ts'

const A = `${'aa:'.repeat(31)}aa`
const B = `${'bb:'.repeat(31)}bb`

it.each([
  ['a space', `web1 ${A}`],
  ['tabs', `web1\t\t${A}  `],
  ['a colon', `web1: ${A}`],
  ['a comma', `web1,${A}`],
  ['an equals sign', `web1=${A}`],
  ['large letters without colons', `web1 ${A.replaceAll(':', '').toUpperCase()}`],
  ['the form of key.finger', `web1:\n    ${A}`],
  ['the form of salt-key -F', `Unaccepted Keys:\nweb1:  ${A}`],
  ['comments', `# from the console of the machine\n\nweb1 ${A}\r`],
])('reads a list with %s', (_, text) => {
  const list = readList(text)
  expect([...list.entries]).toEqual([['web1', new Set(['a'.repeat(64)])]])
  expect(list.unread).toEqual([])
})

it('reports lines that it cannot parse', () => {
  expect(readList(`web1 ${A}\nweb2 nothing\n${B}\nweb3 ${A} ${B}`).unread.map(([line]) => line)).toEqual([2, 3, 4])
})

it('judges keys', () => {
  const list = readList(`web1 ${A}\nweb2 ${A}\ngone ${A}`)
  const keys = [
    { id: 'web1', state: 'pending', sha256: A, fingerprint: B },
    { id: 'web2', state: 'pending', sha256: B, fingerprint: B },
    { id: 'web2', state: 'denied', sha256: B, fingerprint: A },
    { id: 'web3', state: 'pending', sha256: A },
    { id: 'web1', state: 'denied' },
  ] as const
  expect(keys.map((key) => judge(key, list))).toEqual(['match', 'mismatch', 'match', 'unlisted', 'mismatch'])
  expect(unknownIds(keys, list)).toEqual(['gone'])
})
