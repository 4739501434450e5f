// Thorium beside a running master: events counted over several turns until a job is published for a minion.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

const TALLY = `
def _ret(name, result=True):
    return {"name": name, "result": result, "comment": "", "changes": {}}

def count(name, match):
    entry = __reg__.setdefault(name, {"val": set()})
    entry["val"].update(event["data"]["name"] for event in __events__ if event["tag"].startswith(match))
    return _ret(name)

def tell(name, at):
    if len(__reg__[name]["val"]) < at:
        return _ret(name, False)
    __runner__["event.send"]("seen/" + "-".join(sorted(__reg__.pop(name)["val"])), {})
    return _ret(name)
`

beforeAll(async () => {
  site = await TestSite.open()
  const roots = join(site.root, 'thorium')
  mkdirSync(roots)
  writeFileSync(join(roots, 'top.sls'), "base:\n  '*':\n    - failures\n")
  writeFileSync(
    join(roots, 'failures.sls'),
    `
failed:
  reg.list:
    - add: [name]
    - match: shop/failed
  check.len_gte:
    - value: 3

tell:
  runner.cmd:
    - func: event.send
    - arg:
      - shop/alarm
    - data:
        many: true
    - require:
      - check: failed

forget:
  reg.delete:
    - name: failed
    - require:
      - runner: tell

seen:
  tally.count:
    - match: shop/failed

told:
  tally.tell:
    - name: seen
    - at: 3

${join(roots, 'saved.json')}:
  file.save: []
`,
  )
  const own = join(site.root, 'master/var/cache/salt/master/extmods/thorium')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'tally.py'), TALLY)
  master = await site.master('master', '127.0.0.1', {
    engines: ['thorium'],
    thorium_roots: { base: [roots] },
    thorium_interval: 0.02,
  })
})
afterAll(() => site?.close())

it('acts when enough events have come, and not before', async () => {
  const saved = (): string[] => {
    try {
      const { failed } = JSON.parse(readFileSync(join(site.root, 'thorium/saved.json'), 'utf8'))
      return failed.val.map(({ name }: { name: string }) => name)
    } catch {
      return []
    }
  }
  const fail = async (name: string): Promise<void> => {
    await master.run('event.send', ['shop/failed'], { data: new Map([['name', name]]) })
  }
  const file = join(site.root, 'thorium/saved.json')
  // it listens once its states are compiled
  await until('a first turn', async () => {
    await master.run('event.send', ['shop/opened'])
    return existsSync(file)
  })
  for (const [index, name] of ['a', 'b'].entries()) {
    await fail(name)
    await until(`${name} in the register`, () => saved().length > index)
  }
  expect(saved()).toEqual(['a', 'b'])
  expect(master.seen.some(({ tag }) => tag === 'shop/alarm')).toBe(false)
  await fail('c')
  const { data } = await master.event(/^shop\/alarm$/)
  expect(data.get('many')).toBe(true)
  expect((await master.event(/^seen/)).tag).toBe('seen/a-b-c')
})
