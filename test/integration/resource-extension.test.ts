// A type of resources of a Salt extension behind a minion: discovered from pillar, targeted by name, type and grains,
// with its own functions.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { PackageFolder, RESOURCE_KIND } from '../extensions/packages.ts'
import { type TestMaster, TestSite } from './site.ts'

let packages: PackageFolder
let site: TestSite
let master: TestMaster

beforeAll(async () => {
  packages = new PackageFolder()
  packages.use()
  packages.install('shelves', RESOURCE_KIND)
  packages.install('broken', { 'resources/bad.py': 'import os\ndef discover(opts):\n    os._exit(3)\n' })
  site = await TestSite.open()
  const pillar = join(site.root, 'pillar')
  mkdirSync(pillar, { recursive: true })
  writeFileSync(join(pillar, 'top.sls'), "base: {'web1': [behind]}\n")
  const shelf = { ids: ['shelf-1', 'shelf-2'], folder: join(site.root, 'shelves') }
  writeFileSync(join(pillar, 'behind.sls'), JSON.stringify({ resources: { bad: {}, shelf, nowhere: {} } }))
  master = await site.master('master', '127.0.0.1', { pillar_roots: { base: [pillar] } })
  await site.minion('web1')
})
afterAll(async () => {
  await site.close()
  packages.remove()
})

async function ask(...words: string[]): Promise<unknown> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
  await salt(['-c', master.config, '--out', 'json', '--static', ...words], streams)
  return out.startsWith('{') ? JSON.parse(out) : out
}

describe('resources of an extension', () => {
  it('answer with their own functions, and those of their minion', async () => {
    expect(await ask('-C', 'T@shelf', 'test.ping')).toEqual({ 'shelf-1': false, 'shelf-2': false })
    expect(await ask('shelf-1', 'shelving.put', 'box')).toEqual({ 'shelf-1': ['shelf-1', 'shelf', 'web1'] })
    expect(readFileSync(join(site.root, 'shelves', 'shelf-1'), 'utf8')).toBe('box')
    expect(await ask('-C', 'T@shelf', 'test.ping')).toEqual({ 'shelf-1': true, 'shelf-2': false })
    expect(await ask('-G', 'resource_id:shelf-2', 'grains.get', 'kind')).toEqual({ 'shelf-2': 'shelf' })
    expect(await ask('shelf-2', 'cmd.run', 'echo hi')).toEqual({ 'shelf-2': 'hi' })
  })

  it('leave their minion as it is', async () => {
    expect(await ask('web1', 'test.ping')).toEqual({ web1: true })
    expect(await ask('web1', 'shelving.put', 'x')).toEqual({ web1: expect.stringContaining('only for shelves') })
  })
})
