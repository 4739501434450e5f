// The command line of a playbook.
import { expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, tryFunction } from '../../../sdk/mod.ts'
import ansible from './module.ts'

test('options of a playbook become words of its command', async () => {
  let asked: Dict | undefined
  const others = {
    'cmd.run_all': (_args: readonly Value[], kwargs: Keywords) => {
      asked = new Map(Object.entries(kwargs))
      return fromPlain({ retcode: 0, stdout: '{"plays": []}', stderr: '' })
    },
  }
  const machine = await MemoryHost.with({ files: { '/usr/bin/ansible-playbook': '' } })
  await machine.chmod('/usr/bin/ansible-playbook', 0o755)
  const kwargs = {
    check: true,
    tags: 'a',
    extra_vars: fromPlain({ b: 'c d' }),
    playbook_kwargs: fromPlain({ become_user: 'me' }),
  }
  const answer = await tryFunction(ansible, 'playbooks', { args: ['/p.yml'], kwargs, others, host: machine })
  expect(toPlain(answer)).toEqual({ plays: [], retcode: 0 })
  expect(asked!.get('cmd')).toBe(
    `ansible-playbook /p.yml --check --extra-vars='{"b": "c d"}' --tags=a --become-user=me --forks=5`,
  )
})
