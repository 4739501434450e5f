// Playbooks as states, judged by the reports of ansible-playbook.
import { expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../data/mod.ts'
import ansibleModule from '../modules/ansiblegate.ts'
import type { Keywords } from '../sdk/mod.ts'
import { tryFunction, tryState } from '../sdk/trial.ts'
import ansible from './ansiblegate.ts'

const hosts = {
  web1: { changed: true, diff: { line: 1 } },
  web2: { changed: false },
  web3: { failed: true, msg: 'no' },
}
const plays = [{ play: { name: 'P' }, tasks: [{ task: { name: 'T' }, hosts }] }]
const CHANGES = { P: { T: { web1: { line: 1 }, web3: 'no' } } }
const host = (changed: number, failures: number) => ({ changed, failures, unreachable: 0 })

test.each([
  [false, { a: host(1, 0) }, true, 'Changes were made by playbook x.yml', CHANGES],
  [false, { a: host(0, 1) }, false, 'There were some issues running the playbook x.yml', CHANGES],
  [true, { a: host(1, 0) }, null, 'Changes will be made from playbook x.yml', CHANGES],
  [true, { a: host(0, 0) }, true, 'No changes to be made from playbook x.yml', {}],
  [true, { a: host(1, 1) }, false, 'There were some issues running the playbook x.yml', CHANGES],
])('a playbook with test=%s whose hosts tell %j is %s', async (isTest, stats, result, comment, changes) => {
  const others = { 'ansible.playbooks': () => fromPlain({ plays, stats }) }
  const told = await tryState(ansible, 'playbooks', { kwargs: { name: 'x.yml' }, others, test: isTest })
  expect(toPlain(told)).toEqual({ name: 'x.yml', result, comment, changes })
})

test('a playbook that tells nothing fails with what was written to stderr', async () => {
  const others = { 'ansible.playbooks': () => fromPlain({ stderr: 'no such file' }) }
  expect((await tryState(ansible, 'playbooks', { args: ['x.yml'], others })).get('comment')).toBe('no such file')
})

test('modules of Ansible are called by name, and a dry run calls none', async () => {
  const called: unknown[] = []
  const others = {
    'ansible.call': (args: readonly Value[], kwargs: Keywords) => {
      called.push([...args, Object.fromEntries(kwargs as Map<string, Value>)])
      return new Map<Value, Value>([['ping', 'pong']])
    },
  }
  const kwargs = { name: 'a', ping: fromPlain([{ data: 'x' }]) }
  expect((await tryState(ansible, 'call', { kwargs, others, test: true })).get('result')).toBeNull()
  expect(toPlain((await tryState(ansible, 'call', { kwargs, others })).get('changes')!)).toEqual({
    ping: { ping: 'pong' },
  })
  expect(called).toEqual([['ping', { data: 'x' }]])
})

test('options of a playbook become words of its command', async () => {
  let asked: Dict | undefined
  const others = {
    'cmd.run_all': (_args: readonly Value[], kwargs: Keywords) => {
      asked = new Map(Object.entries(kwargs))
      return fromPlain({ retcode: 0, stdout: '{"plays": []}', stderr: '' })
    },
  }
  const { MemoryHost } = await import('../host/mod.ts')
  const machine = await MemoryHost.with({ files: { '/usr/bin/ansible-playbook': '' } })
  await machine.chmod('/usr/bin/ansible-playbook', 0o755)
  const kwargs = {
    check: true,
    tags: 'a',
    extra_vars: fromPlain({ b: 'c d' }),
    playbook_kwargs: fromPlain({ become_user: 'me' }),
  }
  const answer = await tryFunction(ansibleModule, 'playbooks', { args: ['/p.yml'], kwargs, others, host: machine })
  expect(toPlain(answer)).toEqual({ plays: [], retcode: 0 })
  expect(asked!.get('cmd')).toBe(
    `ansible-playbook /p.yml --check --extra-vars='{"b": "c d"}' --tags=a --become-user=me --forks=5`,
  )
})
