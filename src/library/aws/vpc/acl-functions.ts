// Network ACLs, their entries and their subnets.
import { type Dict, misuse, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsCaller } from '../common/caller.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import {
  CREATED,
  create,
  DELETED,
  EXISTS,
  existence,
  find,
  idByName,
  networkOf,
  networksOf,
  noNetwork,
  orError,
  refused,
  remove,
  SUBNET,
  TAGS,
  VPC,
} from './resources.ts'

const ACL = {
  network_acl_id: arg.text('Id of the ACL', { optional: true }),
  network_acl_name: arg.text('Name of the ACL', { optional: true }),
}

/** Numbers of protocols by their names; `all` is -1. Other protocols are given by number. */
const PROTOCOLS: Readonly<Record<string, number>> = {
  ...{ all: -1, icmp: 1, igmp: 2, tcp: 6, egp: 8, udp: 17, gre: 47, esp: 50, ah: 51 },
  ...{ 'ipv6-icmp': 58, ospf: 89, pim: 103, vrrp: 112, l2tp: 115, sctp: 132 },
}

function protocolNumber(protocol: string): number {
  if (/^-?\d+$/.test(protocol)) return Number(protocol)
  const known = Object.hasOwn(PROTOCOLS, protocol) ? PROTOCOLS[protocol] : undefined
  if (known === undefined) throw misuse(`There is no protocol '${protocol}': write its number`)
  return known
}

/** Return the id of an ACL; null where its name does not exist. */
async function aclOf(ec2: AwsCaller, id: string | null, name: string | null): Promise<string | null> {
  if (Boolean(id) === Boolean(name)) {
    throw misuse('One (but not both) of network_acl_id or network_acl_name must be provided.')
  }
  return id ?? idByName(ec2, 'network_acl', name!)
}

interface SubnetGiven {
  subnet_id: string | null
  subnet_name: string | null
}

/** Return the id of a subnet; null where it does not exist. */
async function subnetOf(ec2: AwsCaller, { subnet_id: id, subnet_name: name }: SubnetGiven): Promise<string | null> {
  if (Boolean(id) === Boolean(name)) throw misuse('One (but not both) of subnet_id or subnet_name must be provided.')
  return (await find(ec2, 'subnet', { id, name }))[0]?.text('subnetId') ?? null
}

/** Assign an ACL to a subnet in place of its present one. Return the id of the new association. */
async function associate(ec2: AwsCaller, acl: string, subnet: string): Promise<string | null> {
  const tables = await find(ec2, 'network_acl', { filters: [['association.subnet-id', subnet]] })
  const all = tables.flatMap((table) => table.rows('associationSet'))
  const now = all.find((one) => one.text('subnetId') === subnet)?.text('networkAclAssociationId')
  const parameters = { AssociationId: now ?? null, NetworkAclId: acl }
  return (await ec2.query('ReplaceNetworkAclAssociation', parameters)).text('newAssociationId')
}

/** Let a subnet use the ACL that its network began with. */
async function disassociate(ec2: AwsCaller, subnet: string): Promise<string | null> {
  const network = (await find(ec2, 'subnet', { id: subnet }))[0]?.text('vpcId') ?? null
  const [usual] = await find(ec2, 'network_acl', {
    filters: [
      ['vpc-id', network],
      ['default', 'true'],
    ],
  })
  return associate(ec2, usual?.text('networkAclId') ?? '', subnet)
}

interface AclGiven extends AwsLogin, SubnetGiven {
  vpc_id: string | null
  vpc_name: string | null
  network_acl_name: string | null
  tags: Dict | null
}

async function createAcl(ctx: FunctionContext, given: AclGiven): Promise<Record<string, Value>> {
  const { vpc_id, vpc_name, network_acl_name: name, tags, subnet_id, subnet_name } = given
  const ec2 = networksOf(ctx, given)
  const network = await networkOf(ec2, vpc_id, vpc_name)
  if (network === null) return noNetwork('created', vpc_name, vpc_id)
  const subnet = subnet_id || subnet_name ? await subnetOf(ec2, given) : undefined
  if (subnet === null) return { created: false, ...refused(`Subnet ${subnet_name ?? subnet_id} does not exist.`) }
  const made = await create(ec2, 'network_acl', { name, tags, parameters: { VpcId: network } })
  const answer = made as unknown as Record<string, Value>
  if (!made.id || subnet === undefined) return answer
  return { ...answer, association_id: await associate(ec2, made.id, subnet) }
}

