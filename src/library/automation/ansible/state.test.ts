// Playbooks as states, judged by the reports of ansible-playbook.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type Keywords, tryState } from '../../../sdk/mod.ts'
import ansible from './state.ts'

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
])('a playbook with test=%s and host results %j is %s', async (isTest, stats, result, comment, changes) => {
  const others = { 'ansible.playbooks': () => fromPlain({ plays, stats }) }
  const told = await tryState(ansible, 'playbooks', { kwargs: { name: 'x.yml' }, others, test: isTest })
  expect(toPlain(told)).toEqual({ name: 'x.yml', result, comment, changes })
})

test('a playbook without results fails with the text on stderr', async () => {
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
