import { expect, test, vi } from 'vitest'
import { type Dict, fromPlain, type Plain } from '../../data/mod.ts'
import type { ExpectedRead, Host } from '../../host/mod.ts'
import { Foresight } from './foresight.ts'

const chunk = (data: Record<string, Plain>): Dict => fromPlain(data) as Dict

const shown = (reads: readonly ExpectedRead[]): string[] =>
  reads.map((read) => `${read.op} ${'path' in read ? read.path : 'key' in read ? read.key : read.line}`)

function told(chunks: readonly Dict[], place: number, end?: number): { soon: string[]; later: string[] } {
  let heard = { soon: [] as string[], later: [] as string[] }
  const host = {
    identity: async () => ({ uid: 0, gid: 0 }),
    env: async () => new Map(),
    expect: (soon: readonly ExpectedRead[], later: readonly ExpectedRead[]) => {
      heard = { soon: shown(soon), later: shown(later) }
    },
  }
  new Foresight(host as unknown as Host, chunks).at(place, end)
  return heard
}

test('states announce their reads, starting at the running one', () => {
  const link = chunk({ state: 'file', fun: 'symlink', name: '/etc/b', target: '../opt/c' })
  const others = ['1', '2', '3'].map((name) => chunk({ state: 'user', fun: 'present', name: `u${name}` }))
  const chunks = [chunk({ state: 'cmd', fun: 'run', name: 'true' }), link, ...others]
  expect(told(chunks, 1)).toEqual({
    soon: [
      ...[
        'lstat /etc/b',
        'stat /etc/b',
        'readLink /etc/b',
        'stat /etc',
        'realPath /etc',
        'lstat /opt/c',
        'realPath /opt',
      ],
      ...['user u1', 'user u2'],
    ],
    later: ['user u3'],
  })
})

test('a file is looked at with its owner and the directories above it', () => {
  const low = { state: 'file', fun: 'managed', name: '/a/b/c', user: 'joe', makedirs: true }
  expect(told([chunk(low)], 0).soon).toEqual([
    ...['stat /a/b/c', 'lstat /a/b/c', 'realPath /a/b/c', 'hash /a/b/c', 'stat /a/b', 'stat /a', 'lstat /a/b'],
    ...['realPath /a/b', 'user joe'],
  ])
})

test('states that run soon are announced together, however many', () => {
  const chunks = ['1', '2', '3', '4', '5'].map((name) => chunk({ state: 'user', fun: 'present', name }))
  expect(told(chunks, 0, 4)).toEqual({ soon: ['user 1', 'user 2', 'user 3', 'user 4'], later: ['user 5'] })
})

test('conditions of states are looked at, with the directory, the shell and the user of their commands', async () => {
  const reads: string[][] = []
  const host = {
    identity: async () => ({ uid: 7, gid: 8 }),
    user: async () => ({ name: 'joe' }),
    group: async () => undefined,
    env: async () => new Map(Object.entries({ HOME: '/home/joe', SHELL: '/bin/bash' })),
    expect: (soon: readonly ExpectedRead[]) => {
      reads.push(shown(soon))
    },
  }
  const command = { state: 'cmd', fun: 'run', name: 'make' }
  const chunks = [
    chunk({ ...command, unless: ['test -f /a', { fun: 'test.ping' }], creates: '/b' }),
    chunk({ ...command, unless: 'test -f /c', cwd: '/d' }),
    chunk({ state: 'file', fun: 'symlink', name: '/e' }),
  ]
  new Foresight(host as unknown as Host, chunks).at(0)
  await vi.waitFor(() => expect(reads).toHaveLength(2))
  const around = ['user 7', 'stat /home/joe', 'access /home/joe', 'stat /bin/bash', 'access /bin/bash']
  expect(reads[1]).toEqual([
    ...['access /b', 'line test -f /a', ...around],
    ...['user 7', 'stat /d', 'access /d', 'stat /bin/bash', 'access /bin/bash'],
    ...['lstat /e', 'stat /e', 'readLink /e', 'stat /', 'realPath /', 'user 7', 'group 8', 'user joe'],
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
