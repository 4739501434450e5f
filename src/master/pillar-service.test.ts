import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Storing, storageError } from '../base/mod.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { fileCache } from '../store/mod.ts'
import type { MasterParts } from './parts.ts'
import { PillarService } from './pillar-service.ts'
import { Quotas } from './quotas.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-pillar-'))
  mkdirSync(join(root, 'pillar'))
  writeFileSync(join(root, 'pillar/top.sls'), "base:\n  '*':\n    - data\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const colour = (text: string): void => writeFileSync(join(root, 'pillar/data.sls'), `colour: ${text}\n`)

function service(more: Record<string, Value>, cache = fileCache(root)): PillarService {
  const opts: Dict = new Map<Value, Value>([
    ['cachedir', root],
    ['pillar_roots', new Map([['base', [join(root, 'pillar')]]])],
    ['file_roots', new Map()],
    ...Object.entries(more),
  ])
  const parts = { opts, log: () => {}, cache, keys: { list: () => ['web1'] }, bus: { fire: () => {} } }
  return new PillarService(parts as unknown as MasterParts, new LocalHost(), new Quotas(opts, () => {}))
}

const ask = async (own: PillarService, more: Record<string, Value> = {}): Promise<Value | undefined> =>
  (await own.answer(dictFrom({ id: 'web1', grains: new Map(), ...more }))).get('colour')

test('pillar is compiled for each request', async () => {
  const own = service({})
  colour('red')
  expect(await ask(own)).toBe('red')
  colour('blue')
  expect(await ask(own)).toBe('blue')
})

test('pillar_cache keeps compiled pillar, without additions of a call', async () => {
  const own = service({ pillar_cache: true })
  colour('red')
  expect(await ask(own)).toBe('red')
  colour('blue')
  expect(await ask(own)).toBe('red')
  expect(await ask(own, { pillar_override: new Map([['size', 1]]) })).toBe('blue')
  expect(await ask(own)).toBe('red')
})

test('a minion gets its pillar also when the disk takes nothing that is to be kept', async () => {
  const full: Storing = (path) => {
    throw storageError(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), path)
  }
  const own = service({ pillar_cache: true }, fileCache(root, { storing: full }))
  colour('red')
  expect(await ask(own)).toBe('red')
  colour('blue')
  expect(await ask(own)).toBe('blue')
})
