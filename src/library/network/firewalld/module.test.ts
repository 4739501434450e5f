import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import firewalld from './module.ts'

const PROGRAM = '/usr/bin/firewall-cmd'

// the layout of firewalld 1.3
const ZONES = `public
  target: default
  interfaces: eth0
  services: dhcpv6-client ssh
  masquerade: no
  rich rules: 
	rule family="ipv4" source address="10.0.0.1" drop

trusted
  target: ACCEPT
  masquerade: yes
`

/** The answer of a function, and the words of each command. */
async function call(name: string, args: Value[] = [], recorded: Record<string, Recorded> = {}) {
  const answers = Object.entries(recorded).map(([words, answer]) => [`${PROGRAM} ${words}`, answer])
  const { others } = scripted({ ...Object.fromEntries(answers), [`${PROGRAM} *`]: 'success' })
  const ran: string[][] = []
  const host = await MemoryHost.with({ files: { [PROGRAM]: { text: '', mode: 0o755 } } })
  const noted = {
    'cmd.run_all': (given: readonly Value[]) => {
      ran.push((given[0] as string[]).slice(1))
      return others['cmd.run_all']!(given, {})
    },
  }
  return { answer: toPlain(await tryFunction(firewalld, name, { args, others: noted, host })), ran }
}

describe('firewalld', () => {
  test.each<[string, Value[], string[][]]>([
    ['version', [], [['--version']]],
    ['get_zones', [], [['--get-zones', '--permanent']]],
    ['get_services', [], [['--get-services', '--permanent']]],
    ['get_service_ports', ['ssh'], [['--permanent', '--service=ssh', '--get-ports']]],
    ['get_service_protocols', ['ssh'], [['--permanent', '--service=ssh', '--get-protocols']]],
    ['list_ports', ['public'], [['--zone=public', '--list-ports', '--permanent']]],
    ['get_rich_rules', ['public'], [['--zone=public', '--list-rich-rules', '--permanent']]],
    [
      'remove_rich_rule',
      ['public', 'rule accept'],
      [['--zone=public', '--remove-rich-rule=rule accept', '--permanent']],
    ],
    ['default_zone', [], [['--get-default-zone']]],
    ['set_default_zone', ['dmz'], [['--set-default-zone=dmz']]],
    ['make_permanent', [], [['--runtime-to-permanent']]],
    ['new_service', ['web'], [['--new-service=web', '--permanent'], ['--reload']]],
    ['delete_service', ['web', false], [['--delete-service=web', '--permanent']]],
    ['delete_zone', ['mine'], [['--delete-zone=mine', '--permanent'], ['--reload']]],
    ['add_service', ['ssh'], [['--add-service=ssh', '--permanent']]],
    ['remove_service', ['ssh', 'dmz', false], [['--zone=dmz', '--remove-service=ssh']]],
    ['add_service_protocol', ['web', 'tcp'], [['--permanent', '--service=web', '--add-protocol=tcp']]],
    ['remove_service_protocol', ['web', 'tcp'], [['--permanent', '--service=web', '--remove-protocol=tcp']]],
    ['remove_masquerade', ['dmz'], [['--zone=dmz', '--remove-masquerade', '--permanent']]],
    ['add_interface', ['dmz', 'eth1'], [['--zone=dmz', '--add-interface=eth1', '--permanent']]],
    ['remove_interface', ['dmz', 'eth1'], [['--zone=dmz', '--remove-interface=eth1', '--permanent']]],
    ['add_source', ['dmz', '10.0.0.0/8'], [['--zone=dmz', '--add-source=10.0.0.0/8', '--permanent']]],
    ['remove_source', ['dmz', '10.0.0.0/8'], [['--zone=dmz', '--remove-source=10.0.0.0/8', '--permanent']]],
    [
      'remove_port_fwd',
      ['dmz', 80, 443],
      [['--zone=dmz', '--remove-forward-port=port=80:proto=tcp:toport=443:toaddr=', '--permanent']],
    ],
  ])('%s %j runs %j', async (name, args, words) => expect((await call(name, args)).ran).toEqual(words))

  test('a rich rule keeps its spaces and quotes in one argument', async () => {
    const rule = `rule family="ipv4" source address="10.0.0.1" log prefix="it's" drop`
    for (const verb of ['add', 'remove'] as const) {
      expect((await call(`${verb}_rich_rule`, ['public', rule])).ran).toEqual([
        ['--zone=public', `--${verb}-rich-rule=${rule}`, '--permanent'],
      ])
    }
  })

  test('an argument cannot bring a second option', async () => {
    expect((await call('add_source', ['dmz', '10.0.0.1 --panic-on'])).ran).toEqual([
      ['--zone=dmz', '--add-source=10.0.0.1 --panic-on', '--permanent'],
    ])
    expect((await call('add_service', ['ssh', 'x --reload'])).ran).toEqual([
      ['--zone=x --reload', '--add-service=ssh', '--permanent'],
    ])
  })

  test('list_zones and list_all return the settings of zones', async () => {
    const recorded = {
      '--list-all-zones --permanent': ZONES,
      '--zone=trusted --list-all': 'trusted\n  target: ACCEPT\n',
    }
    expect((await call('list_zones', [], recorded)).answer).toEqual({
      public: {
        target: ['default'],
        interfaces: ['eth0'],
        services: ['dhcpv6-client ssh'],
        masquerade: ['no'],
        'rich rules': ['', 'rule family="ipv4" source address="10.0.0.1" drop'],
      },
      trusted: { target: ['ACCEPT'], masquerade: ['yes'] },
    })
    expect((await call('list_all', ['trusted', false], recorded)).answer).toEqual({ trusted: { target: ['ACCEPT'] } })
  })

  test.each<[string, Value[], string, string, Value]>([
    ['list_services', [], '--list-services --permanent', 'dhcpv6-client ssh', ['dhcpv6-client', 'ssh']],
    ['get_interfaces', ['dmz'], '--zone=dmz --list-interfaces --permanent', 'eth0 eth1', ['eth0', 'eth1']],
    ['get_sources', ['dmz'], '--zone=dmz --list-sources --permanent', '10.0.0.0/8', ['10.0.0.0/8']],
    ['list_icmp_block', ['dmz', false], '--zone=dmz --list-icmp-blocks', '', []],
    ['get_icmp_types', [], '--get-icmptypes --permanent', 'echo-reply ttl-zero', ['echo-reply', 'ttl-zero']],
  ])('%s %j returns the words of %s', async (name, args, words, output, answer) => {
    expect((await call(name, args, { [words]: output })).answer).toEqual(answer)
  })

  test('block_icmp and allow_icmp change only what differs, and refuse unknown types', async () => {
    const recorded = {
      '--get-icmptypes --permanent': 'echo-reply ttl-zero',
      '--zone=dmz --list-icmp-blocks --permanent': 'ttl-zero',
    }
    const block = await call('block_icmp', ['dmz', 'echo-reply'], recorded)
    expect(block.ran.at(-1)).toEqual(['--zone=dmz', '--add-icmp-block=echo-reply', '--permanent'])
    expect((await call('block_icmp', ['dmz', 'ttl-zero'], recorded)).ran).toHaveLength(2)
    const allow = await call('allow_icmp', ['dmz', 'ttl-zero'], recorded)
    expect(allow.ran.at(-1)).toEqual(['--zone=dmz', '--remove-icmp-block=ttl-zero', '--permanent'])
    expect((await call('allow_icmp', ['dmz', 'no-such'], recorded)).answer).toBe(false)
  })

  test('ports of a service need the service', async () => {
    const recorded = { '--get-services --permanent': 'ssh web' }
    const words = (verb: string) => ['--permanent', '--service=web', `--${verb}-port=80/tcp`]
    expect((await call('add_service_port', ['web', '80/tcp'], recorded)).ran.at(-1)).toEqual(words('add'))
    expect((await call('remove_service_port', ['web', '80/tcp'], recorded)).ran.at(-1)).toEqual(words('remove'))
    await expect(call('add_service_port', ['none', '80/tcp'], recorded)).rejects.toThrow('The service does not exist.')
  })

  test('a refusal of firewalld is an error', async () => {
    const refused = { retcode: 252, stderr: 'FirewallD is not running' }
    await expect(call('version', [], { '--version': refused })).rejects.toThrow(
      'firewall-cmd failed: FirewallD is not running',
    )
  })
})

test('words, forwarded ports and masquerading are read', async () => {
  expect((await call('get_zones', [], { '--get-zones --permanent': 'dmz public' })).answer).toEqual(['dmz', 'public'])
  const forwarded = {
    '--zone=public --list-forward-ports --permanent': 'port=80:proto=tcp:toport=8080:toaddr=10.0.0.2',
  }
  expect((await call('list_port_fwd', ['public'], forwarded)).answer).toEqual([
    { 'Source port': '80', Protocol: 'tcp', 'Destination port': '8080', 'Destination address': '10.0.0.2' },
  ])
  const all = { '--zone=public --list-all --permanent': ZONES.split('\n\n')[0]! }
  expect((await call('get_masquerade', ['public'], all)).answer).toBe(false)
})
