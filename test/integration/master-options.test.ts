// Options of the master that decide how its minions compile and run states.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

const FILES = {
  'roles.sls':
    "base:\n  'web':\n    - match: nodegroup\n    - first\n  'N@web and not N@db':\n    - match: compound\n    - second\n",
  'first.sls': 'first:\n  test.fail_without_changes: []\nnever:\n  test.nop: []\n',
  'second.sls': 'second:\n  test.nop: []\n',
  'text.sls':
    '{% if true %}\ntext:\n  test.succeed_without_changes:\n    - comment: "a\n{% if true %}\nb"\n{% endif %}\n{% endif %}\n',
}

beforeAll(async () => {
  site = await TestSite.open()
  mkdirSync(join(site.root, 'srv'), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(site.root, 'srv', path), text)
  master = await site.master('master', '127.0.0.1', {
    file_roots: { base: [join(site.root, 'srv')] },
    nodegroups: { web: 'web*', db: 'L@db1' },
    state_top: 'roles.sls',
    failhard: true,
    jinja_trim_blocks: true,
  })
  await site.minion('web1')
})
afterAll(() => site.close())

describe('A minion takes from its master', () => {
  it('nodegroups of the top file, and `state_top`', async () => {
    expect(await master.ask('web1', 'state.show_top')).toEqual({ base: ['first', 'second'] })
  })

  it('`failhard`', async () => {
    const results = Object.keys((await master.ask('web1', 'state.apply', ['first'])) as object)
    expect(results.map((tag) => tag.split('_|-')[1])).toEqual(['first'])
  })

  it('how Jinja treats blocks', async () => {
    const high = await master.ask('web1', 'state.show_sls', ['text'])
    expect(JSON.stringify(high)).toContain('"comment":"a b"')
  })
})
