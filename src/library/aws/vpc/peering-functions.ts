// Peering connections: two networks that reach each other. One asks, and the other accepts.
import { failure, misuse, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { tagsOf } from '../common/ec2.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { find, idByName, networkOf, networksOf, orItsError } from './resources.ts'

const CONNECTION = {
  conn_id: arg.text('Id of the connection', { optional: true }),
  conn_name: arg.text('Name of the connection', { optional: true }),
}
const DRY = arg.flag('Only ask whether this key may do it', { default: false })
const MESSAGE = ret.dict('`msg`, or `error`')
const PENDING = 'pending-acceptance'

const idOf = (connection: AwsAnswer): string => connection.text('vpcPeeringConnectionId') ?? ''

const named = (ec2: AwsCaller, name: string): Promise<AwsAnswer[]> => find(ec2, 'vpc_peering_connection', { name })

/** Return the only connection with an id or a name; undefined if there is none. */
async function connectionOf(ec2: AwsCaller, id: string | null, name: string | null): Promise<AwsAnswer | undefined> {
  if (Boolean(id) === Boolean(name)) throw misuse('Exactly one of conn_id or conn_name must be provided.')
  const found = await find(ec2, 'vpc_peering_connection', { id, name })
  if (found.length > 1) {
    throw misuse(
      `Found more than one ID for the VPC peering connection (${id ?? name}). Please call this function with an ID instead.`,
    )
  }
  return found[0]
}

interface RequestGiven extends AwsLogin {
  requester_vpc_id: string | null
  requester_vpc_name: string | null
  peer_vpc_id: string | null
  peer_vpc_name: string | null
  name: string | null
  peer_owner_id: string | null
  peer_region: string | null
  dry_run: boolean
}

async function requestConnection(ctx: FunctionContext, given: RequestGiven): Promise<Record<string, Value>> {
  const { requester_vpc_id, requester_vpc_name, peer_vpc_id, peer_vpc_name, name } = given
  const ec2 = networksOf(ctx, given)
  if (Boolean(requester_vpc_id) === Boolean(requester_vpc_name)) {
    throw misuse('Exactly one of requester_vpc_id or requester_vpc_name is required')
  }
  if (Boolean(peer_vpc_id) === Boolean(peer_vpc_name)) {
    throw misuse('Exactly one of peer_vpc_id or peer_vpc_name is required.')
  }
  if (name && (await named(ec2, name)).length > 0) {
    throw misuse('A VPC peering connection with this name already exists! Please specify a different name.')
  }
  const ids: string[] = []
  for (const [id, vpc] of [
    [requester_vpc_id, requester_vpc_name],
    [peer_vpc_id, peer_vpc_name],
  ] as const) {
    const network = id ?? (await idByName(ec2, 'vpc', vpc!))
    if (network === null) return { error: `Could not resolve VPC name ${vpc} to an ID` }
    ids.push(network)
  }
  const answer = await ec2.query('CreateVpcPeeringConnection', {
    VpcId: ids[0]!,
    PeerVpcId: ids[1]!,
    PeerOwnerId: given.peer_owner_id,
    PeerRegion: given.peer_region,
    DryRun: given.dry_run || null,
  })
  const id = answer.text('vpcPeeringConnection.vpcPeeringConnectionId')
  if (id === null) throw failure('AWS made no peering connection')
  if (!name) return { msg: `VPC peering ${id} requested.` }
  await ec2.query('CreateTags', { ResourceId: [id], Tag: tagsOf(new Map([['Name', name]])) })
  return { msg: `VPC peering ${id} requested. With name ${name}.` }
}

export const peeringFunctions = {
  request_vpc_peering_connection: changes({
    doc: 'Ask for a peering connection between two networks.',
    example: 'boto_vpc.request_vpc_peering_connection requester_vpc_name=main peer_vpc_name=data name=main-data',
    args: {
      requester_vpc_id: arg.text('Id of the network that asks', { optional: true }),
      requester_vpc_name: arg.text('Name of the network that asks', { optional: true }),
      peer_vpc_id: arg.text('Id of the other network', { optional: true }),
      peer_vpc_name: arg.text('Name of the other network', { optional: true }),
      name: arg.text('Name of the connection', { optional: true }),
      peer_owner_id: arg.text('Account of the other network; this account unless given', { optional: true }),
      peer_region: arg.text('Region of the other network; this region unless given', { optional: true }),
      ...LOGIN,
      dry_run: DRY,
    },
    returns: MESSAGE,
    run: (ctx, given) => orItsError(requestConnection(ctx, given)),
  }),
  describe_vpc_peering_connection: reads({
    doc: 'Return the ids of the peering connections of a name, without those that are gone.',
    example: 'boto_vpc.describe_vpc_peering_connection main-data',
    args: { name: arg.text('Name of the connection'), ...LOGIN },
    returns: ret.dict('`VPC-Peerings`, a list of ids'),
    run: async (ctx, { name, ...login }) => ({ 'VPC-Peerings': (await named(networksOf(ctx, login), name)).map(idOf) }),
  }),
  accept_vpc_peering_connection: changes({
    doc: 'Accept a peering connection that another network asks for.',
    example: 'boto_vpc.accept_vpc_peering_connection name=main-data',
    args: {
      conn_id: arg.text('Id of the connection', { default: '' }),
      name: arg.text('Name of the connection', { default: '' }),
      ...LOGIN,
      dry_run: DRY,
    },
    returns: MESSAGE,
    run: (ctx, { conn_id, name, dry_run, ...login }) => {
      if ((conn_id === '') === (name === '')) {
        throw misuse('One (but not both) of vpc_peering_connection_id or name must be provided.')
      }
      const ec2 = networksOf(ctx, login)
      const accepted = async (): Promise<Record<string, Value>> => {
        const found = conn_id === '' ? await connectionOf(ec2, null, name) : undefined
        const id = conn_id || (found && idOf(found))
        if (!id) throw misuse(`No ID found for this VPC peering connection! (${name})`)
        await ec2.query('AcceptVpcPeeringConnection', { VpcPeeringConnectionId: id, DryRun: dry_run || null })
        return { msg: 'VPC peering connection accepted.' }
      }
      return orItsError(accepted())
    },
  }),
  delete_vpc_peering_connection: changes({
    doc: 'Delete a peering connection.',
    example: 'boto_vpc.delete_vpc_peering_connection conn_name=main-data',
    args: { ...CONNECTION, ...LOGIN, dry_run: DRY },
    returns: MESSAGE,
    run: (ctx, { conn_id, conn_name, dry_run, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const gone = async (): Promise<Record<string, Value>> => {
        const found = await connectionOf(ec2, conn_id, conn_name)
        if (found === undefined)
          throw misuse(`Couldn't resolve VPC peering connection ${conn_name ?? conn_id} to an ID`)
        const parameters = { VpcPeeringConnectionId: idOf(found), DryRun: dry_run || null }
        await ec2.query('DeleteVpcPeeringConnection', parameters)
        return { msg: 'VPC peering connection deleted.' }
      }
      return orItsError(gone())
    },
  }),
  is_peering_connection_pending: reads({
    doc: 'Return whether a peering connection waits to be accepted.',
    example: 'boto_vpc.is_peering_connection_pending conn_name=main-data',
    args: { ...CONNECTION, ...LOGIN },
    returns: ret.boolean('Whether it does'),
    run: async (ctx, { conn_id, conn_name, ...login }) =>
      (await connectionOf(networksOf(ctx, login), conn_id, conn_name))?.text('status.code') === PENDING,
  }),
  peering_connection_pending_from_vpc: reads({
    doc: 'Return whether a peering connection that a network asked for waits to be accepted.',
    example: 'boto_vpc.peering_connection_pending_from_vpc conn_name=main-data vpc_name=main',
    args: {
      ...CONNECTION,
      vpc_id: arg.text('Id of the network that asked', { optional: true }),
      vpc_name: arg.text('Name of the network that asked', { optional: true }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it does'),
    run: async (ctx, { conn_id, conn_name, vpc_id, vpc_name, ...login }) => {
      if (Boolean(vpc_id) === Boolean(vpc_name)) throw misuse('Exactly one of vpc_id or vpc_name must be provided.')
      const ec2 = networksOf(ctx, login)
      const network = await networkOf(ec2, vpc_id, vpc_name)
      if (network === null) return false
      const found = await connectionOf(ec2, conn_id, conn_name)
      return found?.text('status.code') === PENDING && found.text('requesterVpcInfo.vpcId') === network
    },
  }),
}
