// Where a value of the pillar comes from, asked of a minion that has a master, and of the master itself.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPlain } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
let pillar: string
beforeAll(async () => {
  site = await TestSite.open()
  pillar = join(site.root, 'pillar')
  mkdirSync(pillar)
  writeFileSync(join(pillar, 'top.sls'), "base:\n  '*': [web, late]\n")
  writeFileSync(join(pillar, 'web.sls'), 'web:\n  name: shop\n  port: 80\n')
  writeFileSync(join(pillar, 'late.sls'), "{% if grains.id == 'web1' %}\nweb:\n  port: 8080\n{% endif %}\n")
  master = await site.master('master', '127.0.0.1', { pillar_roots: { base: [pillar] } })
  await site.minion('web1')
})
afterAll(() => site.close())

describe('pillar.explain', () => {
  const port = () => [
    { at: join(pillar, 'web.sls:3'), source: 'sls web in base', value: 80 },
    { at: join(pillar, 'late.sls:3'), source: 'sls late in base', value: 8080 },
  ]

  it('names the files of the master, on a minion and on the master', async () => {
    expect(await master.ask('web1', 'pillar.explain', ['web:port'])).toEqual(port())
    expect(toPlain((await master.run('pillar.explain', ['web1', 'web:port'])).value)).toEqual(port())
    expect(await master.ask('web1', 'pillar.explain', ['web:nothing'])).toEqual([])
  })

  it('reports minions without data on the master', async () => {
    expect((await master.run('pillar.explain', ['web9', 'web:port'])).value).toContain(
      "The master knows no grains of a minion 'web9'",
    )
  })
})
