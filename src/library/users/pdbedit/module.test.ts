import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import pdbedit from './module.ts'

const HASH = '8846F7EAEE8FB117AD06BDD830B7586C'
const VERBOSE = `---------------
Unix username:        kaylee
NT hash:              ${HASH}
Account Flags:        [U          ]
Full Name:            Kaywinnet
 Lee Frye
User SID:             S-1-5-21-1-2-3000
---------------
`

/** Samba with one user, whose password is "password". */
async function run(name: string, kwargs: Record<string, Value>) {
  const lines: string[] = []
  const others = {
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      lines.push(String(cmd).trim())
      const stdout = String(cmd).includes('--verbose') ? VERBOSE : 'kaylee:1000:Kaywinnet'
      return fromPlain({ retcode: 0, stdout, stderr: '' })
    },
  }
  const answer = toPlain(await tryFunction(pdbedit, name, { kwargs, others }))
  return { answer, changed: lines.filter((line) => !line.includes('--list')) }
}

describe('pdbedit', () => {
  test('returns the details of a user, long ones in one piece', async () => {
    expect((await run('get', { login: 'kaylee' })).answer).toMatchObject({
      'unix username': 'kaylee',
      'full name': 'KaywinnetLee Frye',
    })
  })

  test.each<[string, Record<string, Value>, string, string[]]>([
    ['create', { login: 'kaylee', password: 'password' }, 'unchanged', []],
    ['create', { login: 'kaylee', password: 'other' }, 'updated', ['pdbedit --modify --user kaylee --set-nt-hash=']],
    ['modify', { login: 'wash' }, 'absent', []],
    ['modify', { login: 'kaylee', fullname: 'K F' }, 'updated', ["pdbedit --modify --user kaylee --fullname='K F'"]],
    ['modify', { login: 'kaylee', user_sid: 3000 }, 'unchanged', []],
    [
      'modify',
      { login: 'kaylee', account_control: '[nxq]' },
      'updated',
      ["pdbedit --modify --user kaylee --account-control='[NX]'"],
    ],
    ['delete', { login: 'kaylee' }, 'deleted', ['pdbedit --delete kaylee']],
  ])('%s %o: %s', async (name, kwargs, outcome, commands) => {
    const { answer, changed } = await run(name, kwargs)
    expect(answer).toEqual({ [String(kwargs['login'])]: outcome })
    expect(changed.map((line, at) => line.startsWith(commands[at]!))).toEqual(commands.map(() => true))
  })
})

test('generate_nt_hash makes the hash that Samba keeps', async () => {
  expect(String(await tryFunction(pdbedit, 'generate_nt_hash', { args: ['password'] }))).toBe(HASH)
})
