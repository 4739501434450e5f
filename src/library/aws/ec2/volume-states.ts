// Volumes and images of EC2 as states.
import { type Dict, failure, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  awaitReady,
  type Bound,
  changed,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { ask, call, RUNNING } from './state-calls.ts'

const CHOICE = {
  volume_name: arg.text('Name of the volume, in its tag `Name`', { optional: true }),
  volume_id: arg.text('Id of the volume, in place of its name', { optional: true }),
  instance_name: arg.text('Name of the machine', { optional: true }),
  instance_id: arg.text('Id of the machine, in place of its name', { optional: true }),
  device: arg.text('Device, such as `/dev/sdh`', { optional: true }),
}
const PRESENT = {
  name: arg.text('Name of the state'),
  ...CHOICE,
  size: arg.textOrNumber('Size in GiB', { optional: true }),
  snapshot_id: arg.text('Snapshot to begin with', { optional: true }),
  volume_type: arg.text('Type, such as `gp3`', { optional: true }),
  iops: arg.textOrNumber('Operations each second', { optional: true }),
  encrypted: arg.flag('Whether the volume is encrypted', { default: false }),
  kms_key_id: arg.text('Key that it is encrypted by', { optional: true }),
  ...LOGIN,
}

type Wanted = Bound<typeof PRESENT>

const dictsOf = (value: Value): Dict[] => (isList(value) ? value.filter(isDict) : [])

async function volumesOf(ctx: StateContext, login: AwsLogin, given: Record<string, Value>): Promise<Dict[]> {
  return dictsOf(await call(ctx, 'get_all_volumes', login, { ...given, return_objs: true }))
}

async function machineOf(ctx: StateContext, given: Wanted): Promise<Dict> {
  const { instance_name: name, instance_id } = given
  const search = { ...(instance_id ? { instance_id } : { name }), in_states: ['running', 'stopped'], return_objs: true }
  const found = dictsOf(await call(ctx, 'find_instances', given, search))
  if (found.length !== 1) throw misuse(`Instance with Name ${name ?? instance_id} not found.`)
  return found[0]!
}

interface Gap {
  machine: Dict
  volume: Dict | undefined
}

const where = (volume: Dict): string =>
  `${str(volume.get('instance_id') ?? null)}(${str(volume.get('device') ?? null)})`

async function makeVolume(ctx: StateContext, given: Wanted, machine: Dict): Promise<Dict> {
  const { size, snapshot_id, volume_type, iops, encrypted, kms_key_id, volume_name } = given
  const made = await ask(ctx, 'create_volume', given, {
    ...{ zone_name: machine.get('placement') ?? null, wait_for_creation: true },
    ...{ size, snapshot_id, volume_type, iops, encrypted, kms_key_id },
  })
  const id = made.get('result') ?? null
  if (id === null) throw failure(`Error creating volume with name ${volume_name}.`)
  await call(ctx, 'create_tags', given, { resource_ids: [id], tags: new Map([['Name', volume_name!]]) })
  return new Map<Value, Value>([
    ['id', id],
    ['zone', machine.get('placement') ?? null],
  ])
}

async function lookAtVolume(ctx: StateContext, given: Wanted) {
  const { volume_name, volume_id, instance_name, instance_id, device } = given
  if (Boolean(volume_name) === Boolean(volume_id))
    throw misuse("Exactly one of 'volume_name', 'volume_id',  must be provided.")
  if (Boolean(instance_name) === Boolean(instance_id))
    throw misuse("Exactly one of 'instance_name', or 'instance_id' must be provided.")
  if (device === null) throw misuse("Parameter 'device' is required.")
  const machine = await machineOf(ctx, given)
  const search = volume_id ? { volume_ids: [volume_id] } : { filters: new Map([['tag:Name', volume_name!]]) }
  const found = await volumesOf(ctx, given, search)
  if (found.length > 1) throw misuse(`More than one volume matched volume name ${volume_name}, can't continue`)
  const [volume] = found
  if (volume === undefined && volume_id) throw misuse(`Volume ${volume_id} do not exist`)
  if (volume && volume.get('zone') !== machine.get('placement')) {
    const zones = [volume.get('zone') ?? null, machine.get('placement') ?? null].map(str)
    const [id, owner] = [volume.get('id') ?? null, machine.get('id') ?? null].map(str)
    throw misuse(`Volume ${id} in ${zones[0]} cannot attach to instance ${owner} in ${zones[1]}.`)
  }
  const isThere = volume?.get('instance_id') === machine.get('id') && volume?.get('device') === device
  return volume && isThere
    ? settled(`The volume ${str(volume.get('id')!)} is attached on ${where(volume)}.`)
    : { machine, volume }
}

/** Take a volume from its machine, wait, and return whether it is free. */
async function isDetached(ctx: StateContext, login: AwsLogin, volume: Dict, force: boolean): Promise<boolean> {
  const place = { instance_id: volume.get('instance_id') ?? null, device: volume.get('device') ?? null }
  const given = { volume_id: volume.get('id') ?? null, ...place, force, wait_for_detachement: true }
  return truthy(await call(ctx, 'detach_volume', login, given))
}

async function attach(ctx: StateContext, given: Wanted, { machine, volume }: Gap) {
  const { device } = given
  const instance_id = machine.get('id') ?? null
  const old: Dict = new Map<Value, Value>([
    ['instance_id', null],
    ['device', null],
  ])
  const now: Dict = new Map<Value, Value>([
    ['instance_id', instance_id],
    ['device', device],
  ])
  const comments: string[] = []
  const own = volume ?? (await makeVolume(ctx, given, machine))
  const volume_id = own.get('id') ?? null
  if (volume === undefined) {
    old.set('volume_id', null)
    now.set('volume_id', volume_id)
  }
  if ((own.get('instance_id') ?? null) !== null) {
    if (!(await isDetached(ctx, given, own, false)))
      return failed(`The volume ${str(volume_id)} is attached on ${where(own)}. Failed to detach`)
    old.set('instance_id', own.get('instance_id')!).set('device', own.get('device') ?? null)
    comments.push(`Volume ${str(volume_id)} is detached from ${where(own)}.`)
  }
  const place = `${str(instance_id)}(${device})`
  if (!truthy(await call(ctx, 'attach_volume', given, { volume_id, instance_id, device })))
    return failed(`Error attaching volume ${str(volume_id)} to instance ${place}.`)
  comments.push(`Volume ${str(volume_id)} is attached on ${place}.`)
  return changed(comments.join(' '), { old, new: now })
}

const ABSENT = { name: arg.text('Name of the state'), ...CHOICE, ...LOGIN }

async function lookForAbsence(ctx: StateContext, given: Bound<typeof ABSENT>) {
  const { name, volume_name, volume_id, instance_name, instance_id, device } = given
  const chosen = [volume_name, volume_id, instance_name, instance_id].filter(Boolean)
  if (chosen.length !== 1)
    throw misuse("Exactly one of 'volume_name', 'volume_id', 'instance_name', or 'instance_id' must be provided.")
  if ((instance_name || instance_id) && !device)
    throw misuse("Parameter 'device' is required when either 'instance_name' or 'instance_id' is specified.")
  const filters: Dict = new Map()
  if (volume_id) filters.set('volume-id', volume_id)
  if (volume_name) filters.set('tag:Name', volume_name)
  if (instance_name || instance_id) {
    const search = { name: instance_name, in_states: RUNNING }
    const id = instance_id ?? (await call(ctx, 'get_id', given, search))
    if (!truthy(id)) return settled(`Instance with Name ${instance_name} not found.  Assuming associated volumes gone.`)
    filters.set('attachment.instance-id', id)
  }
  if (device) filters.set('attachment.device', device)
  const found = await volumesOf(ctx, given, { filters })
  if (found.length === 0) return settled('Volume matching criteria not found, assuming already absent')
  if (found.length > 1) return failed(`More than one volume matched criteria, can't continue in state ${name}`)
  return found[0]!
}

const IMAGE_SECONDS = 300

export const volumeStates = {
  volume_present: state({
    doc: 'Ensure that a volume exists and is attached to a machine at a device.',
    args: PRESENT,
    run: (ctx, given) =>
      ensure<Gap>(ctx, {
        name: given.name,
        look: () => lookAtVolume(ctx, given),
        foresee: ({ machine, volume }) => {
          const place = `${str(machine.get('id') ?? null)}(${given.device})`
          if (volume === undefined)
            return `The volume with name ${given.volume_name} is set to be created and attached on ${place}.`
          const id = str(volume.get('id') ?? null)
          if ((volume.get('instance_id') ?? null) === null) return `The volume ${id} is set to be attached on ${place}.`
          return `The volume ${id} is set to be detached from ${where(volume)} and attached on ${place}.`
        },
        act: (gap) => attach(ctx, given, gap),
      }),
  }),
  volume_absent: state({
    doc: 'Ensure that a volume does not exist.',
    args: ABSENT,
    run: (ctx, given) =>
      ensure<Dict>(ctx, {
        name: given.name,
        look: () => lookForAbsence(ctx, given),
        foresee: (volume) => `The volume ${str(volume.get('id')!)} is set to be deleted.`,
        act: async (volume) => {
          const volume_id = volume.get('id') ?? null
          // a volume that is being detached cannot be deleted
          if ((volume.get('instance_id') ?? null) !== null) await isDetached(ctx, given, volume, true)
          if (!truthy(await call(ctx, 'delete_volume', given, { volume_id })))
            return failed(`Error deleting volume ${str(volume_id)}.`)
          return changed(`Volume ${str(volume_id)} deleted.`, { old: { volume_id }, new: { volume_id: null } })
        },
      }),
  }),
  volumes_tagged: state({
    doc: 'Ensure that volumes have tags.',
    args: {
      name: arg.text('Name of the state'),
      tag_maps: arg.list('Dicts with `filters`, such as `instance_name` or `volume_ids`, and `tags`'),
      authoritative: arg.flag('Whether other tags are removed', { default: false }),
      ...LOGIN,
    },
    run: (ctx, { name, tag_maps, authoritative, ...login }) =>
      ensure<Dict>(ctx, {
        name,
        look: async () => {
          const given = { tag_maps, authoritative, dry_run: true }
          const changes = (await ask(ctx, 'set_volumes_tags', login, given)).get('changes') ?? null
          return isDict(changes) && changes.size > 0 ? changes : settled('Tags are as wanted.')
        },
        foresee: () => 'Tags would be updated.',
        act: async () => {
          const answer = await ask(ctx, 'set_volumes_tags', login, { tag_maps, authoritative })
          if (!truthy(answer.get('success') ?? false)) return failed('Error updating requested volume tags.')
          return changed('Tags applied.', answer.get('changes') ?? new Map())
        },
      }),
  }),
  snapshot_created: state({
    doc: 'Create an image of a machine, unless one of that name exists.',
    args: {
      name: arg.text('Name of the state'),
      ami_name: arg.text('Name of the image'),
      instance_name: arg.text('Name of the machine'),
      wait_until_available: arg.flag('Whether to wait until the image can be used', { default: true }),
      wait_timeout_seconds: arg.count('Seconds until it must be there', { default: IMAGE_SECONDS }),
      description: arg.text('Description', { optional: true }),
      no_reboot: arg.flag('Whether the machine goes on without a reboot', { default: false }),
      ...LOGIN,
    },
    run: (ctx, { name, ami_name, wait_until_available, wait_timeout_seconds, ...given }) => {
      const { region, key, keyid, profile, ...image } = given
      const login = { region, key, keyid, profile }
      const images = async (): Promise<Dict[]> =>
        dictsOf(await call(ctx, 'find_images', login, { ami_name, return_objs: true }))
      return ensure<string>(ctx, {
        name,
        look: async () => ((await images()).length > 0 ? settled(`AMI ${ami_name} exists.`) : 'missing'),
        foresee: () => `AMI ${ami_name} is set to be created.`,
        act: async () => {
          const made = await call(ctx, 'create_image', login, { ami_name, ...image })
          if (!truthy(made)) return failed(`Failed to create new AMI ${ami_name}`)
          if (wait_until_available) {
            const { signal } = new AbortController()
            const patience = { what: `AMI ${ami_name}`, timeout: wait_timeout_seconds, interval: 5, signal }
            await awaitReady(patience, async () => (await images()).find((one) => one.get('state') === 'available'))
          }
          return changed(`Created new AMI ${ami_name}`, { new: new Map([[ami_name, ami_name]]) })
        },
      })
    },
  }),
}
