// External pillars and drivers of sdb with real servers: etcd, Redis, OpenLDAP, SQLite, keyring, reclass and hiera.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { masterTops } from '../../src/master/tops.ts'
import { compilePillar } from '../../src/pillar/mod.ts'
import { minion, thrice } from './minion.ts'
import { canServe, type Server, startEtcd, startRedis, startSlapd } from './servers.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-external-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

async function pillarOf(extPillar: Plain, more: Record<string, Plain> = {}, grains: Plain = { os: 'Debian' }) {
  const opts = fromPlain({ id: 'web1', cachedir: folder, pillar_roots: {}, ext_pillar: extPillar, ...more }) as Dict
  const host = new LocalHost()
  const known = fromPlain(grains) as Dict
  const { pillar } = await compilePillar({
    opts,
    grains: known,
    minionId: 'web1',
    host,
    functions: (own, pillar) => new Registry(moduleTable, { opts: own, grains: known, pillar, host }),
  })
  return toPlain(pillar) as Record<string, Plain>
}

async function topsOf(masterTopsOption: Plain, grains: Plain = {}): Promise<Plain> {
  const opts = fromPlain({ id: 'master', master_tops: masterTopsOption }) as Dict
  const load = fromPlain({ id: 'web1', opts: { id: 'web1', grains } }) as Dict
  return toPlain(await masterTops({ opts, host: new LocalHost(), log: silentLog }, load)) as Plain
}

