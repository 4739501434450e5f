// Finds resources of OpenStack by name or id: images, flavors, networks, volumes, groups.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { allPages, at, exit, type RestCloud, rowsOf } from '../common/rest.ts'
import type { OpenStackSession } from './session.ts'

/** Return all rows of a list; `next` is where its answer has the link to the next page. */
export function listed(rest: RestCloud, path: string, key: string, links = `${key}_links`): Promise<Dict[]> {
  return allPages(path, path, async (page) => {
    const answer = await rest.ask('GET', str(page))
    const next =
      links === 'next'
        ? answer.get('next')
        : rowsOf(answer, links)
            .find((row) => row.get('rel') === 'next')
            ?.get('href')
    return [rowsOf(answer, key), next ? rest.pathOf(rootedAt(rest, str(next))) : null]
  })
}

/** Return the link of a page: Glance omits the server and the path before its version. */
const rootedAt = (rest: RestCloud, link: string): string =>
  /^\/v\d/.test(link) ? `${rest.root}${link.replace(/^\/v[\d.]+/, '')}` : link

/** Return the only row with a name or an id. */
function oneOf(rows: readonly Dict[], wanted: string, what: string): Dict {
  const byId = rows.find((row) => row.get('id') === wanted)
  if (byId !== undefined) return byId
  const named = rows.filter((row) => row.get('name') === wanted)
  if (named.length === 1) return named[0]!
  if (named.length === 0) throw exit(`OpenStack has no ${what} '${wanted}'`)
  const ids = named.map((row) => str(row.get('id') ?? null)).join(', ')
  throw exit(`OpenStack has several ${what}s '${wanted}': write one of the ids ${ids}`)
}

export async function imageId(session: OpenStackSession, wanted: string): Promise<string> {
  const images = await session.service('image')
  if (/^[0-9a-f-]{32,36}$/i.test(wanted)) {
    const found = await images.find('GET', `/images/${wanted}`)
    if (found !== undefined) return wanted
  }
  const rows = await listed(images, `/images?name=${encodeURIComponent(wanted)}`, 'images', 'next')
  return idOf(oneOf(rows, wanted, 'image'))
}

export async function flavors(session: OpenStackSession): Promise<Dict[]> {
  return listed(await session.service('compute'), '/flavors/detail', 'flavors')
}

export async function flavorId(session: OpenStackSession, wanted: string): Promise<string> {
  return idOf(oneOf(await flavors(session), wanted, 'flavor'))
}

export async function networkId(session: OpenStackSession, wanted: string): Promise<string> {
  return idOf(oneOf(await networks(session), wanted, 'network'))
}

export async function networks(session: OpenStackSession, query = ''): Promise<Dict[]> {
  return listed(await session.service('network'), `/networks${query}`, 'networks')
}

export async function volumeId(session: OpenStackSession, wanted: string): Promise<string> {
  return idOf(oneOf(await listed(await session.service('volume'), '/volumes/detail', 'volumes'), wanted, 'volume'))
}

export async function groupId(session: OpenStackSession, wanted: string): Promise<string> {
  const answer = await (await session.service('compute')).ask('GET', '/os-server-groups')
  return idOf(oneOf(rowsOf(answer, 'server_groups'), wanted, 'server group'))
}

export const idOf = (row: Value): string => str(at(row, 'id'))
