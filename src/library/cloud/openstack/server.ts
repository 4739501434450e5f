// The request that makes a server, from the settings of a machine.
import { type Dict, isDict, isList, type Plain, str, toPlain, truthy, type Value } from '../../../data/mod.ts'
import type { CloudContext, MachineRequest } from '../../../sdk/mod.ts'
import { userData } from '../common/machine.ts'
import { exit } from '../common/rest.ts'
import { configError } from './clouds-file.ts'
import { flavorId, groupId, imageId, networkId, volumeId } from './lookup.ts'
import type { OpenStackSession } from './session.ts'
import type { MachineSettings, machine } from './settings.ts'

export type Json = Record<string, Plain>

/** The key of metadata that has the token of a creation. */
export const CREATION_KEY = 'salt-cloud-creation'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A server as it is wanted. A volume that is made of its image is missing yet. */
export interface WantedServer {
  server: Json
  hints: Json
  /** The image that a volume is to be made of. */
  volumeImage: string | null
}

export async function wantedServer(
  ctx: CloudContext,
  session: OpenStackSession,
  { name, settings, token }: MachineRequest<typeof machine>,
): Promise<WantedServer> {
  const size = settings.size ?? settings.flavor
  if (!size) throw configError(`${name} needs the setting 'size'`)
  const boot = settings.boot_volume ?? settings.root_volume
  const hasDevices = settings.block_device_mapping_v2.length > 0 || settings.block_device_mapping.length > 0
  if (!settings.image && !boot && !hasDevices) throw configError(`${name} needs the setting 'image' or 'boot_volume'`)
  const image = settings.image && !boot ? await imageId(session, settings.image) : null
  const devices = plainRows(settings.block_device_mapping_v2)
  if (boot) devices.unshift(bootDevice(await volumeId(session, boot), settings))
  const makesVolume = settings.boot_from_volume && image !== null
  const interfaces = await interfacesOf(session, name, settings)
  const data = await textFor(ctx, name, settings)
  const key = settings.ssh_key_name ?? settings.key_name
  const given = settings.extra.get('metadata') ?? null
  const ownMetadata: Dict = isDict(given) ? given : new Map()
  const { metadata: _metadata, ...extra } = toPlain(settings.extra) as Json
  const server: Json = {
    flavorRef: await flavorId(session, size),
    ...(image !== null && !makesVolume && { imageRef: image }),
    ...(interfaces.length > 0 && { networks: interfaces }),
    ...(settings.security_groups.length > 0 && {
      security_groups: settings.security_groups.map((one) => ({ name: one })),
    }),
    ...(key !== null && { key_name: key }),
    ...(settings.availability_zone !== null && { availability_zone: settings.availability_zone }),
    ...(settings.config_drive !== null && { config_drive: truthy(settings.config_drive) }),
    ...(settings.disk_config !== null && { 'OS-DCF:diskConfig': settings.disk_config }),
    ...(settings.admin_pass !== null && { adminPass: settings.admin_pass }),
    ...(data !== null && { user_data: base64(data) }),
    ...(settings.files.size > 0 && { personality: filesOf(settings.files) }),
    ...(devices.length > 0 && { block_device_mapping_v2: devices }),
    ...(settings.block_device_mapping.length > 0 && { block_device_mapping: plainRows(settings.block_device_mapping) }),
    ...extra,
    // an undo finds the server by these
    name,
    metadata: { ...textsOf(settings.meta), ...textsOf(ownMetadata), [CREATION_KEY]: token },
  }
  const hints = toPlain(settings.scheduler_hints) as Json
  if (settings.group) hints['group'] = await groupId(session, settings.group)
  return { server, hints, volumeImage: makesVolume ? image : null }
}

export const bootDevice = (uuid: string, { terminate_volume }: Pick<MachineSettings, 'terminate_volume'>): Json => ({
  boot_index: 0,
  source_type: 'volume',
  destination_type: 'volume',
  uuid,
  delete_on_termination: terminate_volume,
})

const plainRows = (rows: readonly Value[]): Plain[] => rows.map((row) => toPlain(row) as Plain)

const textsOf = (dict: Dict): Record<string, string> =>
  Object.fromEntries([...dict].map(([key, value]) => [str(key), str(value)]))

const filesOf = (files: Dict): Plain[] =>
  [...files].map(([path, contents]) => ({ path: str(path), contents: base64(str(contents)) }))

/** Return the user data of the machine. A text that is the path of a file means the contents of that file, as in Salt. */
async function textFor(ctx: CloudContext, name: string, settings: MachineSettings): Promise<string | null> {
  const { userdata, userdata_file } = settings
  if (userdata?.startsWith('/') && !userdata.includes('\n')) {
    if ((await ctx.host.stat(userdata)) === undefined)
      throw configError(`${name}: the file ${userdata} of userdata does not exist`)
    return userData(ctx, null, userdata)
  }
  return userData(ctx, userdata, userdata_file)
}

/** Return the interfaces of a machine: those of `nics`, else one for each network. */
async function interfacesOf(
  session: OpenStackSession,
  name: string,
  { nics, network }: MachineSettings,
): Promise<Json[]> {
  const found: Json[] = []
  for (const nic of nics) {
    if (!isDict(nic)) throw configError(`${name}: an entry of nics is no dict`)
    const [net, port] = [
      nic.get('net-id') ?? nic.get('net_id') ?? nic.get('net-name'),
      nic.get('port-id') ?? nic.get('port_id'),
    ]
    const address = nic.get('v4-fixed-ip') ?? nic.get('v6-fixed-ip') ?? nic.get('fixed_ip')
    if (!net && !port) throw configError(`${name}: an entry of nics has neither net-id, net-name nor port-id`)
    found.push({
      ...(port ? { port: str(port) } : { uuid: await networkId(session, str(net!)) }),
      ...(address && { fixed_ip: str(address) }),
    })
  }
  if (found.length > 0 || !truthy(network)) return found
  for (const one of isList(network) ? network : [network]) {
    const wanted = isDict(one) ? (one.get('id') ?? one.get('name')) : one
    if (!wanted) throw configError(`${name}: an entry of network has neither id nor name`)
    found.push({ uuid: await networkId(session, str(wanted)) })
  }
  return found
}

/** Return the error of a server that could not be created. */
export function faultOf(name: string, server: Dict): Error {
  const fault = server.get('fault')
  const message = fault !== undefined && isDict(fault) ? str(fault.get('message') ?? '') : ''
  return exit(`${name} could not be made: ${message === '' ? 'OpenStack says no more than ERROR' : message}`)
}
