// Persistent disks: created, attached, detached and found by name, in any zone.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { at, exit, rowsOf } from '../common/rest.ts'
import { findImage } from './image.ts'
import { type GceProject, lastPart, part, text } from './project.ts'
import { configError } from './settings.ts'

export interface DiskRequest {
  name: string
  zone: string
  size: number | null
  type: string
  image: string | null
  snapshot: string | null
  labels?: Record<string, string>
}

/** Create a disk, unless one with its name exists, and return it. */
export async function createDisk(project: GceProject, wanted: DiskRequest): Promise<Dict> {
  const { name, zone, size, type, image, snapshot, labels } = wanted
  if (size === null && image === null && snapshot === null) {
    throw exit(`The disk ${name} needs an image, a snapshot or a size`)
  }
  const path = `${project.zone(zone)}/disks/${part(name, 'disk')}`
  const existing = await project.find(path)
  if (existing) return existing
  await project.change('POST', `${project.zone(zone)}/disks`, `The creation of the disk ${name}`, {
    name,
    type: `projects/${project.settings.project}/zones/${zone}/diskTypes/${type}`,
    ...(size !== null && { sizeGb: String(size) }),
    ...(image !== null && { sourceImage: await findImage(project, image) }),
    ...(snapshot !== null && { sourceSnapshot: `global/snapshots/${snapshot}` }),
    ...(labels && { labels }),
  })
  return project.get(path, `disk ${name}`)
}

/** Return a disk of the project by its name. */
export async function findDisk(project: GceProject, name: string): Promise<Dict> {
  part(name, 'disk')
  const found = (await project.everywhere('disks', `name = ${name}`)).filter((disk) => text(disk, 'name') === name)
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw exit(`The project '${project.settings.project}' has no disk ${name}`)
  const zones = found.map((disk) => lastPart(disk.get('zone') ?? null)).join(', ')
  throw exit(`The project '${project.settings.project}' has several disks ${name}: in ${zones}`)
}

/** Return the path of a resource in an address, such as a disk or an instance. */
export const pathOfZonal = (project: GceProject, kind: string, row: Dict): string =>
  `${project.zone(lastPart(row.get('zone') ?? null))}/${kind}/${part(text(row, 'name'), kind)}`

export interface Attachment {
  /** Path of the machine. */
  instance: string
  disk: Dict
  mode: string
  boot: boolean
  autoDelete: boolean
}

export async function attachDisk(project: GceProject, { instance, disk, mode, boot, autoDelete }: Attachment) {
  if (mode !== 'READ_WRITE' && mode !== 'READ_ONLY') {
    throw exit('Mode must be either READ_ONLY or (default) READ_WRITE.')
  }
  const name = text(disk, 'name')
  await project.change('POST', `${instance}/attachDisk`, `The attachment of the disk ${name}`, {
    ...{ source: text(disk, 'selfLink'), deviceName: name, type: 'PERSISTENT', mode, boot, autoDelete },
  })
}

/** Return the device name of a disk on a machine. */
export function deviceOf(instance: Dict, disk: string): string {
  const found = rowsOf(instance, 'disks').find((row) => lastPart(row.get('source') ?? null) === disk)
  if (found) return text(found, 'deviceName')
  throw exit(`The disk ${disk} is not attached to ${text(instance, 'name')}`)
}

/** Create the disks of the setting `volumes` and attach them, in order. */
export async function addVolumes(
  project: GceProject,
  instance: Dict,
  volumes: readonly Dict[],
  labels?: Record<string, string>,
): Promise<void> {
  const zone = lastPart(instance.get('zone') ?? null)
  const path = pathOfZonal(project, 'instances', instance)
  for (const [index, volume] of volumes.entries()) {
    const name = `${text(instance, 'name')}-sd${letter(index)}`
    const disk = await createDisk(project, {
      ...{ name, zone, size: sizeOf(volume.get('size') ?? null) },
      type: str(volume.get('type') ?? 'pd-standard'),
      image: optional(volume.get('image')),
      snapshot: optional(volume.get('snapshot')),
      ...(labels && { labels }),
    })
    const autoDelete = truthy(volume.get('auto_delete') ?? false)
    await attachDisk(project, { instance: path, disk, mode: 'READ_WRITE', boot: false, autoDelete })
  }
}

/** Return the letter of a further disk: `b` is the first after the boot disk. */
function letter(index: number): string {
  if (index > 24) throw configError("'volumes' names more disks than there are letters")
  return String.fromCharCode('b'.charCodeAt(0) + index)
}

const optional = (value: Value | undefined): string | null =>
  value === undefined || value === null ? null : str(value)

function sizeOf(value: Value): number | null {
  if (value === null) return null
  const size = Number(str(value))
  if (Number.isInteger(size) && size > 0) return size
  throw configError(`The size of a disk must be a whole number of GB, not ${str(value)}`)
}

/** Return the label of a creation on a disk or machine. */
export const labelOf = (row: Dict, key: string): string => {
  const labels = at(row, 'labels')
  return isDict(labels) ? str(labels.get(key) ?? '') : ''
}
