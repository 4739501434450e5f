// Things behind a minion that are no minions: declared in its pillar, targeted like minions, and answered for by it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { noSshd, startSshd, type TestSshd } from '../ssh/sshd.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
let sshd: TestSshd | undefined

interface StateAnswer {
  result: boolean | null
  changes: object
}

/** A path on the machine that is reached by ssh, which is this one. */
const path = (name: string): string => join(site.root, `of-box-${name}`)

const machine = ({ target, identity, knownHosts }: TestSshd): object => ({
  ...{ host: target.host, port: target.port, user: target.user, priv: identity, known_hosts_file: knownHosts },
  ssh_options: ['GlobalKnownHostsFile=/dev/null'],
})

const pillar = (resources: unknown): void => {
  const folder = join(site.root, 'pillar')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'top.sls'), "base: {'web1': [behind]}\n")
  writeFileSync(join(folder, 'behind.sls'), JSON.stringify({ resources, color: 'blue' }))
}

beforeAll(async () => {
  site = await TestSite.open()
  const port = await freePort()
  if (!noSshd) sshd = await startSshd()
  pillar({
    dummy: { resource_ids: ['lamp-1', 'lamp-2'] },
    ssh: { hosts: { gone: { host: '127.0.0.1', port, timeout: 5 }, ...(sshd && { box: machine(sshd) }) } },
  })
  const state = { 'file.managed': [{ contents: '{{ grains.id }} {{ pillar.color }}' }] }
  mkdirSync(join(site.root, 'srv'), { recursive: true })
  writeFileSync(join(site.root, 'srv', 'web.sls'), JSON.stringify({ [path('made')]: state }))
  master = await site.master('master', '127.0.0.1', { pillar_roots: { base: [join(site.root, 'pillar')] } })
  await site.minion('web1')
  await site.minion('web2')
})
afterAll(async () => {
  await site?.close()
  await sshd?.stop()
})

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

  it.runIf(existsSync('/usr/bin/ssh'))('say why they cannot be reached by ssh', async () => {
    expect(await ask('gone', 'test.ping')).toEqual({ gone: false })
    const { gone } = (await ask('gone', 'cmd.run', 'true')) as { gone: string }
    expect(gone).toMatch(/^Could not connect to 127\.0\.0\.1: .*Connection refused/)
  })

  describe.skipIf(noSshd)('are machines that are reached by ssh', () => {
    it('answer functions of the whole library', async () => {
      expect(await ask('box', 'test.ping')).toEqual({ box: true })
      expect(await ask('-C', 'T@ssh:box', 'cmd.run', 'echo $SSH_CONNECTION | wc -w')).toEqual({ box: '4' })
      expect(await ask('box', 'cmd.retcode', 'exit 3', 'python_shell=True')).toEqual({ box: 3 })
      expect(await ask('box', 'file.write', path('text'), 'hi')).toEqual({ box: `Wrote 1 lines to "${path('text')}"` })
      expect(readFileSync(path('text'), 'utf8')).toBe('hi\n')
      expect(await ask('box', 'grains.get', 'kernel')).toEqual({ box: 'Linux' })
      expect(await ask('-C', 'G@kernel:Linux and T@ssh', 'test.ping')).toEqual({ box: true })
    })

    it.runIf(process.geteuid?.() === 0)('run commands as the user that is asked for, or not at all', async () => {
      expect(await ask('box', 'cmd.run', 'id -un', 'runas=nobody')).toEqual({ box: 'nobody' })
      const { box } = (await ask('box', 'cmd.run', 'id -un', 'runas=no-such-user')) as { box: string }
      expect(box).toMatch(/User 'no-such-user' is not available/)
    })

    it('apply states of the master with the pillar of their minion', async () => {
      const states = async (...words: string[]): Promise<StateAnswer[]> => {
        const { box } = (await ask('-C', 'T@ssh:box', 'state.apply', 'web', ...words)) as { box: object }
        return Object.values(box) as StateAnswer[]
      }
      expect(await states('test=True')).toMatchObject([{ result: null }])
      expect(existsSync(path('made'))).toBe(false)
      expect(await states()).toMatchObject([{ result: true, changes: { diff: 'New file' } }])
      expect(readFileSync(path('made'), 'utf8')).toBe('box blue\n')
      expect(await states()).toMatchObject([{ result: true, changes: {} }])
    })

    it.runIf(existsSync('/usr/bin/dpkg-query'))('apply states of packages, services and accounts', async () => {
      const states = {
        dpkg: { 'pkg.installed': [] },
        'no-such-package': { 'pkg.removed': [] },
        'no-such-service': { 'service.dead': [] },
        root: { 'user.present': [{ uid: 0 }] },
        [path('lines')]: { 'file.append': [{ text: 'one' }] },
        [`cat ${path('lines')}`]: { 'cmd.run': [{ onchanges: [{ file: path('lines') }] }] },
      }
      writeFileSync(join(site.root, 'srv', 'whole.sls'), JSON.stringify(states))
      const apply = async (...words: string[]): Promise<Record<string, StateAnswer>> => {
        const { box } = (await ask('box', 'state.apply', 'whole', ...words)) as { box: Record<string, StateAnswer> }
        return Object.fromEntries(Object.entries(box).map(([tag, answer]) => [tag.split('_|-')[1] ?? tag, answer]))
      }
      const nothing = { result: true, changes: {} }
      const kept = { dpkg: nothing, 'no-such-package': nothing, 'no-such-service': nothing }
      expect(await apply('test=True')).toMatchObject({ ...kept, [path('lines')]: { result: null } })
      expect(await apply()).toMatchObject({
        ...kept,
        root: nothing,
        [path('lines')]: { result: true },
        [`cat ${path('lines')}`]: { result: true, changes: { stdout: 'one' } },
      })
      expect(await apply()).toMatchObject({ ...kept, [`cat ${path('lines')}`]: nothing })
    })

    it('give no access to their minion', async () => {
      const { box } = (await ask('box', 'mine.send', 'test.ping')) as { box: string }
      expect(String(box)).toMatch(/has no minion that could ask its master for _mine/)
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
