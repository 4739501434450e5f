// Users with few rights: joe has everything on web*, tina test.* everywhere, kim cmd.run as nobody only, rita the jobs
// runner, and the local users nobody and daemon have a key each. No form of a request gives one of them more.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { field, pack } from './msgpack.ts'
import { Site } from './site.ts'

let site: Site

beforeAll(async () => {
  site = await Site.open({
    master: {
      external_auth: {
        auto: {
          joe: [{ 'web*': ['.*'] }],
          tina: ['test.*'],
          kim: [{ '*': [{ 'cmd.run': [{ kwargs: { runas: 'nobody$' } }] }] }],
          rita: ['@jobs'],
        },
      },
      publisher_acl: { nobody: ['test.ping'], daemon: ['.*'] },
      // the master publishes to minions below syndics, which it does not know
      order_masters: true,
    },
    minions: { db1: {}, web1: {} },
  })
})
beforeEach(() => site.revive())
afterAll(() => site.close())

const as = (username: string, more: object = {}): object => ({
  kwargs: { eauth: 'auto', username, password: 'x', ...more },
})

const publish = (load: object): Promise<unknown> =>
  site.client.clear({
    cmd: 'publish',
    tgt: '*',
    tgt_type: 'glob',
    fun: 'test.ping',
    arg: [],
    ret: '',
    jid: '',
    user: 'x',
    ...load,
  })

const isRefused = (answer: unknown): boolean => field(answer, 'error') !== undefined

let count = 0
/** A word that no other test has. */
const word = (): string => `proof-${++count}-${process.pid}`

describe('a user who may command some minions', () => {
  it.each([
    ['glob', 'db1'],
    ['glob', '[!,web1,]*'],
    ['glob', '[!,x,]*'],
    ['list', 'web1,db1'],
    ['pcre', 'web1|db1'],
    ['compound', 'L@web1,db1'],
    ['compound', 'L@web1,db1 and not T@x:db1'],
    ['compound', 'L@web1,db1 and not M@db*'],
    ['compound', 'L@web1,db1 and not x,db1'],
    ['compound', 'web1 or db1'],
    ['grain', 'id:*'],
    ['nonsense', 'db1'],
  ])('reaches no other one by the %s target %s', async (tgt_type, tgt) => {
    const mark = word()
    await publish({ tgt, tgt_type, fun: 'cmd.run', arg: [`echo ${mark}`], ...as('joe') })
    await site.settled()
    expect(site.returnedWith(mark)).not.toContain('db1')
  })

  it('still commands those', async () => {
    const mark = word()
    await publish({ tgt: 'web1', fun: 'cmd.run', arg: [`echo ${mark}`], ...as('joe') })
    await site.settled()
    expect(site.returnedWith(mark)).toEqual(['web1'])
  })

  it.each(['tina', 'nobody-at-all'])('runs nothing where the master knows no minion for a target: %s', async (user) => {
    for (const tgt of ['[!,x,]*', 'host-below-a-syndic', 'db1']) {
      const mark = word()
      await publish({ tgt, fun: 'cmd.run', arg: [`echo ${mark}`], ...as(user) })
      await site.settled()
      expect(site.returnedWith(mark)).toEqual([])
      expect(site.toldWith(mark).filter((tag) => tag.endsWith('/new'))).toEqual([])
    }
  })
})

describe('a user who may call test functions', () => {
  it('writes to no path by the number of a job', async () => {
    const victim = site.path('victim')
    writeFileSync(victim, 'precious')
    const up = '../'.repeat(20)
    const metadata = { evil: '\nssh-ed25519 ATTACKER\n' }
    for (const jid of [`${up}${victim}`, victim, `20990101000000000001/${up}${victim}`]) {
      await publish({ tgt: 'db1', fun: 'test.sleep', arg: [0.2], jid, ...as('tina', { metadata }) })
      await site.settled()
    }
    expect(existsSync(victim) && readFileSync(victim, 'utf8')).toBe('precious')
  })

  it('writes to no path by a returner', async () => {
    const victim = site.path('bashrc')
    writeFileSync(victim, 'precious\n')
    const ret_kwargs = { filename: victim }
    for (const more of [{ ret: 'rawfile_json' }, { ret: 'local,rawfile_json' }])
      await publish({
        tgt: 'db1',
        fun: 'test.echo',
        arg: ['evil'],
        ...more,
        ...as('tina', { ret_kwargs, ret_config: 'x' }),
      })
    await site.settled()
    expect(readFileSync(victim, 'utf8')).toBe('precious\n')
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'sudo'])(
    'chooses no executor: %s',
    async (name) => {
      const mark = word()
      const executing = { module_executors: [name], executor_opts: { sudo_user: 'root' } }
      await publish({ tgt: 'db1', fun: 'test.echo', arg: [mark], ...as('tina', executing) })
      await site.settled()
      expect(site.returnedWith(mark)).toEqual([])
    },
  )

  it.each([
    'test.constructor',
    'test.__proto__',
    'constructor.constructor',
    'test.ping\0',
    'TEST.ping',
    'test.ping,cmd.run',
    'test.xcmd.run',
    'test.ping\ncmd.run',
    'cmd.run',
    [['test.ping', 'cmd.run']],
    [[['cmd.run']]],
    { 'test.ping': 1 },
  ])('calls nothing else: %j', async (fun) => {
    const mark = word()
    const shell = `touch ${site.path('marks', mark)}`
    await publish({ tgt: 'db1', fun, arg: Array.isArray(fun) ? [[], [shell]] : [shell], ...as('tina') })
    await site.settled()
    expect(site.marks).not.toContain(mark)
  })

  it('stops a batch that has no number, and no master', async () => {
    for (const jid of ['../../../../x', 'a\0b', '/', 'x'.repeat(5000)]) {
      const load = { cmd: 'batch', fun: 'test.ping', jid, tgt: '*', tgt_type: 'glob', minions: ['db1'], batch: '1' }
      await site.client.clear({ ...load, arg: [], user: 'x', ...as('tina') }).catch(() => undefined)
      // the state of a batch is written later
      await site.answer('db1', 'cmd.run', ['sleep 0.8'], 5).catch(() => undefined)
    }
    expect(await site.isAlive()).toBe(true)
  })
})

