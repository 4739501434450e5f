import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, repr, type Value } from '../../data/mod.ts'
import { MemoryHost } from '../../host/mod.ts'
import { Registry } from '../../loader/mod.ts'
import { sshFunctions, sshGrains, sshWords } from './ssh.ts'

const machine = (more: Record<string, Plain> = {}): Dict => fromPlain({ host: 'box.example', ...more }) as Dict
const KEEPING = '-o ServerAliveInterval=60 -o ServerAliveCountMax=3'

test.each<[Record<string, Plain>, string]>([
  [{}, `ssh -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=7 ${KEEPING} -p 22 -l root box.example`],
  [
    { user: 'ops', port: 2222, priv: '/k', identities_only: true, keepalive: false, ssh_options: ['Compression=yes'] },
    'ssh -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=7 -o IdentitiesOnly=yes -o Compression=yes -i /k -p 2222 -l ops box.example',
  ],
  [
    { ignore_host_keys: true, known_hosts_file: '/h', keepalive_interval: 5, keepalive_count_max: 1 },
    'ssh -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=7 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/h -o ServerAliveInterval=5 -o ServerAliveCountMax=1 -p 22 -l root box.example',
  ],
  [
    { no_host_keys: true, keepalive: false },
    'ssh -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=7 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -p 22 -l root box.example',
  ],
])('a machine with %j is reached by %s', (more, line) => {
  expect(sshWords(machine(more), 7).join(' ')).toBe(line)
})

const answering = (stdout: string, retcode = 0) =>
  MemoryHost.with({
    files: { '/usr/bin/ssh': { mode: 0o755 } },
    env: { PATH: '/usr/bin' },
    commands: [() => ({ stdout, stderr: 'no\n', retcode })],
  })

test('grains are what a machine tells of itself', async () => {
  const told = 'Linux box.example 6.1.0 x86_64\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n'
  expect(repr(await sshGrains(await answering(told), machine()))).toBe(
    "{'kernel': 'Linux', 'kernelrelease': '6.1.0', 'cpuarch': 'x86_64', 'nodename': 'box.example', 'host': 'box', 'os': 'Debian', 'osrelease': '12', 'oscodename': 'bookworm'}",
  )
  expect(await sshGrains(await answering('', 255), machine())).toEqual(new Map())
})

test.each<[string, Value[], number, string]>([
  ['test.ping', [], 0, 'True'],
  ['test.ping', [], 255, 'False'],
  ['cmd.run', ['uptime'], 0, "'ping'"],
  ['cmd.run_stderr', ['uptime'], 0, "'no'"],
  ['cmd.retcode', ['false'], 1, '1'],
  ['cmd.run_all', ['false'], 1, "{'stdout': 'ping', 'stderr': 'no', 'retcode': 1}"],
])('%s %j with the code %d answers %s', async (name, args, retcode, shown) => {
  const host = await answering('ping\n', retcode)
  const minion = new Registry({}, { opts: new Map(), grains: new Map(), pillar: new Map(), host })
  expect(repr(await sshFunctions(machine(), minion).call(name, args))).toBe(shown)
})
