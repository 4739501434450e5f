import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Dict, Value } from '../data/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { userModules } from '../pybridge/mod.ts'
import { run } from './new-module.ts'

test('brine new writes modules that work as they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-new-'))
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    for (const kind of ['module', 'state', 'runner']) expect(await run([kind, 'mine', folder])).toBe(0)
    expect([
      await run(['module', 'mine', folder]),
      await run(['module', 'no-name']),
      await run(['other', 'x']),
    ]).toEqual([1, 64, 64])
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
  const opts: Dict = new Map<Value, Value>([['id', 'web1']]).set('module_dirs', [folder])
  const functions = new Registry(moduleTable, { opts, grains: new Map(), pillar: new Map(), userModules })
  await functions.refresh()
  expect(await functions.call('mine.greet', ['you'])).toBe('hello you from web1')
  expect(Object.keys((await functions.ctx.states.load('mine'))!.functions)).toEqual(['present'])
  rmSync(folder, { recursive: true })
})
