import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { type FamilyName, userModules, userPlugins } from '../pybridge/mod.ts'
import { renderText } from '../render/mod.ts'
import { run } from './new-module.ts'

test('brine new writes modules that work without changes', async () => {
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

test('brine new writes plugins of every other kind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-new-'))
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  for (const kind of ['pillar', 'tops', 'auth', 'matcher', 'outputter', 'renderer', 'grains'])
    await run([kind, 'mine', folder])
  out.mockRestore()
  const opts: Dict = new Map<Value, Value>([['module_dirs', [folder]]])
  opts.set('door.passwords', new Map([['joe', 'pw']]))
  const grains: Dict = new Map<Value, Value>([['os', 'Debian']]).set('id', 'web-1')
  const scope = { opts, grains, pillar: new Map(), memory: new Map(), log: () => {}, answers: new Map() }
  const calls: Array<[FamilyName, string, Value[], string]> = [
    [
      'pillar',
      'ext_pillar',
      ['web-1', new Map([['role', 'web']]), 1],
      "{'owner': {'minion': 'web-1', 'role': 'web', 'settings': [1]}}",
    ],
    ['tops', 'top', [new Map([['id', 'web-1']]), grains], "{'base': ['hosts.web-1']}"],
    ['auth', 'auth', ['joe', 'pw'], 'True'],
    ['matchers', 'match', ['Debian'], 'True'],
    ['output', 'output', [new Map([['a', 1]])], "'a'"],
    ['renderers', 'render', ['a=1\nb=2\n'], "{'a': '1', 'b': '2'}"],
    ['grains', 'facts', [grains], "{'site': 'web'}"],
  ]
  for (const [family, fun, args, wanted] of calls) {
    const plugin = (await userPlugins(scope, family)).get('mine')!
    expect([family, repr(await plugin.call(scope, fun, args))]).toEqual([family, wanted])
  }
  const text = '#!mine\na=1\n'
  const { value } = await renderText(text, { opts, grains, pillar: new Map(), renderer: 'mine' })
  expect(repr(value)).toBe("{'a': '1'}")
  rmSync(folder, { recursive: true })
})
