// Names chosen by minions, for themselves and in requests, must not become commands, paths, statements or expressions.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { Besieged, dict } from './besieged.ts'

const CANARY = 'canary-0ddba11'
let site: Besieged

beforeAll(async () => {
  site = await Besieged.start((path) => ({
    file_roots: { base: [path('srv/salt')], __env__: [path('srv/envs/__env__')] },
    pillar_roots: { base: [path('srv/pillar')], __env__: [path('srv/pillars/__env__')] },
    ext_pillar: [{ cmd_yaml: 'echo "{asked: %s}"' }, { cmd_json: 'cat %s' }],
    master_tops: { ext_nodes: 'echo' },
    autosign_grains_dir: path('grains'),
    fileserver_followsymlinks: false,
    minionfs_mountpoint: 'salt://pushed',
    fileserver_backend: ['roots', 'minionfs'],
  }))
  site.write('srv/salt/a.txt', 'served')
  site.write('srv/envs/dev/a.txt', 'served')
  site.write('srv/pillars/dev/top.sls', "base:\n  '*': [x]\n")
  site.write('srv/outside/top.sls', "base:\n  '*': [x]\n'../outside':\n  '*': [x]\n'dev/../../outside':\n  '*': [x]\n")
  site.write('srv/outside/x.sls', `secret: ${CANARY}\n`)
  site.write('srv/outside/a.txt', CANARY)
  mkdirSync(site.path('srv/salt/sub'))
  symlinkSync(site.path('srv/outside'), site.path('srv/salt/sub/link'))
  symlinkSync(site.path('srv/outside/a.txt'), site.path('srv/salt/leak.txt'))
})
afterAll(() => site.stop())

const pillarOf = (channel: MasterChannel, env: unknown = null): Promise<unknown> =>
  channel.sendPrivate(
    dict({ cmd: '_pillar', grains: dict({}), saltenv: env ?? 'base', pillarenv: env, ver: '2', pillar_override: null }),
  )

describe('the id of a minion', () => {
  it.each([
    '$(touch HACKED)',
    '`touch HACKED`',
    'x;touch HACKED;',
    'x|touch HACKED',
    "x'touch HACKED'",
    'x"&touch HACKED&"',
    '-n HACKED',
    '--help',
  ])('%j reaches no shell and is no option', async (id) => {
    const channel = await site.minion(id)
    expect(inspect(await pillarOf(channel))).not.toContain('asked')
    await channel.send(dict({ cmd: '_master_tops', opts: dict({ id }), grains: dict({}) }))
    await channel.send(dict({ cmd: '_return', jid: '20300101000000000001', fun: id, return: id, retcode: 0 }))
    for (const place of [process.cwd(), process.env['HOME'] ?? '/', '/', site.root])
      expect(existsSync(`${place}/HACKED`)).toBe(false)
  })

  it('is given to commands where it is harmless', async () => {
    expect(inspect(await pillarOf(await site.minion('web-1.example.com')))).toContain('web-1.example.com')
  })
})

describe('an environment', () => {
  const OUTSIDE = ['../outside', 'dev/../../outside', '..', '.', '/', './outside', 'a\0/../../outside']

  it.each(OUTSIDE)('%j leads nowhere', async (env) => {
    const m1 = await site.minion('m1')
    for (const cmd of ['_serve_file', '_file_hash', '_file_find', '_file_list', '_dir_list', '_symlink_list']) {
      for (const path of ['a.txt', 'outside/a.txt']) {
        const answer = await m1.send(dict({ cmd, path, saltenv: env, loc: 0, prefix: '' }))
        expect(inspect(answer, { depth: 9 })).not.toMatch(/canary|outside/)
      }
    }
    expect(inspect(await pillarOf(m1, env))).not.toContain(CANARY)
  })

  it('that is a plain name is served', async () => {
    const m1 = await site.minion('m1')
    const answer = (await m1.send(dict({ cmd: '_serve_file', path: 'a.txt', saltenv: 'dev', loc: 0 }))) as Dict
    expect(String(answer.get('data'))).toBe('served')
  })
})

describe('links in the roots', () => {
  it.each(['leak.txt', 'sub/link/a.txt'])('%s is not followed out of them where the master says so', async (path) => {
    const m1 = await site.minion('m1')
    for (const cmd of ['_serve_file', '_file_hash'])
      expect(inspect(await m1.send(dict({ cmd, path, saltenv: 'base', loc: 0 })))).not.toMatch(/canary|hsum/)
  })
})

describe('files that minions pushed', () => {
  it.each(['pushed/../m2/secret', 'xxxxxx../files/x', 'pushed/..', 'pushedx/m1/x'])('are not at %s', async (path) => {
    site.write('var/cache/salt/master/files/x', CANARY)
    const m1 = await site.minion('m1')
    expect(inspect(await m1.send(dict({ cmd: '_serve_file', path, saltenv: 'base', loc: 0 })))).not.toContain(CANARY)
  })
})

describe('the number of a job', () => {
  it.each(["'; DROP TABLE ret; --", '../../x', '%s%n', '*', '__proto__', '1'.repeat(300), '', 'a\n\nb', 'a\0b'])(
    '%j is a value and nothing else',
    async (jid) => {
      const m1 = await site.minion('m1')
      await m1.send(dict({ cmd: '_return', jid, fun: 'x', return: CANARY, retcode: 0 }))
      await m1.send(dict({ cmd: '_return', jid: '20300101000000000002', fun: 'x', return: 1, retcode: 0 }))
      expect(site.parts.jobs.returns('20300101000000000002').has('m1')).toBe(true)
      for (const { tag } of site.events) expect(tag).not.toMatch(/\n|\0/)
    },
  )
})
