// The request for a machine of Azure, from the settings of a profile. No request is sent here.
import { type Dict, isDict, isList, type Plain, str, toPlain, truthy, type Value } from '../../../data/mod.ts'
import type { CloudContext } from '../../../sdk/mod.ts'
import { userData } from '../common/machine.ts'
import { exit } from '../common/rest.ts'
import { configError, type MachineSettings } from './settings.ts'
import type { Subscription } from './subscription.ts'

export const CREATION_TAG = 'salt-cloud-creation'
export const DISKS = 'Microsoft.Compute/disks'
const MOST_LUNS = 16

export const tagsOf = (tags: Dict, token: string): Record<string, string> => ({
  ...Object.fromEntries([...tags].map(([key, value]): [string, string] => [str(key), str(value)])),
  [CREATION_TAG]: token,
})

/** Return the reference of the image. */
export function imageReference(image: string): Plain {
  if (image.startsWith('/subscriptions/')) return { id: image }
  if (/^https?:/.test(image)) {
    throw configError(
      `The image '${image}' is a VHD: Azure ended unmanaged disks, so make an image of it and write its id`,
    )
  }
  const [publisher, offer, sku, version, ...more] = image.split('|')
  if (!publisher || !offer || !sku || !version || more.length > 0) {
    throw configError(
      `The image '${image}' must be publisher|offer|sku|version, or an id that begins with /subscriptions/`,
    )
  }
  return { publisher, offer, sku, version }
}

/** The user, the public key or the password, and the text for cloud-init. */
export async function osProfile({ host }: CloudContext, name: string, settings: MachineSettings): Promise<Plain> {
  const { ssh_username, ssh_publickeyfile, ssh_password, custom_data } = settings
  const user = str(isList(ssh_username) ? (ssh_username[0] ?? '') : ssh_username)
  if (user === '' || user === 'root') {
    throw configError(`'ssh_username' of ${name} must be the user that Azure makes, not '${user}'`)
  }
  const keyData = ssh_publickeyfile === null ? null : await keyText(host, ssh_publickeyfile)
  const isWithoutPassword = settings.disable_password_authentication ?? keyData !== null
  if (keyData === null && ssh_password === null) {
    throw configError(`${name} needs the setting 'ssh_publickeyfile' or 'ssh_password'`)
  }
  if (ssh_password !== null && !isWithoutPassword) checkPassword(ssh_password)
  const publicKeys = keyData === null ? [] : [{ path: `/home/${user}/.ssh/authorized_keys`, keyData }]
  return {
    computerName: name,
    adminUsername: user,
    ...(ssh_password !== null && !isWithoutPassword && { adminPassword: ssh_password }),
    ...(custom_data !== null && { customData: Buffer.from(custom_data).toString('base64') }),
    linuxConfiguration: {
      disablePasswordAuthentication: isWithoutPassword,
      ...(publicKeys.length > 0 && { ssh: { publicKeys } }),
    },
  }
}

async function keyText(host: CloudContext['host'], path: string): Promise<string> {
  try {
    return Buffer.from(await host.read(path))
      .toString()
      .trim()
  } catch (error) {
    throw configError(`Failed to read ssh publickey file '${path}': ${error instanceof Error ? error.message : error}`)
  }
}

function checkPassword(password: string): void {
  if (password.length < 8 || password.length > 123) {
    throw exit('The admin password must be between 8-123 characters long.')
  }
  const kinds = [/\d/, /[A-Z]/, /[a-z]/, /[!-/:-@[-`{-~]/].filter((kind) => kind.test(password)).length
  if (kinds < 3) {
    throw exit(
      'The admin password must contain at least 3 of the following types: upper, lower, digits, special characters',
    )
  }
}

interface DataDisk {
  name: string
  /** Whether the disk existed before. */
  isOld: boolean
  body: { [key: string]: Plain }
}

/** Words of Salt's that differ from Azure's by more than their case. */
const DISK_KEYS: Readonly<Record<string, string>> = {
  size: 'diskSizeGB',
  logical_disk_size_in_gb: 'diskSizeGB',
  disk_size_gb: 'diskSizeGB',
  host_caching: 'caching',
}

const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function camelKeys(value: Value): Plain {
  if (isList(value)) return value.map(camelKeys)
  if (!isDict(value)) return toPlain(value)
  return Object.fromEntries([...value].map(([key, item]) => [camel(str(key)), camelKeys(item)]))
}

/** Return the data disks, each with a unique number. */
export function dataDisks(
  subscription: Subscription,
  name: string,
  group: string,
  volumes: readonly Dict[],
): DataDisk[] {
  const luns = new Set(volumes.map((volume) => volume.get('lun')).filter((lun) => lun !== undefined))
  let next = 0
  return volumes.map((volume) => {
    if (volume.has('vhd') || volume.has('media_link') || volume.has('image')) {
      throw configError(
        `The volumes of ${name} cannot have 'vhd', 'media_link' or 'image': Azure ended unmanaged disks`,
      )
    }
    const given: { [key: string]: Plain } = {}
    for (const [key, value] of volume) {
      const word = str(key)
      if (word !== 'attach') given[DISK_KEYS[word] ?? camel(word)] = camelKeys(value)
    }
    while (luns.has(next)) next++
    const lun = Number(given['lun'] ?? next)
    if (given['lun'] === undefined) luns.add(next)
    if (!Number.isInteger(lun) || lun < 0 || lun >= MOST_LUNS) throw configError('Maximum lun count has been reached')
    const disk = str(volume.get('name') ?? `${name}-datadisk${lun}`)
    const isOld = truthy(volume.get('attach') ?? false)
    const fresh = { diskSizeGB: 100, createOption: 'Empty' }
    const managed = typeof given['managedDisk'] === 'object' ? given['managedDisk'] : {}
    const managedDisk = { id: subscription.id(group, DISKS, disk), ...managed }
    const attached = { createOption: 'Attach', managedDisk }
    return {
      name: disk,
      isOld,
      body: { caching: 'ReadOnly', ...(isOld ? {} : fresh), ...given, ...(isOld && attached), name: disk, lun },
    }
  })
}

/** Return the settings of the extension that runs a command on the machine; null without a command. */
export async function scriptSettings(ctx: CloudContext, settings: MachineSettings): Promise<Plain> {
  const { userdata, userdata_file: file } = settings
  if (file !== null && /^https?:\/\//.test(file)) {
    const script = new URL(file).pathname.split('/').at(-1) ?? ''
    if (!/^[\w.-]+$/.test(script)) throw configError(`The address '${file}' of 'userdata_file' names no script`)
    return { fileUris: [file], commandToExecute: userdata ?? `./${script}` }
  }
  const command = await userData(ctx, userdata, file)
  return command === null ? null : { commandToExecute: command }
}
