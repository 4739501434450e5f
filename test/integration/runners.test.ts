// Functions of runners on a master with one minion, called as salt-run calls them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
const run = async (fun: string, args: Plain[] = [], kwargs: Record<string, Plain> = {}): Promise<Plain> => {
  const given = Object.entries(kwargs).map(([name, value]): [string, Value] => [name, fromPlain(value)])
  return toPlain((await master.run(fun, args.map(fromPlain), Object.fromEntries(given))).value)
}
const write = (path: string, text: string): void => {
  const file = join(site.root, 'srv', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

beforeAll(async () => {
  site = await TestSite.open()
  const passwords = join(site.root, 'users')
  writeFileSync(passwords, 'joe:secret\n')
  master = await site.master('master', '127.0.0.1', {
    reactor: [{ 'shop/opened': ['/srv/reactor/opened.sls'] }],
    external_auth: { file: { '^filename': passwords, '^hashtype': 'plaintext', joe: ['test.*'] } },
  })
  await site.minion('web1')
  await until('the minion answers', async () => (await run('manage.up')) !== null)
})
afterAll(() => site.close())

describe('auth', () => {
  test('mk_token gives a token for right credentials alone, and del_token ends it', async () => {
    const credentials = { username: 'joe', eauth: 'file' }
    const made = (await run('auth.mk_token', [], { ...credentials, password: 'secret' })) as Record<string, Plain>
    expect(made).toMatchObject({ name: 'joe', eauth: 'file', token: expect.stringMatching(/^[0-9a-f]{64,}$/) })
    expect(JSON.stringify(made)).not.toContain('secret')
    expect(await run('auth.mk_token', [], { ...credentials, password: 'wrong' })).toBe('')
    expect(await run('auth.del_token', [made['token']!])).toBe(true)
  })
})

describe('saltutil', () => {
  const families = ['wheel', 'queues', 'cache', 'fileserver', 'roster', 'auth', 'eauth_tokens'] as const
  const functions = {
    wheel: 'saltutil.sync_wheel',
    queues: 'saltutil.sync_queues',
    cache: 'saltutil.sync_cache',
    fileserver: 'saltutil.sync_fileserver',
    roster: 'saltutil.sync_roster',
    auth: 'saltutil.sync_auth',
    eauth_tokens: 'saltutil.sync_eauth_tokens',
  }

  test.each(families)('sync_%s copies the modules of its folder once', async (family) => {
    const folder = family === 'eauth_tokens' ? 'tokens' : family
    write(`_${folder}/mine.py`, `# ${family}\n`)
    expect(await run(functions[family])).toEqual([`${folder}.mine`])
    const copy = join(site.root, 'master/var/cache/salt/master/extmods', folder, 'mine.py')
    expect(readFileSync(copy, 'utf8')).toBe(`# ${family}\n`)
    expect(await run(functions[family])).toEqual([])
    expect(await run(functions[family], [], { saltenv: 'none' })).toEqual([])
    expect(existsSync(copy)).toBe(false)
  })
})

describe('doc', () => {
  test('names the functions of runners, the wheel and minions', async () => {
    expect(await run('doc.runner')).toHaveProperty(['doc.runner'], expect.stringContaining('documentation'))
    expect(await run('doc.wheel')).toHaveProperty(['key.accept'])
    const modules = (await run('doc.execution')) as Record<string, Plain>
    expect(modules['test.ping']).toEqual(expect.any(String))
  })
})

describe('state', () => {
  test('orch_show_sls shows an orchestration, and pauses belong to one run', async () => {
    write('orch.sls', 'step:\n  test.nop: []\n')
    expect(JSON.stringify(await run('state.orch_show_sls', ['orch']))).toContain('"step"')
    const jid = '20300101000000000000'
    const file = join(site.root, 'master/var/cache/salt/master/state_pause', jid)
    await run('state.set_pause', [jid, 'step', 5])
    expect(readFileSync(file, 'latin1')).toContain('step')
    await run('state.rm_pause', [jid, 'step'])
    expect(readFileSync(file, 'latin1')).not.toContain('step')
    expect(await run('state.set_pause', ['../../x'])).toContain("'../../x' is not the name of a file")
  })
})

describe('survey, event and test', () => {
  test('survey.diff prints the groups and returns them', async () => {
    const { value, printed } = await master.run('survey.diff', ['*', 'test.echo', 'hello'])
    expect(toPlain(value)).toEqual([{ pool: ['web1'], result: 'hello' }])
    expect(printed).toContain("minion pool :\n------------\n['web1']")
  })

  test('event.journal tells what the journal holds', async () => {
    await run('event.send', ['my/event', { a: 1 }])
    const extent = (await run('event.journal')) as Record<string, Plain>
    expect(Number(extent['last'])).toBeGreaterThanOrEqual(Number(extent['first']))
  })

  test('test.raw_arg returns its arguments', async () => {
    expect(await run('test.raw_arg', ['a', 1], { foo: 'bar' })).toMatchObject({
      args: ['a', 1],
      kwargs: { foo: 'bar' },
    })
  })
})

describe('jobs and fileserver', () => {
  test('jobs.master returns the jobs that run on the master', async () => {
    expect(await run('jobs.master')).toContainEqual(expect.objectContaining({ fun: 'runner.jobs.master' }))
  })

  test('fileserver.status has an entry for each backend with remotes', async () => {
    expect(await run('fileserver.status')).toEqual({})
  })
})

describe('pki, manage, network and reactor', () => {
  test('pki.status counts keys, and pki.migrate_to_mmap only counts', async () => {
    const counted = await run('pki.status')
    expect(counted).toMatch(/PKI migration dry-run[\s\S]*\b1\b/)
    expect(await run('pki.migrate_to_mmap', [], { dry_run: true })).toEqual(counted)
    expect(await run('pki.migrate_to_mmap')).toContain('Keys stay in pki_dir')
  })

  test('manage.reaped lists minions that are connected', async () => {
    expect(await run('manage.reaped')).toEqual(['web1'])
  })

  test('network.wollist and network.wolmatch wake machines by their addresses', async () => {
    const file = join(site.root, 'addresses')
    writeFileSync(file, '08:00:27:13:69:77\n')
    const home = { bcast: '127.0.0.1', destport: await freePort() }
    expect(await run('network.wollist', [file], home)).toEqual(['08:00:27:13:69:77'])
    expect(await run('network.wollist', [join(site.root, 'none')], home)).toEqual([])
    expect(await run('network.wolmatch', ['nobody'], home)).toEqual([])
  })

  test('reactor.set_leader and reactor.delete answer what the reactor says', async () => {
    await run('reactor.add', ['shop/sold', '/srv/reactor/sold.sls'])
    expect(JSON.stringify(await run('reactor.list'))).toContain('shop/sold')
    expect(await run('reactor.delete', ['shop/sold'])).toMatchObject({ status: true })
    expect(JSON.stringify(await run('reactor.list'))).not.toContain('shop/sold')
    await run('reactor.set_leader', [false])
    expect(await run('reactor.is_leader')).toBe(false)
    await run('reactor.set_leader', [true])
    expect(await run('reactor.is_leader')).toBe(true)
  })
})

describe('states with a beacon', () => {
  test('file.mod_beacon adds the beacon of a state to the minion, and states that cannot have one say so', async () => {
    const file = join(site.root, 'watched')
    const single = async (fun: string, kwarg: Record<string, Plain>): Promise<Record<string, Plain>> => {
      const answer = await run('salt.execute', ['web1', 'state.single'], { arg: [fun], kwarg })
      return Object.values((answer as Record<string, Record<string, never>>)['web1']!)[0]!
    }
    const wanted = { name: file, contents: 'a', beacon: true, beacon_data: { mask: ['create', 'modify'] } }
    expect(await single('file.managed', wanted)).toMatchObject({ result: true })
    expect(await single('file.mod_beacon', { name: file, sfun: 'managed', beacon: true })).toMatchObject({
      result: true,
      comment: expect.stringContaining('beacon'),
    })
    expect(await single('file.mod_beacon', { name: file, sfun: 'absent', beacon: true })).toMatchObject({
      result: false,
      comment: 'file.absent does not work with the beacon state function',
    })
    for (const fun of ['service.mod_beacon', 'pkg.mod_beacon']) {
      const refused = await single(fun, { name: 'x', sfun: 'none', beacon: true })
      expect(refused['comment']).toContain('does not work with the')
    }
  })
})
