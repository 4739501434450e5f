// Functions of a provider of EC2: `salt-cloud -f <function> <provider>`.
import { type Dict, isDict, markSecret, misuse, str, type Value } from '../../../../data/mod.ts'
import { arg, cloudFunction, loadYaml } from '../../../../sdk/mod.ts'
import type { AwsAnswer } from '../../common/answer.ts'
import { EC2_PAGES, filtersOf, tagsOf } from '../../common/ec2.ts'
import type { Parameters } from '../../common/form.ts'
import { type Ec2Account, nodeOf } from './account.ts'
import { awaitVolume, volumeParameters } from './volumes.ts'

const shapedRows = (rows: readonly AwsAnswer[]): Value[] => rows.map((row) => row.shaped())

async function call(account: Ec2Account, action: string, parameters: Parameters, list?: string): Promise<Value> {
  if (list !== undefined) return shapedRows(await account.ec2().rows(action, parameters, list, EC2_PAGES))
  const shaped = (await account.ec2().query(action, parameters)).shaped()
  if (isDict(shaped)) shaped.delete('requestId')
  return shaped
}

async function dictOf(value: Value): Promise<Dict> {
  const dict = typeof value === 'string' ? await loadYaml(value) : value
  if (isDict(dict)) return dict
  if (value === null) return new Map()
  throw misuse('The tags must be a dict')
}

const VOLUME = {
  zone: arg.text('Availability zone'),
  size: arg.textOrNumber('Size in GiB; 10 unless a snapshot is given', { optional: true }),
  snapshot: arg.text('Id of the snapshot to begin with', { optional: true }),
  type: arg.text('Type of the volume, such as `gp2`', { optional: true }),
  iops: arg.textOrNumber('Operations each second, for types `io1` and `io2`', { optional: true }),
  encrypted: arg.any('Whether the volume is encrypted', { optional: true }),
  kmskeyid: arg.text('Key that it is encrypted by', { optional: true }),
  tags: arg.any('Dict of tags, or YAML of one', { optional: true }),
  wait_to_finish: arg.flag('Whether to wait until the volume is available', { default: false, beyond: true }),
}

const createVolume = cloudFunction({
  doc: 'Make a volume.',
  args: VOLUME,
  run: async (account: Ec2Account, { tags, wait_to_finish, ...wanted }) => {
    const given = new Map<Value, Value>(Object.entries(wanted).filter(([, value]) => value !== null))
    const own = await dictOf(tags)
    const specification = own.size > 0 ? { TagSpecification: [{ ResourceType: 'volume', Tag: tagsOf(own) }] } : {}
    const answer = (await call(account, 'CreateVolume', { ...volumeParameters(given), ...specification })) as Dict
    if (wait_to_finish) await awaitVolume(account.ec2(), str(answer.get('volumeId')!), 'available', account.ctx.signal)
    return answer
  },
})

const describeVolumes = cloudFunction({
  doc: 'Return volumes: all, or those with the ids.',
  args: { volume_id: arg.words('Ids of volumes', { default: [] }) },
  run: (account: Ec2Account, { volume_id }) => call(account, 'DescribeVolumes', { VolumeId: volume_id }, 'volumeSet'),
})

const KEYNAME = { keyname: arg.text('Name of the key pair') }

