// Pepper, the command line client of Salt's REST API, as it is: PEPPER_DIR names a checkout of it.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientSite } from './client-site.ts'

const DIRECTORY = process.env['PEPPER_DIR']

if (DIRECTORY === undefined) process.stderr.write('PEPPER_DIR names no checkout of pepper: its tests are skipped\n')

interface Ran {
  status: number
  stdout: string
  stderr: string
}

const site = new ClientSite({
  minions: {
    web1: { grains: { roles: ['web'] } },
    web2: { grains: { roles: ['web'] } },
    db1: { grains: { roles: ['db'] } },
  },
  waiting: ['new1'],
})
const home = mkdtempSync(join(tmpdir(), 'brine-pepper-'))

/** Run pepper as a user with the password `<user>pw`. */
function pepper(words: string[], user = 'admin', password = `${user}pw`): Promise<Ran> {
  const login = { SALTAPI_URL: site.url, SALTAPI_USER: user, SALTAPI_PASS: password, SALTAPI_EAUTH: 'file' }
  const env = { ...process.env, ...login, HOME: home, PYTHONPATH: DIRECTORY, PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn('python3', [join(DIRECTORY!, 'scripts/pepper'), ...words], { env, cwd: home })
  const ran: Ran = { status: -1, stdout: '', stderr: '' }
  child.stdout.on('data', (piece) => (ran.stdout += String(piece)))
  child.stderr.on('data', (piece) => (ran.stderr += String(piece)))
  return new Promise((done) => child.once('close', (status) => done({ ...ran, status: status ?? -1 })))
}

/** Return pepper's JSON output. */
async function asked(words: string[], user?: string): Promise<unknown> {
  const { status, stdout, stderr } = await pepper(words, user)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

describe.skipIf(DIRECTORY === undefined)('pepper', () => {
  beforeAll(() => site.open())

  afterAll(async () => {
    await site.close()
    rmSync(home, { recursive: true, force: true })
  })

  const done = (ret: unknown) => ({ jid: expect.stringMatching(/^\d{20}$/) as string, ret, retcode: 0 })

  test('runs functions on minions of each kind of target', async () => {
    expect(await asked(['*', 'test.ping'])).toEqual({
      return: [{ web1: done(true), web2: done(true), db1: done(true) }],
    })
    expect(await asked(['-L', 'web1,db1', 'test.ping'])).toEqual({ return: [{ web1: done(true), db1: done(true) }] })
    expect(await asked(['-G', 'roles:db', 'grains.get', 'id'])).toEqual({ return: [{ db1: done('db1') }] })
    expect(await asked(['-E', 'web[12]', 'test.ping'])).toEqual({ return: [{ web1: done(true), web2: done(true) }] })
    expect(await asked(['-C', 'G@roles:web and web1', 'test.echo', 'hi'])).toEqual({ return: [{ web1: done('hi') }] })
    expect(await asked(['nosuch', 'test.ping'])).toEqual({ return: [{}] })
  })

  test('gives arguments by position and by name', async () => {
    const answer = (await asked(['web1', 'test.arg', 'one', '2', 'k=v'])) as {
      return: [{ web1: { ret: { args: unknown[]; kwargs: Record<string, unknown> } } }]
    }
    const { args, kwargs } = answer.return[0].web1.ret
    expect(args).toEqual(['one', '2'])
    expect(kwargs['k']).toBe('v')
  })

  test('runs in batches', async () => {
    const answer = (await asked(['--batch', '1', '*', 'test.ping'])) as { return: object[] }
    expect(Object.assign({}, ...answer.return)).toMatchObject({ web1: {}, web2: {}, db1: {} })
  })

  test('starts a job and looks it up', async () => {
    const started = (await asked(['--client=local_async', 'web1', 'test.echo', 'later'])) as {
      return: [{ jid: string; minions: string[] }]
    }
    const [{ jid, minions }] = started.return
    expect(minions).toEqual(['web1'])
    await site.stage.hears(`salt/job/${jid}/ret/web1`, '', 120)
    const found = (await asked(['--client=runner', 'jobs.lookup_jid', `jid=${jid}`])) as {
      return: [{ data: { return: unknown } }]
    }
    expect(found.return[0].data.return).toEqual({ web1: 'later' })
  })

  test('takes chunks as JSON', async () => {
    const low = [{ client: 'local', tgt: 'web1', fun: 'test.kwarg', kwarg: { a: [1, null] } }]
    const answer = (await asked(['--json', JSON.stringify(low)])) as { return: [{ web1: { ret: object } }] }
    expect(answer.return[0].web1.ret).toMatchObject({ a: [1, null] })
  })

  test('runs runners', async () => {
    const answer = (await asked(['--client=runner', 'manage.up'])) as { return: [{ data: { return: string[] } }] }
    expect(answer.return[0].data.return.sort()).toEqual(['db1', 'web1', 'web2'])
    const args = (await asked(['--client=runner', 'test.arg', 'a', 'k=1'])) as {
      return: [{ data: { return: unknown } }]
    }
    expect(args.return[0].data.return).toEqual({ args: ['a'], kwargs: { k: 1 } })
    const started = (await asked(['--client=runner_async', 'test.arg'])) as { return: [{ jid: string; tag: string }] }
    expect(started.return[0].tag).toBe(`salt/run/${started.return[0].jid}`)
  })

  test('lists, accepts, rejects and deletes keys', async () => {
    const listed = (await asked(['--client=wheel', 'key.list_all'])) as { return: [{ data: { return: object } }] }
    expect(listed.return[0].data.return).toMatchObject({ minions: ['db1', 'web1', 'web2'], minions_pre: ['new1'] })
    const accepted = (await asked(['--client=wheel', 'key.accept', 'match=new1'])) as {
      return: [{ data: { success: boolean; return: object } }]
    }
    expect(accepted.return[0].data).toMatchObject({ success: true, return: { minions: ['new1'] } })
    await site.starts('new1')
    await site.stage.cluster.stop('new1')
    await asked(['--client=wheel', 'key.reject', 'match=new1', 'include_accepted=true'])
    expect((await site.keys())['minions_rejected']).toEqual(['new1'])
    await asked(['--client=wheel', 'key.delete', 'match=new1'])
    expect(JSON.stringify(await site.keys())).not.toContain('new1')
  })

  test('keeps the token of a session in a file', async () => {
    const cache = join(home, 'token.json')
    await asked(['-T', '-x', cache, 'web1', 'test.ping'])
    const kept = JSON.parse(readFileSync(cache, 'utf8')) as { token: string; user: string; eauth: string }
    expect(kept).toMatchObject({ user: 'admin', eauth: 'file' })
    expect(statSync(cache).mode & 0o777).toBe(0o600)
    const { status, stdout } = await pepper(['-T', '-x', cache, 'web1', 'test.ping'], 'admin', 'not the password')
    expect(JSON.parse(stdout)).toEqual({ return: [{ web1: done(true) }] })
    expect(status).toBe(0)
  })

  test('uses tokens of /token at /run', async () => {
    expect(await asked(['-r', 'web1', 'test.ping'])).toEqual({ return: [{ web1: done(true) }] })
  })

  test('reports how functions ended, and fails if minions do not answer', async () => {
    const ended = (await asked(['web1', 'cmd.run', 'exit 3'])) as { return: [{ web1: object }] }
    expect(ended.return[0].web1).toMatchObject({ ret: '', retcode: 3 })
    expect((await pepper(['--fail-if-incomplete', 'web*', 'test.ping'])).status).toBe(0)
    await site.stage.cluster.stop('db1')
    expect((await pepper(['--fail-if-incomplete', '-t', '1', '*', 'test.ping'])).status).toBe(1)
  })

  test('is refused with a wrong password and without rights', async () => {
    const wrong = await pepper(['web1', 'test.ping'], 'admin', 'wrong')
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('Authentication denied') as string })
    expect(await asked(['web1', 'test.echo', 'x'], 'ops')).toEqual({ return: [{ web1: done('x') }] })
    for (const words of [
      ['web1', 'cmd.run', 'id'],
      ['--client=runner', 'manage.up'],
      ['--client=wheel', 'key.list_all'],
    ]) {
      const refused = await pepper(words, 'ops')
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('Authentication denied') as string })
    }
  })

  test('leaves no token file behind unless requested', () => {
    expect(existsSync(join(home, '.peppercache'))).toBe(false)
  })
})
