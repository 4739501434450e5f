// Servers in queries, with the names of their flavors and images and with their addresses.
import { type Dict, isDict, isList, str, type Value } from '../../../data/mod.ts'
import type { CloudNode } from '../../../sdk/mod.ts'
import { sortedAddresses } from '../common/addresses.ts'
import { at } from '../common/rest.ts'
import { flavors, idOf } from './lookup.ts'
import type { OpenStackSession } from './session.ts'

/** Names of images and flavors by their ids, queried once. */
export class Names {
  private readonly session: OpenStackSession
  private readonly images = new Map<string, Promise<string>>()
  private sizes: Promise<Map<string, string>> | undefined

  constructor(session: OpenStackSession) {
    this.session = session
  }

  async size(flavor: Value): Promise<string> {
    const name = at(flavor, 'original_name')
    if (name !== null) return str(name)
    this.sizes ??= flavors(this.session).then(
      (rows) => new Map(rows.map((row) => [idOf(row), str(row.get('name') ?? null)])),
    )
    const id = str(at(flavor, 'id'))
    return (await this.sizes).get(id) ?? id
  }

  async image(image: Value): Promise<string> {
    if (!isDict(image)) return image === null ? '' : str(image)
    const id = idOf(image)
    let found = this.images.get(id)
    if (found === undefined) {
      found = this.nameOf(id)
      this.images.set(id, found)
    }
    return found
  }

  private async nameOf(id: string): Promise<string> {
    const image = await (await this.session.service('image')).find('GET', `/images/${encodeURIComponent(id)}`)
    return str(image?.get('name') ?? id)
  }
}

interface Addresses {
  fixed: string[]
  floating: string[]
}

function addressesOf(server: Dict): Addresses {
  const found: Addresses = { fixed: [], floating: [] }
  const networks = server.get('addresses')
  if (networks === undefined || !isDict(networks)) return found
  for (const rows of networks.values()) {
    for (const row of isList(rows) ? rows : []) {
      const kind = at(row, 'OS-EXT-IPS:type') === 'floating' ? 'floating' : 'fixed'
      found[kind].push(str(at(row, 'addr')))
    }
  }
  return found
}

export async function nodeOf(server: Dict, names: Names): Promise<CloudNode> {
  const { fixed, floating } = addressesOf(server)
  const addresses = sortedAddresses([...floating, ...fixed])
  const details: Dict = new Map<Value, Value>([...server, ['floating_ips', floating], ['fixed_ips', fixed]])
  // do not expose the administrator password that Nova generated
  details.delete('adminPass')
  return {
    name: str(server.get('name') ?? null),
    id: server.get('id') ?? null,
    image: await names.image(server.get('image') ?? null),
    size: await names.size(server.get('flavor') ?? null),
    state: str(server.get('status') ?? 'UNKNOWN'),
    ...addresses,
    details,
  }
}

/** Return the addresses that `ssh_interface` names. */
export function addressesNamed(node: CloudNode, name: string): string[] {
  const list = node.details?.get(name)
  if (/^(floating|fixed)_ips$/.test(name)) return list !== undefined && isList(list) ? list.map(str) : []
  return name.startsWith('private') ? node.private_ips : node.public_ips
}
