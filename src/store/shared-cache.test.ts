import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { fileCache } from './data-cache.ts'
import { type SharedBanks, SharedCache } from './shared-cache.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-shared-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A server in memory, with a manual clock. */
function server() {
  const kept = new Map<string, Map<string, { value: Value; time: number }>>()
  const of = (bank: string) => kept.get(bank) ?? kept.set(bank, new Map()).get(bank)!
  const state = { time: 100, calls: 0, isAway: false }
  const reached = (): void => {
    state.calls++
    if (state.isAway) throw new Error('connection refused')
  }
  const banks: SharedBanks = {
    apply: async (changes) => {
      reached()
      for (const { bank, key, value } of changes) {
        if (key === undefined) kept.delete(bank)
        else if (value === undefined) of(bank).delete(key)
        else of(bank).set(key, { value, time: state.time })
      }
    },
    fetch: async (bank, keys) => {
      reached()
      return new Map(keys.flatMap((key) => (of(bank).has(key) ? [[key, of(bank).get(key)!.value]] : [])))
    },
    times: async (bank) => {
      reached()
      return new Map([...of(bank)].map(([key, { time }]) => [key, time]))
    },
    banks: async () => [...kept].filter(([, values]) => values.size > 0).map(([name]) => name),
    close: () => {},
  }
  return { banks, state, of }
}

const cacheOn = (banks: SharedBanks, name = 'a', lines: string[] = [], now?: () => number): SharedCache =>
  new SharedCache(fileCache(join(folder, name)), banks, {
    name: 'test',
    interval: 0,
    ...(now && { now }),
    log: (level, text) => void lines.push(`${level}: ${text}`),
  })

test('A server that is new, or that lost its data, gets the local data', async () => {
  fileCache(join(folder, 'a')).bank('grains').store('web1', 'Debian')
  const { banks, of } = server()
  const lines: string[] = []
  const cache = cacheOn(banks, 'a', lines)
  await cache.open()
  expect(await cache.settled(1000)).toBe(true)
  expect([cache.bank('grains').fetch('web1'), of('grains').get('web1')?.value]).toEqual(['Debian', 'Debian'])
  expect(lines).toEqual(['warning: The cache test is empty; it gets the local data (1 values)'])
  of('grains').clear()
  await cache.pull()
  expect(await cache.settled(1000)).toBe(true)
  expect(of('grains').get('web1')?.value).toBe('Debian')
})

test('Changes of one turn go to the server together, and only the newest of each key', async () => {
  const { banks, state, of } = server()
  const cache = cacheOn(banks)
  const grains = cache.bank('grains')
  for (let n = 0; n < 300; n++) grains.store(`m${n % 3}`, n)
  expect(grains.fetch('m2')).toBe(299)
  expect(await cache.settled(1000)).toBe(true)
  expect(state.calls).toBe(1)
  expect([...of('grains')].map(([key, { value }]) => [key, value])).toEqual([
    ['m0', 297],
    ['m1', 298],
    ['m2', 299],
  ])
})

test('A second change within the same second of the server is seen, and an old value is not fetched again', async () => {
  const { banks, of, state } = server()
  const fetched: string[][] = []
  const counting: SharedBanks = {
    ...banks,
    fetch: (bank, keys) => {
      if (keys.length > 0) fetched.push([...keys])
      return banks.fetch(bank, keys)
    },
  }
  let now = 0
  const cache = cacheOn(counting, 'a', [], () => now)
  of('grains').set('m', { value: 1, time: state.time })
  await cache.pull()
  of('grains').set('m', { value: 2, time: state.time })
  await cache.pull()
  expect(cache.bank('grains').fetch('m')).toBe(2)
  now = 5000
  for (let round = 0; round < 3; round++) await cache.pull()
  expect(fetched).toEqual([['m'], ['m'], ['m']])
})

test('A change that waits is not undone by what the server still has', async () => {
  const { banks, of, state } = server()
  const cache = cacheOn(banks)
  of('grains').set('m', { value: 'old', time: 1 })
  of('grains').set('gone', { value: 'old', time: 1 })
  state.isAway = true
  cache.bank('grains').store('m', 'new')
  cache.bank('grains').store('fresh', 1)
  cache.bank('grains').flush('gone')
  await cache.settled(20)
  state.isAway = false
  await cache.pull()
  const grains = cache.bank('grains')
  expect([grains.fetch('m'), grains.fetch('fresh'), grains.fetch('gone')]).toEqual(['new', 1, undefined])
})

test('Banks of one master stay with it, and a key that is no name of a file is left out', async () => {
  const { banks, of, state } = server()
  const lines: string[] = []
  const cache = cacheOn(banks, 'a', lines)
  cache.bank('tokens').store('t', 1)
  await cache.settled(100)
  expect([state.calls, of('tokens').size]).toEqual([0, 0])
  of('grains').set('../../etc/x', { value: 1, time: 1 })
  of('grains').set('m', { value: 1, time: 1 })
  await cache.pull()
  expect(cache.bank('grains').list()).toEqual(['m'])
  expect(lines).toEqual([
    expect.stringMatching(/^warning: A key of bank grains on test is left out: '\.\.\/\.\.\/etc\/x'/),
  ])
})

test('Without the server the local data stay', async () => {
  const { banks, of, state } = server()
  const lines: string[] = []
  const cache = cacheOn(banks, 'a', lines)
  of('grains').set('m', { value: 1, time: 1 }).set('other', { value: 2, time: 1 })
  await cache.pull()
  state.isAway = true
  await cache.pull()
  await cache.pull()
  expect(cache.bank('grains').fetch('m')).toBe(1)
  state.isAway = false
  of('grains').delete('m')
  await cache.pull()
  expect(cache.bank('grains').fetch('m')).toBeUndefined()
  expect(lines).toEqual([
    'error: The cache test cannot be reached; local data serve meanwhile: connection refused',
    'warning: The cache test can be reached again',
  ])
})

test('A value that the server refuses holds no other back, and stays on this master', async () => {
  const { banks, of } = server()
  const apply: SharedBanks['apply'] = async (changes) => {
    if (changes.some(({ key }) => key === 'large')) throw new Error('Value exceeds 524288 byte limit')
    return banks.apply(changes)
  }
  const lines: string[] = []
  const cache = cacheOn({ ...banks, apply }, 'a', lines)
  const mine = cache.bank('mine')
  for (const id of ['web1', 'large', 'web2']) mine.store(id, id)
  expect(await cache.settled(1000)).toBe(true)
  expect([...of('mine').keys()]).toEqual(['web1', 'web2'])
  expect(lines).toEqual(['error: The cache test refuses large of bank mine: Value exceeds 524288 byte limit'])
  await cache.pull()
  expect(mine.fetch('large')).toBe('large')
})

test('A key that reaches the server while another look for changes is answered stays', async () => {
  const { banks } = server()
  let answer: (() => void) | undefined
  const times: SharedBanks['times'] = async (bank) => {
    const found = await banks.times(bank)
    if (bank === 'grains') await new Promise<void>((resolve) => (answer = resolve))
    return found
  }
  const cache = cacheOn({ ...banks, times })
  const pulled = cache.pull()
  cache.bank('grains').store('web1', 1)
  expect(await cache.settled(1000)).toBe(true)
  answer!()
  await pulled
  expect(cache.bank('grains').fetch('web1')).toBe(1)
})