const ENTRY = {
  network_acl_id: ACL.network_acl_id,
  rule_number: arg.count('Number of the entry: the lowest one that matches counts', { optional: true }),
  protocol: arg.text('`tcp`, `udp`, `icmp`, `all` or a number', { optional: true }),
  rule_action: arg.text('`allow` or `deny`', { optional: true }),
  cidr_block: arg.text('Range of addresses', { optional: true }),
  egress: arg.flag('Whether the entry is for what leaves the subnet', { default: false }),
  network_acl_name: ACL.network_acl_name,
  icmp_code: arg.integer('Code of ICMP', { optional: true }),
  icmp_type: arg.integer('Type of ICMP', { optional: true }),
  port_range_from: arg.count('First port', { optional: true }),
  port_range_to: arg.count('Last port', { optional: true }),
  ...LOGIN,
}

type EntryGiven = Bound<typeof ENTRY>

async function changeEntry(
  ctx: FunctionContext,
  action: 'CreateNetworkAclEntry' | 'ReplaceNetworkAclEntry',
  given: EntryGiven,
): Promise<Record<string, Value>> {
  const key = action === 'CreateNetworkAclEntry' ? 'created' : 'replaced'
  for (const name of ['rule_number', 'protocol', 'rule_action', 'cidr_block'] as const) {
    if (given[name] === null) throw misuse(`${name} is required.`)
  }
  const ec2 = networksOf(ctx, given)
  const acl = await aclOf(ec2, given.network_acl_id, given.network_acl_name)
  if (acl === null) return { [key]: false, ...refused(`Network ACL ${given.network_acl_name} does not exist.`) }
  const ports = given.port_range_from === null && given.port_range_to === null
  const icmp = given.icmp_code === null && given.icmp_type === null
  await ec2.query(action, {
    NetworkAclId: acl,
    RuleNumber: given.rule_number,
    Protocol: String(protocolNumber(given.protocol!)),
    RuleAction: given.rule_action,
    CidrBlock: given.cidr_block,
    Egress: given.egress,
    ...(!icmp && { Icmp: { Code: given.icmp_code, Type: given.icmp_type } }),
    ...(!ports && { PortRange: { From: given.port_range_from, To: given.port_range_to } }),
  })
  return { [key]: true }
}

