// Keys by users of external authentication: salt-key asks the master, and rights on wheel functions decide.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saltKey } from '../../src/cli/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

const KEYS = { web1: 'minions_pre', web2: 'minions_pre', old1: 'minions' }

let site: TestSite
let master: TestMaster
const pki = (folder: string): string => join(site.root, 'master/etc/salt/pki/master', folder)

beforeAll(async () => {
  site = await TestSite.open()
  const users = join(site.root, 'users')
  writeFileSync(users, 'ops:secret\nlooker:secret\nstranger:secret\n')
  const rights = {
    ops: [{ '@wheel': ['key.*'] }],
    looker: [{ '@wheel': ['key.list', 'key.glob_match', 'key.finger'] }],
    stranger: ['test.*'],
  }
  master = await site.master('master', '127.0.0.1', { external_auth: { file: { '^filename': users, ...rights } } })
  const pub = (await master.wheel('key.gen', [])) as { pub: string }
  for (const [id, folder] of Object.entries(KEYS)) {
    mkdirSync(pki(folder), { recursive: true })
    writeFileSync(join(pki(folder), id), pub.pub)
  }
})
afterAll(() => site?.close())

async function run(user: string, ...words: string[]): Promise<{ status: number; out: string }> {
  let out = ''
  const take = (text: string): void => void (out += text)
  const who = ['--auth', 'file', '--username', user, '--password', 'secret']
  const status = await saltKey(['-c', master.config, ...who, ...words], { out: take, err: take, terminal: false })
  return { status, out }
}

describe('salt-key with external authentication', () => {
  it('lists keys for permitted users', async () => {
    const { status, out } = await run('looker', '-L')
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Accepted Keys:\nold1\nDenied Keys:\nUnaccepted Keys:\nweb1\nweb2\nRejected Keys:\n',
    })
    expect((await run('looker', '-f', 'web1')).out).toMatch(/^Unaccepted Keys:\nweb1: {2}([0-9a-f]{2}:){31}/)
  })

  it.each([
    ['looker', ['-y', '-a', 'web1']],
    ['looker', ['-y', '-D']],
    ['looker', ['-p', 'web1']],
    ['stranger', ['-L']],
    ['nobody', ['-L']],
  ])('refuses %s without a right: %j', async (user, words) => {
    const { status, out } = await run(user, ...words)
    expect(status).toBe(2)
    expect(out).toMatch(/Authentication failure of type "eauth" occurred/)
    expect(readdirSync(pki('minions'))).toEqual(['old1'])
  })

  it('accepts, rejects and deletes for permitted users', async () => {
    expect(await run('ops', '-y', '-a', 'web*')).toEqual({
      status: 0,
      out: 'The following keys are going to be accepted:\nUnaccepted Keys:\nweb1\nweb2\nKey for minion web1 accepted.\nKey for minion web2 accepted.\n',
    })
    expect(readdirSync(pki('minions')).sort()).toEqual(['old1', 'web1', 'web2'])
    await run('ops', '-y', '--include-accepted', '-r', 'web2')
    expect(readdirSync(pki('minions_rejected'))).toEqual(['web2'])
    await run('ops', '-y', '-d', 'old1')
    expect(readdirSync(pki('minions'))).toEqual(['web1'])
    const none = "The key glob 'db*' does not match any unaccepted keys.\n"
    expect(await run('ops', '-y', '-a', 'db*')).toEqual({ status: 0, out: none })
  })

  it('says so when no master runs', async () => {
    await master.stop()
    const gone = 'The salt master could not be contacted. Is master running?\n'
    expect(await run('ops', '-L')).toEqual({ status: 2, out: gone })
  })
})
