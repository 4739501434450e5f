import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain } from '../../data/mod.ts'
import type { ExpectedRead, Host } from '../../host/mod.ts'
import { Foresight } from './foresight.ts'

const chunk = (data: Record<string, Plain>): Dict => fromPlain(data) as Dict

function told(chunks: readonly Dict[], place: number): { soon: string[]; later: string[] } {
  const shown = (reads: readonly ExpectedRead[]): string[] =>
    reads.map((read) => `${read.op} ${'path' in read ? read.path : read.key}`)
  let heard = { soon: [] as string[], later: [] as string[] }
  const host = {
    expect: (soon: readonly ExpectedRead[], later: readonly ExpectedRead[]) => {
      heard = { soon: shown(soon), later: shown(later) }
    },
  }
  new Foresight(host as unknown as Host, chunks).at(place)
  return heard
}

test('states tell what they will look at, from the one that runs on', () => {
  const link = chunk({ state: 'file', fun: 'symlink', name: '/etc/b' })
  const others = ['1', '2', '3'].map((name) => chunk({ state: 'user', fun: 'present', name: `u${name}` }))
  const chunks = [chunk({ state: 'cmd', fun: 'run', name: 'true' }), link, ...others]
  expect(told(chunks, 1)).toEqual({
    soon: ['lstat /etc/b', 'stat /etc/b', 'readLink /etc/b', 'stat /etc', 'user u1', 'user u2'],
    later: ['user u3'],
  })
})

test('a file is looked at with its owner and the directories above it', () => {
  const low = { state: 'file', fun: 'managed', name: '/a/b/c', user: 'joe', makedirs: true }
  expect(told([chunk(low)], 0).soon).toEqual([
    ...['stat /a/b/c', 'lstat /a/b/c', 'realPath /a/b/c', 'hash /a/b/c', 'stat /a/b', 'stat /a', 'user joe'],
  ])
})

test.each([
  { state: 'file', fun: 'managed', name: 'relative' },
  { state: 'file', fun: 'unheard_of', name: '/a' },
  { state: 'file', fun: 'constructor', name: '/a' },
  { state: 'file', fun: 'managed' },
  { state: 'pkg', fun: 'installed', name: '/a' },
])('nothing is known of %j', (low) => {
  expect(told([chunk(low)], 0)).toEqual({ soon: [], later: [] })
})