describe.runIf(canServe('etcd', '/usr/bin/etcd', '/usr/bin/etcdctl'))('etcd', () => {
  let server: Server
  let profiles: Record<string, Plain>

  beforeAll(async () => {
    server = await startEtcd()
    const place = { 'etcd.host': '127.0.0.1', 'etcd.port': server.port }
    profiles = {
      two: { driver: 'etcd', ...place },
      three: { driver: 'etcd', ...place, 'etcd.require_v2': false },
      plain: { driver: 'etcd', ...place, 'etcd.require_v2': false, 'etcd.encode_values': false },
    }
  })
  afterAll(async () => server?.stop())

  test.each(['two', 'three'])('keeps values of sdb by profile %s', async (profile) => {
    const salt = minion(profiles)
    expect(await salt.call('sdb.get', [`sdb://${profile}/app/none`])).toBeNull()
    expect(await salt.call('sdb.set', [`sdb://${profile}/app/pass word`, 'größe'])).toBe('größe')
    expect(await salt.call('sdb.get', [`sdb://${profile}/app/pass word`])).toBe('größe')
    expect(await salt.call('sdb.delete', [`sdb://${profile}/app/pass word`])).toBe(true)
    expect(await salt.call('sdb.get', [`sdb://${profile}/app/pass word`])).toBeNull()
  })

  test('is pillar below a root, in both versions of its API', async () => {
    const etcdctl = (api: string, ...words: string[]) =>
      execFileSync('/usr/bin/etcdctl', ['--endpoints', `http://127.0.0.1:${server.port}`, ...words], {
        env: { ...process.env, ETCDCTL_API: api },
        stdio: 'ignore',
      })
    etcdctl('2', 'set', '/salt/web1/a', '1')
    etcdctl('2', 'set', '/salt/web1/b/c', 'x')
    etcdctl('3', 'put', '/salt/web1/d/e', 'y')
    etcdctl('3', 'put', '/salt/web10/d', 'not mine')
    expect(await pillarOf([{ etcd: 'two root=/salt/%(minion_id)s' }], profiles)).toEqual({ a: '1', b: { c: 'x' } })
    expect(await pillarOf([{ etcd: 'plain root=/salt/%(minion_id)s' }], profiles)).toEqual({ d: { e: 'y' } })
  })

  test.each(['two', 'three'])('has keys for functions and states, by profile %s', async (profile) => {
    const salt = minion(profiles)
    const call = (name: string, args: Value[], more = {}) => salt.call(name, args, { profile, ...more })
    expect(await call('etcd.get', ['/mod/none'])).toBeNull()
    expect(await call('etcd.set', ['/mod/a', 'x'], { ttl: 600 })).toBe('x')
    const fields = fromPlain({ b: { c: 'y' }, d: 'z' })
    expect(await call('etcd.update', [fields], { path: '/mod' })).toEqual({ '/mod/b/c': 'y', '/mod/d': 'z' })
    expect(await call('etcd.tree', ['/mod'])).toEqual({ a: 'x', b: { c: 'y' }, d: 'z' })
    expect(await call('etcd.get', ['/mod/b'], { recurse: true })).toEqual({ c: 'y' })
    expect(await call('etcd.ls', ['/mod'])).toEqual({ '/mod': { '/mod/a': 'x', '/mod/b/': {}, '/mod/d': 'z' } })
    expect(await call('etcd.rm', ['/mod/b'], { recurse: true })).toBe(true)
    expect(await call('etcd.rm', ['/mod/none'])).toBeNull()
    const state = { name: '/mod/port', value: 80, profile }
    expect((await thrice(salt, 'etcd.set', state))[1]).toBe('New key created')
    expect(await salt.state('etcd.set', { ...state, value: 81 })).toMatchObject({
      comment: 'Key value updated',
      changes: { '/mod/port': 81 },
    })
    await thrice(salt, 'etcd.rm', { name: '/mod/port', profile })
    const folder = { name: '/mod/folder', profile }
    if (profile === 'two') await thrice(salt, 'etcd.directory', folder)
    else
      expect(await salt.state('etcd.directory', folder)).toMatchObject({ comment: 'etcd3 does not have directories' })
    expect(await salt.state('etcd.wait_set', state)).toMatchObject({ result: true, changes: {} })
    const watched = { name: '/mod/w', value: 'v', profile, sfun: 'wait_set' }
    expect(await salt.state('etcd.mod_watch', watched)).toMatchObject({ changes: { '/mod/w': 'v' } })
    expect(await salt.state('etcd.mod_watch', { ...watched, sfun: 'wait_rm' })).toMatchObject({
      comment: 'Key removed',
    })
    expect(await salt.state('etcd.wait_rm', { name: '/mod/w', profile })).toMatchObject({ changes: {} })
    await expect(salt.call('etcd.get', ['/x'], { profile: 'none' })).rejects.toThrow("There is no profile 'none'")
    expect(await salt.state('etcd.set', { name: '/x', value: 1, host: '127.0.0.1', port: 1 })).toMatchObject({
      result: false,
      comment: expect.stringContaining('No profile found, using a profile is always recommended: http://127.0.0.1:1'),
    })
  })

  test('that does not answer is an error that names it', async () => {
    const lost = { lost: { 'etcd.host': '127.0.0.1', 'etcd.port': 1 } }
    expect(await pillarOf([{ etcd: 'lost' }], lost)).toEqual({
      _errors: [expect.stringMatching(/^Failed to load ext_pillar etcd: http:\/\/127\.0\.0\.1:1\/.* does not answer/)],
    })
    expect((await pillarOf([{ etcd: 'none' }]))['_errors']).toEqual([expect.stringContaining("The option 'none'")])
  })
})

describe.runIf(canServe('Redis', '/usr/bin/redis-server'))('Redis', () => {
  let server: Server
  beforeAll(async () => {
    server = await startRedis('--requirepass', 'secret')
  })
  afterAll(async () => server?.stop())

  test('keeps values of sdb', async () => {
    const salt = minion({ r: { driver: 'redis', host: '127.0.0.1', port: server.port, db: 1, password: 'secret' } })
    expect(await salt.call('sdb.get', ['sdb://r/k'])).toBeNull()
    expect(await salt.call('sdb.set', ['sdb://r/k', 'v'])).toBe(true)
    expect(await salt.call('sdb.get', ['sdb://r/k'])).toBe('v')
    expect(await salt.call('sdb.delete', ['sdb://r/k'])).toBe(1)
  })

  test('is pillar by the id of the minion', async () => {
    const more = { 'redis.host': '127.0.0.1', 'redis.port': server.port, 'redis.password': 'secret' }
    const salt = minion(more)
    await salt.call('redis.hmset', ['web1'], { a: '1' })
    expect(await pillarOf([{ redis: { function: 'key_value' } }], more)).toEqual({ redis_pillar: { a: '1' } })
    await salt.call('redis.delete', ['web1'])
    await salt.call('redis.set_key', ['web1', '{"b": [2]}'])
    expect(await pillarOf([{ redis: { function: 'key_json' } }], more)).toEqual({ b: [2] })
  })

  test('with a wrong port is an error that names the option', async () => {
    const pillar = await pillarOf([{ redis: { function: 'key_value' } }], { 'redis.port': 'x' })
    expect(pillar['_errors']).toEqual([expect.stringContaining("The option redis.port must be a port, not 'x'")])
  })

  test.each([
    ['wrong', 'WRONGPASS invalid username-password pair or user is disabled'],
    ['', 'NOAUTH Authentication required'],
  ])('that refuses the password %j is named in the error', async (password, error) => {
    const profile = { driver: 'redis', host: '127.0.0.1', port: server.port, password }
    const get = minion({ r: profile }).call('sdb.get', ['sdb://r/k'])
    await expect(get).rejects.toThrow(`${error}: '127.0.0.1:${server.port}'`)
  })
})

