// DHCP options of networks, and customer gateways: the other ends of VPNs.
import { type Dict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import {
  CREATED,
  create,
  DELETED,
  EXISTS,
  existence,
  find,
  networkOf,
  networksOf,
  noNetwork,
  orError,
  orItsError,
  remove,
  TAGS,
  VPC,
} from './resources.ts'

const OPTIONS = {
  domain_name: arg.text('Domain of machines', { optional: true }),
  domain_name_servers: arg.textOrList('Addresses of name servers, or `AmazonProvidedDNS`', { optional: true }),
  ntp_servers: arg.textOrList('Addresses of time servers', { optional: true }),
  netbios_name_servers: arg.textOrList('Addresses of NetBIOS name servers', { optional: true }),
  netbios_node_type: arg.text('NetBIOS node type: 1, 2, 4 or 8', { optional: true }),
}
const DHCP = {
  dhcp_options_id: arg.text('Id of the options', { optional: true }),
  dhcp_options_name: arg.text('Name of the options', { optional: true }),
}
const CUSTOMER = {
  customer_gateway_id: arg.text('Id of the gateway', { optional: true }),
  customer_gateway_name: arg.text('Name of the gateway', { optional: true }),
}

const KEYS = Object.keys(OPTIONS)
/** Options with one value; the others have lists. */
const SINGLE = new Set(['domain_name', 'netbios_node_type'])

/** Return options as parameters, without those that have no value. */
const configured = (options: Record<string, Value>): Parameters[] =>
  KEYS.flatMap((key): Parameters[] => {
    const value = options[key] ?? null
    if (!truthy(value)) return []
    return [{ Key: key.replaceAll('_', '-'), Value: isList(value) ? value.map(str) : [str(value)] }]
  })

function shownOptions(options: AwsAnswer): Dict {
  const rows = options.rows('dhcpConfigurationSet')
  const found = new Map(
    rows.map((row) => [row.text('key')?.replaceAll('-', '_'), row.rows('valueSet').map((one) => one.text('value'))]),
  )
  return new Map(
    KEYS.map((key): [Value, Value] => {
      const values = found.get(key) ?? null
      return [key, values !== null && SINGLE.has(key) ? (values[0] ?? null) : values]
    }),
  )
}

interface OptionsGiven extends AwsLogin {
  dhcp_options_name: string | null
  tags: Dict | null
  vpc_id: string | null
  vpc_name: string | null
  options: Record<string, Value>
}

async function createOptions(ctx: FunctionContext, given: OptionsGiven): Promise<Record<string, Value>> {
  const { dhcp_options_name: name, tags, vpc_id, vpc_name, options } = given
  const ec2 = networksOf(ctx, given)
  const network = vpc_id || vpc_name ? await networkOf(ec2, vpc_id, vpc_name) : undefined
  if (network === null) return noNetwork('created', vpc_name, vpc_id)
  const parameters = { DhcpConfiguration: configured(options) }
  const made = await create(ec2, 'dhcp_options', { name, tags, parameters })
  if (made.id && network) await ec2.query('AssociateDhcpOptions', { DhcpOptionsId: made.id, VpcId: network })
  return made as unknown as Record<string, Value>
}

export const dhcpFunctions = {
  create_dhcp_options: changes({
    doc: 'Create DHCP options, and let a network use them.',
    example: "boto_vpc.create_dhcp_options domain_name=example.com domain_name_servers='[10.0.0.2]' vpc_name=main",
    args: { ...OPTIONS, dhcp_options_name: DHCP.dhcp_options_name, tags: TAGS, ...VPC, ...LOGIN },
    returns: CREATED,
    run: (ctx, { dhcp_options_name, tags, vpc_id, vpc_name, region, key, keyid, profile, ...options }) =>
      orError(
        'created',
        createOptions(ctx, { dhcp_options_name, tags, vpc_id, vpc_name, region, key, keyid, profile, options }),
      ),
  }),
  get_dhcp_options: reads({
    doc: 'Return DHCP options.',
    example: 'boto_vpc.get_dhcp_options dhcp_options_name=main',
    args: { dhcp_options_name: DHCP.dhcp_options_name, dhcp_options_id: DHCP.dhcp_options_id, ...LOGIN },
    returns: ret.dict('`dhcp_options`, empty where there are none, or `error`'),
    run: (ctx, { dhcp_options_name: name, dhcp_options_id: id, ...login }) => {
      if (!name && !id) {
        throw misuse('At least one of the following must be specified: dhcp_options_name, dhcp_options_id.')
      }
      const found = find(networksOf(ctx, login), 'dhcp_options', id ? { id } : { name })
      return orItsError(found.then(([one]) => ({ dhcp_options: one === undefined ? new Map() : shownOptions(one) })))
    },
  }),
  delete_dhcp_options: changes({
    doc: 'Delete DHCP options.',
    example: 'boto_vpc.delete_dhcp_options dhcp_options_name=main',
    args: { ...DHCP, ...LOGIN },
    returns: DELETED,
    run: (ctx, { dhcp_options_id: id, dhcp_options_name: name, ...login }) =>
      orError('deleted', remove(networksOf(ctx, login), 'dhcp_options', { id, name })),
  }),
  associate_dhcp_options_to_vpc: changes({
    doc: 'Let a network use DHCP options.',
    example: 'boto_vpc.associate_dhcp_options_to_vpc dopt-a0bl34pp vpc_name=main',
    args: { dhcp_options_id: arg.text('Id of the options, or `default`'), ...VPC, ...LOGIN },
    returns: ret.dict('`associated`, or `error`'),
    run: (ctx, { dhcp_options_id, vpc_id, vpc_name, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const joined = async (): Promise<Record<string, Value>> => {
        const network = await networkOf(ec2, vpc_id, vpc_name)
        if (network === null) return noNetwork('associated', vpc_name, vpc_id)
        await ec2.query('AssociateDhcpOptions', { DhcpOptionsId: dhcp_options_id, VpcId: network })
        return { associated: true }
      }
      return orError('associated', joined())
    },
  }),
  dhcp_options_exists: reads({
    doc: 'Return whether DHCP options exist.',
    example: 'boto_vpc.dhcp_options_exists dhcp_options_name=main',
    args: {
      dhcp_options_id: DHCP.dhcp_options_id,
      name: arg.text('Old name of `dhcp_options_name`', { optional: true, deprecated: 'use dhcp_options_name' }),
      dhcp_options_name: DHCP.dhcp_options_name,
      tags: TAGS,
      ...LOGIN,
    },
    returns: EXISTS,
    run: (ctx, { dhcp_options_id: id, name, dhcp_options_name, tags, ...login }) => {
      const search = { id, name: id ? null : (dhcp_options_name ?? name), tags }
      if (!search.id && !search.name && !tags) {
        throw misuse('At least one of the following must be provided: id, name, or tags.')
      }
      return existence(find(networksOf(ctx, login), 'dhcp_options', search))
    },
  }),
  create_customer_gateway: changes({
    doc: 'Create a customer gateway: the other end of a VPN.',
    example: 'boto_vpc.create_customer_gateway ipsec.1 203.0.113.9 65534 customer_gateway_name=office',
    args: {
      vpn_connection_type: arg.text('Type of the VPN, such as `ipsec.1`'),
      ip_address: arg.text('Public address of the other end'),
      bgp_asn: arg.count('Number of its autonomous system'),
      customer_gateway_name: CUSTOMER.customer_gateway_name,
      tags: TAGS,
      ...LOGIN,
    },
    returns: CREATED,
    run: (ctx, { vpn_connection_type, ip_address, bgp_asn, customer_gateway_name: name, tags, ...login }) => {
      const parameters = { Type: vpn_connection_type, IpAddress: ip_address, BgpAsn: bgp_asn }
      return orError('created', create(networksOf(ctx, login), 'customer_gateway', { name, tags, parameters }))
    },
  }),
  delete_customer_gateway: changes({
    doc: 'Delete a customer gateway.',
    example: 'boto_vpc.delete_customer_gateway customer_gateway_name=office',
    args: { ...CUSTOMER, ...LOGIN },
    returns: DELETED,
    run: (ctx, { customer_gateway_id: id, customer_gateway_name: name, ...login }) =>
      orError('deleted', remove(networksOf(ctx, login), 'customer_gateway', { id, name })),
  }),
  customer_gateway_exists: reads({
    doc: 'Return whether a customer gateway exists.',
    example: 'boto_vpc.customer_gateway_exists customer_gateway_name=office',
    args: { ...CUSTOMER, ...LOGIN },
    returns: EXISTS,
    run: (ctx, { customer_gateway_id: id, customer_gateway_name: name, ...login }) => {
      if (Boolean(id) === Boolean(name)) throw misuse('One (but not both) of name or id must be provided.')
      return existence(find(networksOf(ctx, login), 'customer_gateway', { id, name }))
    },
  }),
}
