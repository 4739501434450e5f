// Images by the names that users write: an address, a project with a name or a family, or a name alone, which is looked for in the project
// itself and in the projects of the public images.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { exit } from '../common/rest.ts'
import { type GceProject, part, text } from './project.ts'

/** Projects with public images, and how the names of their images begin. */
const PUBLIC: readonly (readonly [project: string, beginnings: readonly string[]])[] = [
  ['almalinux-cloud', ['almalinux']],
  ['centos-cloud', ['centos']],
  ['cos-cloud', ['cos']],
  ['debian-cloud', ['debian']],
  ['fedora-cloud', ['fedora']],
  ['opensuse-cloud', ['opensuse']],
  ['oracle-linux-cloud', ['oracle-linux']],
  ['rhel-cloud', ['rhel']],
  ['rocky-linux-cloud', ['rocky-linux']],
  ['suse-cloud', ['sles', 'suse']],
  ['ubuntu-os-cloud', ['ubuntu']],
  ['windows-cloud', ['windows']],
]

const PUBLIC_PROJECTS: readonly string[] = PUBLIC.map(([project]) => project)

const FULL = /^(?:https:\/\/[^/]+\/compute\/[^/]+\/)?projects\/([^/]+)\/global\/images\/(?:(family)\/)?([^/]+)$/

/** Return the address of the image, without the address of the API. */
export async function findImage(project: GceProject, image: string): Promise<string> {
  const full = FULL.exec(image)
  const own = project.settings.project
  if (full) {
    const [, owner = '', family, name = ''] = full
    return `projects/${part(owner, 'project')}/global/images/${family ? 'family/' : ''}${part(name, 'image')}`
  }
  const [name = '', owner, ...more] = image.split('/').reverse()
  if (more.length > 0) throw exit(`'${image}' is no image: write 'name', 'project/name' or its address`)
  const owners = owner === undefined ? [own, ...publicOwners(name)] : [owner]
  for (const one of owners) {
    const found = await imageOf(project, one, name)
    if (found !== undefined) return found
  }
  throw exit(`The image '${image}' is not in ${owners.join(', ')}`)
}

const publicOwners = (name: string): string[] =>
  PUBLIC.filter(([, beginnings]) => beginnings.some((one) => name.startsWith(one))).map(([project]) => project)

/** Return the image of a project with a name, the newest of a family, or the newest whose name has this prefix. */
async function imageOf(project: GceProject, owner: string, name: string): Promise<string | undefined> {
  const images = `/projects/${part(owner, 'project')}/global/images`
  const exact =
    (await project.find(`${images}/${part(name, 'image')}`)) ??
    (await project.find(`${images}/family/${part(name, 'image')}`))
  const found = exact ?? newest((await project.list(images)).filter((row) => text(row, 'name').startsWith(name)))
  return found && `projects/${owner}/global/images/${text(found, 'name')}`
}

const isCurrent = (row: Dict): boolean => {
  const deprecated = row.get('deprecated') ?? null
  return !isDict(deprecated) || deprecated.get('state') === undefined || deprecated.get('state') === 'ACTIVE'
}

const newest = (rows: Dict[]): Dict | undefined =>
  rows.filter(isCurrent).sort((a, b) => (text(a, 'creationTimestamp') < text(b, 'creationTimestamp') ? 1 : -1))[0]

/** Return all current images by name; those of the project itself override public ones. */
export async function allImages(project: GceProject): Promise<Dict> {
  const found = new Map<Value, Value>()
  for (const owner of [...PUBLIC_PROJECTS, project.settings.project]) {
    const rows = await project.list(`/projects/${part(owner, 'project')}/global/images`)
    for (const row of rows.filter(isCurrent)) found.set(text(row, 'name'), row)
  }
  return found
}
