import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import { EventBus } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { arg, defineEngine, type EngineDeclaration, type FunctionContext } from '../sdk/mod.ts'
import { load } from '../yaml/mod.ts'
import { configuredEngines } from './engine-config.ts'
import { Engines } from './engines.ts'

let folder: string
let running: Engines | undefined
const logged: string[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-engines-'))
  logged.length = 0
})

afterEach(async () => {
  await running?.close()
  rmSync(folder, { recursive: true, force: true })
})

function begin(config: string, engines: Record<string, EngineDeclaration>): { engines: Engines; bus: EventBus } {
  const bus = new EventBus()
  const opts: Dict = new Map(load(config) as Dict).set('cachedir', folder)
  const all = new Engines({
    role: 'master',
    opts,
    log: (level, text) => logged.push(`${level}: ${text}`),
    host: new MemoryHost(),
    bus,
    functions: async () => ({}) as FunctionContext,
    userEngines: async () => new Map(Object.entries(engines)),
    wait: () => 1,
  })
  running = all
  all.start()
  return { engines: all, bus }
}

test.each([
  [
    'a list of names',
    'engines: [test, reactor]',
    [
      ['test', 'test'],
      ['reactor', 'reactor'],
    ],
  ],
  [
    'a list of dicts',
    'engines: [{webhook: {port: 8000}}, script]',
    [
      ['webhook', 'webhook', { port: 8000 }],
      ['script', 'script'],
    ],
  ],
  [
    'a dict',
    'engines: {webhook: {port: 1}, test: null}',
    [
      ['webhook', 'webhook', { port: 1 }],
      ['test', 'test'],
    ],
  ],
  ['a name of its own', 'engines: [{hooks: {engine_module: webhook, port: 2}}]', [['hooks', 'webhook', { port: 2 }]]],
  ['nothing', 'engines: []', []],
])('engines are configured by %s', (_name, text, expected) => {
  const found = configuredEngines(load(text) as Dict).map(({ name, module, settings }) => {
    return settings.size > 0 ? [name, module, Object.fromEntries(settings)] : [name, module]
  })
  expect(found).toEqual(expected)
})

test('settings that are no mapping keep an engine from starting, and are reported', async () => {
  const { engines } = begin('engines: [{hook: [{port: 1}]}]', {})
  await until('the engine is refused', () => engines.list().get('hook')?.state === 'unavailable')
  expect(logged).toEqual(['error: Engine(hook) is not started: its settings must be a mapping, not list'])
})

test('an unknown engine is reported, with a similar name', async () => {
  const { engines } = begin('engines: [tests]', {})
  await until('the engine is refused', () => engines.list().get('tests')?.state === 'unavailable')
  expect(logged[0]).toMatch(/^error: Engine\(tests\) is not started: there is no engine 'tests'.*'test'/)
})

test('an unknown setting of an engine is reported', async () => {
  const engine = defineEngine({ name: 'own', doc: '', args: { port: arg.integer('') }, start: async () => {} })
  begin('engines: [{own: {prot: 1}}]', { own: engine })
  await until('a critical line', () => logged.some((line) => line.startsWith('critical')))
  expect(logged.find((line) => line.startsWith('critical'))).toMatch(/unexpected keyword argument 'prot'/)
})

test('an engine that fails or ends is started again, and its state says so', async () => {
  const starts: number[] = []
  const own = defineEngine({
    name: 'own',
    doc: '',
    args: {},
    start: async (ctx) => {
      starts.push(starts.length)
      if (starts.length === 1) throw new Error('broken')
      if (starts.length === 2) return
      for await (const _event of ctx.events()) await ctx.pause(0)
    },
  })
  const { engines } = begin('engines: [own]', { own })
  await until('a third start', () => starts.length === 3)
  expect(engines.list().get('own')).toMatchObject({ engine: 'own', state: 'running', starts: 3 })
  expect(logged).toContain('critical: Engine(own) failed, and is started again: broken')
  expect(logged).toContain('warning: Engine(own) has ended, and is started again')
  await engines.close()
  const told = JSON.parse(readFileSync(join(folder, 'engines.json'), 'utf8'))
  expect(told).toMatchObject({ pid: process.pid, engines: { own: { state: 'stopped', starts: 3 } } })
})

test('an engine gets its settings, and receives and fires events until it is stopped', async () => {
  const heard: Value[] = []
  const own = defineEngine({
    name: 'own',
    doc: '',
    args: { prefix: arg.string('') },
    start: async (ctx, { prefix }) => {
      for await (const { tag, data } of ctx.events((tag) => tag.startsWith('in/'))) {
        heard.push(tag)
        await ctx.fire(`${prefix}/${tag}`, new Map([['got', data.get('n')!]]))
      }
    },
  })
  const { engines, bus } = begin('engines: [{mine: {engine_module: own, prefix: out}}]', { own })
  await until('the engine runs', () => engines.list().get('mine')?.state === 'running')
  const answer = bus.next((tag) => tag === 'out/in/1', 10)
  bus.fire('in/1', new Map([['n', 1]]))
  expect((await answer)?.data.get('got')).toBe(1)
  await engines.close()
  bus.fire('in/2', new Map())
  expect(heard).toEqual(['in/1'])
})

test('nothing is written where no engine is configured', async () => {
  const { engines } = begin('engines: []', {})
  await engines.close()
  expect(existsSync(join(folder, 'engines.json'))).toBe(false)
})
