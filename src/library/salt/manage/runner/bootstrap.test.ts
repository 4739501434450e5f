import { expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../../data/mod.ts'
import { type BootstrapOutcome, type BootstrapRequest, bind, type MasterContext, toValue } from '../../../../sdk/mod.ts'
import { bootstrap } from './bootstrap.ts'

/** Call the function on a master that records its requests. */
async function call(
  kwargs: Record<string, Plain>,
  outcomes: BootstrapOutcome[] = [],
  parts: Partial<MasterContext> = {},
) {
  const asked: BootstrapRequest[] = []
  const logged: string[] = []
  const ctx = {
    log: (level: string, text: string) => void logged.push(`${level} ${text}`),
    bootstrap: async (request: BootstrapRequest) => {
      asked.push(request)
      return outcomes
    },
    ...parts,
  } as unknown as MasterContext
  const named = new Map<string, Value>(Object.entries(kwargs).map(([name, value]) => [name, fromPlain(value)]))
  const value = toPlain(toValue(await bootstrap.run(ctx, bind(bootstrap, 'bootstrap', [], named))))
  return { value, asked, logged }
}

test('hosts are a list or a text with commas, and arguments become options of salt-ssh', async () => {
  const done = { id: 'a', failed: false, text: 'minion a answers' }
  const login = { ssh_user: 'me', ssh_password: 'pw', ssh_priv_key: '/k' }
  const { value, asked, logged } = await call({ hosts: 'a, b,', ...login, package: ['/p.deb'], master: 'm' }, [done])
  expect(value).toEqual({ a: 'minion a answers' })
  const options = new Map(Object.entries({ roster: 'flat', ssh_user: 'me', ssh_passwd: 'pw', ssh_priv: '/k' }))
  const common = { hosts: ['a', 'b'], timeout: 120, isFromOutside: false }
  expect(asked).toEqual([{ ...common, options, packages: ['/p.deb'], master: 'm' }])
  expect(logged).toEqual([])
  const caller = { kind: 'user', name: 'bob', proof: 'token' } as never
  const other = await call({ hosts: ['a', 'b'], roster: null }, [], { caller })
  expect(other.asked).toEqual([{ ...common, options: new Map(), packages: [], isFromOutside: true }])
})

test('a host that fails makes the call fail, with the texts of all hosts', async () => {
  const outcomes = [
    { id: 'a', failed: false, text: 'minion a answers' },
    { id: 'b', failed: true, text: 'connect: refused' },
  ]
  await expect(call({ hosts: 'a,b' }, outcomes)).rejects.toThrow('b: connect: refused\na: minion a answers')
})

test.each<[Record<string, Plain>, string]>([
  [{ hosts: '' }, 'Name at least one host'],
  [{ version: 'v3006.2' }, "'version' cannot choose a version of Salt"],
  [{ script: '/root/own.sh' }, "'script' cannot be used"],
  [{ script: 'https://example.com/own.sh' }, "'script' cannot be used"],
  [{ script_args: '-P stable' }, "'script_args' cannot be used"],
  [{ ssh_password: 'sdb://vault/key' }, "'ssh_password' cannot be a value of sdb"],
  [{ timeout: 0 }, "'timeout' has to be a positive number"],
])('%j is refused', async (kwargs, problem) => {
  await expect(call({ hosts: 'a', ...kwargs })).rejects.toThrow(problem)
})

test('arguments without effect are named in the log', async () => {
  const script = 'https://example.com/mirror/bootstrap-salt.sh'
  const { logged } = await call({ hosts: 'a', version: 'stable', script, tmp_dir: '/x', http_backend: 'urllib2' })
  expect(logged).toEqual([
    "warning manage.bootstrap: 'tmp_dir' has no effect: the package goes into a private folder",
    "warning manage.bootstrap: 'http_backend' has no effect: the hosts download nothing",
  ])
})