export const aclFunctions = {
  create_network_acl: changes({
    doc: 'Create a network ACL, and let a subnet use it.',
    example: 'boto_vpc.create_network_acl vpc_name=main network_acl_name=web subnet_name=a',
    args: { ...VPC, network_acl_name: ACL.network_acl_name, ...SUBNET, tags: TAGS, ...LOGIN },
    returns: CREATED,
    run: (ctx, given) => orError('created', createAcl(ctx, given)),
  }),
  delete_network_acl: changes({
    doc: 'Delete a network ACL.',
    example: 'boto_vpc.delete_network_acl network_acl_name=web disassociate=True',
    args: {
      ...ACL,
      disassociate: arg.flag('Whether its subnets use the ACL of their network first', { default: false }),
      ...LOGIN,
    },
    returns: DELETED,
    run: (ctx, { network_acl_id: id, network_acl_name: name, disassociate: isFreed, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const gone = async (): Promise<Record<string, Value>> => {
        const [acl] = isFreed ? await find(ec2, 'network_acl', { id, name: id ? null : name }) : []
        for (const one of acl?.rows('associationSet') ?? []) await disassociate(ec2, one.text('subnetId') ?? '')
        return remove(ec2, 'network_acl', { id, name })
      }
      return orError('deleted', gone())
    },
  }),
  network_acl_exists: reads({
    doc: 'Return whether a network ACL exists.',
    example: 'boto_vpc.network_acl_exists network_acl_name=web',
    args: {
      network_acl_id: ACL.network_acl_id,
      name: arg.text('Old name of `network_acl_name`', { optional: true, deprecated: 'use network_acl_name' }),
      network_acl_name: ACL.network_acl_name,
      tags: TAGS,
      ...LOGIN,
    },
    returns: EXISTS,
    run: (ctx, { network_acl_id: id, name, network_acl_name, tags, ...login }) => {
      const search = { id, name: id ? null : (network_acl_name ?? name), tags }
      if (!search.id && !search.name && !tags) {
        throw misuse('At least one of the following must be provided: id, name, or tags.')
      }
      return existence(find(networksOf(ctx, login), 'network_acl', search))
    },
  }),
  associate_network_acl_to_subnet: changes({
    doc: 'Let a subnet use a network ACL.',
    example: 'boto_vpc.associate_network_acl_to_subnet network_acl_name=web subnet_name=a',
    args: {
      network_acl_id: ACL.network_acl_id,
      subnet_id: SUBNET.subnet_id,
      network_acl_name: ACL.network_acl_name,
      subnet_name: SUBNET.subnet_name,
      ...LOGIN,
    },
    returns: ret.dict('`associated` with `id`, or `error`'),
    run: (ctx, { network_acl_id, network_acl_name, subnet_id, subnet_name, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const joined = async (): Promise<Record<string, Value>> => {
        const acl = await aclOf(ec2, network_acl_id, network_acl_name)
        if (acl === null) return { associated: false, ...refused(`Network ACL ${network_acl_name} does not exist.`) }
        const subnet = await subnetOf(ec2, { subnet_id, subnet_name })
        if (subnet === null)
          return { associated: false, ...refused(`Subnet ${subnet_name ?? subnet_id} does not exist.`) }
        return { associated: true, id: await associate(ec2, acl, subnet) }
      }
      return orError('associated', joined())
    },
  }),
  disassociate_network_acl: changes({
    doc: 'Let a subnet use the network ACL that its network began with.',
    example: 'boto_vpc.disassociate_network_acl subnet_name=a',
    args: {
      subnet_id: SUBNET.subnet_id,
      vpc_id: arg.text('Not looked at: a subnet knows its network', { optional: true }),
      subnet_name: SUBNET.subnet_name,
      vpc_name: arg.text('Not looked at', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`disassociated` with `association_id`, or `error`'),
    run: (ctx, { subnet_id, subnet_name, vpc_id: _id, vpc_name: _name, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const freed = async (): Promise<Record<string, Value>> => {
        const subnet = await subnetOf(ec2, { subnet_id, subnet_name })
        if (subnet === null)
          return { disassociated: false, ...refused(`Subnet ${subnet_name ?? subnet_id} does not exist.`) }
        return { disassociated: true, association_id: await disassociate(ec2, subnet) }
      }
      return orError('disassociated', freed())
    },
  }),
  create_network_acl_entry: changes({
    doc: 'Create an entry of a network ACL.',
    example:
      'boto_vpc.create_network_acl_entry acl-5fb85d36 100 tcp allow 0.0.0.0/0 port_range_from=443 port_range_to=443',
    args: ENTRY,
    returns: ret.dict('`created`, or `error`'),
    run: (ctx, given) => orError('created', changeEntry(ctx, 'CreateNetworkAclEntry', given)),
  }),
  replace_network_acl_entry: changes({
    doc: 'Replace an entry of a network ACL.',
    example: 'boto_vpc.replace_network_acl_entry acl-5fb85d36 100 all deny 0.0.0.0/0 egress=True',
    args: ENTRY,
    returns: ret.dict('`replaced`, or `error`'),
    run: (ctx, given) => orError('replaced', changeEntry(ctx, 'ReplaceNetworkAclEntry', given)),
  }),
  delete_network_acl_entry: changes({
    doc: 'Delete an entry of a network ACL.',
    example: 'boto_vpc.delete_network_acl_entry network_acl_name=web rule_number=100 egress=False',
    args: {
      network_acl_id: ACL.network_acl_id,
      rule_number: ENTRY.rule_number,
      egress: arg.any('Whether the entry is for what leaves the subnet', { optional: true }),
      network_acl_name: ACL.network_acl_name,
      ...LOGIN,
    },
    returns: DELETED,
    run: (ctx, { network_acl_id, rule_number, egress, network_acl_name, ...login }) => {
      if (rule_number === null) throw misuse('rule_number is required.')
      if (egress === null) throw misuse('egress is required.')
      const ec2 = networksOf(ctx, login)
      const gone = async (): Promise<Record<string, Value>> => {
        const acl = await aclOf(ec2, network_acl_id, network_acl_name)
        if (acl === null) return { deleted: false, ...refused(`Network ACL ${network_acl_name} does not exist.`) }
        const parameters = { NetworkAclId: acl, RuleNumber: rule_number, Egress: egress === true }
        await ec2.query('DeleteNetworkAclEntry', parameters)
        return { deleted: true }
      }
      return orError('deleted', gone())
    },
  }),
}
