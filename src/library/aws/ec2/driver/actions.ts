// Actions on a machine of EC2: `salt-cloud -a <action> <machine>`.
import { type Dict, dictFrom, isDict, isList, markSecret, SaltError, str, type Value } from '../../../../data/mod.ts'
import { arg, type CloudNode, type CloudSteps, cloudAction, loadYaml } from '../../../../sdk/mod.ts'
import { filtersOf, tagsOf } from '../../common/ec2.ts'
import { CREATION_TAG, type Ec2Account, isProtected, nodeOf, protect } from './account.ts'
import { dictsOf } from './launch.ts'
import { addVolumes } from './volumes.ts'

const idOf = ({ id }: CloudNode): string => str(id)

async function tagsShown(account: Ec2Account, id: string): Promise<Value[]> {
  const rows = (await account.ec2().query('DescribeTags', filtersOf([['resource-id', id]]))).rows('tagSet')
  return rows.map((row) => row.shaped())
}

async function changeState(
  account: Ec2Account,
  node: CloudNode,
  action: string,
  event: string,
  steps: CloudSteps,
): Promise<Value[]> {
  await steps.report(event, dictFrom({ name: node.name, instance_id: node.id }))
  const answer = await account.ec2().query(action, { InstanceId: [idOf(node)] })
  return answer.rows('instancesSet').map((row) => row.shaped())
}

async function monitoring(account: Ec2Account, node: CloudNode): Promise<Value> {
  return (await account.instance(idOf(node))).at('monitoring')?.shaped() ?? null
}

interface Device {
  device: string | null
  volume_id: string | null
}

const DEVICE = {
  device: arg.text('Device to choose; all unless given', { optional: true }),
  volume_id: arg.text('Volume to choose; all unless given', { optional: true }),
}

async function devices(
  account: Ec2Account,
  node: CloudNode,
  { device, volume_id }: Device,
): Promise<Record<string, string | null>[]> {
  const rows = (await account.instance(idOf(node))).rows('blockDeviceMapping').map((row) => ({
    device_name: row.text('deviceName'),
    volume_id: row.text('ebs.volumeId'),
    deleteOnTermination: row.text('ebs.deleteOnTermination'),
  }))
  return rows.filter(
    (row) => (device === null || row.device_name === device) && (volume_id === null || row.volume_id === volume_id),
  )
}

async function setDeletions(account: Ec2Account, node: CloudNode, chosen: Device, isDeleted: boolean) {
  const found = await devices(account, node, chosen)
  if (found.length === 0) throw new SaltError('SaltCloudNotFound', `${node.name} has no such volume`)
  const BlockDeviceMapping = found.map((row) => ({
    DeviceName: row['device_name'],
    Ebs: { DeleteOnTermination: isDeleted },
  }))
  await account.ec2().query('ModifyInstanceAttribute', { InstanceId: idOf(node), BlockDeviceMapping })
  return devices(account, node, chosen)
}

async function protection(account: Ec2Account, node: CloudNode, isOn: boolean | null): Promise<string> {
  const ec2 = account.ec2()
  if (isOn !== null) await protect(ec2, idOf(node), isOn)
  return String(await isProtected(ec2, idOf(node)))
}

async function volumesGiven(volumes: Value): Promise<Dict[]> {
  const list = typeof volumes === 'string' ? await loadYaml(volumes) : volumes
  return dictsOf(isList(list) ? list : [list], 'volumes')
}

