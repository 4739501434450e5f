// NAT gateways and DHCP options as states.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { errorOf } from '../common/state-calls.ts'
import { ensureAbsent } from './absence.ts'
import { SUBNET, TAGS, VPC } from './resources.ts'
import { ask } from './state-calls.ts'

interface Place extends AwsLogin {
  subnet_name: string | null
  subnet_id: string | null
}

/** Return the ids of the NAT gateways of a subnet. */
async function gatewaysOf(ctx: StateContext, { subnet_name, subnet_id, ...login }: Place): Promise<string[]> {
  const given = { subnet_name, subnet_id, ...loginOf(login) }
  const found = (await ctx.call('boto_vpc.describe_nat_gateways', [], given)) as Value
  return isList(found) ? found.filter(isDict).map((one) => str(one.get('NatGatewayId') ?? '')) : []
}

const OPTIONS_ID = arg.text('Id of the options, in place of the name', { optional: true })
const OPTIONS = {
  domain_name: arg.text('Domain of machines', { optional: true }),
  domain_name_servers: arg.textOrList('Addresses of name servers, or `AmazonProvidedDNS`', { optional: true }),
  ntp_servers: arg.textOrList('Addresses of time servers', { optional: true }),
  netbios_name_servers: arg.textOrList('Addresses of NetBIOS name servers', { optional: true }),
  netbios_node_type: arg.text('NetBIOS node type: 1, 2, 4 or 8', { optional: true }),
}

export const gatewayStates = {
  nat_gateway_present: state({
    doc: 'Ensure that a subnet has a NAT gateway.',
    args: {
      name: arg.text('Name of the state: NAT gateways are known by their subnets'),
      ...SUBNET,
      ...LOGIN,
      allocation_id: arg.text('Id of the public address; a new one is allocated unless given', { optional: true }),
    },
    run: (ctx, { name, allocation_id, ...place }) =>
      ensure(ctx, {
        name,
        look: async () => {
          const [id] = await gatewaysOf(ctx, place)
          return id === undefined ? 'missing' : settled(`Nat gateway ${id} present.`)
        },
        foresee: () => 'Nat gateway is set to be created.',
        act: async () => {
          const { subnet_name, subnet_id } = place
          const made = await ask(ctx, 'create_nat_gateway', place, { subnet_name, subnet_id, allocation_id })
          if (!truthy(made.get('created') ?? false)) return failed(`Failed to create nat gateway: ${errorOf(made)}.`)
          return changed('Nat gateway created.', {
            old: { nat_gateway: null },
            new: { nat_gateway: made.get('id') ?? null },
          })
        },
      }),
  }),
  nat_gateway_absent: state({
    doc: 'Ensure that a subnet has no NAT gateway. The public addresses of removed gateways are released.',
    args: {
      name: arg.text('Name of the state', { optional: true }),
      ...SUBNET,
      ...LOGIN,
      wait_for_delete_retries: arg.count('Not looked at: the wait ends after ten minutes', { default: 0 }),
    },
    run: (ctx, { name, wait_for_delete_retries: _retries, ...place }) =>
      ensure(ctx, {
        name,
        look: async () => {
          const ids = await gatewaysOf(ctx, place)
          return ids.length === 0 ? settled('Nat gateway does not exist.') : ids
        },
        foresee: () => 'Nat gateway is set to be removed.',
        act: async (ids) => {
          for (const nat_gateway_id of ids) {
            const given = { nat_gateway_id, release_eips: true, wait_for_delete: true }
            const gone = await ask(ctx, 'delete_nat_gateway', place, given)
            if (gone.has('error')) return failed(`Failed to delete nat gateway: ${errorOf(gone)}`)
          }
          const text = ids.map((id) => `Nat gateway ${id} deleted.`).join(' ')
          return changed(text, { old: { nat_gateway: ids.join(', ') }, new: { nat_gateway: null } })
        },
      }),
  }),
  dhcp_options_present: state({
    doc: 'Ensure that DHCP options exist. Options that exist stay as they are: AWS cannot change them.',
    args: {
      name: arg.text('Name of the options, in their tag `Name`'),
      dhcp_options_id: OPTIONS_ID,
      vpc_name: arg.text('Name of the network that uses them', { optional: true }),
      vpc_id: VPC.vpc_id,
      ...OPTIONS,
      tags: TAGS,
      ...LOGIN,
    },
    run: (ctx, { name, dhcp_options_id, vpc_name, vpc_id, tags, region, key, keyid, profile, ...options }) => {
      const login = { region, key, keyid, profile }
      return ensure(ctx, {
        name,
        look: async () => {
          const search = dhcp_options_id ? { dhcp_options_id } : { dhcp_options_name: name }
          const found = await ask(ctx, 'dhcp_options_exists', login, search)
          if (found.has('error')) return failed(`Failed to validate DHCP options: ${errorOf(found)}.`)
          return truthy(found.get('exists') ?? false) ? settled('DHCP options already present.') : 'missing'
        },
        foresee: () => `DHCP options ${name} are set to be created.`,
        act: async () => {
          const given = { ...options, dhcp_options_name: name, tags, vpc_id, vpc_name }
          const made = await ask(ctx, 'create_dhcp_options', login, given)
          if (!truthy(made.get('created') ?? false)) return failed(`Failed to create DHCP options: ${errorOf(made)}`)
          const now: Dict = new Map(Object.entries(options))
          return changed(`DHCP options ${name} created.`, { old: { dhcp_options: null }, new: { dhcp_options: now } })
        },
      })
    },
  }),
  dhcp_options_absent: state({
    doc: 'Ensure that DHCP options do not exist.',
    args: {
      name: arg.text('Name of the options', { optional: true }),
      dhcp_options_id: OPTIONS_ID,
      ...LOGIN,
    },
    run: (ctx, { name, dhcp_options_id: id, ...login }) =>
      ensureAbsent(ctx, name ?? id ?? '', {
        ...{ title: 'DHCP options', word: 'DHCP options', key: 'dhcp_options', verb: 'are' },
        missing: `DHCP options ${name ?? id} do not exist.`,
        look: async () => {
          if (!id) return ask(ctx, 'get_resource_id', login, { resource: 'dhcp_options', name })
          const found = await ask(ctx, 'dhcp_options_exists', login, { dhcp_options_id: id })
          return truthy(found.get('exists') ?? false) ? new Map([['id', id]]) : found
        },
        remove: () =>
          ask(ctx, 'delete_dhcp_options', login, id ? { dhcp_options_id: id } : { dhcp_options_name: name }),
      }),
  }),
}
