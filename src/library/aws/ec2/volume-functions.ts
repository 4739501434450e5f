// Volumes of EC2.
import { type Dict, failure, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { EC2_PAGES, filtersOf, tagsOf } from '../common/ec2.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { awaitVolume } from './driver/volumes.ts'
import { ec2Of, machineId } from './machines.ts'

const VOLUME = arg.text('Id of the volume')

const RUNNING = ['pending', 'rebooting', 'running', 'stopping', 'stopped']

function volumes(ctx: FunctionContext, login: AwsLogin, ids: readonly string[], filters: Dict): Promise<AwsAnswer[]> {
  const parameters = { VolumeId: ids, ...filtersOf(filters) }
  return ec2Of(ctx, login).rows('DescribeVolumes', parameters, 'volumeSet', EC2_PAGES)
}

const shownVolume = (row: AwsAnswer): Dict => {
  const [attachment] = row.rows('attachmentSet')
  return new Map<Value, Value>([
    ['id', row.text('volumeId')],
    ['zone', row.text('availabilityZone')],
    ['status', row.text('status')],
    ['size', row.number('size')],
    ['type', row.text('volumeType')],
    ['instance_id', attachment?.text('instanceId') ?? null],
    ['device', attachment?.text('device') ?? null],
    ['tags', row.pairs('tagSet')],
  ])
}

/** Return the volumes that an entry of `tag_maps` means. */
async function meantVolumes(ctx: FunctionContext, login: AwsLogin, entry: Dict): Promise<AwsAnswer[]> {
  const given = entry.get('filters') ?? null
  const filters: Dict = new Map(isDict(given) ? given : [])
  const ids = filters.get('volume_ids') ?? null
  const name = filters.get('instance_name') ?? null
  filters.delete('volume_ids')
  filters.delete('instance_name')
  if (name !== null) {
    const states = entry.get('in_states') ?? null
    const in_states = isList(states) ? states.map(str) : RUNNING
    const id = await machineId(ctx, { ...login, name: str(name), in_states })
    if (id === null) throw failure(`Couldn't resolve instance Name ${str(name)} to an ID.`)
    filters.set('attachment.instance-id', id)
  }
  return volumes(ctx, login, isList(ids) ? ids.map(str) : ids === null ? [] : [str(ids)], filters)
}

interface TagsGiven extends AwsLogin {
  tag_maps: readonly Value[]
  authoritative: boolean
  dry_run: boolean
}

async function setTags(ctx: FunctionContext, { tag_maps, authoritative, dry_run, ...login }: TagsGiven) {
  const wanted = new Map<string, { now: Dict; tags: Dict }>()
  for (const entry of tag_maps) {
    if (!isDict(entry)) throw misuse('Each entry of tag_maps must be a dict')
    const tags = entry.get('tags') ?? null
    for (const row of await meantVolumes(ctx, login, entry)) {
      const id = row.text('volumeId') ?? ''
      const known = wanted.get(id) ?? { now: row.pairs('tagSet'), tags: new Map() }
      for (const [key, value] of isDict(tags) ? tags : []) known.tags.set(key, value)
      wanted.set(id, known)
    }
  }
  const [before, after]: [Dict, Dict] = [new Map(), new Map()]
  for (const [id, { now, tags }] of wanted) {
    const set = [...tags].filter(([key, value]) => !now.has(key) || str(now.get(key)!) !== str(value))
    const remove = authoritative ? [...now.keys()].filter((key) => !tags.has(key)) : []
    if (set.length + remove.length === 0) continue
    before.set(id, now)
    after.set(id, authoritative ? tags : new Map([...now, ...tags]))
    if (dry_run) continue
    const ec2 = ec2Of(ctx, login)
    if (set.length > 0) await ec2.query('CreateTags', { ResourceId: [id], Tag: tagsOf(new Map(set)) })
    const Tag = remove.map((key) => ({ Key: str(key) }))
    if (remove.length > 0) await ec2.query('DeleteTags', { ResourceId: [id], Tag })
  }
  const changes: Dict = before.size === 0 ? new Map() : new Map([['old', before] as const, ['new', after] as const])
  return { success: true, comment: '', changes }
}

export const volumeFunctions = {
  get_all_volumes: reads({
    doc: 'Return the ids of volumes that match.',
    example: "boto_ec2.get_all_volumes filters='{tag:Name: data}'",
    args: {
      volume_ids: arg.words('Ids of volumes', { default: [] }),
      filters: arg.dict('Filters of DescribeVolumes', { optional: true }),
      return_objs: arg.flag('Whether to return dicts in place of ids', { default: false }),
      ...LOGIN,
    },
    returns: ret.any('A list of ids, or of dicts'),
    run: async (ctx, { volume_ids, filters, return_objs, ...login }): Promise<Value> => {
      const rows = await volumes(ctx, login, volume_ids, filters ?? new Map())
      return rows.map((row): Value => (return_objs ? shownVolume(row) : (row.text('volumeId') ?? '')))
    },
  }),
  set_volumes_tags: changes({
    doc: 'Set tags of volumes.',
    example: "boto_ec2.set_volumes_tags '[{filters: {volume_ids: [vol-12345678]}, tags: {team: web}}]'",
    args: {
      tag_maps: arg.list(
        'Dicts with `filters` of DescribeVolumes, `volume_ids` or `instance_name` among them, and `tags`',
      ),
      authoritative: arg.flag('Whether other tags are removed', { default: false }),
      dry_run: arg.flag('Whether only to say what would change', { default: false }),
      ...LOGIN,
    },
    returns: ret.dict('`success`, `comment` and `changes`'),
    run: setTags,
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
      wait_for_detachement: arg.flag('Whether to wait until the volume is free', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was taken'),
    run: async (ctx, { volume_id, instance_id, device, force, wait_for_detachement, ...login }) => {
      const parameters = { VolumeId: volume_id, InstanceId: instance_id, Device: device, Force: force || null }
      const ec2 = ec2Of(ctx, login)
      await ec2.query('DetachVolume', parameters)
      if (wait_for_detachement) await awaitVolume(ec2, volume_id, 'available', new AbortController().signal)
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