describe.runIf(canServe('OpenLDAP', '/usr/sbin/slapd', '/usr/bin/ldapsearch'))('OpenLDAP', () => {
  let server: Server
  beforeAll(async () => {
    server = await startSlapd((directory) => {
      const schemas = ['core', 'cosine'].map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')
      const file = join(directory, 'slapd.conf')
      mkdirSync(join(directory, 'data'))
      writeFileSync(
        file,
        `${schemas}\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\ndatabase mdb\nsuffix "dc=example,dc=org"\n` +
          `rootdn "cn=admin,dc=example,dc=org"\nrootpw secret\ndirectory ${directory}/data\n` +
          'access to * by dn.base="cn=admin,dc=example,dc=org" read by * none\n',
      )
      const entries = join(directory, 'entries')
      writeFileSync(
        entries,
        'dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n' +
          'dn: cn=web1,dc=example,dc=org\nobjectClass: device\ncn: web1\ndescription: role=frontend\n' +
          'description: vhost=a.example\ndescription: vhost=b.example\nl: Zürich\nou: red\nou: blue\n\n' +
          'dn: cn=db1,dc=example,dc=org\nobjectClass: device\ncn: db1\ndescription: role=db\n',
      )
      execFileSync('/usr/sbin/slapadd', ['-f', file, '-l', entries])
      return file
    })
  })
  afterAll(async () => server?.stop())

  const configured = (search: string): string => {
    const login = `server: 127.0.0.1\n  port: ${server.port}\n  binddn: cn=admin,dc=example,dc=org\n  bindpw: secret`
    write({ 'ldap.yaml': `search_order: [found]\nfound:\n  ${login}\n  dn: dc=example,dc=org\n${search}` })
    return join(folder, 'ldap.yaml')
  }

  test('is pillar by the searches of a file that is a template', async () => {
    const split = configured("  filter: '(cn={{ id }})'\n  attrs: [description]\n")
    const grains = { id: 'web1' }
    expect(await pillarOf([{ pillar_ldap: split }], {}, grains)).toEqual({ role: 'frontend', vhost: 'b.example' })
    const lists = configured("  filter: '(cn={{ id }})'\n  lists: [description]\n")
    expect(await pillarOf([{ pillar_ldap: lists }], {}, grains)).toEqual({
      role: ['frontend'],
      vhost: ['a.example', 'b.example'],
    })
    const map = configured("  filter: '(objectClass=device)'\n  attrs: [dn, cn, l]\n  lists: [ou]\n  mode: map\n")
    expect(await pillarOf([{ pillar_ldap: map }], {}, grains)).toEqual({
      found: [
        { dn: 'cn=web1,dc=example,dc=org', cn: 'web1', l: 'Zürich', ou: ['red', 'blue'] },
        { dn: 'cn=db1,dc=example,dc=org', cn: 'db1' },
      ],
    })
    const dict = configured("  filter: '(cn=db1)'\n  attrs: [description]\n  dict_key_attr: cn\n  mode: dict\n")
    expect(await pillarOf([{ pillar_ldap: dict }], {}, grains)).toEqual({
      found: { db1: [{ description: 'role=db' }] },
    })
  })

  test('that refuses the login is an error', async () => {
    const file = configured("  filter: '(cn=db1)'\n  attrs: [cn]\n")
    write({
      'ldap.yaml': `search_order: [found]\nfound: {server: 127.0.0.1, port: ${server.port}, binddn: "cn=admin,dc=example,dc=org", bindpw: wrong, filter: x=y, dn: dc=example}\n`,
    })
    expect((await pillarOf([{ pillar_ldap: file }]))['_errors']).toEqual([
      expect.stringMatching(/ldapsearch at .* 49: .*Invalid credentials/),
    ])
  })
})

