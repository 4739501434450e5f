import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { displayed, functionScope, ownMatch, userBeacons, userPlugins } from './mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const folder = new ModuleFolder()
afterAll(() => folder.remove())

beforeAll(() => {
  folder.write('output/shouting.py', 'def output(data, **kwargs):\n    return repr(data).upper() + str(kwargs)\n')
  folder.write('output/plain.ts', 'export const output = (data) => `${[...data.keys()]}`\n')
  folder.write('output/broken.py', 'def output(data):\n    raise ValueError("no")\n')
  folder.write(
    'matchers/even_match.py',
    'def match(tgt, opts=None, minion_id=None):\n    return int(__opts__["id"][-1]) % 2 == int(tgt)\n',
  )
  folder.write('matchers/os_match.mjs', 'export function match(tgt) { return this.grains.get("os") === tgt }\n')
  folder.write('auth/door.py', 'def auth(username, password, **kwargs):\n    return password == username[::-1]\n')
  folder.write('beacons/clock.py', 'def beacon(config):\n    return [{"tag": "tick", "at": config[0]["at"]}]\n')
  folder.write(
    'beacons/bell.ts',
    `import { defineBeacon } from 'brine/sdk'
export default defineBeacon({
  name: 'bell', doc: '', validate: (config) => (config.has('at') ? undefined : 'at is missing'),
  beacon: (ctx, config) => [new Map([['at', config.get('at')], ['id', ctx.grains.get('id')]])],
})
`,
  )
})

const subject = { id: 'web1', grains: new Map<Value, Value>([['os', 'Debian']]), pillar: new Map(), opts: folder.opts }

describe("users' own plugins", () => {
  test.each([
    ['shouting', "{'LOCAL': 1}{'_retcode': 0}"],
    ['plain', 'local'],
    ['broken', 'local:\n    1'],
    ['nested', 'local:\n    1'],
  ])('show data as the outputter %s', async (name, text) => {
    const kwargs = new Map<Value, Value>([['_retcode', 0]])
    const data: Dict = new Map([['local', 1]])
    expect(await displayed(name, data, new Map([...folder.opts, ['color', false]]), { kwargs })).toBe(text)
  })

  test.each([
    ['even', '1', true],
    ['even', '0', false],
    ['os', 'Debian', true],
  ])('match minions by %s %s', async (kind, target, wanted) => {
    expect(await ownMatch(kind, target, subject)).toBe(wanted)
  })

  test('leave other matchers to us', () => {
    expect(ownMatch('glob', '*', subject)).toBeUndefined()
  })

  test('say which parameters their functions have', async () => {
    const { ctx } = await folder.registry()
    const door = (await userPlugins(functionScope(ctx), 'auth')).get('door')!
    expect(door.parameters('auth')).toEqual(['username', 'password', 'kwargs'])
    expect(await door.call(functionScope(ctx), 'auth', ['ab', 'ba'])).toBe(true)
  })

  test('look as beacons', async () => {
    const registry = await folder.registry()
    const beacons = await userBeacons(registry)
    const config = [new Map([['at', 3]])]
    const seen = async (name: string): Promise<string> =>
      repr(await beacons.get(name)!.look(registry.ctx as never, config))
    expect([await seen('clock'), await seen('bell')]).toEqual([
      "[{'tag': 'tick', 'at': 3}]",
      "[{'at': 3, 'id': 'web1'}]",
    ])
    expect(await beacons.get('bell')!.validate([])).toEqual({ valid: false, comment: 'at is missing' })
  })
})