export const actions = {
  start: cloudAction({
    doc: 'Start a machine that was stopped.',
    run: (account: Ec2Account, node, _args, steps) => changeState(account, node, 'StartInstances', 'starting', steps),
  }),
  stop: cloudAction({
    doc: 'Stop a machine; its volumes stay.',
    run: (account: Ec2Account, node, _args, steps) => changeState(account, node, 'StopInstances', 'stopping', steps),
  }),
  reboot: cloudAction({
    doc: 'Reboot a machine.',
    run: async (account: Ec2Account, node) => {
      await account.ec2().query('RebootInstances', { InstanceId: [idOf(node)] })
      return { Reboot: 'Complete' }
    },
  }),
  show_instance: cloudAction({
    doc: 'Return everything that EC2 tells of a machine.',
    run: async (account: Ec2Account, node) => {
      const { details, ...facts } = nodeOf(await account.instance(idOf(node)))
      return new Map<Value, Value>([...(details ?? []), ...Object.entries(facts)])
    },
  }),
  rename: cloudAction({
    doc: 'Give a machine another name. The key of its minion keeps its own.',
    args: { newname: arg.text('The new name') },
    run: async (account: Ec2Account, node, { newname }) => {
      await account.ec2().query('CreateTags', { ResourceId: [idOf(node)], Tag: [{ Key: 'Name', Value: newname }] })
      return { old: node.name, new: newname }
    },
  }),
  set_tags: cloudAction({
    doc: 'Set tags of a machine, or of another resource: `tag=value` for each.',
    args: {
      resource_id: arg.text('Id of a resource, in place of the machine', { optional: true }),
      tags: arg.open('The tags'),
    },
    run: async (account: Ec2Account, node, { resource_id, tags }) => {
      const id = resource_id ?? idOf(node)
      await account.ec2().query('CreateTags', { ResourceId: [id], Tag: tagsOf(new Map<Value, Value>(tags)) })
      return tagsShown(account, id)
    },
  }),
  get_tags: cloudAction({
    doc: 'Return the tags of a machine.',
    run: (account: Ec2Account, node) => tagsShown(account, idOf(node)),
  }),
  del_tags: cloudAction({
    doc: 'Remove tags of a machine: `tags=one,two`.',
    args: { tags: arg.words('Names of tags, with commas between them') },
    run: async (account: Ec2Account, node, { tags }) => {
      if (tags.includes(CREATION_TAG))
        throw new SaltError('SaltCloudSystemExit', `The tag ${CREATION_TAG} cannot be removed`)
      await account.ec2().query('DeleteTags', { ResourceId: [idOf(node)], Tag: tags.map((Key) => ({ Key })) })
      return tagsShown(account, idOf(node))
    },
  }),
  show_term_protect: cloudAction({
    doc: 'Return whether a machine is protected from being destroyed.',
    run: (account: Ec2Account, node) => protection(account, node, null),
  }),
  enable_term_protect: cloudAction({
    doc: 'Protect a machine from being destroyed.',
    run: (account: Ec2Account, node) => protection(account, node, true),
  }),
  disable_term_protect: cloudAction({
    doc: 'Remove the protection of a machine from being destroyed.',
    run: (account: Ec2Account, node) => protection(account, node, false),
  }),
  show_detailed_monitoring: cloudAction({
    doc: 'Return whether a machine is watched in detail.',
    run: (account: Ec2Account, node) => monitoring(account, node),
  }),
  enable_detailed_monitoring: cloudAction({
    doc: 'Watch a machine in detail.',
    run: async (account: Ec2Account, node) => {
      await account.ec2().query('MonitorInstances', { InstanceId: [idOf(node)] })
      return monitoring(account, node)
    },
  }),
  disable_detailed_monitoring: cloudAction({
    doc: 'Watch a machine in detail no more.',
    run: async (account: Ec2Account, node) => {
      await account.ec2().query('UnmonitorInstances', { InstanceId: [idOf(node)] })
      return monitoring(account, node)
    },
  }),
  show_delvol_on_destroy: cloudAction({
    doc: 'Return which volumes are deleted with a machine.',
    args: DEVICE,
    run: (account: Ec2Account, node, chosen) => devices(account, node, chosen),
  }),
  delvol_on_destroy: cloudAction({
    doc: 'Delete volumes with their machine.',
    args: DEVICE,
    run: (account: Ec2Account, node, chosen) => setDeletions(account, node, chosen, true),
  }),
  keepvol_on_destroy: cloudAction({
    doc: 'Keep volumes when their machine is destroyed.',
    args: DEVICE,
    run: (account: Ec2Account, node, chosen) => setDeletions(account, node, chosen, false),
  }),
  attach_volume: cloudAction({
    doc: 'Attach a volume to a machine.',
    args: {
      volume_id: arg.text('Id of the volume'),
      device: arg.text('Device, such as `/dev/sdf`'),
    },
    run: async (account: Ec2Account, node, { volume_id, device }) => {
      const parameters = { VolumeId: volume_id, InstanceId: idOf(node), Device: device }
      return (await account.ec2().query('AttachVolume', parameters)).shaped()
    },
  }),
  create_attach_volumes: cloudAction({
    doc: 'Make volumes and attach them to a machine.',
    args: {
      volumes: arg.any('List of dicts with `device` and `size`, `snapshot` or `volume_id`, or YAML of one'),
      zone: arg.text('Availability zone; that of the machine unless given', { optional: true }),
      del_all_vols_on_destroy: arg.flag('Whether the volumes are deleted with the machine', { default: false }),
    },
    run: async (account: Ec2Account, node, { volumes, zone, del_all_vols_on_destroy }) => {
      const instance = await account.instance(idOf(node))
      return addVolumes(account.ec2(), {
        name: node.name,
        instance: idOf(node),
        zone: zone ?? instance.text('placement.availabilityZone') ?? '',
        volumes: await volumesGiven(volumes),
        endsWithMachine: del_all_vols_on_destroy,
        tags: (more) => ({ TagSpecification: [{ ResourceType: 'volume', Tag: tagsOf(more) }] }),
        signal: account.ctx.signal,
      })
    },
  }),
  get_console_output: cloudAction({
    doc: 'Return what a machine printed on its console.',
    run: async (account: Ec2Account, node) => {
      const answer = await account.ec2().query('GetConsoleOutput', { InstanceId: idOf(node) })
      const output = Buffer.from(answer.text('output') ?? '', 'base64').toString()
      return dictFrom({ instanceId: idOf(node), timestamp: answer.text('timestamp'), output_decoded: output })
    },
  }),
  get_password_data: cloudAction({
    doc: "Return the encrypted password of a Windows machine's administrator.",
    run: async (account: Ec2Account, node) => {
      const answer = await account.ec2().query('GetPasswordData', { InstanceId: idOf(node) })
      const shaped = answer.shaped()
      markSecret(answer.text('passwordData') ?? '')
      return isDict(shaped) ? shaped : new Map()
    },
  }),
}
