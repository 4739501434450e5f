// Salt's own programs and Python on the machine of our master: what scripts, tools and netapi modules do.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestMaster, TestSite } from '../integration/site.ts'
import { SALT_TREE, SaltSite } from './salt.ts'

const MINUTE = 60_000
const SCRIPT = readFileSync(join(import.meta.dirname, 'client.py'), 'utf8')
const BOTH = { one: true, two: true }
const NOBODY = 65_534
const ALICE = ['test.*', '@runner', '@wheel']

let ours: TestSite
let theirs: SaltSite
let master: TestMaster

beforeEach(async () => {
  ours = await TestSite.open()
  theirs = new SaltSite()
  // the test must not use a token of the present user
  const options = {
    external_auth: { auto: { alice: ALICE } },
    publisher_acl: { nobody: ['test.*'] },
    token_file: join(ours.root, 'token'),
  }
  master = await ours.master('master', '127.0.0.1', options)
  for (const id of ['one', 'two']) {
    await ours.minion(id)
    await master.event(new RegExp(`^salt/minion/${id}/start$`))
  }
})
afterEach(async () => {
  await theirs.stop()
  await ours.close()
}, MINUTE)

/** Needs root, to run Salt as another user, and that user must be able to read Salt's files. */
function canBeNobody(): boolean {
  if (SALT_TREE === undefined || process.getuid?.() !== 0) return false
  const file = join(SALT_TREE, 'salt/client/__init__.py')
  return spawnSync('test', ['-r', file], { uid: NOBODY, gid: NOBODY }).status === 0
}

describe.runIf(SALT_TREE)("Salt's own code beside our master", () => {
  it('has all clients of its Python work', { timeout: 5 * MINUTE }, async () => {
    const files = [join(master.config, 'master'), ours.minionConfig('one')]
    const outcomes = JSON.parse((await theirs.python(SCRIPT, files)).split('\n').at(-2)!) as Record<string, unknown>
    const keys = ['one', 'two']
    expect(outcomes).toEqual({
      cmd: BOTH,
      'cmd with arguments': 1,
      'cmd nobody': {},
      'cmd slow': BOTH,
      cmd_async: expect.stringMatching(/^\d{20}$/),
      get_cache_returns: { one: 'hi', two: 'hi' },
      get_full_returns: { one: 'hi', two: 'hi' },
      get_cli_returns: { one: 'hi', two: 'hi' },
      cmd_iter: BOTH,
      cmd_iter_no_block: BOTH,
      cmd_cli: BOTH,
      cmd_batch: BOTH,
      cmd_subset: [true],
      cmd_full_return: BOTH,
      run_job: { jid: expect.stringMatching(/^\d{20}$/), minions: keys },
      'run_job returns': BOTH,
      runner: expect.objectContaining({ args: [1], kwargs: expect.objectContaining({ a: 2 }) }),
      list_jobs: 'test.echo',
      lookup_jid: { one: 'hi', two: 'hi' },
      execute: BOTH,
      'runner cmd_sync': expect.objectContaining({ args: [1], kwargs: expect.objectContaining({ a: 2 }) }),
      'runner cmd_async': 'salt/run/',
      wheel: keys,
      'wheel cmd_sync': keys,
      'own token': BOTH,
      'own token refused': 'AuthorizationError: Authorization error occurred.',
      token: 'alice',
      'api local': BOTH,
      'api local refused': 'AuthorizationError: Authorization error occurred.',
      'api local_async': keys,
      'api local_batch': BOTH,
      'api runner': keys,
      'api wheel': keys,
      fire: true,
      hear: 1,
      'fire on a minion': true,
      'hear on a minion': 2,
      'hear from a minion': 3,
    })
  })

  it('has its programs work', { timeout: 5 * MINUTE }, async () => {
    const conf = ['-c', master.config]
    const run = (program: 'salt' | 'salt-run' | 'salt-key', ...words: string[]): Promise<string> =>
      theirs.run(program, [...conf, ...words])
    const json = async (...words: Parameters<typeof run>): Promise<unknown> =>
      JSON.parse(await run(...words, '--out=json')) as unknown
    expect(await json('salt', '--static', '*', 'test.ping')).toEqual(BOTH)
    const lines = (await run('salt', '*', 'test.ping', '--out=txt')).trim().split('\n').sort()
    expect(lines).toEqual(['one: True', 'two: True'])
    const batched = await run('salt', '-b', '1', '*', 'test.ping')
    for (const id of ['one', 'two']) expect(batched).toMatch(new RegExp(`^${id}:\\n +True$`, 'm'))
    const [jid = ''] = /\d{20}/.exec(await run('salt', '--async', '*', 'test.echo', 'hi')) ?? []
    await vi.waitFor(
      async () => expect(await json('salt-run', 'jobs.lookup_jid', jid)).toEqual({ one: 'hi', two: 'hi' }),
      MINUTE,
    )
    expect(await json('salt-run', 'jobs.list_jobs')).toHaveProperty(jid)
    expect(await json('salt-run', 'manage.up')).toEqual(['one', 'two'])
    const alice = ['-a', 'auto', '--username', 'alice', '--password', 'any']
    expect(await json('salt', '--static', ...alice, '*', 'test.ping')).toEqual(BOTH)
    expect(await run('salt', ...alice, '*', 'cmd.run', 'id')).toContain('Authorization error occurred')
    expect(await json('salt-key', '-L')).toMatchObject({ minions: ['one', 'two'], minions_rejected: [] })
    await run('salt-key', '-d', 'two', '-y')
    expect(await json('salt-key', '-l', 'acc')).toEqual({ minions: ['one'] })
    expect((await master.event(/^salt\/key$/)).data.get('id')).toBe('two')
  })

  it.runIf(canBeNobody())(
    'lets a user of publisher_acl publish who is in the group of the master',
    { timeout: 3 * MINUTE },
    async () => {
      const home = join(ours.root, 'nobody')
      mkdirSync(home)
      chownSync(home, NOBODY, NOBODY)
      for (const open of [ours.root, theirs.directory]) chmodSync(open, 0o755)
      const run = (gid: number, ...words: string[]): Promise<string> =>
        theirs.run('salt', ['-c', master.config, '--log-file', join(home, 'log'), '--out=txt', ...words], {
          uid: NOBODY,
          gid,
          home,
        })
      expect(await run(0, 'one', 'test.ping')).toBe('one: True\n')
      expect(await run(0, 'one', 'cmd.run', 'id')).toContain('Authorization error')
      expect(await run(NOBODY, 'one', 'test.ping')).not.toContain('True')
    },
  )
})
