// Public addresses of EC2.
import { failure, misuse } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { isAccepted } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { interfaceByName } from './interface-functions.ts'
import { ec2Of, machineId } from './machines.ts'

const CHOICE = {
  addresses: arg.words('Addresses to look for; all unless given', { default: [] }),
  allocation_ids: arg.words('Allocations to look for; all unless given', { default: [] }),
  ...LOGIN,
}

async function addresses(
  ctx: FunctionContext,
  given: AwsLogin & { addresses?: string[]; allocation_ids?: string[] },
): Promise<AwsAnswer[]> {
  const parameters = { PublicIp: given.addresses ?? [], AllocationId: given.allocation_ids ?? [] }
  return (await ec2Of(ctx, given).query('DescribeAddresses', parameters)).rows('addressesSet')
}

const shown = (row: AwsAnswer) => ({
  allocation_id: row.text('allocationId'),
  association_id: row.text('associationId'),
  domain: row.text('domain'),
  instance_id: row.text('instanceId'),
  network_interface_id: row.text('networkInterfaceId'),
  network_interface_owner_id: row.text('networkInterfaceOwnerId'),
  public_ip: row.text('publicIp'),
  private_ip_address: row.text('privateIpAddress'),
})

export const addressFunctions = {
  get_all_eip_addresses: reads({
    doc: 'Return the public addresses of the account.',
    args: CHOICE,
    returns: ret.texts('Addresses'),
    run: async (ctx, given) => (await addresses(ctx, given)).map((row) => row.text('publicIp') ?? ''),
  }),
  get_eip_address_info: reads({
    doc: 'Return what is known of public addresses.',
    example: 'boto_ec2.get_eip_address_info addresses=52.4.2.15',
    args: CHOICE,
    returns: ret.dicts('One dict for each address'),
    run: async (ctx, given) => (await addresses(ctx, given)).map(shown),
  }),
  get_unassociated_eip_address: reads({
    doc: 'Return the first public address that nothing uses.',
    args: { domain: arg.text('`vpc` or `standard`', { default: 'standard' }), ...LOGIN },
    returns: ret.optional(ret.string('The address')),
    run: async (ctx, { domain, ...login }) =>
      (await addresses(ctx, login))
        .find((row) => !row.text('associationId') && !row.text('instanceId') && row.text('domain') === domain)
        ?.text('publicIp') ?? null,
  }),
  allocate_eip_address: changes({
    doc: 'Allocate a public address.',
    example: 'boto_ec2.allocate_eip_address domain=vpc',
    args: { domain: arg.text('`vpc` or `standard`', { optional: true }), ...LOGIN },
    returns: ret.dict('The address'),
    run: async (ctx, { domain, ...login }) => {
      if (domain !== null && domain !== 'vpc')
        throw misuse("The only permissible value for the 'domain' param is 'vpc'.")
      const made = await ec2Of(ctx, login).query('AllocateAddress', { Domain: domain })
      const [row] = await addresses(ctx, { ...login, addresses: [made.text('publicIp') ?? ''] })
      if (row === undefined) throw failure('AWS allocated no address')
      return shown(row)
    },
  }),
  release_eip_address: changes({
    doc: 'Release a public address.',
    example: 'boto_ec2.release_eip_address allocation_id=eipalloc-ef382c8a',
    args: {
      public_ip: arg.text('The address', { optional: true }),
      allocation_id: arg.text('Its allocation, in place of the address', { optional: true }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was released'),
    run: (ctx, { public_ip, allocation_id, ...login }) => {
      if (Boolean(public_ip) === Boolean(allocation_id)) {
        throw misuse("Exactly one of 'public_ip' OR 'allocation_id' must be provided")
      }
      const gone = ec2Of(ctx, login).query('ReleaseAddress', { PublicIp: public_ip, AllocationId: allocation_id })
      return isAccepted(ctx, gone)
    },
  }),
  associate_eip_address: changes({
    doc: 'Give a public address to a machine or a network interface.',
    example: 'boto_ec2.associate_eip_address instance_id=i-0123456789abcdef0 allocation_id=eipalloc-ef382c8a',
    args: {
      instance_id: arg.text('Id of the machine', { optional: true }),
      public_ip: arg.text('The address', { optional: true }),
      allocation_id: arg.text('Its allocation, in place of the address', { optional: true }),
      network_interface_id: arg.text('Id of the network interface, in place of the machine', { optional: true }),
      private_ip_address: arg.text('Private address that it is for', { optional: true }),
      allow_reassociation: arg.flag('Whether an address in use may be taken', { default: false }),
      ...LOGIN,
      instance_name: arg.text('Name of the machine, in place of its id', { optional: true }),
      network_interface_name: arg.text('Name of the network interface, in place of its id', { optional: true }),
    },
    returns: ret.boolean('Whether it was given'),
    run: async (ctx, given) => {
      const { instance_id, instance_name, network_interface_id, network_interface_name } = given
      const named = [instance_id, instance_name, network_interface_id, network_interface_name].filter(Boolean)
      if (named.length !== 1) {
        throw misuse(
          "Exactly one of 'instance_id', 'instance_name', 'network_interface_id', or 'network_interface_name' must be provided",
        )
      }
      const login = { region: given.region, key: given.key, keyid: given.keyid, profile: given.profile }
      const machine = instance_name ? await machineId(ctx, { ...login, name: instance_name }) : instance_id
      if (instance_name && machine === null) {
        ctx.log('error', `There is no instance named ${instance_name}`)
        return false
      }
      const ec2 = ec2Of(ctx, given)
      const face = network_interface_name ? await interfaceByName(ec2, network_interface_name) : network_interface_id
      const done = ec2.query('AssociateAddress', {
        InstanceId: machine,
        PublicIp: given.public_ip,
        AllocationId: given.allocation_id,
        NetworkInterfaceId: face,
        PrivateIpAddress: given.private_ip_address,
        AllowReassociation: given.allow_reassociation,
      })
      return isAccepted(ctx, done)
    },
  }),
  disassociate_eip_address: changes({
    doc: 'Take a public address from what uses it.',
    example: 'boto_ec2.disassociate_eip_address association_id=eipassoc-e3ba2d16',
    args: {
      public_ip: arg.text('The address', { optional: true }),
      association_id: arg.text('Its association, in place of the address', { optional: true }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was taken'),
    run: (ctx, { public_ip, association_id, ...login }) =>
      isAccepted(
        ctx,
        ec2Of(ctx, login).query('DisassociateAddress', {
          PublicIp: association_id ? null : public_ip,
          AssociationId: association_id,
        }),
      ),
  }),
}
