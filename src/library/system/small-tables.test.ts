// Tables of incron, and networks by their CIDR.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../data/mod.ts'
import { MemoryHost } from '../../host/mod.ts'
import { tryFunction } from '../../sdk/mod.ts'
import yaml from '../files/yaml/module.ts'
import netaddress from '../network/netaddress/module.ts'
import incron from '../services/incron/module.ts'

const TABLE = '/a IN_MODIFY echo hi\n# note\n/b IN_OPEN,IN_CLOSE run me\n'

async function onSystem(fun: string, args: Value[]): Promise<[Value, string]> {
  const host = await MemoryHost.with({ files: { '/etc/incron.d/salt': TABLE } })
  const answer = await tryFunction(incron, fun, { args: ['system', ...args], host })
  return [answer, Buffer.from(await host.read('/etc/incron.d/salt')).toString()]
}

test.each([
  ['set_job', ['/a', 'in_modify', 'echo hi'], 'present', TABLE],
  ['set_job', ['/b', 'IN_OPEN', 'run me'], 'updated', '# note\n/a IN_MODIFY echo hi\n/b IN_OPEN run me\n'],
  [
    'set_job',
    ['/b', 'IN_MOVE', 'run me'],
    'new',
    '# note\n/a IN_MODIFY echo hi\n/b IN_OPEN,IN_CLOSE run me\n/b IN_MOVE run me\n',
  ],
  ['set_job', ['/c', 'IN_X', 'x'], 'Invalid mask type: IN_X', TABLE],
  ['rm_job', ['/a', 'IN_MODIFY', 'echo hi'], 'removed', '# note\n/b IN_OPEN,IN_CLOSE run me\n'],
  ['rm_job', ['/a', 'IN_OPEN', 'echo hi'], 'absent', '# note\n/a IN_MODIFY echo hi\n/b IN_OPEN,IN_CLOSE run me\n'],
])('incron.%s %j answers %s', async (fun, args, answer, table) => {
  expect(await onSystem(fun, args)).toEqual([answer, table])
})

test("incron reports incrontab's objection to the table of a user", async () => {
  const others = {
    'cmd.run_stdout': () => TABLE,
    'cmd.run_all': () => fromPlain({ retcode: 1, stdout: '', stderr: 'denied' }),
  }
  const args = ['root', '/c', 'IN_OPEN', 'do it']
  expect(await tryFunction(incron, 'set_job', { args, others })).toBe('denied')
  expect(toPlain(await tryFunction(incron, 'list_tab', { args: ['root'], others }))).toMatchObject({ pre: ['# note'] })
})

test.each([
  ['list_cidr_ips', '10.0.0.5/30', ['10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.7']],
  ['list_cidr_ips_ipv6', '10.0.0.0/31', ['::ffff:10.0.0.0', '::ffff:10.0.0.1']],
  ['cidr_netmask', '10/8', '255.0.0.0'],
  ['cidr_broadcast', '10.0.0.0/30', '10.0.0.3'],
  ['cidr_broadcast', '10.0.0.0/31', 'None'],
])('netaddress.%s of %s is %j', async (fun, cidr, answer) => {
  expect(toPlain(await tryFunction(netaddress, fun, { args: [cidr] }))).toEqual(answer)
})

test('netaddress refuses invalid networks', async () => {
  await expect(tryFunction(netaddress, 'cidr_netmask', { args: ['foo'] })).rejects.toThrow('invalid IPNetwork foo')
})

test('yaml.lint returns the problems that yamllint finds', async () => {
  const host = await MemoryHost.with({ files: { '/cache/a.sls': 'a: 1\na: 2\n' } })
  const told = 'stdin:2:1: [error] duplication of key "a" in mapping (key-duplicates)\n'
  host.run = async () => ({
    pid: 1,
    retcode: 1,
    stdout: Buffer.from(told),
    stderr: Buffer.of(),
    timedOut: false,
    truncated: false,
  })
  const others = { 'config.get': () => null, 'cp.cache_file': () => '/cache/a.sls' }
  expect(toPlain(await tryFunction(yaml, 'lint', { args: ['salt://a.sls'], others, host }))).toEqual({
    source: 'a: 1\na: 2\n',
    problems: [{ line: 2, column: 1, level: 'error', comment: 'duplication of key "a" in mapping (key-duplicates)' }],
  })
})
