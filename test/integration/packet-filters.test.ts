import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type Minion, minion, thrice } from './minion.ts'
import { canFilter, type NetworkNamespace, networkNamespace } from './network-namespace.ts'

const runs = canFilter('/usr/sbin/nft', '/usr/sbin/iptables', '/usr/sbin/ipset', '/usr/sbin/brctl')

describe.runIf(runs)('Packet filters', () => {
  let network: NetworkNamespace
  let salt: Minion
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'brine-filters-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  beforeEach(() => {
    network = networkNamespace()
    salt = minion({}, network.host)
  })
  afterEach(() => network.remove())

  const RULE = 'tcp dport 22 counter packets 0 bytes 0 log accept'
  const comment = async (fun: string, ...args: string[]): Promise<Plain> => {
    const answer = (await salt.call(fun, args)) as { comment: string; result: boolean }
    return `${answer.result}: ${answer.comment}`
  }

  test('nftables functions make tables, chains and rules, and remove them', async () => {
    expect(await salt.call('nftables.version')).toMatch(/^v\d/)
    expect(await comment('nftables.new_table', 'filter')).toBe('true: Table filter in family ipv4 created')
    expect(await comment('nftables.new_table', 'filter')).toBe('true: Table filter in family ipv4 exists')
    expect(await comment('nftables.check_table', 'nat')).toBe('false: Table nat in family ipv4 does not exist')
    expect(await salt.call('nftables.list_tables')).toMatchObject([{ family: 'ip', name: 'filter' }])
    const chain = 'Chain input in table filter in family ipv4'
    expect(await comment('nftables.new_chain', 'filter', 'input', 'filter', 'input', '0')).toBe(
      `true: ${chain} created`,
    )
    expect(await comment('nftables.new_chain', 'filter', 'input')).toBe(`false: ${chain} already exists`)
    expect(await comment('nftables.check_chain', 'filter', 'input')).toBe(`true: ${chain} exists`)
    const place = 'chain input in table filter in family ipv4'
    expect(await comment('nftables.append', 'filter', 'input', RULE)).toBe(`true: Added rule "${RULE}" ${place}.`)
    expect(await comment('nftables.append', 'filter', 'input', RULE)).toBe(
      `false: Rule ${RULE} ${place} already exists`,
    )
    const { handle } = (await salt.call('nftables.get_rule_handle', ['filter', 'input', RULE])) as { handle: string }
    expect(await comment('nftables.insert', 'filter', 'input', handle, 'tcp dport 80 accept')).toMatch(/^true: Added/)
    expect(network.run('nft', 'list', 'chain', 'ip', 'filter', 'input')).toMatch(/dport 80[\s\S]*dport 22/)
    expect(await comment('nftables.check', 'filter', 'input', 'tcp dport 81 accept')).toMatch(
      /^false: .*does not exist$/,
    )
    expect(await salt.call('nftables.get_rules')).toEqual([expect.stringContaining('tcp dport 80 accept')])
    expect(await salt.call('nftables.get_rules_json')).toContainEqual({
      chain: expect.objectContaining({ name: 'input' }),
    })
    const file = join(folder, 'saved.nft')
    await salt.call('nftables.save', [file])
    expect(readFileSync(file, 'utf8')).toMatch(/^#! nft -f\n[\s\S]*tcp dport 80 accept/)
    expect(await salt.call('nftables.get_saved_rules', [file])).toContain('\t\ttcp dport 80 accept\n')
    expect(await salt.call('nftables.delete', ['filter', 'input'], { rule: 'tcp dport 80 accept' })).toMatchObject({
      result: true,
    })
    expect(await comment('nftables.flush', 'filter', 'input')).toBe(`true: Flushed rules from ${place}.`)
    expect(await salt.call('nftables.get_policy', ['filter', 'input'])).toBe('accept')
    expect(await salt.call('nftables.set_policy', ['filter', 'input', 'drop'])).toBe(true)
    expect(await salt.call('nftables.get_policy', ['filter', 'input'])).toBe('drop')
    expect(await comment('nftables.delete_chain', 'filter', 'input')).toBe(`true: ${chain} deleted`)
    expect(await comment('nftables.delete_table', 'filter')).toBe('true: Table filter in family ipv4 deleted')
    expect(network.run('nft', 'list', 'ruleset')).toBe('')
  })

  test('nftables states settle after one run', async () => {
    await thrice(salt, 'nftables.table_present', { name: 'filter' })
    const base = { table: 'filter', table_type: 'filter', hook: 'input', priority: 0 }
    expect(await thrice(salt, 'nftables.chain_present', { name: 'input', ...base })).toEqual([
      'nftables chain input would be created in table filter for family ipv4',
      'nftables input chain in filter table create success for ipv4',
      'nftables input chain is already exist in filter table for ipv4',
    ])
    const rule = { table: 'filter', chain: 'input', jump: 'accept', match: 'state', connstate: 'new', proto: 'tcp' }
    await thrice(salt, 'nftables.append', { name: 'ssh', ...rule, dport: 22 })
    const { rule: text } = (await salt.call('nftables.build_rule', [], { ...rule, dport: 22 })) as { rule: string }
    const { handle } = (await salt.call('nftables.get_rule_handle', ['filter', 'input', text])) as { handle: string }
    await thrice(salt, 'nftables.insert', { name: 'web', ...rule, dport: 80, position: handle })
    expect(network.run('nft', 'list', 'chain', 'ip', 'filter', 'input')).toMatch(/dport 80[\s\S]*dport 22/)
    await thrice(salt, 'nftables.delete', { name: 'web', ...rule, dport: 80 })
    await thrice(salt, 'nftables.set_policy', { name: 'closed', table: 'filter', chain: 'input', policy: 'drop' })
    expect((await salt.state('nftables.flush', { name: 'f', table: 'filter', chain: 'input' })).result).toBe(true)
    expect(network.run('nft', 'list', 'chain', 'ip', 'filter', 'input')).not.toContain('dport')
    await thrice(salt, 'nftables.chain_absent', { name: 'input', table: 'filter' })
    await thrice(salt, 'nftables.table_absent', { name: 'filter' })
  })

  test('nft gets each argument as one word, whatever stands in it', async () => {
    const file = join(folder, 'hostile')
    await salt.call('nftables.new_table', [`filter; touch ${file}; $(touch ${file})`])
    await salt.call('nftables.new_table', ['filter'])
    await salt.call('nftables.new_chain', ['filter', `input$(touch ${file})`])
    expect(() => readFileSync(file)).toThrow('ENOENT')
  })

  test('iptables functions read, change and save rules', async () => {
    expect(await salt.call('iptables.version')).toMatch(/^v\d/)
    expect(await salt.call('iptables.check_chain', ['filter', 'shop'])).toBe(false)
    expect(await salt.call('iptables.new_chain', ['filter', 'shop'])).toBe(true)
    expect(await salt.call('iptables.check_chain', ['filter', 'shop'])).toBe(true)
    const rule = '-p tcp --dport 22 -j ACCEPT'
    expect(await salt.call('iptables.append', ['filter', 'shop', rule])).toBe(true)
    expect(await salt.call('iptables.check', ['filter', 'shop', rule])).toBe(true)
    expect(await salt.call('iptables.get_rules')).toMatchObject({
      filter: { shop: { rules: [{ protocol: ['tcp'], destination_port: ['22'], jump: ['ACCEPT'] }] } },
    })
    const file = join(folder, 'rules.v4')
    await salt.call('iptables.save', [file])
    expect(await salt.call('iptables.get_saved_rules', [file])).toMatchObject({ filter: { shop: {} } })
    expect(await salt.call('iptables.get_saved_policy', ['filter', 'INPUT', file])).toBe('ACCEPT')
    await salt.call('iptables.set_policy', ['filter', 'INPUT', 'DROP'])
    expect(network.run('iptables', '-S', 'INPUT')).toBe('-P INPUT DROP\n')
    await salt.call('iptables.delete', ['filter', 'shop'], { rule })
    expect(await salt.call('iptables.check', ['filter', 'shop', rule])).toBe(false)
    await salt.call('iptables.append', ['filter', 'shop', rule])
    await salt.call('iptables.flush', ['filter', 'shop'])
    expect(await salt.call('iptables.check', ['filter', 'shop', rule])).toBe(false)
    expect(await salt.call('iptables.delete_chain', ['filter', 'shop'])).toBe(true)
  })

  test('iptables states settle after one run', async () => {
    await thrice(salt, 'iptables.chain_present', { name: 'shop' })
    const rule = { chain: 'shop', jump: 'ACCEPT', proto: 'tcp', dport: 443 }
    await thrice(salt, 'iptables.append', { name: 'web', ...rule })
    await thrice(salt, 'iptables.delete', { name: 'web', ...rule })
    await thrice(salt, 'iptables.set_policy', { name: 'p', chain: 'FORWARD', policy: 'DROP' })
    await salt.state('iptables.append', { name: 'web', ...rule })
    expect((await salt.state('iptables.flush', { name: 'f', chain: 'shop' }, true)).result).toBeNull()
    expect((await salt.state('iptables.flush', { name: 'f', chain: 'shop' })).result).toBe(true)
    expect(network.run('iptables', '-S', 'shop')).toBe('-N shop\n')
    await thrice(salt, 'iptables.chain_absent', { name: 'shop' })
  })

  test('ipset makes sets, and entries of them', async () => {
    expect(await salt.call('ipset.version')).toMatch(/^v\d/)
    expect(await salt.call('ipset.new_set', ['blocked', 'hash:ip'], { comment: true })).toBe(true)
    expect(await salt.call('ipset.check_set', ['blocked'])).toBe(true)
    expect(await salt.call('ipset.list_sets')).toMatchObject([{ Name: 'blocked', Type: 'hash:ip' }])
    expect(await salt.call('ipset.rename_set', ['blocked', 'denied'])).toBe(true)
    expect(await salt.call('ipset.check_set', ['blocked'])).toBe(false)
    expect(await salt.call('ipset.delete_set', ['denied'])).toBe(true)
    await thrice(salt, 'ipset.set_present', { name: 'guests', set_type: 'hash:net' })
    const entry = { name: 'lan', set_name: 'guests', entry: ['10.0.0.0/8', '192.168.0.0/16'] }
    await thrice(salt, 'ipset.present', entry)
    expect(network.run('ipset', 'test', 'guests', '10.1.2.3')).toBe('')
    await thrice(salt, 'ipset.absent', entry)
    await thrice(salt, 'ipset.set_absent', { name: 'guests' })
  })

  test('bridges get and lose interfaces', async () => {
    expect(await salt.call('bridge.add', ['br0'])).toBe('')
    network.run('ip', 'link', 'add', 'left', 'type', 'veth', 'peer', 'name', 'right')
    expect(await salt.call('bridge.addif', ['br0', 'left'])).toBe('')
    expect(await salt.call('bridge.list')).toEqual(['br0'])
    expect(await salt.call('bridge.interfaces', ['br0'])).toEqual(['left'])
    expect(await salt.call('bridge.find_interfaces', ['left'])).toEqual({ left: 'br0' })
    expect(await salt.call('bridge.show', ['br0'])).toMatchObject({ interfaces: ['left'], stp: 'no' })
    expect(await salt.call('bridge.stp', ['br0', 'enable'])).toBe('')
    expect(await salt.call('bridge.show', ['br0'])).toMatchObject({ stp: 'yes' })
    expect(await salt.call('bridge.delif', ['br0', 'left'])).toBe('')
    expect(await salt.call('bridge.delete', ['br0'])).toBe('')
    expect(await salt.call('bridge.list')).toBeNull()
  })
})
