import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EventBus } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type DataCache, fileCache, type PkiKeys } from '../store/mod.ts'
import { Resources } from './resources.ts'

let root: string
let cache: DataCache
let accepted: Set<string>
let log: string[]
let resources: Resources

const open = (): Resources =>
  new Resources({
    opts: new Map(),
    cache,
    bus: new EventBus(),
    keys: { accepted: (id: string) => (accepted.has(id) ? 'key' : undefined) } as unknown as PkiKeys,
    log: (level, text) => log.push(`${level}: ${text}`),
  })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-resources-'))
  cache = fileCache(root)
  accepted = new Set(['web1', 'web2'])
  log = []
  resources = open()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const load = (id: string, names: Value[], grains: Dict = new Map()): Dict =>
  new Map<Value, Value>([
    ['id', id],
    ['resources', new Map<Value, Value>([['dummy', names]])],
    ['resource_grains', grains],
  ])

it('A minion returns for its registered resources, also after a restart, and for nothing else', async () => {
  await resources.register(load('web1', ['lamp']))
  for (const one of [resources, open()]) {
    expect(['lamp', 'web1', 'web2', 'other', '../x'].map((name) => one.isOf('web1', name))).toEqual([
      true,
      ...Array(4).fill(false),
    ])
    expect(one.isOf('web2', 'lamp')).toBe(false)
  }
})

it('A resource has one minion at a time: the first, until that one gives it up or has no key any more', async () => {
  await Promise.all(['web1', 'web2'].map((id) => resources.register(load(id, ['lamp', 'web1', 'a/b']))))
  expect(resources.isOf('web1', 'lamp')).toBe(true)
  expect(log).toContain('warning: Minion web2 may not have a resource of the name lamp: it is a resource of web1')
  expect(log).toContain('warning: Minion web2 may not have a resource of the name web1: it is that of a minion')
  expect(log).toContain('warning: Minion web2 may not have a resource of the name a/b: it is no name')
  await resources.register(load('web1', ['other']))
  await resources.register(load('web2', ['lamp']))
  expect([resources.isOf('web1', 'lamp'), resources.isOf('web2', 'lamp')]).toEqual([false, true])
  accepted.delete('web2')
  await resources.register(load('web1', ['lamp']))
  expect(open().isOf('web1', 'lamp')).toBe(true)
})

it('Grains of resources come and go with them, and others get their turn meanwhile', async () => {
  const bank = cache.bank('resource_grains')
  const names = Array.from({ length: 3000 }, (_, index) => `r${index}`)
  const grains: Dict = new Map(names.map((name): [Value, Value] => [`dummy:${name}`, new Map([['a', 1]])]))
  let turns = 0
  const count = (): void => {
    turns++
    if (turns < 1000) setImmediate(count)
  }
  setImmediate(count)
  await resources.register(load('web1', names, grains))
  expect(turns).toBeGreaterThan(3)
  expect(bank.fetch('dummy:r2999')).toEqual(new Map([['a', 1]]))
  await resources.register(load('web1', ['r0'], grains))
  expect(bank.list()).toEqual(['dummy:r0'])
})
