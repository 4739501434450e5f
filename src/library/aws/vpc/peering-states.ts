// Peering connections as states. A connection is known by `conn_name`; without it, by the name of the state.
import { isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, type StateContext, type StateReturn, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { errorOf } from '../common/state-calls.ts'
import { ask } from './state-calls.ts'

const NAME = arg.text('Name of the state, and of the connection unless conn_name or conn_id is given')
const CONN_NAME = arg.text('Name of the connection', { optional: true })
const REQUEST = {
  name: NAME,
  requester_vpc_id: arg.text('Id of the network that asks', { optional: true }),
  requester_vpc_name: arg.text('Name of the network that asks', { optional: true }),
  peer_vpc_id: arg.text('Id of the other network', { optional: true }),
  peer_vpc_name: arg.text('Name of the other network', { optional: true }),
  conn_name: CONN_NAME,
  peer_owner_id: arg.text('Account of the other network; this account unless given', { optional: true }),
  peer_region: arg.text('Region of the other network; this region unless given', { optional: true }),
  ...LOGIN,
}
const EXISTING = {
  name: NAME,
  conn_id: arg.text('Id of the connection', { optional: true }),
  conn_name: CONN_NAME,
  ...LOGIN,
}

interface Existing extends AwsLogin {
  name: string
  conn_id: string | null
  conn_name: string | null
}

interface Request extends AwsLogin {
  name: string
  requester_vpc_id: string | null
  requester_vpc_name: string | null
  peer_vpc_id: string | null
  peer_vpc_name: string | null
  conn_name: string | null
  peer_owner_id: string | null
  peer_region: string | null
}

const meant = ({ name, conn_id, conn_name }: Existing): Record<string, Value> =>
  conn_id ? { conn_id } : { conn_name: conn_name ?? name }

async function isPending(ctx: StateContext, given: Existing): Promise<boolean> {
  const found = await ctx.call('boto_vpc.is_peering_connection_pending', [], { ...meant(given), ...loginOf(given) })
  return truthy(found as Value)
}

/** Return the ids of a connection; a text is an error. */
async function idsOf(ctx: StateContext, login: AwsLogin, name: string): Promise<string[]> {
  const found = await ask(ctx, 'describe_vpc_peering_connection', login, { name })
  const ids = found.get('VPC-Peerings') ?? null
  return isList(ids) ? ids.map(str) : []
}

const accepted = (ctx: StateContext, given: Existing): Promise<StateReturn> =>
  ensure(ctx, {
    name: given.name,
    look: async () =>
      (await isPending(ctx, given))
        ? 'pending'
        : settled('No pending VPC peering connection found. Nothing to be done.'),
    foresee: () => 'Pending VPC peering connection found and can be accepted',
    act: async () => {
      const { conn_id, conn_name, name } = given
      const which = conn_id ? { conn_id } : { name: conn_name ?? name }
      const answer = await ask(ctx, 'accept_vpc_peering_connection', given, which)
      if (answer.has('error')) return failed(`Failed to accept VPC peering: ${errorOf(answer)}`)
      return changed('VPC peering connection accepted.', { old: '', new: answer.get('msg') ?? null })
    },
  })

function requested(ctx: StateContext, given: Request): Promise<StateReturn> {
  const { name, conn_name, region, key, keyid, profile, ...rest } = given
  const login = { region: region!, key: key!, keyid: keyid!, profile: profile! }
  const own = conn_name ?? name
  return ensure(ctx, {
    name,
    look: async () =>
      (await idsOf(ctx, login, own)).length > 0
        ? settled('VPC peering connection already exists, nothing to be done.')
        : 'missing',
    foresee: () => 'VPC peering connection will be created',
    act: async () => {
      const answer = await ask(ctx, 'request_vpc_peering_connection', login, { ...rest, name: own })
      if (answer.has('error')) return failed(`Failed to request VPC peering: ${errorOf(answer)}`)
      return changed('VPC peering connection requested.', { old: '', new: answer.get('msg') ?? null })
    },
  })
}

const deleted = (ctx: StateContext, given: Existing): Promise<StateReturn> =>
  ensure(ctx, {
    name: given.name,
    look: async () => {
      const { conn_id, conn_name, name } = given
      const ids = conn_id ? [conn_id] : await idsOf(ctx, given, conn_name ?? name)
      return ids.length === 0 ? settled('No VPC connection found, nothing to be done.') : 'there'
    },
    foresee: () => 'VPC peering connection would be deleted',
    act: async () => {
      const answer = await ask(ctx, 'delete_vpc_peering_connection', given, meant(given))
      if (answer.has('error')) return failed(`Failed to delete VPC peering: ${errorOf(answer)}`)
      return changed('VPC peering connection deleted.', { old: '', new: answer.get('msg') ?? null })
    },
  })

export const peeringStates = {
  request_vpc_peering_connection: state({
    doc: 'Ensure that a peering connection is asked for.',
    args: REQUEST,
    run: requested,
  }),
  accept_vpc_peering_connection: state({
    doc: 'Ensure that a peering connection that another network asks for is accepted.',
    args: EXISTING,
    run: accepted,
  }),
  vpc_peering_connection_present: state({
    doc: 'Ensure that a peering connection is asked for, or accepted where another network asks for it.',
    args: REQUEST,
    run: async (ctx, given) => {
      const { name, requester_vpc_id: vpc_id, requester_vpc_name: vpc_name } = given
      const conn_name = given.conn_name ?? name
      const existing = { name, conn_id: null, conn_name, ...loginOf(given) } as Existing
      if (!(await isPending(ctx, existing))) return requested(ctx, given)
      const call = { conn_name, vpc_id, vpc_name, ...loginOf(given) }
      const isOurs = truthy((await ctx.call('boto_vpc.peering_connection_pending_from_vpc', [], call)) as Value)
      if (!isOurs) return accepted(ctx, existing)
      const peer = given.peer_owner_id ?? given.peer_vpc_name ?? given.peer_vpc_id
      const comment = `VPC peering ${conn_name} already requested - pending acceptance by ${peer}`
      return { name, result: true, comment, changes: new Map() }
    },
  }),
  vpc_peering_connection_absent: state({
    doc: 'Ensure that a peering connection does not exist.',
    args: EXISTING,
    run: deleted,
  }),
  delete_vpc_peering_connection: state({
    doc: 'Ensure that a peering connection does not exist.',
    args: EXISTING,
    run: deleted,
  }),
}
