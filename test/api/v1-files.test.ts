// The tree of the file server and the options of the master under /v1, and what users of few rights do not see of them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Answer, V1Site } from './v1-site.ts'

let site: V1Site

const USERS = {
  admin: ['.*', '@runner', '@wheel'],
  lister: [{ '@runner': ['fileserver.file_list', 'fileserver.dir_list', 'fileserver.envs'] }],
  stater: [{ '@runner': ['fileserver.*', { 'salt.cmd': [{ args: ['cp\\.get_file_str', 'salt://states/'] }] }] }],
  bob: ['test.*'],
}

const SECRETS = ['a hidden word', 'gitpass', 'frombank', 'bindword']

beforeAll(async () => {
  process.env['BRINE_TEST_SDB'] = 'frombank'
  site = await V1Site.open({
    external_auth: { sharedsecret: USERS },
    file_ignore_glob: ['*.bak'],
    'mysql.host': 'db.example.com',
    'mysql.pass': 'a hidden word',
    'auth.ldap.bindpw': 'bindword',
    ext_job_cache: 'mysql',
    event_return: ['mysql', 'rawfile_json'],
    gitfs_remotes: ['https://git:gitpass@example.com/states.git'],
    bank: { driver: 'env' },
    my_option: 'sdb://bank/BRINE_TEST_SDB',
    publish_prot: 4505,
    schedule: {
      often: { function: 'test.arg', seconds: 3600, run_on_start: true },
      late: { function: 'test.arg', when: '11:00pm', enabled: false, returner: 'slack' },
    },
  })
  site.write('srv/top.sls', 'base: {}')
  site.write('srv/states/web/init.sls', 'nginx:', '  pkg.installed: []')
  site.write('srv/states/old.bak', 'x')
  site.write('srv/other.txt', 'y')
  site.write(
    'srv/_modules/myapp.py',
    'def deploy(version):',
    '    "Deploy"',
    'def list():',
    '    """List versions. All."""',
  )
  site.write('private/key.pem', 'a hidden word')
  const root = join(site.site.root, 'srv')
  writeFileSync(join(root, 'binary'), Buffer.from([0x7f, 0x45, 0, 1]))
  writeFileSync(join(root, 'large.txt'), 'é'.repeat(200_000))
  mkdirSync(join(root, 'empty'))
  symlinkSync('nowhere', join(root, 'broken'))
  symlinkSync('/dev/zero', join(root, 'endless'))
  execFileSync('mkfifo', [join(root, 'pipe')])
})
afterAll(() => {
  delete process.env['BRINE_TEST_SDB']
  return site?.close()
})

const isProblem = (status: number) => expect.objectContaining({ status, body: expect.objectContaining({ status }) })

const get = (user: string, path: string): Promise<Answer> => site.as(user, 'GET', path)

const read = async (path: string): Promise<Answer['body']> => {
  const { status, body } = await get('admin', path)
  expect([status, body]).toEqual([200, body])
  return body
}

