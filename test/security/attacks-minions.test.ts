// What a hostile minion could do with fields that only honest minions were expected to send.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { GpgHome, noGpg } from '../gpg.ts'
import { Besieged, dict } from './besieged.ts'

let site: Besieged
afterEach(() => site.stop())

/** The returned pillar is ignored: the test reads the data that the master stored. */
const askPillar = (who: MasterChannel, more: Record<string, unknown> = {}): Promise<unknown> =>
  who.send(dict({ cmd: '_pillar', id: 'evil', grains: dict({}), saltenv: 'base', ...more })).catch(() => null)

it('what a minion puts into its pillar for a call makes it no member of a group', async () => {
  site = await Besieged.start((path) => ({
    nodegroups: { admins: 'I@role:admin' },
    ext_pillar: [{ file_tree: { root_dir: path('tree') } }],
  }))
  site.write('tree/nodegroups/admins/secret', 'canary')
  const evil = await site.minion('evil')
  const kept = (): unknown => site.parts.cache.bank('pillar').fetch('evil') ?? new Map()
  // a request that the channel cannot read the answer to is sent twice
  for (const more of [{ pillar_override: dict({ role: 'admin' }) }, {}]) {
    await askPillar(evil, more)
    expect(kept()).toEqual(new Map())
  }
})

it.skipIf(noGpg !== undefined)('a minion has the master decrypt nothing that the minion sends', async () => {
  const keys = new GpgHome(mkdtempSync(join(tmpdir(), 'brine-oracle-')))
  try {
    keys.run('--passphrase', '', '--quick-generate-key', 'master@example.com', 'rsa2048', 'encr', 'never')
    writeFileSync(join(keys.folder, 'secret'), 'canary')
    const to = ['--armor', '--trust-model', 'always', '--recipient', 'master@example.com']
    const cipher = keys.run(...to, '--output', '-', '--encrypt', join(keys.folder, 'secret')).toString()
    for (const first of [false, true]) {
      const options = { gpg_keydir: keys.folder, decrypt_pillar: ['own', 'given'], ext_pillar_first: first }
      site = await Besieged.start((path) => ({ ...options, pillar_roots: { base: [path('pillar')] } }))
      site.write('pillar/top.sls', 'base: {"*": [own]}\n')
      site.write('pillar/own.sls', JSON.stringify({ own: cipher }))
      const evil = await site.minion('evil')
      const load = { cmd: '_pillar', grains: dict({}), saltenv: 'base', pillar_override: dict({ given: cipher }) }
      const pillar = await evil.sendPrivate(dict({ ...load, pillar_override_encoding: 'gpg' }), 'pillar')
      expect(pillar).toEqual(dict({ own: 'canary', given: cipher }))
      if (!first) await site.stop()
    }
  } finally {
    keys.close()
    rmSync(keys.folder, { recursive: true })
  }
})

it('a minion makes no folders that count nowhere', async () => {
  site = await Besieged.start({ file_recv: true, file_recv_max_total: 1 })
  const evil = await site.minion('evil')
  const push = (path: string[], loc: number, data = ''): Promise<unknown> =>
    evil.send(dict({ cmd: '_file_recv', id: 'evil', loc, data, path }))
  const deep = Array.from({ length: 400 }, (_, index) => `d${index}`)
  await push(deep, 1)
  await push(deep, 0)
  const made = readdirSync(site.root, { recursive: true, encoding: 'utf8' }).filter((path) => /\/d\d+$/.test(path))
  expect(made).toEqual([])
  expect(await push(['a', 'b', 'c'], 0, 'x')).toBe(true)
  expect(await push(['a', 'b', 'c'], 1, 'y')).toBe(true)
})

it.each(['Reactor', 'Thorium'])('a minion hides no return from the reactor by the name %s', async (user) => {
  site = await Besieged.start((path) => ({ reactor: [{ 'salt/job/*/ret/*': [path('react.sls')] }] }))
  site.write('react.sls', 'told:\n  runner.event.send:\n    - args:\n      - tag: heard/it\n')
  const evil = await site.minion('evil')
  const ret = { cmd: '_return', jid: '20300101000000000001', fun: 'test.ping', return: true, retcode: 0, user }
  await evil.send(dict({ ...ret, id: 'evil' }))
  await expect.poll(() => site.events.map(({ tag }) => tag)).toContain('heard/it')
})

it('a resource with the name * does not have all keys deleted', async () => {
  site = await Besieged.start()
  const evil = await site.minion('evil')
  await site.minion('web1')
  await evil.send(dict({ cmd: '_register_resources', id: 'evil', resources: dict({ t: ['*', 'we?1'] }) }))
  const key = readFileSync(`${site.cachedir}/.root_key`, 'utf8')
  // no minion answers here: web1 is down, and so are the resources of evil; only keys of queried minions may be removed
  const kwarg = dict({ removekeys: true, tgt: 'evil*', timeout: 0.2, gather_job_timeout: 0.2 })
  await site.clear({ cmd: 'runner', fun: 'manage.down', key, user: 'root', arg: [], kwarg })
  const ended = (): Dict | undefined => site.events.find(({ tag }) => /^salt\/run\/\d+\/ret$/.test(tag))?.data
  await expect.poll(ended).toBeDefined()
  expect(site.parts.keys.list('minions')).toEqual(['web1'])
})

it('an expression in the mine does not hold up the master that reads it', async () => {
  site = await Besieged.start()
  // each further letter doubles the steps of the expression: this many take longer than half a minute
  const long = 'a'.repeat(32)
  const evil = await site.minion(long)
  const entry = { __saltmine_acl__: 1, __data__: 'x', allow_tgt: '([a-z]+)+!', allow_tgt_type: 'pcre' }
  await evil.send(dict({ cmd: '_mine', id: long, data: dict({ facts: dict(entry) }) }))
  const key = readFileSync(`${site.cachedir}/.root_key`, 'utf8')
  await site.clear({ cmd: 'runner', fun: 'mine.get', key, user: 'root', arg: ['*', 'facts'], kwarg: dict({}) })
  const before = process.cpuUsage()
  const ended = (): Dict | undefined => site.events.find(({ tag }) => /^salt\/run\/\d+\/ret$/.test(tag))?.data
  await expect.poll(ended).toBeDefined()
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
  expect(ended()?.get('return')).toEqual(new Map())
})

it('a minion that asks for the options of its master gets those of states alone', async () => {
  site = await Besieged.start((path) => ({
    sharedsecret: 'canary',
    external_auth: { sharedsecret: { joe: ['canary.*'] } },
    ext_pillar: [{ http_json: { url: 'http://joe:canary@127.0.0.1:1/' } }],
    gitfs_remotes: [],
    vault: { auth: { token: 'canary' } },
    'mysql.pass': 'canary',
    nodegroups: { admins: 'L@web1' },
    own_option: 'canary',
    pillar_roots: { base: [path('canary')] },
  }))
  const evil = await site.minion('evil')
  const asked = { cmd: '_master_opts', id: 'evil' }
  for (const load of [asked, { ...asked, env_only: true }, { ...asked, opts: dict({ own_option: true }) }]) {
    const told = await evil.send(dict(load))
    const names = [...(told as Dict).keys()]
    expect(names).toContain('env_order')
    expect(names.filter((name) => /pass|secret|auth|ext_pillar|vault|own|pillar|roots/.test(String(name)))).toEqual([
      'file_roots',
    ])
    expect(inspect(told, { depth: 20 })).not.toContain('canary')
  }
})
