import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { QueueStore } from './queues.ts'

let folder: string
let queues: QueueStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-queues-'))
  queues = new QueueStore(join(folder, 'queues'))
})

afterEach(() => {
  queues.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a queue gives its items in the order they came, each once', () => {
  queues.insert('web', ['c', 'a', "it's"])
  queues.insert('web', ['b'])
  expect([queues.items('web'), queues.length('web')]).toEqual([['c', 'a', "it's", 'b'], 4])
  expect([queues.pop('web', 1), queues.pop('web', 2), queues.pop('web', undefined)]).toEqual([
    ['c'],
    ['a', "it's"],
    ['b'],
  ])
  expect(queues.pop('web', 1)).toEqual([])
})

test('an item that is there already is refused, and those before it stay', () => {
  queues.insert('web', ['b'])
  expect(() => queues.insert('web', ['a', 'b', 'c'])).toThrow('UNIQUE constraint failed: web.name')
  expect(queues.items('web')).toEqual(['b', 'a'])
})

test('items are deleted by name', () => {
  queues.insert('web', ['a', 'b', 'c'])
  queues.delete('web', ['a', 'c', 'none'])
  expect(queues.items('web')).toEqual(['b'])
})

test('queues are listed by name, and found again by another program', () => {
  expect(queues.names()).toEqual([])
  queues.insert('my-queue', ['x'])
  queues.insert('a "queue"', ['y'])
  const other = new QueueStore(join(folder, 'queues'))
  expect([other.names(), other.items('my-queue'), other.items('a "queue"')]).toEqual([
    ['a "queue"', 'my-queue'],
    ['x'],
    ['y'],
  ])
  other.close()
})

test.each(['../keys', '.hidden', ''])('%j is no name of a queue', (name) => {
  expect(() => queues.insert(name, ['x'])).toThrow('cannot be the name of a queue')
  expect(existsSync(join(folder, 'keys.db'))).toBe(false)
})
