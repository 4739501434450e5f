// Network resources other than networks, subnets and route tables: NAT and customer gateways, DHCP options, network
// ACLs, peering connections.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('networks of AWS, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const apply = (name: string, given: Plain) => calls.apply(name, given)

  beforeAll(async () => {
    service = await awsService(way, 'networks')
    calls = new AwsCalls(service.url)
    for (const [vpc_name, cidr_block] of [
      ['main', '10.1.0.0/16'],
      ['data', '10.2.0.0/16'],
    ] as const)
      await call('boto_vpc.create', { vpc_name, cidr_block })
    await call('boto_vpc.create_subnet', { vpc_name: 'main', subnet_name: 'a', cidr_block: '10.1.1.0/24' })
  })
  afterAll(() => service.close())

  test('a subnet has a NAT gateway, through which routes lead', async () => {
    const made = await apply('boto_vpc.nat_gateway_present', { name: 'out', subnet_name: 'a' })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Nat gateway is set to be created.' })
    expect(made.done.changes).toMatchObject({ new: { nat_gateway: expect.stringMatching(/^nat-/) } })
    expect(await call('boto_vpc.nat_gateway_exists', { subnet_name: 'a' })).toBe(true)
    expect(await call('boto_vpc.nat_gateway_exists', { subnet_name: 'nosuch' })).toBe(false)
    expect(await call('boto_vpc.describe_nat_gateways', { vpc_name: 'main' })).toMatchObject(
      [
        {
          NatGatewayId: made.done.changes['new']!['nat_gateway'],
          NatGatewayAddresses: [{ AllocationId: /^eipalloc-/ }],
        },
      ].map((one) => ({ ...one, NatGatewayAddresses: [{ AllocationId: expect.stringMatching(/^eipalloc-/) }] })),
    )
    const routes = [{ destination_cidr_block: '0.0.0.0/0', nat_gateway_subnet_name: 'a' }]
    const table = await apply('boto_vpc.route_table_present', { name: 'private', vpc_name: 'main', routes })
    expect(table.done.comment).toContain('Created route 0.0.0.0/0 in route table private.')
    const route = { route_table_name: 'private', destination_cidr_block: '192.168.0.0/16' }
    expect(await call('boto_vpc.create_route', { ...route, nat_gateway_subnet_name: 'a' })).toEqual({ created: true })
    expect(await call('boto_vpc.create_route', { ...route, nat_gateway_subnet_name: 'nosuch' })).toEqual({
      created: false,
      error: { message: 'nat gateway for nosuch does not exist.' },
    })
    const local = { route_table_name: 'private', destination_cidr_block: '10.1.0.0/16' }
    expect(await call('boto_vpc.route_exists', { ...local, gateway_id: 'local' })).toEqual({ exists: true })
    expect(await call('boto_vpc.route_exists', { ...local, gateway_id: 'igw-1' })).toEqual({ exists: false })
    const gone = await apply('boto_vpc.nat_gateway_absent', { name: 'out', subnet_name: 'a' })
    expect(gone.done.comment).toMatch(/^Nat gateway nat-\w+ deleted\.$/)
    expect(gone.again.comment).toBe('Nat gateway does not exist.')
  })

  test('a subnet moves to another route table', async () => {
    await call('boto_vpc.create_route_table', { vpc_name: 'main', route_table_name: 'first' })
    const { id } = (await call('boto_vpc.create_route_table', { vpc_name: 'main', route_table_name: 'second' })) as {
      id: string
    }
    const joined = { route_table_name: 'first', subnet_name: 'a' }
    const { association_id } = (await call('boto_vpc.associate_route_table', joined)) as { association_id: string }
    expect(await call('boto_vpc.replace_route_table_association', { association_id, route_table_id: id })).toEqual({
      replaced: true,
      association_id: expect.stringMatching(/^rtbassoc-/),
    })
    expect(await call('boto_vpc.describe_route_tables', { route_table_name: 'second' })).toMatchObject([
      { associations: [{ subnet_id: expect.stringMatching(/^subnet-/) }] },
    ])
  })

  test('DHCP options are made once and used by a network', async () => {
    const options = { domain_name: 'example.com', domain_name_servers: ['10.1.0.2', '10.1.0.3'] }
    const made = await apply('boto_vpc.dhcp_options_present', { name: 'dhcp', vpc_name: 'main', ...options })
    expect(made.foreseen.comment).toBe('DHCP options dhcp are set to be created.')
    expect(made.done.changes['new']).toMatchObject({ dhcp_options: options })
    expect(made.again.comment).toBe('DHCP options already present.')
    expect(await call('boto_vpc.get_dhcp_options', { dhcp_options_name: 'dhcp' })).toEqual({
      dhcp_options: { ...options, ntp_servers: null, netbios_name_servers: null, netbios_node_type: null },
    })
    const { id } = (await call('boto_vpc.get_resource_id', { resource: 'dhcp_options', name: 'dhcp' })) as {
      id: string
    }
    expect(await call('boto_vpc.describe', { vpc_name: 'main' })).toMatchObject({ vpc: { dhcp_options_id: id } })
    const other = { dhcp_options_id: id, vpc_name: 'data' }
    expect(await call('boto_vpc.associate_dhcp_options_to_vpc', other)).toEqual({ associated: true })
    expect(await call('boto_vpc.associate_dhcp_options_to_vpc', { ...other, vpc_name: 'nosuch' })).toEqual({
      associated: false,
      error: { message: 'VPC nosuch does not exist.' },
    })
    const spare = await call('boto_vpc.create_dhcp_options', { dhcp_options_name: 'spare', domain_name: 'example.org' })
    expect(spare).toMatchObject({ created: true })
    expect((await apply('boto_vpc.dhcp_options_absent', { name: 'spare' })).done.comment).toBe(
      'DHCP options spare deleted.',
    )
    expect(await call('boto_vpc.dhcp_options_exists', { dhcp_options_name: 'spare' })).toEqual({ exists: false })
  })

  test('a network ACL has entries and subnets', async () => {
    const acl = { network_acl_name: 'web' }
    expect(
      await call('boto_vpc.create_network_acl', { ...acl, vpc_name: 'main', tags: { team: 'web' } }),
    ).toMatchObject({
      created: true,
    })
    const entry = { ...acl, rule_number: 100, protocol: 'tcp', rule_action: 'allow', cidr_block: '0.0.0.0/0' }
    const ports = { port_range_from: 443, port_range_to: 443 }
    expect(await call('boto_vpc.create_network_acl_entry', { ...entry, ...ports })).toEqual({ created: true })
    expect(await call('boto_vpc.replace_network_acl_entry', { ...entry, ...ports, rule_action: 'deny' })).toEqual({
      replaced: true,
    })
    await expect(call('boto_vpc.create_network_acl_entry', { ...entry, protocol: 'tpc' })).rejects.toThrow(
      "There is no protocol 'tpc'",
    )
    expect(await call('boto_vpc.delete_network_acl_entry', { ...acl, rule_number: 100, egress: false })).toEqual({
      deleted: true,
    })
    expect(await call('boto_vpc.associate_network_acl_to_subnet', { ...acl, subnet_name: 'a' })).toEqual({
      associated: true,
      id: expect.stringMatching(/^aclassoc-/),
    })
    expect(await call('boto_vpc.disassociate_network_acl', { subnet_name: 'a' })).toEqual({
      disassociated: true,
      association_id: expect.stringMatching(/^aclassoc-/),
    })
    await call('boto_vpc.associate_network_acl_to_subnet', { ...acl, subnet_name: 'a' })
    expect(await call('boto_vpc.network_acl_exists', acl)).toEqual({ exists: true })
    expect(await call('boto_vpc.delete_network_acl', { ...acl, disassociate: true })).toEqual({ deleted: true })
    expect(await call('boto_vpc.network_acl_exists', acl)).toEqual({ exists: false })
  })

  test('a customer gateway is made and deleted', async () => {
    const office = { customer_gateway_name: 'office' }
    const made = { ...office, vpn_connection_type: 'ipsec.1', ip_address: '203.0.113.9', bgp_asn: 65534 }
    expect(await call('boto_vpc.create_customer_gateway', made)).toMatchObject({ created: true })
    expect(await call('boto_vpc.customer_gateway_exists', office)).toEqual({ exists: true })
    expect(await call('boto_vpc.delete_customer_gateway', office)).toEqual({ deleted: true })
    expect(await call('boto_vpc.customer_gateway_exists', office)).toEqual({ exists: false })
  })

  test('functions make and delete what states do', async () => {
    const { id } = (await call('boto_vpc.create_nat_gateway', { subnet_name: 'a' })) as { id: string }
    const gateway = { nat_gateway_id: id, wait_for_delete: true, release_eips: true }
    expect(await call('boto_vpc.delete_nat_gateway', gateway)).toEqual({ deleted: true })
    expect(await call('boto_vpc.create_nat_gateway', { subnet_name: 'nosuch' })).toMatchObject({ created: false })
    await call('boto_vpc.create_dhcp_options', { dhcp_options_name: 'own', ntp_servers: ['10.1.0.9'] })
    expect(await call('boto_vpc.delete_dhcp_options', { dhcp_options_name: 'own' })).toEqual({ deleted: true })
    const conn_name = 'short'
    const networks = { requester_vpc_name: 'main', peer_vpc_name: 'data' }
    await call('boto_vpc.request_vpc_peering_connection', { ...networks, name: conn_name })
    expect(await call('boto_vpc.delete_vpc_peering_connection', { conn_name })).toEqual({
      msg: 'VPC peering connection deleted.',
    })
    await call('boto_vpc.request_vpc_peering_connection', { ...networks, name: conn_name })
    const gone = await apply('boto_vpc.delete_vpc_peering_connection', { name: 'gone', conn_name })
    expect(gone.foreseen).toMatchObject({ result: null, comment: 'VPC peering connection would be deleted' })
  })

  test('a peering connection is asked for, accepted and deleted', async () => {
    const networks = { requester_vpc_name: 'main', peer_vpc_name: 'data', conn_name: 'main-data' }
    const asked = await apply('boto_vpc.request_vpc_peering_connection', { name: 'peer', ...networks })
    expect(asked.foreseen).toMatchObject({ result: null, comment: 'VPC peering connection will be created' })
    expect(asked.done.changes['new']).toMatch(/^VPC peering pcx-\w+ requested\. With name main-data\.$/)
    const conn_name = 'main-data'
    expect(await call('boto_vpc.is_peering_connection_pending', { conn_name })).toBe(true)
    const from = { conn_name, vpc_name: 'main' }
    expect(await call('boto_vpc.peering_connection_pending_from_vpc', from)).toBe(true)
    expect(await call('boto_vpc.peering_connection_pending_from_vpc', { conn_name, vpc_name: 'data' })).toBe(false)
    const waits = await apply('boto_vpc.vpc_peering_connection_present', { name: 'peer', ...networks })
    expect(waits.done.comment).toBe('VPC peering main-data already requested - pending acceptance by data')
    const accepted = await apply('boto_vpc.accept_vpc_peering_connection', { name: 'peer', conn_name })
    expect(accepted.done.changes['new']).toBe('VPC peering connection accepted.')
    const route = { route_table_name: 'first', destination_cidr_block: '10.2.0.0/16' }
    expect(await call('boto_vpc.create_route', { ...route, vpc_peering_connection_name: conn_name })).toEqual({
      created: true,
    })
    const gone = await apply('boto_vpc.vpc_peering_connection_absent', { name: 'peer', conn_name })
    expect(gone.again.comment).toBe('No VPC connection found, nothing to be done.')
    expect(await call('boto_vpc.describe_vpc_peering_connection', { name: conn_name })).toEqual({ 'VPC-Peerings': [] })
  })
})
