// Machines, key pairs, addresses, volumes and tags of EC2 by Salt's names.
import { type Dict, failure, isDict, markSecret, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { EC2_PAGES, filtersOf, tagsOf } from '../common/ec2.ts'
import { unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { addressFunctions } from './address-functions.ts'
import { imageFunctions } from './image-functions.ts'
import { interfaceFunctions } from './interface-functions.ts'
import { ec2Of, findMachines, ID, machineId, SEARCH, shownMachine } from './machines.ts'
import { runFunction } from './run.ts'
import { volumeFunctions } from './volume-functions.ts'

const KEY = { key_name: arg.text('Name of the key pair'), ...LOGIN }

const ATTRIBUTES: Readonly<Record<string, string>> = {
  instanceType: 'text',
  kernel: 'text',
  ramdisk: 'text',
  userData: 'text',
  disableApiTermination: 'flag',
  instanceInitiatedShutdownBehavior: 'text',
  rootDeviceName: 'text',
  blockDeviceMapping: 'list',
  productCodes: 'list',
  sourceDestCheck: 'flag',
  groupSet: 'list',
  ebsOptimized: 'flag',
  sriovNetSupport: 'text',
}

function checkedAttribute(attribute: string): string {
  if (attribute in ATTRIBUTES) return attribute
  throw misuse(`Attribute must be one of: ${Object.keys(ATTRIBUTES).join(', ')}.`)
}

const ATTRIBUTE = {
  instance_name: arg.text('Name of the machine', { optional: true }),
  instance_id: arg.text('Id of the machine, in place of its name', { optional: true }),
  ...LOGIN,
  filters: SEARCH.filters,
}

async function attributedId(ctx: FunctionContext, given: Omit<Bound<typeof ATTRIBUTE>, 'attribute'>): Promise<string> {
  const { instance_name, instance_id, filters, ...login } = given
  if (Boolean(instance_name) === Boolean(instance_id)) {
    throw misuse('You must specify either instance_name or instance_id, but not both.')
  }
  const id = instance_id ?? (await machineId(ctx, { name: instance_name, filters, ...login }))
  if (id === null) throw failure(`There is no instance named ${instance_name}`)
  return id
}

export default defineModule({
  name: 'boto_ec2',
  doc: 'Manage machines, images, key pairs, addresses, volumes, network interfaces and tags of EC2.',
  functions: {
    find_instances: reads({
      doc: 'Return the ids of all machines that match.',
      example: 'boto_ec2.find_instances name=web1',
      args: {
        instance_id: ID,
        name: SEARCH.name,
        tags: SEARCH.tags,
        ...LOGIN,
        return_objs: arg.flag('Whether to return dicts in place of ids', { default: false }),
        in_states: SEARCH.in_states,
        filters: SEARCH.filters,
      },
      returns: ret.any('A list of ids, or of dicts'),
      run: async (ctx, { return_objs, ...search }): Promise<Value> => {
        const found = await findMachines(ctx, search)
        return found.map((one): Value => (return_objs ? shownMachine(one) : (one.text('instanceId') ?? '')))
      },
    }),
    get_id: reads({
      doc: 'Return the id of the machine that matches; fail where several do.',
      example: 'boto_ec2.get_id web1',
      args: SEARCH,
      returns: ret.optional(ret.string('The id')),
      run: (ctx, search) => machineId(ctx, search),
    }),
    exists: reads({
      doc: 'Return whether a machine exists.',
      example: 'boto_ec2.exists name=web1',
      args: { instance_id: ID, ...SEARCH },
      returns: ret.boolean('Whether a machine matches'),
      run: async (ctx, search) => (await findMachines(ctx, search)).length > 0,
    }),
    get_tags: reads({
      doc: 'Return the tags of a machine.',
      example: 'boto_ec2.get_tags i-0123456789abcdef0',
      args: { instance_id: ID, keyid: LOGIN.keyid, key: LOGIN.key, profile: LOGIN.profile, region: LOGIN.region },
      returns: ret.dicts('One dict for each tag'),
      run: async (ctx, { instance_id, ...login }) => {
        const answer = await ec2Of(ctx, login).query('DescribeTags', filtersOf([['resource-id', instance_id]]))
        return answer.rows('tagSet').map((row) => new Map<Value, Value>([[row.text('key'), row.text('value') ?? '']]))
      },
    }),
    run: runFunction,
    terminate: changes({
      doc: 'Terminate a machine. Several at once are refused.',
      example: 'boto_ec2.terminate name=web1',
      args: { instance_id: ID, name: SEARCH.name, ...LOGIN, filters: SEARCH.filters },
      returns: ret.any('True, False where several machines match, or an empty list where none does'),
      run: async (ctx, search) => {
        const found = await findMachines(ctx, search)
        if (found.length === 0) return []
        if (found.length > 1) {
          ctx.log('warning', 'Refusing to terminate multiple instances at once')
          return false
        }
        await ec2Of(ctx, search).query('TerminateInstances', { InstanceId: [found[0]!.text('instanceId')] })
        return true
      },
    }),
    get_zones: reads({
      doc: 'Return the availability zones of the region.',
      args: LOGIN,
      returns: ret.texts('Names of zones'),
      run: async (ctx, login) => {
        const answer = await ec2Of(ctx, login).query('DescribeAvailabilityZones')
        return answer.rows('availabilityZoneInfo').map((row) => row.text('zoneName') ?? '')
      },
    }),
    ...imageFunctions,
    get_key: reads({
      doc: 'Return the name and the fingerprint of a key pair; False where it does not exist.',
      example: 'boto_ec2.get_key ops',
      args: KEY,
      returns: ret.orFalse(ret.texts('Name and fingerprint')),
      run: async (ctx, { key_name, ...login }) => {
        const found = ec2Of(ctx, login).query('DescribeKeyPairs', { KeyName: [key_name] })
        const [row] = await unlessFault(
          found.then((answer) => answer.rows('keySet')),
          () => [],
        )
        return row === undefined ? false : [row.text('keyName') ?? '', row.text('keyFingerprint') ?? '']
      },
    }),
    create_key: changes({
      doc: 'Create a key pair, save its private key in a folder as `<name>.pem`, and return the private key.',
      example: 'boto_ec2.create_key ops /root/',
      args: { key_name: KEY.key_name, save_path: arg.text('Folder for the private key'), ...LOGIN },
      returns: ret.orFalse(ret.string('The private key')),
      run: async (ctx, { key_name, save_path, ...login }) => {
        if (/[/\0]/.test(key_name)) throw misuse('The name of a key pair that is saved cannot contain a slash')
        const path = `${save_path.replace(/\/+$/, '')}/${key_name}.pem`
        if ((await ctx.host.stat(path)) !== undefined)
          throw failure(`${path} already exists, it will not be overwritten`)
        const made = ec2Of(ctx, login).query('CreateKeyPair', { KeyName: key_name })
        const answer = await unlessFault(made, () => undefined, 'InvalidKeyPair.Duplicate')
        const material = answer?.text('keyMaterial')
        if (!material) return false
        markSecret(material)
        await ctx.host.write(path, material, { mode: 0o600 })
        return material
      },
    }),
    import_key: changes({
      doc: 'Store a public key as a key pair, and return its fingerprint.',
      example: 'boto_ec2.import_key ops "ssh-ed25519 AAAA…"',
      args: { key_name: KEY.key_name, public_key_material: arg.text('The public key'), ...LOGIN },
      returns: ret.orFalse(ret.string('The fingerprint')),
      run: async (ctx, { key_name, public_key_material, ...login }) => {
        const PublicKeyMaterial = Buffer.from(public_key_material).toString('base64')
        const made = ec2Of(ctx, login).query('ImportKeyPair', { KeyName: key_name, PublicKeyMaterial })
        return (await unlessFault(made, () => undefined))?.text('keyFingerprint') ?? false
      },
    }),
    delete_key: changes({
      doc: 'Delete a key pair.',
      example: 'boto_ec2.delete_key ops',
      args: KEY,
      returns: ret.boolean('Whether the key pair is gone'),
      run: (ctx, { key_name, ...login }) =>
        unlessFault(
          ec2Of(ctx, login)
            .query('DeleteKeyPair', { KeyName: key_name })
            .then(() => true),
          () => false,
        ),
    }),
    get_keys: reads({
      doc: 'Return the names of key pairs.',
      args: {
        keynames: arg.words('Names to look for', { default: [] }),
        filters: arg.dict('Filters of DescribeKeyPairs', { optional: true }),
        ...LOGIN,
      },
      returns: ret.orFalse(ret.texts('Names')),
      run: async (ctx, { keynames, filters, ...login }) => {
        const parameters = { KeyName: keynames, ...filtersOf(filters ?? new Map()) }
        const found = ec2Of(ctx, login).query('DescribeKeyPairs', parameters)
        return unlessFault(
          found.then((answer): string[] | false => answer.rows('keySet').map((row) => row.text('keyName') ?? '')),
          () => false as const,
        )
      },
    }),
    get_attribute: reads({
      doc: 'Return an attribute of a machine.',
      example: 'boto_ec2.get_attribute sourceDestCheck instance_name=web1',
      args: { attribute: arg.text('Name of the attribute'), ...ATTRIBUTE },
      returns: ret.any('A dict with the attribute, or False'),
      run: async (ctx, { attribute, ...given }) => {
        const id = await attributedId(ctx, given)
        const parameters = { InstanceId: id, Attribute: checkedAttribute(attribute) }
        const answer = await ec2Of(ctx, given).query('DescribeInstanceAttribute', parameters)
        const text = answer.text(`${attribute}.value`)
        const kind = ATTRIBUTES[attribute]
        const value: Value =
          kind === 'flag' ? text === 'true' : kind === 'list' ? (answer.at(attribute)?.value() ?? []) : text
        return new Map<Value, Value>([[attribute, value]])
      },
    }),
    set_attribute: changes({
      doc: 'Set an attribute of a machine.',
      example: 'boto_ec2.set_attribute sourceDestCheck False instance_name=web1',
      args: { attribute: arg.text('Name of the attribute'), attribute_value: arg.any('The new value'), ...ATTRIBUTE },
      returns: ret.boolean('Whether it was set'),
      run: async (ctx, { attribute, attribute_value, ...given }) => {
        const id = await attributedId(ctx, given)
        const name = checkedAttribute(attribute)
        const isFlag = ATTRIBUTES[name] === 'flag'
        const value = isFlag ? truthy(attribute_value) : str(attribute_value)
        const field = `${name[0]!.toUpperCase()}${name.slice(1)}`
        await ec2Of(ctx, given).query('ModifyInstanceAttribute', { InstanceId: id, [field]: { Value: value } })
        return true
      },
    }),
    get_all_tags: reads({
      doc: 'Return all tags, by the ids of their resources.',
      example: "boto_ec2.get_all_tags '{tag:Name: web1}'",
      args: { filters: arg.dict('Filters of DescribeTags', { optional: true }), ...LOGIN },
      returns: ret.dict('Dicts of tags by id'),
      run: async (ctx, { filters, ...login }) => {
        const rows = await ec2Of(ctx, login).rows('DescribeTags', filtersOf(filters ?? new Map()), 'tagSet', EC2_PAGES)
        const tags: Dict = new Map()
        for (const row of rows) {
          const id = row.text('resourceId')
          const known = tags.get(id) ?? null
          tags.set(id, (isDict(known) ? known : new Map()).set(row.text('key'), row.text('value') ?? ''))
        }
        return tags
      },
    }),
    create_tags: changes({
      doc: 'Set tags of resources.',
      example: "boto_ec2.create_tags vol-12345678 '{Name: data}'",
      args: { resource_ids: arg.words('Ids of resources'), tags: arg.dict('The tags'), ...LOGIN },
      returns: ret.boolean('Whether they were set'),
      run: async (ctx, { resource_ids, tags, ...login }) => {
        await ec2Of(ctx, login).query('CreateTags', { ResourceId: resource_ids, Tag: tagsOf(tags) })
        return true
      },
    }),
    delete_tags: changes({
      doc: 'Remove tags of resources.',
      example: "boto_ec2.delete_tags vol-12345678 '[Name]'",
      args: {
        resource_ids: arg.words('Ids of resources'),
        tags: arg.any('Names of tags, or a dict of tags to remove where the value is that'),
        ...LOGIN,
      },
      returns: ret.boolean('Whether they were removed'),
      run: async (ctx, { resource_ids, tags, ...login }) => {
        const Tag = isDict(tags)
          ? [...tags].map(([key, value]) => ({ Key: str(key), Value: value === null ? null : str(value) }))
          : [tags].flat().map((key) => ({ Key: str(key as Value) }))
        await ec2Of(ctx, login).query('DeleteTags', { ResourceId: resource_ids, Tag })
        return true
      },
    }),
    ...addressFunctions,
    ...volumeFunctions,
    ...interfaceFunctions,
  },
})
