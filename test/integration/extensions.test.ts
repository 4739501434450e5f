// A Salt extension with a module of every kind, installed for the Python of a master and a minion: each kind serves where Salt's
// users expect it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { LocalClient, type PublishRequest } from '../../src/client/mod.ts'
import { clientConfig } from '../../src/config/mod.ts'
import { type Dict, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { displayed, thoriumStates } from '../../src/pybridge/mod.ts'
import { ownRosterBackend } from '../../src/ssh/roster/own.ts'
import {
  CACHE_DRIVER,
  EVERY_KIND,
  FILE_BACKEND,
  PackageFolder,
  SERIALIZER,
  TOKEN_STORE,
} from '../extensions/packages.ts'
import { type TestMaster, TestSite } from './site.ts'

const packages = new PackageFolder()
let site: TestSite
let master: TestMaster

const put = (path: string, text: string): void => {
  const file = join(site.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

beforeAll(async () => {
  packages.install('everykind', EVERY_KIND)
  packages.install('broken', { '__init__.py': 'import os; os._exit(9)', 'modules/broken.py': 'def x(): pass\n' })
  packages.install('parts', {
    'cache/kind.py': CACHE_DRIVER,
    'fileserver/kind.py': FILE_BACKEND,
    'serializers/pairs.py': SERIALIZER,
    'tokens/kind.py': TOKEN_STORE,
  })
  packages.use()
  site = await TestSite.open()
  put('srv/one.sls', 'kept:\n  kind.present: []\n')
  put('srv/top.sls', 'base:\n  "web1":\n    - match: kind\n    - one\n')
  put('tree/base/big/file', 'text of the extension')
  put('tokens/.keep', '')
  master = await site.master('master', '127.0.0.1', {
    ...{ cache: 'kind', fileserver_backend: ['kind', 'roots'], eauth_tokens: 'kind' },
    'kind.folder': join(site.root, 'shared'),
    'kind.tree': join(site.root, 'tree'),
    'kind.tokens': join(site.root, 'tokens'),
    master_tops: { kind: true },
    ext_pillar: [{ kind: ['a', 'b'] }],
    external_auth: { kind: { joe: ['test.*'] } },
  })
  await site.minion('web1', {
    engines: [{ kind: { tag: 'kind/engine' } }],
    beacons: { kind: [{ interval: 1 }] },
    kind_file: join(site.root, 'returns'),
    kindstore: { driver: 'kind', suffix: '!' },
  })
  await master.event(/^salt\/minion\/web1\/start$/)
})
afterAll(async () => {
  await site?.close()
  packages.remove()
})

const ask = (fun: string, args: Value[] = []) => master.ask('web1', fun, args)

describe('of an extension', () => {
  test('functions and grains serve on the minion, and the broken package costs nothing', async () => {
    expect(await ask('kind.word')).toEqual(['shared', 'x', 'web1'])
    expect(await ask('grains.get', ['kind_grain'])).toBe(7)
    expect(await ask('broken.x')).toContain('broken')
    expect(await ask('kind.list')).toEqual(['a'])
    expect(await ask('test.versions_report')).toMatch(
      /Salt Extensions:\n +saltext.broken: 1.2\n +saltext.everykind: 1.2\n/,
    )
  })

  test('states, matchers and tops serve in a highstate', async () => {
    expect(await ask('state.show_top')).toEqual({ base: ['one', 'from_web1'] })
    const ran = (await ask('state.apply', ['one'])) as Record<string, { result: boolean; comment: string }>
    expect(Object.values(ran).map(({ result, comment }) => [result, comment])).toEqual([[true, 'shared']])
  })

  test('pillars, secrets and renderers give data', async () => {
    expect(await ask('slsutil.renderer', ['', '{{ pillar.kind_pillar }}', 'jinja'])).toBe("['web1', ['a', 'b']]")
    expect(await ask('sdb.get', ['sdb://kindstore/word'])).toBe('word!')
    expect(await ask('slsutil.renderer', ['', 'hello', 'kindly'])).toEqual({ said: 'HELLO' })
  })

  test('files come from its backend in programs', () => {
    const folder = join(site.root, 'local')
    put('local/minion', `fileserver_backend: [kind]\nkind.tree: ${join(site.root, 'tree')}\nroot_dir: ${folder}\n`)
    const program = join(import.meta.dirname, '../../dist/salt-call.js')
    const words = [program, '--local', '-c', folder, '--out=json', 'cp.list_master']
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect(JSON.parse(stdout), stderr).toEqual({ local: ['big/file'] })
  })

  test('files come from its backend, and formats serve', async () => {
    expect(await ask('cp.get_file_str', ['salt://big/file'])).toBe('text of the extension')
    expect(await ask('cp.hash_file', ['salt://big/file'])).toMatchObject({ hash_type: 'sha256' })
    expect(await ask('cp.list_master')).toContain('big/file')
    expect(await ask('slsutil.serialize', ['pairs', new Map([['a', 1]])])).toBe('a=1')
  })

  test('data about minions go to its cache, and tokens to its store', async () => {
    await ask('mine.send', ['test.ping'])
    await expect.poll(() => existsSync(join(site.root, 'shared/mine/web1.json')), { timeout: 60_000 }).toBe(true)
    expect(JSON.parse(readFileSync(join(site.root, 'shared/grains/web1.json'), 'utf8'))).toMatchObject({ id: 'web1' })
    const client = await LocalClient.open(await clientConfig({ path: join(master.config, 'master') }), silentLog)
    const given = { cmd: 'mk_token', eauth: 'kind', username: 'joe', password: 'eoj' }
    const made = (await client.command(new Map<Value, Value>(Object.entries(given)))) as Dict
    const token = made.get('token')!
    expect(existsSync(join(site.root, 'tokens', String(token)))).toBe(true)
    const asked = new Map<Value, Value>([
      ['cmd', 'get_token'],
      ['token', token],
    ])
    expect(toPlain(await client.command(asked))).toMatchObject({ name: 'joe' })
    client.close()
  })

  test('engines and beacons fire events', async () => {
    expect(toPlain((await master.event(/^kind\/engine$/)).data)).toMatchObject({ data: { id: 'web1' } })
    await master.event(/^salt\/beacon\/web1\/kind\/seen$/)
  })

  test('runners, wheel functions and queues serve on the master', async () => {
    expect(toPlain((await master.run('kind.who')).value)).toEqual(['web1'])
    expect(await master.wheel('kind.turn', [2])).toBe(3)
    expect(toPlain((await master.run('queue.list_queues', [], { backend: 'kind' })).value)).toEqual([
      'of the extension',
    ])
  })

  test.each([
    ['eoj', true],
    ['shut', false],
  ])(
    'authentication says whether %s is the password',
    async (password, isKnown) => {
      const client = await LocalClient.open(await clientConfig({ path: join(master.config, 'master') }), silentLog)
      const load = { cmd: 'mk_token', eauth: 'kind', username: 'joe', password }
      const answer = toPlain(await client.command(new Map<Value, Value>(Object.entries(load))))
      client.close()
      expect(JSON.stringify(answer).includes('"name":"joe"')).toBe(isKnown)
    },
    60_000,
  )

  test('returners take returns, and executors run functions', async () => {
    const client = await LocalClient.open(await clientConfig({ path: join(master.config, 'master') }), silentLog)
    const answer = async (more: Pick<PublishRequest, 'ret' | 'kwargs'>): Promise<Value> => {
      const published = await client.publish({ tgt: 'web1', fun: 'test.echo', arg: ['x'], ...more })
      return (await master.event(new RegExp(`^salt/job/${published!.jid}/ret/web1$`))).data.get('return')!
    }
    await answer({ ret: 'kind' })
    await expect.poll(() => readFileSync(join(site.root, 'returns'), 'utf8')).toBe('["web1", "test.echo", "x"]\n')
    const executed = await answer({ kwargs: new Map<Value, Value>([['module_executors', ['kind']]]) })
    client.close()
    expect(toPlain(executed)).toEqual(['executed', 'x'])
  })

  test('outputters, rosters and states of Thorium are found', async () => {
    const opts: Dict = new Map<Value, Value>([['extension_modules', join(site.root, 'none')]])
    const host = new LocalHost()
    expect(await displayed('kind', 1, opts)).toBe('<<1>>')
    const roster = await ownRosterBackend(
      'kind',
      { opts, log: silentLog, host, tgt: 'web9', tgtType: 'glob' } as never,
      [],
    )
    expect((await roster!.read({ tgt: 'web9', tgtType: 'glob' } as never)).entries.has('web9')).toBe(true)
    const registry = new Registry(moduleTable, { opts, grains: new Map(), pillar: new Map(), host })
    expect(Object.keys(await thoriumStates(registry))).toContain('kind')
  })
})