describe('the file server', () => {
  it('is shown folder by folder', async () => {
    expect(await read('/v1/environments')).toEqual({ items: [{ name: 'base' }], next: null })
    const { items } = await read('/v1/files')
    expect(items).toEqual([
      { name: '_modules', path: '_modules', kind: 'folder', size: null },
      { name: 'binary', path: 'binary', kind: 'file', size: 4 },
      { name: 'empty', path: 'empty', kind: 'folder', size: null },
      { name: 'large.txt', path: 'large.txt', kind: 'file', size: 400_000 },
      { name: 'other.txt', path: 'other.txt', kind: 'file', size: 2 },
      { name: 'states', path: 'states', kind: 'folder', size: null },
      { name: 'top.sls', path: 'top.sls', kind: 'file', size: 9 },
    ])
    expect((await read('/v1/files?path=states')).items).toMatchObject([{ path: 'states/web', kind: 'folder' }])
    expect((await read('/v1/files?path=states/web/')).items).toMatchObject([{ path: 'states/web/init.sls' }])
    expect((await read('/v1/files?path=empty')).items).toEqual([])
    const first = await read('/v1/files?limit=2')
    expect((await read(`/v1/files?limit=2&cursor=${first.next}`)).items).toEqual(items.slice(2, 4))
    for (const path of ['nothing', 'other.txt', '../private', 'states/../../private', '/etc', '..']) {
      expect(await get('admin', `/v1/files?path=${encodeURIComponent(path)}`)).toEqual(isProblem(404))
    }
    for (const saltenv of ['none', '..', '../private']) {
      expect(await get('admin', `/v1/files?saltenv=${encodeURIComponent(saltenv)}`)).toEqual(isProblem(404))
    }
  })

  it('shows the text of files', async () => {
    expect(await read('/v1/files/content?path=states/web/init.sls')).toEqual({
      path: 'states/web/init.sls',
      size: 27,
      text: 'nginx:\n  pkg.installed: []\n',
      truncated: false,
      backend: 'roots',
      fullPath: join(site.site.root, 'srv/states/web/init.sls'),
    })
    expect(await read('/v1/files/content?path=binary')).toMatchObject({ text: null, size: 4 })
    const large = await read('/v1/files/content?path=large.txt')
    expect([large.truncated, large.size, large.text]).toEqual([true, 400_000, 'é'.repeat(131_072)])
  })

  it('shows no file outside of its tree', async () => {
    const paths = [
      '../private/key.pem',
      '/etc/passwd',
      'states/../../private/key.pem',
      '|../private/key.pem',
      'broken',
      'empty',
      'pipe',
      'endless',
    ]
    for (const path of [...paths, 'states/old.bak', 'a\0b']) {
      const { status, body } = await get('admin', `/v1/files/content?path=${encodeURIComponent(path)}`)
      expect([path, [400, 404].includes(status)]).toEqual([path, true])
      expect(JSON.stringify(body)).not.toContain('hidden word')
    }
  })

  it('shows nothing behind links out of its tree where minions get nothing there', async () => {
    const strict = await V1Site.open({ external_auth: { sharedsecret: USERS }, fileserver_followsymlinks: false })
    try {
      strict.write('private/key.pem', 'a hidden word')
      strict.write('srv/states/top.sls', 'base: {}')
      const [root, outside] = [join(strict.site.root, 'srv'), join(strict.site.root, 'private')]
      symlinkSync(join(outside, 'key.pem'), join(root, 'key'))
      symlinkSync(outside, join(root, 'folder'))
      symlinkSync('../../private', join(root, 'states/up'))
      symlinkSync('.', join(root, 'states/again'))
      const paths = ['key', 'folder/key.pem', 'states/up/key.pem', `states/${'again/'.repeat(60)}up/key.pem`]
      for (const path of paths.flatMap((each) => [`/content?path=${each}`, `?path=${each}`])) {
        const { status, body } = await strict.as('admin', 'GET', `/v1/files${path}`)
        expect([path, status]).toEqual([path, 404])
        expect(JSON.stringify(body)).not.toContain('hidden word')
      }
      for (const path of ['folder', 'states/up']) {
        const { body } = await strict.as('admin', 'GET', `/v1/files?path=${path}`)
        expect(JSON.stringify(body)).not.toContain('key.pem')
      }
    } finally {
      await strict.close()
    }
  })

  it('needs the rights for its functions', async () => {
    for (const path of ['environments', 'files', 'files/content?path=top.sls']) {
      expect(await get('bob', `/v1/${path}`)).toEqual(isProblem(403))
    }
    expect((await get('lister', '/v1/files')).status).toBe(200)
    expect(await get('lister', '/v1/files/content?path=top.sls')).toEqual(isProblem(403))
    expect((await get('stater', '/v1/files/content?path=states/web/init.sls')).status).toBe(200)
    for (const path of ['top.sls', 'states/../top.sls', '|top.sls']) {
      expect(await get('stater', `/v1/files/content?path=${encodeURIComponent(path)}`)).toEqual(isProblem(403))
    }
  })
})

