// Thorium beside a running master: events counted over several turns until a job is published for a minion.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

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

${join(roots, 'saved.json')}:
  file.save: []
`,
  )
  master = await site.master('master', '127.0.0.1', {
    engines: ['thorium'],
    thorium_roots: { base: [roots] },
    thorium_interval: 0.02,
  })
}, 60_000)
afterAll(() => site?.close())

it('acts when enough events have come, and not before', { timeout: 60_000 }, async () => {
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
  while (!existsSync(file)) await master.run('event.send', ['shop/opened'])
  for (const [index, name] of ['a', 'b'].entries()) {
    await fail(name)
    while (saved().length <= index) await sleep(20)
  }
  expect(saved()).toEqual(['a', 'b'])
  expect(master.seen.some(({ tag }) => tag === 'shop/alarm')).toBe(false)
  await fail('c')
  const { data } = await master.event(/^shop\/alarm$/)
  expect(data.get('many')).toBe(true)
})
