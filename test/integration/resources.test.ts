// Things behind a minion that are no minions: declared in its pillar, targeted like minions, and answered for by it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
const pillar = (resources: unknown): void => {
  const folder = join(site.root, 'pillar')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'top.sls'), "base: {'web1': [behind]}\n")
  writeFileSync(join(folder, 'behind.sls'), JSON.stringify({ resources }))
}

beforeAll(async () => {
  site = await TestSite.open()
  const port = await freePort()
  pillar({
    dummy: { resource_ids: ['lamp-1', 'lamp-2'] },
    ssh: { hosts: { box: { host: '127.0.0.1', port, timeout: 5 } } },
  })
  master = await site.master('master', '127.0.0.1', { pillar_roots: { base: [join(site.root, 'pillar')] } })
  await site.minion('web1')
  await site.minion('web2')
})
afterAll(() => site?.close())

async function ask(...words: string[]): Promise<unknown> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: () => undefined, terminal: false }
  await salt(['-c', master.config, '--out', 'json', '--static', ...words], streams)
  return out.startsWith('{') ? JSON.parse(out) : out
}

describe('resources behind a minion', () => {
  it.each([
    [['lamp-1', 'test.ping'], { 'lamp-1': true }],
    [['-C', 'T@dummy', 'test.ping'], { 'lamp-1': true, 'lamp-2': true }],
    [['-C', 'T@dummy:lamp-2', 'test.ping'], { 'lamp-2': true }],
    [['-L', 'lamp-2,web2', 'test.ping'], { 'lamp-2': true, web2: true }],
    [['-G', 'resource_id:lamp-2', 'test.ping'], { 'lamp-2': true }],
    [['lamp-1', 'grains.get', 'dummy_grain_1'], { 'lamp-1': 'one' }],
    [['web1', 'test.ping'], { web1: true }],
  ])('answer jobs that mean them: %j', async (words, answer) => {
    expect(await ask(...words)).toEqual(answer)
  })

  it('answer beside their minion to a pattern', async () => {
    expect(await ask('*', 'test.echo', 'hi')).toMatchObject({ web1: 'hi', web2: 'hi', 'lamp-1': 'hi', 'lamp-2': 'hi' })
  })

  it.runIf(existsSync('/usr/bin/ssh'))('are machines that are reached by ssh', async () => {
    expect(await ask('box', 'test.ping')).toEqual({ box: false })
    expect(await ask('box', 'cmd.retcode', 'true')).toEqual({ box: 255 })
    expect(await ask('box', 'file.remove', '/x')).toEqual({
      box: "Function 'file.remove' is not supported for resource type 'ssh'. Implement it in a 'sshresource_*' execution module.",
    })
  })

  it('follow the pillar', async () => {
    pillar({ dummy: { resource_ids: ['lamp-3'] } })
    master.seen.splice(0)
    await ask('web1', 'saltutil.refresh_pillar')
    await master.event(/^resource\/refresh\/web1$/)
    await eventually(async () => expect(await ask('lamp-3', 'test.ping')).toEqual({ 'lamp-3': true }))
    expect(await ask('lamp-1', 'test.ping')).toMatch(/No minions matched the target/)
  })
})