describe('options', () => {
  it('have a value, a default, a place, a meaning and an effect', async () => {
    const { items } = await read('/v1/options')
    const one = (name: string) => items.find((item: { name: string }) => item.name === name)
    expect(one('file_ignore_glob')).toMatchObject({
      value: ['*.bak'],
      origin: expect.stringMatching(/\/master:\d+$/),
      documented: expect.stringMatching(/\S/),
      hasEffect: true,
      secret: false,
    })
    expect(one('worker_threads')).toMatchObject({ origin: null, value: one('worker_threads').default })
    expect(one('zmq_monitor')).toMatchObject({ hasEffect: false, note: expect.stringContaining('ZeroMQ') })
    expect(one('publish_prot').note).toBe('Unknown option; did you mean publish_port?')
    expect(one('token_dir').secret).toBe(false)
    const changed = (await read('/v1/options?changed=true&q=IGNORE_GLOB')).items
    expect(changed.map(({ name }: { name: string }) => name)).toEqual(['file_ignore_glob'])
  })

  it('show no secrets', async () => {
    const text = JSON.stringify((await read('/v1/options')).items)
    const { items } = await read('/v1/options?changed=true')
    for (const secret of [...SECRETS, 'a long secret']) expect(text).not.toContain(secret)
    for (const name of ['mysql.pass', 'auth.ldap.bindpw', 'sharedsecret', 'my_option', 'gitfs_remotes']) {
      expect(items.find((item: { name: string }) => item.name === name)).toMatchObject({ secret: true })
    }
    const lists = items.find((item: { name: string }) => item.name === 'external_auth')
    expect(lists.value.sharedsecret.bob).toEqual(['test.*'])
  })

  it('name the returners, and the schedule of the master', async () => {
    expect((await read('/v1/returners')).items).toEqual([
      { name: 'local_cache', kinds: ['job_cache'], options: {} },
      {
        name: 'mysql',
        kinds: ['ext_job_cache', 'event_return'],
        options: { 'mysql.host': 'db.example.com', 'mysql.pass': '**********' },
      },
      { name: 'rawfile_json', kinds: ['event_return'], options: {} },
      { name: 'slack', kinds: ['schedule'], options: {} },
    ])
    await eventually(async () => {
      const [often, late] = (await read('/v1/schedules')).items
      expect(often).toMatchObject({ name: 'often', function: 'test.arg', when: 'every 3600 seconds', enabled: true })
      expect(Date.parse(often.nextRun) - Date.parse(often.lastRun)).toBe(3_600_000)
      expect(late).toEqual({
        name: 'late',
        function: 'test.arg',
        when: '11:00pm',
        enabled: false,
        lastRun: null,
        nextRun: null,
      })
    })
  })

  it('are for users that may read them', async () => {
    for (const user of ['bob', 'lister']) {
      for (const path of ['options', 'returners', 'schedules', 'users']) {
        expect(await get(user, `/v1/${path}`)).toEqual(isProblem(403))
      }
    }
  })
})

describe('functions', () => {
  it('of own modules are listed for users that may list files', async () => {
    const names = async (user: string): Promise<unknown> => (await get(user, '/v1/functions?q=myapp.')).body.items
    expect(await names('lister')).toEqual([
      { family: 'execution', name: 'myapp.deploy' },
      { family: 'execution', name: 'myapp.list' },
    ])
    expect(await names('bob')).toEqual([])
  })

  it('have the first sentence of their documentation on request', async () => {
    const docs = async (q: string) => (await read(`/v1/functions?docs=true&limit=1&q=${q}`)).items
    expect(await docs('myapp.list')).toEqual([{ family: 'execution', name: 'myapp.list', doc: 'List versions.' }])
    expect(await docs('test.ping')).toEqual([
      { family: 'execution', name: 'test.ping', doc: expect.stringMatching(/^\S.*\.$/) },
    ])
    expect((await read('/v1/functions?docs=true&family=runner&q=jobs.list_job')).items).toMatchObject([
      { name: 'jobs.list_job', doc: expect.stringMatching(/\S/) },
      { name: 'jobs.list_jobs', doc: expect.stringMatching(/\S/) },
      { name: 'jobs.list_jobs_filter', doc: expect.stringMatching(/\S/) },
    ])
  })
})
