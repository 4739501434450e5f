// Machines of EC2 as states.
import { type Dict, equals, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { compareTags, fieldChange, type Part, Parts } from '../common/part.ts'
import { call, RUNNING } from './state-calls.ts'

const text = (doc: string) => arg.text(doc, { optional: true })

/** Arguments that are passed to `boto_ec2.run` unchanged. */
const LAUNCH = {
  tags: arg.dict('Tags. Others are removed, but for `Name`', { optional: true }),
  key_name: text('Name of the key pair that may sign in'),
  security_groups: arg.list('Names of security groups, outside of networks', { optional: true }),
  user_data: arg.text('Text that the machine gets to read', { optional: true, secret: true }),
  instance_type: text('Type of the machine'),
  placement: text('Availability zone'),
  kernel_id: text('Id of the kernel'),
  ramdisk_id: text('Id of the RAM disk'),
  vpc_id: text('Id of the network that groups are looked up in'),
  vpc_name: text('Name of that network'),
  monitoring_enabled: arg.any('Whether the machine is watched in detail', { optional: true }),
  subnet_id: text('Id of the subnet'),
  subnet_name: text('Name of the subnet'),
  private_ip_address: text('Address within the subnet'),
  block_device_map: arg.any('Dict of devices, or JSON of one', { optional: true }),
  disable_api_termination: arg.any('Whether the machine is protected from being terminated', { optional: true }),
  instance_initiated_shutdown_behavior: text('`stop` or `terminate`'),
  placement_group: text('Name of the placement group'),
  client_token: text('Token by which a repeated request is known'),
  security_group_ids: arg.list('Ids of security groups', { optional: true }),
  security_group_names: arg.list('Names of security groups, to be looked up', { optional: true }),
  additional_info: text('For AWS itself'),
  tenancy: text('`default` or `dedicated`'),
  instance_profile_arn: text('ARN of the instance profile'),
  instance_profile_name: text('Name of the instance profile'),
  ebs_optimized: arg.any('Whether the machine has bandwidth of its own for volumes', { optional: true }),
  network_interface_name: text('Name of a network interface that exists'),
  network_interface_id: text('Id of that network interface'),
}
const PRESENT = {
  name: arg.text('Name of the state, and of the machine unless instance_name is given'),
  instance_name: text('Name of the machine, in its tag `Name`'),
  instance_id: text('Id of the machine'),
  image_id: text('Id of the image'),
  image_name: text('Name of the image, in place of its id'),
  ...LAUNCH,
  attributes: arg.dict('Attributes of the machine: names and values of boto_ec2.set_attribute', { optional: true }),
  target_state: text('Not looked at, as in Salt'),
  public_ip: text('Public address that the machine gets'),
  allocation_id: text('Allocation of that address'),
  allocate_eip: arg.flag('Whether a new machine gets a new public address', { default: false }),
  ...LOGIN,
}

type Wanted = Bound<typeof PRESENT>

const listed = (value: Value): Value[] => (isList(value) ? value : [])
const nameOf = ({ name, instance_name }: { name: string; instance_name: string | null }): string =>
  instance_name ?? name

/** Start the machine; a part without an id is the end of the state. */
async function launch(ctx: StateContext, given: Wanted): Promise<{ part: Part; id?: string }> {
  if (ctx.test) return { part: { result: null, comment: `The instance ${given.name} is set to be created.` } }
  const own = nameOf(given)
  let image = given.image_id
  if (given.image_name) {
    const [found = null] = listed(await call(ctx, 'find_images', given, { ami_name: given.image_name }))
    if (found === null) return { part: { result: false, comment: `No image has the name ${given.image_name}.` } }
    image = str(found)
  }
  const wanted = Object.keys(LAUNCH)
    .map((key) => [key, given[key as keyof typeof LAUNCH]] as const)
    .filter(([, value]) => value !== null)
  const made = await call(ctx, 'run', given, { ...Object.fromEntries(wanted), image_id: image, name: own })
  const id = isDict(made) ? (made.get('instance_id') ?? null) : null
  if (id === null) return { part: { result: false, comment: `Failed to create instance ${own}.` } }
  const changes = fieldChange('instance_id', null, id)
  return { part: { result: true, comment: `Instance ${own} created.`, changes }, id: str(id) }
}

interface Address {
  public_ip: string | null
  allocation_id: string | null
}

/** Give the machine a public address that exists. */
async function addressed(ctx: StateContext, given: Wanted, id: string, { public_ip, allocation_id }: Address) {
  const search = public_ip ? { addresses: [public_ip] } : { allocation_ids: [allocation_id!] }
  const [found = null] = listed(await call(ctx, 'get_eip_address_info', given, search))
  const meant = public_ip ?? allocation_id
  if (!isDict(found)) return { result: false, comment: `Failed to lookup EIP ${meant}.` }
  const owner = found.get('instance_id') ?? null
  if (owner === id) return { result: true, comment: '' }
  if (truthy(owner))
    return { result: false, comment: `EIP ${meant} is already associated with instance ${str(owner)}.` }
  if (ctx.test) return { result: null, comment: `Instance ${given.name} to be updated.` }
  const target = allocation_id ? { allocation_id } : { public_ip }
  if (!truthy(await call(ctx, 'associate_eip_address', given, { instance_id: id, ...target })))
    return { result: false, comment: `Failed to attach EIP to instance ${nameOf(given)}.` }
  const changes = fieldChange('public_ip', null, found.get('public_ip') ?? null)
  return { result: true, comment: `EIP ${meant} is attached.`, changes }
}

/** Set attributes that differ. */
async function attributed(ctx: StateContext, given: Wanted, instance_id: string, attribute: string, wanted: Value) {
  const answer = await call(ctx, 'get_attribute', given, { attribute, instance_id })
  const now = isDict(answer) ? (answer.get(attribute) ?? null) : null
  if (equals(now, wanted)) return { result: true, comment: '' }
  if (ctx.test) {
    const comment = `The instance attribute ${attribute} is set to be changed from '${str(now)}' to '${str(wanted)}'.`
    return { result: null, comment }
  }
  const isSet = await call(ctx, 'set_attribute', given, { attribute, attribute_value: wanted, instance_id })
  if (!truthy(isSet))
    return { result: false, comment: `Failed to set attribute ${attribute} to ${str(wanted)} on ${instance_id}.` }
  return { result: true, comment: `Set ${attribute}.`, changes: fieldChange(attribute, now, wanted) }
}

/** Set tags that differ, and remove others. The name of the machine stays: it is how the state finds it. */
async function tagged(ctx: StateContext, given: Wanted, id: string, tags: Dict): Promise<Part> {
  const all = await call(ctx, 'get_all_tags', given, { filters: new Map([['resource-id', id]]) })
  const present = isDict(all) ? (all.get(id) ?? null) : null
  const now: Dict = isDict(present) ? present : new Map()
  const wanted = new Map([...(now.has('Name') ? [['Name', now.get('Name')!] as [Value, Value]] : []), ...tags])
  const gap = compareTags(wanted, now)
  if (gap === undefined) return { result: true, comment: '' }
  const title = nameOf(given)
  if (ctx.test) return { result: null, comment: `Tags would be updated on instance ${title}.` }
  const removed =
    gap.remove.length === 0 || (await call(ctx, 'delete_tags', given, { resource_ids: [id], tags: gap.remove }))
  const added = gap.set.size === 0 || (await call(ctx, 'create_tags', given, { resource_ids: [id], tags: gap.set }))
  if (!truthy(removed) || !truthy(added))
    return { result: false, comment: `Error while changing tags on instance ${title}` }
  return { result: true, comment: `Tags of instance ${title} updated.`, changes: gap.changes }
}

async function addressFor(ctx: StateContext, given: Wanted, isNew: boolean): Promise<Address | undefined | string> {
  const { public_ip, allocation_id, allocate_eip } = given
  if (public_ip || allocation_id) return { public_ip, allocation_id }
  // a new address for each run would cost
  if (!allocate_eip || !isNew) return undefined
  const made = await call(ctx, 'allocate_eip_address', given, { domain: 'vpc' })
  if (!isDict(made)) return 'Failed to allocate new EIP.'
  return { public_ip: null, allocation_id: str(made.get('allocation_id') ?? '') }
}

async function present(ctx: StateContext, given: Wanted) {
  const { name, instance_id, attributes, tags } = given
  if (Boolean(given.image_id) === Boolean(given.image_name))
    throw misuse('Exactly one of image_id OR image_name must be provided.')
  if ([given.public_ip, given.allocation_id, given.allocate_eip].filter(Boolean).length > 1)
    throw misuse('At most one of public_ip, allocation_id OR allocate_eip may be provided.')
  const parts = new Parts()
  const report = () => {
    const all = parts.report(name)
    const comment = str(all.comment as Value)
      .replace(/ +/g, ' ')
      .trim()
    return { ...all, comment: comment === '' ? `Instance ${nameOf(given)} is in the correct state` : comment }
  }
  const search = instance_id ? { instance_id } : { name: nameOf(given) }
  const found = listed(await call(ctx, 'find_instances', given, { ...search, in_states: RUNNING }))
  if (found.length > 1) return failed(`${found.length} instances are named ${nameOf(given)}.`).on(name)
  const made = found.length === 0 ? await launch(ctx, given) : undefined
  if (made) parts.add(made.part)
  const id = made ? made.id : str(found[0]!)
  if (id === undefined) return report()
  const address = await addressFor(ctx, given, made !== undefined)
  if (typeof address === 'string') parts.add({ result: false, comment: address })
  else if (address) parts.add(await addressed(ctx, given, id, address))
  for (const [attribute, value] of attributes ?? []) parts.add(await attributed(ctx, given, id, str(attribute), value))
  if (tags !== null) parts.add(await tagged(ctx, given, id, tags))
  return report()
}

interface Gone extends AwsLogin {
  name: string
  instance_name: string | null
  instance_id: string | null
  release_eip: boolean
  filters: Dict | null
}

/** Release the former public address of a machine; a text is an error. */
async function releaseAddress(ctx: StateContext, login: AwsLogin, address: string): Promise<string | undefined> {
  const [found = null] = listed(await call(ctx, 'get_eip_address_info', login, { addresses: [address] }))
  if (!isDict(found)) return `Can't determine AllocationId for address ${address}.`
  const association_id = found.get('association_id') ?? null
  if (association_id !== null) await call(ctx, 'disassociate_eip_address', login, { association_id })
  const allocation_id = found.get('allocation_id') ?? null
  const isFreed = truthy(await call(ctx, 'release_eip_address', login, { allocation_id }))
  return isFreed ? undefined : `Failed to release EIP ${address}.`
}

const absent = (ctx: StateContext, { name, instance_name, instance_id, release_eip, filters, ...login }: Gone) =>
  ensure<Dict>(ctx, {
    name,
    look: async () => {
      const search = { ...(instance_id ? { instance_id } : { name: instance_name ?? name }), filters }
      const given = { ...search, in_states: RUNNING, return_objs: true }
      const found = listed(await call(ctx, 'find_instances', login, given)).filter(isDict)
      const [machine] = found
      if (machine === undefined) return settled(`Instance ${instance_id ?? instance_name ?? name} is already gone.`)
      if (found.length > 1) return failed(`${found.length} instances are named ${instance_name ?? name}.`)
      const protection = { attribute: 'disableApiTermination', instance_id: machine.get('id') ?? null }
      const answer = await call(ctx, 'get_attribute', login, protection)
      if (isDict(answer) && answer.get('disableApiTermination') === true)
        return failed(`Termination of instance ${str(machine.get('id') ?? null)} via the API is disabled.`)
      return machine
    },
    foresee: () => `The instance ${name} is set to be deleted.`,
    act: async (machine) => {
      const id = machine.get('id') ?? null
      if (!truthy(await call(ctx, 'terminate', login, { instance_id: id })))
        return failed(`Failed to terminate instance ${str(id)}.`)
      const old: Dict = new Map([['instance_id', id]])
      const changes: Dict = new Map<Value, Value>([
        ['old', old],
        ['new', null],
      ])
      const address = machine.get('ip_address') ?? null
      if (!release_eip || address === null) return changed(`Instance ${str(id)} terminated.`, changes)
      const wrong = await releaseAddress(ctx, login, str(address))
      if (wrong !== undefined) return failed(wrong, changes)
      old.set('public_ip', address)
      return changed(`Instance ${str(id)} terminated.`, changes)
    },
  })

export const instanceStates = {
  instance_present: state({
    doc: 'Ensure that a machine exists, with its public address, attributes and tags.',
    args: PRESENT,
    run: present,
  }),
  instance_absent: state({
    doc: 'Ensure that a machine does not exist.',
    args: {
      name: PRESENT.name,
      instance_name: PRESENT.instance_name,
      instance_id: PRESENT.instance_id,
      release_eip: arg.flag('Whether its public address is released', { default: false }),
      ...LOGIN,
      filters: arg.dict('Filters of DescribeInstances: values by name', { optional: true }),
    },
    run: absent,
  }),
}