test.runIf(canServe('keyring', '/usr/bin/keyring', '/usr/lib/python3/dist-packages/keyrings/alt'))(
  'A keyring keeps passwords of sdb, which are in no argument',
  async () => {
    vi.stubEnv('PYTHON_KEYRING_BACKEND', 'keyrings.alt.file.PlaintextKeyring').stubEnv('XDG_DATA_HOME', folder)
    const salt = minion({ k: { driver: 'keyring', service: 'system' } })
    expect(await salt.call('sdb.get', ['sdb://k/-user name'])).toBeNull()
    await salt.call('sdb.set', ['sdb://k/-user name', 'größe; $HOME'])
    expect(await salt.call('sdb.get', ['sdb://k/-user name'])).toBe('größe; $HOME')
    vi.stubEnv('PYTHON_KEYRING_BACKEND', 'keyring.backends.fail.Keyring')
    await expect(salt.call('sdb.get', ['sdb://k/x'])).rejects.toThrow('keyring get: ')
    vi.unstubAllEnvs()
  },
)

test("SQLite keeps values of sdb of any type, and takes statements of one's own", async () => {
  const salt = minion({
    s: { driver: 'sqlite3', database: join(folder, 'a.db') },
    own: {
      driver: 'sqlite3',
      database: join(folder, 'b.db'),
      create_statements: ['CREATE TABLE t (a text primary key, b text, d blob)'],
      get_query: 'SELECT d FROM t WHERE a=:key',
      set_query: 'INSERT OR REPLACE INTO t (a, d) VALUES (:key, :value)',
    },
  })
  for (const profile of ['s', 'own']) {
    const uri = `sdb://${profile}/it's; DROP TABLE "sdb"`
    expect(await salt.call('sdb.get', [uri])).toBeNull()
    expect(await salt.call('sdb.set', [uri, fromPlain({ a: [1, 'ü'] })])).toBe(true)
    expect(await salt.call('sdb.set', [uri, fromPlain({ a: [2, 'ü'] })])).toBe(true)
    expect(await salt.call('sdb.get', [uri])).toEqual({ a: [2, 'ü'] })
  }
  await expect(minion({ s: { driver: 'sqlite3' } }).call('sdb.get', ['sdb://s/x'])).rejects.toThrow(
    "A profile of the sdb driver 'sqlite3' needs the setting 'database'",
  )
})

describe.runIf(canServe('reclass', '/usr/share/reclass/reclass-salt'))('reclass', () => {
  test('is pillar and tops of a node', async () => {
    write({
      'reclass/nodes/web1.yml': 'classes: [web]\nparameters: {a: {b: 1}}\nenvironment: prod\n',
      'reclass/classes/web.yml': 'applications: [nginx]\nparameters: {a: {c: 2}}\n',
    })
    const settings = { inventory_base_uri: join(folder, 'reclass') }
    const more = { python_executable: '/usr/bin/python3' }
    expect(await pillarOf([{ reclass: settings }], more)).toMatchObject({
      a: { b: 1, c: 2 },
      __reclass__: { nodename: 'web1', applications: ['nginx'], classes: ['web'], environment: 'prod' },
    })
    const empty = { inventory_base_uri: join(folder, 'none') }
    expect((await pillarOf([{ reclass: empty }], more))['_errors']).toEqual([
      expect.stringMatching(/^Failed to load ext_pillar reclass: reclass\.errors\.\w+: /),
    ])
    const opts = fromPlain({ master_tops: { reclass: settings }, ...more }) as Dict
    const load = fromPlain({ id: 'web1', opts: {} }) as Dict
    const tops = await masterTops({ opts, host: new LocalHost(), log: silentLog }, load)
    expect(toPlain(tops)).toEqual({ prod: ['nginx'] })
  })
})

