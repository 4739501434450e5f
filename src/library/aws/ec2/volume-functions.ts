// Volumes of EC2.
import { type Dict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf } from '../common/ec2.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { awaitVolume } from './driver/volumes.ts'

const ec2Of = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'ec2', login)

const VOLUME = arg.text('Id of the volume')

export const volumeFunctions = {
  get_all_volumes: reads({
    doc: 'Return the ids of volumes that match.',
    example: "boto_ec2.get_all_volumes filters='{tag:Name: data}'",
    args: {
      volume_ids: arg.words('Ids of volumes', { default: [] }),
      filters: arg.dict('Filters of DescribeVolumes', { optional: true }),
      return_objs: arg.flag('Not possible here: ids are returned', { default: false }),
      ...LOGIN,
    },
    returns: ret.texts('The ids'),
    run: async (ctx, { volume_ids, filters, ...login }) => {
      const parameters = { VolumeId: volume_ids, ...filtersOf(filters ?? (new Map() as Dict)) }
      const rows = await ec2Of(ctx, login).rows('DescribeVolumes', parameters, 'volumeSet', EC2_PAGES)
      return rows.map((row) => row.text('volumeId') ?? '')
    },
  }),
  create_volume: changes({
    doc: 'Create a volume.',
    example: 'boto_ec2.create_volume us-east-1a size=10',
    args: {
      zone_name: arg.text('Availability zone'),
      size: arg.textOrNumber('Size in GiB', { optional: true }),
      snapshot_id: arg.text('Snapshot to begin with', { optional: true }),
      volume_type: arg.text('Type, such as `gp2`', { optional: true }),
      iops: arg.textOrNumber('Operations each second', { optional: true }),
      encrypted: arg.flag('Whether the volume is encrypted', { default: false }),
      kms_key_id: arg.text('Key that it is encrypted by', { optional: true }),
      wait_for_creation: arg.flag('Whether to wait until the volume is available', { default: false }),
      ...LOGIN,
    },
    returns: ret.dict('`result`, the id, or `error`'),
    run: async (ctx, given) => {
      const text = (value: Value): string | null => (value === null ? null : str(value))
      if (given.size === null && given.snapshot_id === null) {
        throw misuse('Size must be provided if not created from snapshot.')
      }
      const ec2 = ec2Of(ctx, given)
      const made = ec2.query('CreateVolume', {
        AvailabilityZone: given.zone_name,
        Size: text(given.size),
        SnapshotId: given.snapshot_id,
        VolumeType: given.volume_type,
        Iops: text(given.iops),
        Encrypted: given.encrypted || null,
        KmsKeyId: given.kms_key_id,
      })
      return unlessFault(
        made.then(async (answer): Promise<Record<string, Value>> => {
          const id = answer.text('volumeId') ?? ''
          if (given.wait_for_creation) await awaitVolume(ec2, id, 'available', new AbortController().signal)
          return { result: id }
        }),
        (error): Record<string, Value> => ({ error: errorDict(error) }),
      )
    },
  }),
  attach_volume: changes({
    doc: 'Attach a volume to a machine.',
    example: 'boto_ec2.attach_volume vol-12345678 i-87654321 /dev/sdh',
    args: { volume_id: VOLUME, instance_id: arg.text('Id of the machine'), device: arg.text('Device'), ...LOGIN },
    returns: ret.boolean('Whether it was attached'),
    run: async (ctx, { volume_id, instance_id, device, ...login }) => {
      const parameters = { VolumeId: volume_id, InstanceId: instance_id, Device: device }
      await ec2Of(ctx, login).query('AttachVolume', parameters)
      return true
    },
  }),
  detach_volume: changes({
    doc: 'Take a volume from its machine.',
    example: 'boto_ec2.detach_volume vol-12345678',
    args: {
      volume_id: VOLUME,
      instance_id: arg.text('Id of the machine', { optional: true }),
      device: arg.text('Device', { optional: true }),
      force: arg.flag('Whether the machine is not asked', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was taken'),
    run: async (ctx, { volume_id, instance_id, device, force, ...login }) => {
      const parameters = { VolumeId: volume_id, InstanceId: instance_id, Device: device, Force: force || null }
      await ec2Of(ctx, login).query('DetachVolume', parameters)
      return true
    },
  }),
  delete_volume: changes({
    doc: 'Delete a volume.',
    example: 'boto_ec2.delete_volume vol-12345678',
    args: {
      volume_id: VOLUME,
      instance_id: arg.text('Id of the machine that it is taken from with `force`', { optional: true }),
      device: arg.text('Device', { optional: true }),
      force: arg.flag('Whether it is taken from its machine first', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was deleted'),
    run: async (ctx, { volume_id, instance_id, device, force, ...login }) => {
      const ec2 = ec2Of(ctx, login)
      if (force)
        await ec2.query('DetachVolume', { VolumeId: volume_id, InstanceId: instance_id, Device: device, Force: true })
      await ec2.query('DeleteVolume', { VolumeId: volume_id })
      return true
    },
  }),
}