export const functions = {
  show_instance: cloudFunction({
    doc: 'Return everything that EC2 tells of a machine.',
    args: {
      name: arg.text('Name of the machine', { optional: true }),
      instance_id: arg.text('Id of the machine, in place of its name', { optional: true }),
    },
    run: async (account: Ec2Account, { name, instance_id }) => {
      if (!name && !instance_id) throw misuse('The show_instance function requires either a name or an instance_id')
      const [found] = instance_id
        ? [await account.instance(instance_id)]
        : await account.instances(filtersOf([['tag:Name', name]]))
      if (found === undefined) return new Map()
      const { details, ...facts } = nodeOf(found)
      return new Map<Value, Value>([...(details ?? []), ...Object.entries(facts)])
    },
  }),
  show_image: cloudFunction({
    doc: 'Return everything that EC2 tells of an image.',
    args: { image: arg.text('Id of the image') },
    run: (account: Ec2Account, { image }) => call(account, 'DescribeImages', { ImageId: [image] }, 'imagesSet'),
  }),
  register_image: cloudFunction({
    doc: 'Make an image of a snapshot.',
    args: {
      ami_name: arg.text('Name of the image'),
      snapshot_id: arg.text('Id of the snapshot'),
      root_device_name: arg.text('Root device', { default: '/dev/xvda' }),
      description: arg.text('What the image is for', { optional: true }),
      virtualization_type: arg.text('`hvm` or `paravirtual`', { default: 'hvm' }),
      architecture: arg.text('`x86_64` or `arm64`', { default: 'x86_64' }),
    },
    run: (account: Ec2Account, wanted) =>
      call(account, 'RegisterImage', {
        Name: wanted.ami_name,
        Description: wanted.description,
        Architecture: wanted.architecture,
        VirtualizationType: wanted.virtualization_type,
        RootDeviceName: wanted.root_device_name,
        BlockDeviceMapping: [{ DeviceName: wanted.root_device_name, Ebs: { SnapshotId: wanted.snapshot_id } }],
      }),
  }),
  list_availability_zones: cloudFunction({
    doc: 'Return the zones of the region with their states.',
    run: async (account: Ec2Account) => {
      const rows = (await account.ec2().query('DescribeAvailabilityZones')).rows('availabilityZoneInfo')
      return new Map(rows.map((row): [Value, Value] => [row.text('zoneName'), row.text('zoneState')]))
    },
  }),
  create_volume: createVolume,
  volume_create: createVolume,
  describe_volumes: describeVolumes,
  show_volume: describeVolumes,
  volume_list: describeVolumes,
  attach_volume: cloudFunction({
    doc: 'Attach a volume to a machine.',
    args: {
      volume_id: arg.text('Id of the volume'),
      instance_id: arg.text('Id of the machine'),
      device: arg.text('Device, such as `/dev/sdf`'),
    },
    run: (account: Ec2Account, { volume_id, instance_id, device }) =>
      call(account, 'AttachVolume', { VolumeId: volume_id, InstanceId: instance_id, Device: device }),
  }),
  detach_volume: cloudFunction({
    doc: 'Take a volume from its machine.',
    args: { volume_id: arg.text('Id of the volume') },
    run: (account: Ec2Account, { volume_id }) => call(account, 'DetachVolume', { VolumeId: volume_id }),
  }),
  delete_volume: cloudFunction({
    doc: 'Delete a volume.',
    args: { volume_id: arg.text('Id of the volume') },
    run: (account: Ec2Account, { volume_id }) => call(account, 'DeleteVolume', { VolumeId: volume_id }),
  }),
  create_keypair: cloudFunction({
    doc: 'Make a key pair, and return its private key once.',
    args: KEYNAME,
    run: async (account: Ec2Account, { keyname }) => {
      const made = await call(account, 'CreateKeyPair', { KeyName: keyname })
      if (isDict(made)) markSecret(made.get('keyMaterial') ?? '')
      return made
    },
  }),
  import_keypair: cloudFunction({
    doc: 'Store a public key as a key pair.',
    args: { ...KEYNAME, file: arg.text('File of the public key') },
    run: async (account: Ec2Account, { keyname, file }) => {
      const key = Buffer.from(await account.ctx.host.read(file)).toString('base64')
      return call(account, 'ImportKeyPair', { KeyName: keyname, PublicKeyMaterial: key })
    },
  }),
  show_keypair: cloudFunction({
    doc: 'Return a key pair, without its private key.',
    args: KEYNAME,
    run: (account: Ec2Account, { keyname }) => call(account, 'DescribeKeyPairs', { KeyName: [keyname] }, 'keySet'),
  }),
  delete_keypair: cloudFunction({
    doc: 'Delete a key pair.',
    args: KEYNAME,
    run: (account: Ec2Account, { keyname }) => call(account, 'DeleteKeyPair', { KeyName: keyname }),
  }),
  create_snapshot: cloudFunction({
    doc: 'Make a snapshot of a volume.',
    args: {
      volume_id: arg.text('Id of the volume'),
      description: arg.text('What the snapshot is for', { optional: true }),
    },
    run: (account: Ec2Account, { volume_id, description }) =>
      call(account, 'CreateSnapshot', { VolumeId: volume_id, Description: description }),
  }),
  delete_snapshot: cloudFunction({
    doc: 'Delete a snapshot.',
    args: { snapshot_id: arg.text('Id of the snapshot') },
    run: (account: Ec2Account, { snapshot_id }) => call(account, 'DeleteSnapshot', { SnapshotId: snapshot_id }),
  }),
  copy_snapshot: cloudFunction({
    doc: 'Copy a snapshot of another region into the region of the provider.',
    args: {
      source_region: arg.text('Region that the snapshot is in'),
      source_snapshot_id: arg.text('Id of the snapshot'),
      description: arg.text('What the copy is for', { optional: true }),
    },
    run: (account: Ec2Account, { source_region, source_snapshot_id, description }) =>
      call(account, 'CopySnapshot', {
        SourceRegion: source_region,
        SourceSnapshotId: source_snapshot_id,
        Description: description,
      }),
  }),
  describe_snapshots: cloudFunction({
    doc: 'Return snapshots: those with the ids or of the owners, else those of the account.',
    args: {
      snapshot_id: arg.words('Ids of snapshots', { default: [] }),
      owner: arg.words('Accounts', { default: [] }),
      restorable_by: arg.words('Accounts that may use them', { default: [] }),
    },
    run: (account: Ec2Account, { snapshot_id, owner, restorable_by }) => {
      const owners = owner.length + snapshot_id.length + restorable_by.length === 0 ? ['self'] : owner
      const parameters = { SnapshotId: snapshot_id, Owner: owners, RestorableBy: restorable_by }
      return call(account, 'DescribeSnapshots', parameters, 'snapshotSet')
    },
  }),
}
