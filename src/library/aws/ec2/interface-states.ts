// Network interfaces of EC2 as states, with their private and public addresses.
import { type Dict, equals, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { groupIds } from '../common/ask.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { oldNew, type Part, Parts } from '../common/part.ts'
import { errorOf } from '../common/state-calls.ts'
import { ask, call } from './state-calls.ts'

const NAME = arg.text('Name of the interface, in its tag `Name`')
const PRESENT = {
  name: NAME,
  subnet_id: arg.text('Id of the subnet', { optional: true }),
  subnet_name: arg.text('Name of the subnet', { optional: true }),
  private_ip_address: arg.text('Address within the subnet', { optional: true }),
  description: arg.text('Description; left alone unless given', { optional: true }),
  groups: arg.list('Names or ids of security groups', { default: [] }),
  source_dest_check: arg.flag('Whether AWS drops traffic that is not for the interface', { default: true }),
  allocate_eip: arg.any('Whether the interface gets a public address of its own; `vpc` says the same', {
    optional: true,
  }),
  arecords: arg.list('Dicts of records for the address: arguments of boto_route53.present, `public`, `provider`', {
    default: [],
  }),
  ...LOGIN,
}

type Wanted = Bound<typeof PRESENT>

/** Change an attribute that differs. */
async function attribute(ctx: StateContext, given: Wanted, face: Dict, attr: string, value: Value): Promise<Part> {
  const now = attr === 'groups' ? groupsOf(face) : (face.get(attr) ?? null)
  if (equals(now, value)) return { result: true, comment: '' }
  if (ctx.test) return { result: null, comment: `ENI set to have ${attr} updated.` }
  const id = face.get('id') ?? null
  const answer = await ask(ctx, 'modify_network_interface_attribute', given, { network_interface_id: id, attr, value })
  if (answer.has('error')) return { result: false, comment: `Failed to update ENI ${attr}: ${errorOf(answer)}.` }
  return { result: true, comment: `Updated ENI ${attr}.`, changes: new Map([[attr, oldNew(now, value)]]) }
}

const groupsOf = (face: Dict): string[] => {
  const groups = face.get('groups') ?? null
  return (isList(groups) ? groups.filter(isDict).map((group) => str(group.get('id') ?? '')) : []).sort()
}

/** Give the interface a public address, unless it has one. An address that cannot be assigned is released. */
async function publicAddress(ctx: StateContext, given: Wanted, face: Dict): Promise<Part> {
  if (face.has('publicIp')) return { result: true, comment: 'An EIP is already allocated/assocaited to the ENI' }
  if (ctx.test) return { result: null, comment: 'An EIP is set to be allocated and assocaited to the ENI.' }
  const made = await call(ctx, 'allocate_eip_address', given, { domain: 'vpc' })
  if (!isDict(made)) return { result: false, comment: 'Failed to allocate an EIP address' }
  const allocation_id = made.get('allocation_id') ?? null
  const target = { allocation_id, network_interface_id: face.get('id') ?? null }
  if (truthy(await call(ctx, 'associate_eip_address', given, target))) {
    face.set('publicIp', made.get('public_ip') ?? null)
    return { result: true, comment: 'An EIP was allocated.', changes: new Map([['public_ip', made.get('public_ip')!]]) }
  }
  const isFreed = truthy(await call(ctx, 'release_eip_address', given, { allocation_id }))
  const end = isFreed ? 'was successfully released.' : 'was NOT RELEASED.'
  return { result: false, comment: `Failed to assocaite the allocated EIP address with the ENI.  The EIP ${end}` }
}

/** Ensure a record of the address, by the state of its provider. */
async function record(ctx: StateContext, given: Wanted, face: Dict, entry: Value): Promise<Part> {
  if (!isDict(entry) || !entry.has('name')) throw misuse('The arecord must contain a "name" property.')
  const { name, public: isPublic = false, provider, ...rest } = Object.fromEntries(entry) as Record<string, Value>
  const value = face.get(truthy(isPublic) ? 'publicIp' : 'private_ip_address') ?? null
  if (value === null) {
    if (ctx.test) return { result: null, comment: `A record ${str(name!)} set to be added.` }
    throw failure('Unable to add an A record: the ENI has no such address.')
  }
  const dns = provider === undefined ? 'boto_route53' : str(provider)
  const login = dns === 'boto_route53' ? loginOf(given) : {}
  const answer = await ctx.state(`${dns}.present`, { ...login, ...rest, name: name!, record_type: 'A', value })
  const changes = answer.get('changes') ?? null
  const result = answer.get('result') ?? null
  return {
    result: result === null ? null : result === true,
    comment: str(answer.get('comment') ?? ''),
    ...(isDict(changes) && { changes }),
  }
}

async function madeInterface(ctx: StateContext, given: Wanted): Promise<{ part: Part; face?: Dict }> {
  const { name, subnet_id, subnet_name, private_ip_address, description, groups } = given
  if (ctx.test) return { part: { result: null, comment: 'ENI is set to be created.' } }
  const wanted = { name, subnet_id, subnet_name, private_ip_address, description, groups }
  const made = await ask(ctx, 'create_network_interface', given, wanted)
  const face = made.get('result') ?? null
  if (!isDict(face)) return { part: { result: false, comment: `Failed to create ENI: ${errorOf(made)}` } }
  const changes: Dict = new Map([['id', face.get('id') ?? null]])
  return { part: { result: true, comment: `Created ENI ${name}`, changes }, face }
}

async function present(ctx: StateContext, given: Wanted) {
  const { name, groups, description, source_dest_check, allocate_eip, arecords } = given
  if (groups.length === 0) throw misuse('groups is a required argument.')
  const parts = new Parts()
  const report = () => {
    const all = parts.report(name)
    return { ...all, comment: str(all.comment as Value).trim() }
  }
  const found = await ask(ctx, 'get_network_interface', given, { name })
  if (found.has('error')) return failed(`Error when attempting to find eni: ${errorOf(found)}.`).on(name)
  let face = found.get('result') ?? null
  if (isDict(face)) {
    if (description !== null) parts.add(await attribute(ctx, given, face, 'description', description))
    const ids = await groupIds(ctx, groups, { ...given, vpc_id: str(face.get('vpc_id') ?? '') })
    if (!parts.addUnlessFailed(await attribute(ctx, given, face, 'groups', ids.sort()))) return report()
  } else {
    const made = await madeInterface(ctx, given)
    parts.add(made.part)
    if (made.face === undefined) return report()
    face = made.face
  }
  const checked = await attribute(ctx, given, face, 'source_dest_check', source_dest_check)
  if (!parts.addUnlessFailed(checked)) return report()
  if (truthy(allocate_eip) && !parts.addUnlessFailed(await publicAddress(ctx, given, face))) return report()
  for (const entry of arecords) if (!parts.addUnlessFailed(await record(ctx, given, face, entry))) break
  return report()
}

interface Gone extends AwsLogin {
  name: string
  release_eip: boolean
}

const absent = (ctx: StateContext, { name, release_eip, ...login }: Gone) =>
  ensure<Dict>(ctx, {
    name,
    look: async () => {
      const found = await ask(ctx, 'get_network_interface', login, { name })
      if (found.has('error')) return failed(`Error when attempting to find eni: ${errorOf(found)}.`)
      const face = found.get('result') ?? null
      return isDict(face) ? face : settled(`ENI ${name} does not exist.`)
    },
    foresee: (face) =>
      release_eip && face.has('allocationId')
        ? 'ENI is set to be deleted. Allocated/associated EIP is set to be released'
        : 'ENI is set to be deleted.',
    act: async (face) => {
      const attachment = face.get('attachment') ?? null
      if (isDict(attachment) && attachment.has('id')) {
        const freed = await ask(ctx, 'detach_network_interface', login, { name, force: true })
        if (freed.has('error')) return failed(`Failed to detach ENI: ${errorOf(freed)}`)
      }
      const gone = await ask(ctx, 'delete_network_interface', login, { name })
      if (gone.has('error')) return failed(`Failed to delete ENI: ${errorOf(gone)}`)
      const changes: Dict = new Map([['id', null]])
      const allocation_id = face.get('allocationId') ?? null
      if (!release_eip || allocation_id === null) return changed(`Deleted ENI ${name}`, changes)
      if (!truthy(await call(ctx, 'release_eip_address', login, { allocation_id })))
        return failed(`Deleted ENI ${name} Failed to release EIP allocated to the ENI.`, changes)
      return changed(`Deleted ENI ${name} EIP released.`, changes.set('eip released', true))
    },
  })

const ADDRESSES = {
  name: arg.text('Name of the state'),
  network_interface_name: arg.text('Name of the interface', { optional: true }),
  network_interface_id: arg.text('Id of the interface, in place of its name', { optional: true }),
  private_ip_addresses: arg.words('Private addresses', { default: [] }),
}

type Addresses = Omit<Bound<typeof ADDRESSES>, 'name'> & AwsLogin

/** Return the addresses of an interface: the first one cannot be taken from it. */
async function addressesOf(ctx: StateContext, given: Addresses): Promise<{ all: string[]; primary: string } | string> {
  const { network_interface_name: name, network_interface_id } = given
  if (Boolean(name) === Boolean(network_interface_id)) {
    throw misuse("Exactly one of 'network_interface_name', 'network_interface_id' must be provided")
  }
  const found = await ask(ctx, 'get_network_interface', given, { name, network_interface_id })
  const face = found.get('result') ?? null
  if (!isDict(face)) return found.has('error') ? errorOf(found) : `There is no ENI ${name ?? network_interface_id}`
  const rows = face.get('private_ip_addresses') ?? null
  const all = isList(rows) ? rows.filter(isDict) : []
  const textOf = (row: Dict | undefined): string => str(row?.get('private_ip_address') ?? '')
  return { all: all.map(textOf), primary: textOf(all.find((row) => row.get('primary') === true)) }
}

/** Ensure that an interface has the addresses, or that it has not. */
function moveAddresses(
  ctx: StateContext,
  { name, ...given }: Addresses & { name: string },
  isAdded: boolean,
  more: Record<string, Value> = {},
) {
  const verb = isAdded ? 'added' : 'removed'
  const wanted = given.private_ip_addresses
  return ensure<{ before: string[]; gap: string[] }>(ctx, {
    name,
    look: async () => {
      if (wanted.length === 0) throw misuse('You must provide the private_ip_addresses')
      const now = await addressesOf(ctx, given)
      if (typeof now === 'string') return failed(now)
      if (!isAdded && wanted.includes(now.primary))
        return failed(`You cannot unassign the primary private ip address (${now.primary}) on an eni`)
      const gap = wanted.filter((address) => now.all.includes(address) !== isAdded)
      return gap.length === 0 ? settled(`ips on eni: ${now.all.join(', ')}`) : { before: now.all, gap }
    },
    foresee: ({ before, gap }) => `ips on eni: ${before.join(', ')}. ips to be ${verb}: ${gap.join(', ')}`,
    act: async ({ before, gap }) => {
      const { network_interface_name, network_interface_id } = given
      const target = { network_interface_name, network_interface_id, private_ip_addresses: gap }
      const fun = isAdded ? 'assign_private_ip_addresses' : 'unassign_private_ip_addresses'
      await call(ctx, fun, given, { ...target, ...more })
      const after = await addressesOf(ctx, given)
      if (typeof after === 'string') return failed(after)
      const changes = oldNew(before, after.all)
      const left = gap.filter((address) => after.all.includes(address) !== isAdded)
      if (left.length > 0)
        return failed(`${left.join(', ')} could not be ${verb}`, equals(before, after.all) ? {} : changes)
      return changed(`${verb} ips: ${gap.join(', ')}`, changes)
    },
  })
}

export const interfaceStates = {
  eni_present: state({
    doc: 'Ensure that a network interface exists, with its groups, attributes, public address and records.',
    args: PRESENT,
    run: present,
  }),
  eni_absent: state({
    doc: 'Ensure that a network interface does not exist.',
    args: {
      name: NAME,
      release_eip: arg.flag('Whether its public address is released', { default: false }),
      ...LOGIN,
    },
    run: absent,
  }),
  private_ips_present: state({
    doc: 'Ensure that a network interface has private addresses.',
    args: {
      ...ADDRESSES,
      allow_reassignment: arg.flag('Whether addresses may be taken from other interfaces', { default: false }),
      ...LOGIN,
    },
    run: (ctx, { allow_reassignment, ...given }) => moveAddresses(ctx, given, true, { allow_reassignment }),
  }),
  private_ips_absent: state({
    doc: 'Ensure that a network interface does not have private addresses.',
    args: { ...ADDRESSES, ...LOGIN },
    run: (ctx, given) => moveAddresses(ctx, given, false),
  }),
}