describe('a user who may run commands as another user', () => {
  it.each([
    ['plainly', [{ __kwarg__: true, runas: 'root' }]],
    ['with a mark that is false', ['/tmp', { __kwarg__: true, runas: 'root' }, { __kwarg__: false, runas: 'nobody' }]],
    ['as text', ['/tmp', 'runas=root', { __kwarg__: false, runas: 'nobody' }]],
    [
      'with two sets of keywords',
      [
        { __kwarg__: true, runas: 'root' },
        { __kwarg__: true, runas: 'nobody' },
      ],
    ],
    ['without keywords', []],
  ])('runs none as root, %s', async (_how, rest) => {
    const mark = word()
    // a command that runs as the user `nobody` may also create a file, but not with this owner
    await publish({ tgt: 'db1', fun: 'cmd.run', arg: [`echo ${mark}-$(id -un)`, ...rest], ...as('kim') })
    await site.settled()
    expect(site.events.some(({ tag, data }) => tag.includes('/ret/') && pack(data).includes(`${mark}-root`))).toBe(
      false,
    )
  })
})

describe.skipIf(process.getuid!() !== 0)('a local user', () => {
  it.each(['nobody', 'root', 'daemon', 'sudo_nobody', 'sudo_daemon', 'sudo_root', 'sudo_sudo_daemon'])(
    'has no rights of another one by the name %s',
    async (user) => {
      const key = readFileSync(join(site.cluster.cachedir, '.nobody_key'), 'utf8')
      const mark = word()
      const answer = await publish({ tgt: 'db1', fun: 'cmd.run', arg: [`echo ${mark}`], user, key })
      await site.settled()
      expect(site.returnedWith(mark)).toEqual([])
      expect(isRefused(answer)).toBe(true)
      expect(isRefused(await site.client.clear({ cmd: 'wheel', fun: 'key.list_all', user, key }))).toBe(true)
    },
  )
})

describe('held before', () => {
  const login = (username: string): object => ({ eauth: 'auto', username, password: 'x' })

  it.each(['salt.cmd', 'jobs', 'jobs.constructor', 'jobs.__proto__', 'jobs.../../salt', 'JOBS.list_jobs', '@jobs'])(
    'with rights to jobs does nothing by the runner %s',
    async (fun) => {
      const mark = word()
      const arg = ['*', 'cmd.run', [`touch ${site.path('marks', mark)}`]]
      await site.client.clear({ cmd: 'runner', fun, arg, ...login('rita') })
      await site.settled()
      expect(site.marks).not.toContain(mark)
    },
  )

  it.each([
    { cmd: 'wheel', fun: 'key.list_all', ...login('tina') },
    { cmd: 'runner', fun: 'jobs.list_jobs', ...login('tina') },
    { cmd: 'runner', fun: 'jobs.list_jobs', eauth: '__proto__', username: 'x', password: '' },
    { cmd: 'publish', fun: 'test.ping', tgt: '*', arg: [], kwargs: { eauth: '' } },
    { cmd: 'publish', fun: 'test.ping', tgt: '*', arg: [], user: 'root' },
    { cmd: 'publish', fun: 'test.ping', tgt: '*', arg: [], user: 'root', key: '' },
    { cmd: 'wheel', fun: 'file_roots.write', path: '../../x', data: 'x' },
  ])('no user may do %j', async (load) => {
    expect(isRefused(await site.client.clear(load))).toBe(true)
  })

  it('a token gives the rights of its owner', async () => {
    const made = await site.client.clear({ cmd: 'mk_token', token_expire: 1e12, ...login('tina') })
    const kwargs = { token: field(made, 'token') }
    expect(Number(field(made, 'expire')) - Date.now() / 1000).toBeLessThan(100_000)
    expect(isRefused(await publish({ tgt: 'db1', kwargs }))).toBe(false)
    expect(isRefused(await publish({ tgt: 'db1', fun: 'cmd.run', arg: ['id'], kwargs }))).toBe(true)
  })

  it.each([
    ['file_roots.write', { data: 'evil', path: '../../../pwned' }],
    ['file_roots.write', { data: 'evil', path: 'a', saltenv: '../..' }],
    ['file_roots.read', { path: '../../master/master' }],
    ['pillar_roots.write', { data: 'evil', path: '../../pwned' }],
    ['config.update_config', { file_name: '../../../pwned', yaml_contents: { a: 1 } }],
    ['key.delete', { match: '../master.p*' }],
    ['key.gen_accept', { id_: '../../../pwned' }],
    ['key.key_str', { match: '../master.pem' }],
    ['key.constructor', {}],
  ])('a wheel function stays in its folder: %s %j', async (fun, kwarg) => {
    const answer = await site.owner({ cmd: 'wheel', fun, arg: [], kwarg })
    expect(pack(answer).includes('PRIVATE KEY') || pack(answer).includes('external_auth')).toBe(false)
    expect(existsSync(site.path('master/pki/master.pem'))).toBe(true)
    for (const place of ['pwned', 'srv/pwned', 'pwned.conf', 'a', 'pwned.pem'])
      expect(existsSync(site.path(place))).toBe(false)
  })
})
