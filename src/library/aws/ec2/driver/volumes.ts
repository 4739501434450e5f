// Volumes of machines: made, attached, and deleted with the machine or kept.
import { type Dict, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import { awaitReady } from '../../../../sdk/mod.ts'
import type { AwsAnswer } from '../../common/answer.ts'
import type { AwsCaller } from '../../common/caller.ts'
import { tagsOf } from '../../common/ec2.ts'
import type { Parameters } from '../../common/form.ts'
import { configError } from './launch.ts'

const VOLUME_SECONDS = 300

const textOf = (dict: Dict, key: string): string | null => {
  const value = dict.get(key) ?? null
  return value === null ? null : str(value)
}

/** Return the parameters of a volume. */
export function volumeParameters(wanted: Dict): Parameters {
  const [type, iops, snapshot] = [textOf(wanted, 'type'), textOf(wanted, 'iops'), textOf(wanted, 'snapshot')]
  const hasIops = type !== null && ['io1', 'io2'].includes(type.toLowerCase())
  if (hasIops && iops === null) throw configError("Iops must be specified for types 'io1' and 'io2'")
  if (wanted.has('kmskeyid') && !wanted.has('encrypted')) {
    throw configError('If a KMS Key ID is specified, encryption must be enabled')
  }
  const zone = textOf(wanted, 'zone')
  if (zone === null) throw configError('An availability zone must be specified to create a volume.')
  return {
    AvailabilityZone: zone,
    Size: textOf(wanted, 'size') ?? (snapshot === null ? '10' : null),
    SnapshotId: snapshot,
    VolumeType: type,
    Iops: hasIops ? iops : null,
    Encrypted: snapshot === null && wanted.has('encrypted') ? truthy(wanted.get('encrypted')!) : null,
    KmsKeyId: snapshot === null ? textOf(wanted, 'kmskeyid') : null,
  }
}

export async function volumeState(ec2: AwsCaller, id: string): Promise<string | null> {
  return (await ec2.query('DescribeVolumes', { VolumeId: [id] })).rows('volumeSet')[0]?.text('status') ?? null
}

/** Wait until a volume is in a state. */
export async function awaitVolume(ec2: AwsCaller, id: string, state: string, signal: AbortSignal): Promise<void> {
  const patience = { what: `the volume ${id} to be ${state}`, timeout: VOLUME_SECONDS, interval: 1, signal }
  await awaitReady(patience, async () => ((await volumeState(ec2, id)) === state ? true : undefined))
}

interface VolumesRequest {
  name: string
  instance: string
  zone: string
  volumes: readonly Dict[]
  /** Whether volumes that are made are deleted with the machine. */
  endsWithMachine: boolean
  tags: (more: Dict) => Parameters
  signal: AbortSignal
}

/** Make and attach volumes; return a line about each. */
export async function addVolumes(ec2: AwsCaller, request: VolumesRequest): Promise<string[]> {
  const { name, instance, zone, volumes, endsWithMachine, tags, signal } = request
  const lines: string[] = []
  for (const wanted of volumes) {
    const device = textOf(wanted, 'device')
    if (device === null) throw configError("Each entry of 'volumes' needs a device")
    const own = wanted.get('tags') ?? null
    const more: Dict = new Map<Value, Value>([['Name', `${device} on ${name}`], ...(isDict(own) ? own : [])])
    let id = textOf(wanted, 'volume_id')
    if (id === null) {
      if (!wanted.has('snapshot') && !wanted.has('size')) {
        throw configError("Cannot create volume.  Please define one of 'volume_id', 'snapshot', or 'size'")
      }
      const parameters = volumeParameters(new Map(wanted).set('zone', zone))
      id = (await ec2.query('CreateVolume', { ...parameters, ...tags(more) })).text('volumeId') ?? ''
      await awaitVolume(ec2, id, 'available', signal)
    }
    await ec2.query('AttachVolume', { VolumeId: id, InstanceId: instance, Device: device })
    const ends = wanted.get('delete_on_termination') ?? (endsWithMachine && !wanted.has('volume_id'))
    if (truthy(ends)) await setDeletion(ec2, instance, device, true)
    lines.push(`${id} attached to ${instance} (aka ${name}) as device ${device}`)
  }
  return lines
}

/** Say whether the volume at a device is deleted with its machine. */
async function setDeletion(ec2: AwsCaller, instance: string, device: string, isDeleted: boolean): Promise<void> {
  const mapping = { DeviceName: device, Ebs: { DeleteOnTermination: isDeleted } }
  await ec2.query('ModifyInstanceAttribute', { InstanceId: instance, BlockDeviceMapping: [mapping] })
}

/** Put the tags of `block_device_mappings` on the volumes that a machine has. */
export async function tagDevices(ec2: AwsCaller, mappings: readonly Dict[], instance: AwsAnswer): Promise<void> {
  for (const mapping of mappings) {
    const tags = mapping.get('tag') ?? null
    if (!isDict(tags)) continue
    const device = instance
      .rows('blockDeviceMapping')
      .find((row) => row.text('deviceName') === textOf(mapping, 'DeviceName'))
    const id = device?.text('ebs.volumeId')
    if (id) await ec2.query('CreateTags', { ResourceId: [id], Tag: tagsOf(tags) })
  }
}