describe.runIf(canServe('hiera', '/usr/bin/hiera'))('hiera', () => {
  test('is pillar by the grains of the minion', async () => {
    write({
      'hiera.yaml': `---\n:backends: [yaml]\n:yaml:\n  :datadir: ${folder}/hiera\n:hierarchy: ["%{os}", common]\n`,
      'hiera/Debian.yaml': 'settings: {a: 1}\n',
      'hiera/common.yaml': 'settings: {a: 2}\n',
    })
    const conf = `${folder}/hiera.yaml -f yaml settings`
    expect(await pillarOf([{ hiera: conf }])).toEqual({ a: 1 })
    expect(await pillarOf([{ hiera: conf }], {}, { os: "x'; touch /tmp/no" })).toEqual({ a: 2 })
    write({
      'mine.yaml': `---\n:backends: [yaml]\n:yaml:\n  :datadir: ${folder}/secret\n:hierarchy: [common]\n`,
      'secret/common.yaml': 'settings: {a: 3}\n',
    })
    expect(await pillarOf([{ hiera: conf }], {}, { '--config': `${folder}/mine.yaml` })).toEqual({ a: 2 })
  })
})

test('saltclass has the pillars and states of the classes of a node', async () => {
  write({
    'sc/nodes/site/web1.yml':
      'environment: base\nclasses: [roles.web, app.*]\npillars: {node: 1, lst: [n], over: ["^", fresh]}\nstates: [last]\n',
    'sc/classes/roles/web.yml':
      'classes: [roles.deep]\npillars:\n  lst: [w]\n  over: [w]\n  d: {a: "1"}\n  ref: "${d:a}/${port}"\n' +
      '  esc: "\\\\${d:a}"\n  g: "{{ __grains__.os }}-{{ minion_id }}-{{ __pillar__.node }}"\nstates: [nginx, last]\n',
    'sc/classes/roles/deep/init.yml': 'pillars: {lst: [deep], port: 80}\nstates: [deep]\n',
    'sc/classes/app/a.yml': "states: ['{{ __salt__['test.echo']('a') }}']\n",
    'sc/classes/app/b.yml': '\n',
  })
  const path = join(folder, 'sc')
  expect(await pillarOf([{ saltclass: [{ path }] }])).toEqual({
    __saltclass__: {
      states: ['deep', 'nginx', 'last', 'a'],
      classes: ['roles.deep', 'roles.web', 'app.a', 'app.b'],
      environment: 'base',
      nodename: 'web1',
    },
    lst: ['deep', 'w', 'n'],
    over: ['fresh'],
    d: { a: '1' },
    ref: '1/80',
    esc: '${d:a}',
    g: 'Debian-web1-1',
    port: 80,
    node: 1,
  })
  expect(await topsOf({ saltclass: { path } }, { os: 'Debian' })).toEqual({ base: ['deep', 'nginx', 'last', 'a'] })
})

test('varstack merges the files whose names hold grains', async () => {
  write({
    'vs/varstack.yaml': `datadir: ${folder}/vs/stack\nstack: [base, "os/%{os}", "role/%{roles}", "%{none}"]\n`,
    'vs/stack/base.yaml': 'a: {x: 1, y: [1]}\nl: [1]\nstates: [core]\ngone: {z: 1}\n',
    'vs/stack/os/Debian.yaml': 'a: {y: [2]}\nl: [{__combine: replace}, 2]\n',
    'vs/stack/role/web.yaml': 'a: {__combine: replace, q: 1}\nstates: [web]\ngone: {__combine: remove}\n',
    'vs/stack/role/db.yaml': 'l: [3]\n',
  })
  const conf = join(folder, 'vs/varstack.yaml')
  const grains = { os: 'Debian', roles: ['web', 'db', '../../../etc'] }
  expect(await pillarOf([{ varstack: conf }], {}, grains)).toEqual({ a: { q: 1 }, l: [2, 3], states: ['core', 'web'] })
  expect(await topsOf({ varstack: conf }, grains)).toEqual({ base: ['core', 'web'] })
})
