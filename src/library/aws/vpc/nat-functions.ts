// NAT gateways, in the form of Amazon's newer library, as in Salt's functions.
import { type Dict, misuse, type Value } from '../../../data/mod.ts'
import { arg, awaitReady, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf } from '../common/ec2.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { CREATED, DELETED, find, idByName, networksOf, orError, refused, SUBNET, VPC } from './resources.ts'

const ALIVE = ['pending', 'available']
const GONE = ['deleted', 'failed']
const DELETION_SECONDS = 600

const SEARCH = {
  nat_gateway_id: arg.text('Id of the gateway', { optional: true }),
  ...SUBNET,
  ...VPC,
  states: arg.words('States that count', { default: ALIVE }),
  ...LOGIN,
}

interface NatSearch extends AwsLogin {
  nat_gateway_id?: string | null
  subnet_id?: string | null
  subnet_name?: string | null
  vpc_id?: string | null
  vpc_name?: string | null
  states?: readonly string[]
}

const GATEWAY_FIELDS = ['NatGatewayId', 'SubnetId', 'VpcId', 'State', 'CreateTime', 'DeleteTime', 'ConnectivityType']
const ADDRESS_FIELDS = ['AllocationId', 'AssociationId', 'NetworkInterfaceId', 'PrivateIp', 'PublicIp']

const small = (field: string): string => `${field[0]!.toLowerCase()}${field.slice(1)}`

const present = (row: AwsAnswer, fields: readonly string[]): [Value, Value][] =>
  fields.flatMap((field): [Value, Value][] => {
    const text = row.text(small(field))
    return text === null ? [] : [[field, text]]
  })

const shownGateway = (gateway: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ...present(gateway, GATEWAY_FIELDS),
    [
      'NatGatewayAddresses',
      gateway.rows('natGatewayAddressSet').map((row): Dict => new Map(present(row, ADDRESS_FIELDS))),
    ],
    ['Tags', gateway.rows('tagSet').map((row): Dict => new Map(present(row, ['Key', 'Value'])))],
  ])

/** Return gateways that match. A name that does not exist matches nothing. */
async function findNatGateways(ec2: AwsCaller, search: NatSearch): Promise<AwsAnswer[]> {
  const { nat_gateway_id: id, subnet_id, subnet_name, vpc_id, vpc_name, states = ALIVE } = search
  if (!id && !subnet_id && !subnet_name && !vpc_id && !vpc_name) {
    throw misuse(
      'At least one of the following must be provided: nat_gateway_id, subnet_id, subnet_name, vpc_id, or vpc_name.',
    )
  }
  const subnet = subnet_name ? await idByName(ec2, 'subnet', subnet_name) : subnet_id
  const network = vpc_name ? await idByName(ec2, 'vpc', vpc_name) : vpc_id
  if ((subnet_name && !subnet) || (vpc_name && !network)) return []
  const filters: [string, Value][] = []
  if (subnet) filters.push(['subnet-id', subnet])
  if (network) filters.push(['vpc-id', network])
  const parameters = { ...filtersOf(filters), ...(id && { NatGatewayId: [id] }) }
  const found = await ec2.rows('DescribeNatGateways', parameters, 'natGatewaySet', EC2_PAGES)
  return found.filter((row) => states.includes(row.text('state') ?? ''))
}

interface NatCreation extends AwsLogin {
  subnet_id: string | null
  subnet_name: string | null
  allocation_id: string | null
}

async function createNatGateway(
  ctx: FunctionContext,
  { subnet_id: id, subnet_name: name, allocation_id, ...login }: NatCreation,
): Promise<Record<string, Value>> {
  if (id && name) throw misuse('Only one of subnet_name or subnet_id may be provided.')
  const ec2 = networksOf(ctx, login)
  const [found] = id || name ? await find(ec2, 'subnet', { id, name }) : []
  if (found === undefined) return { created: false, ...refused(`Subnet ${name ?? id} does not exist.`) }
  const allocate = (): Promise<AwsAnswer> => ec2.query('AllocateAddress', { Domain: 'vpc' })
  const address = allocation_id ?? (await allocate()).text('allocationId')
  const answer = await ec2.query('CreateNatGateway', { SubnetId: found.text('subnetId'), AllocationId: address })
  return { created: true, id: answer.text('natGateway.natGatewayId') }
}

interface Deletion extends AwsLogin {
  nat_gateway_id: string
  release_eips: boolean
  wait_for_delete: boolean
}

async function deleteNatGateway(
  ctx: FunctionContext,
  { nat_gateway_id, release_eips, wait_for_delete, ...login }: Deletion,
): Promise<Record<string, Value>> {
  const ec2 = networksOf(ctx, login)
  const look = async (): Promise<AwsAnswer | undefined> =>
    (await ec2.query('DescribeNatGateways', { NatGatewayId: [nat_gateway_id] })).rows('natGatewaySet')[0]
  const before = await look()
  await ec2.query('DeleteNatGateway', { NatGatewayId: nat_gateway_id })
  // an address is bound to its gateway until that is gone
  if (wait_for_delete || release_eips) {
    const { signal } = new AbortController()
    const patience = { what: `${nat_gateway_id} to be deleted`, timeout: DELETION_SECONDS, interval: 2, signal }
    await awaitReady(patience, async () => {
      const state = (await look())?.text('state') ?? 'deleted'
      return GONE.includes(state) ? true : undefined
    })
  }
  const addresses = release_eips ? (before?.rows('natGatewayAddressSet') ?? []) : []
  for (const address of addresses) {
    const AllocationId = address.text('allocationId')
    if (AllocationId !== null) await ec2.query('ReleaseAddress', { AllocationId })
  }
  return { deleted: true }
}

/** Return the first NAT gateway of a subnet; null if there is none. */
export async function natGatewayOf(ec2: AwsCaller, search: NatSearch): Promise<string | null> {
  return (await findNatGateways(ec2, search))[0]?.text('natGatewayId') ?? null
}

export const natFunctions = {
  nat_gateway_exists: reads({
    doc: 'Return whether a NAT gateway exists.',
    example: 'boto_vpc.nat_gateway_exists subnet_name=a',
    args: SEARCH,
    returns: ret.boolean('Whether it does'),
    run: async (ctx, given) => (await findNatGateways(networksOf(ctx, given), given)).length > 0,
  }),
  describe_nat_gateways: reads({
    doc: 'Return NAT gateways.',
    example: 'boto_vpc.describe_nat_gateways subnet_name=a',
    args: SEARCH,
    returns: ret.any('A list of dicts; False where there is none'),
    run: async (ctx, given): Promise<Value> => {
      const found = await findNatGateways(networksOf(ctx, given), given)
      return found.length === 0 ? false : found.map(shownGateway)
    },
  }),
  create_nat_gateway: changes({
    doc: 'Create a NAT gateway in a subnet, with a public address.',
    example: 'boto_vpc.create_nat_gateway subnet_name=a',
    args: {
      ...SUBNET,
      allocation_id: arg.text('Id of the public address; a new one is allocated unless given', { optional: true }),
      ...LOGIN,
    },
    returns: CREATED,
    run: (ctx, given) => orError('created', createNatGateway(ctx, given)),
  }),
  delete_nat_gateway: changes({
    doc: 'Delete a NAT gateway.',
    example: 'boto_vpc.delete_nat_gateway nat_gateway_id=nat-1a2b3c release_eips=True',
    args: {
      nat_gateway_id: arg.text('Id of the gateway'),
      release_eips: arg.flag('Whether its public addresses are released, once it is gone', { default: false }),
      ...LOGIN,
      wait_for_delete: arg.flag('Whether to wait until it is gone', { default: false }),
      wait_for_delete_retries: arg.count('Not looked at: the wait ends after ten minutes', { default: 5 }),
    },
    returns: DELETED,
    run: (ctx, { wait_for_delete_retries: _retries, ...given }) => orError('deleted', deleteNatGateway(ctx, given)),
  }),
}
