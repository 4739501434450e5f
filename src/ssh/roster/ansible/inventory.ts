// An inventory of Ansible in memory: groups of hosts and groups, and the variables of both.
import { type Dict, isDict, isList, str, textOf, typeName, type Value } from '../../../data/mod.ts'
import { RosterError } from '../errors.ts'

/** The group of all hosts, and the group of hosts that no other group names. */
export const ALL = 'all'
export const UNGROUPED = 'ungrouped'

export interface InventoryGroup {
  readonly hosts: Set<string>
  readonly children: Set<string>
  readonly vars: Dict
}

export class Inventory {
  readonly groups = new Map<string, InventoryGroup>()
  readonly hosts = new Map<string, Dict>()
  private groupsByHost: ReadonlyMap<string, readonly string[]> | undefined

  group(name: string): InventoryGroup {
    const group = this.groups.get(name) ?? { hosts: new Set(), children: new Set(), vars: new Map() }
    this.groups.set(name, group)
    return group
  }

  addHost(name: string, group: string, vars: Dict = new Map()): void {
    this.group(group).hosts.add(name)
    const known = this.hosts.get(name) ?? new Map<Value, Value>()
    for (const [key, value] of vars) known.set(key, value)
    this.hosts.set(name, known)
  }

  /** Hosts of a group and of the groups below it, each once, in the order of the inventory. */
  members(name: string): string[] {
    if (name === ALL) return [...this.hosts.keys()]
    if (name === UNGROUPED && !this.groups.get(UNGROUPED)?.hosts.size) return this.ungrouped()
    const found = new Set<string>()
    for (const group of this.within(name)) for (const host of this.groups.get(group)?.hosts ?? []) found.add(host)
    return [...found]
  }

  /** Return the groups of a host, parents before children. */
  groupsOf(host: string): readonly string[] {
    this.groupsByHost ??= this.countGroups()
    return this.groupsByHost.get(host) ?? []
  }

  private countGroups(): Map<string, string[]> {
    const above = new Map([...this.groups.keys()].map((name) => [name, 0]))
    for (const name of this.groups.keys()) {
      for (const below of this.within(name)) if (below !== name) above.set(below, (above.get(below) ?? 0) + 1)
    }
    const ordered = [...above].sort(([left, many], [right, more]) => many - more || (left < right ? -1 : 1))
    const found = new Map<string, string[]>()
    for (const [name] of ordered) {
      if (name !== ALL) for (const host of this.members(name)) found.set(host, [...(found.get(host) ?? []), name])
    }
    return found
  }

  private ungrouped(): string[] {
    const grouped = new Set([...this.groups].flatMap(([name, { hosts }]) => (name === ALL ? [] : [...hosts])))
    return [...this.hosts.keys()].filter((host) => !grouped.has(host))
  }

  /** Return the group and all groups below it; a group within itself occurs once. */
  private within(name: string): Set<string> {
    const found = new Set([name])
    for (const group of found) for (const child of this.groups.get(group)?.children ?? []) found.add(child)
    return found
  }
}

/** Read the answer to `--list` of an inventory script or of ansible-inventory. */
export function fromListing(value: Value, source: string): Inventory {
  if (!isDict(value))
    throw new RosterError('RosterBroken', `${source} lists a value of type ${typeName(value)}, not groups`)
  const inventory = new Inventory()
  const meta = value.get('_meta')
  const variables = meta !== undefined && isDict(meta) ? meta.get('hostvars') : undefined
  for (const [name, group] of value) {
    if (name === '_meta') continue
    const { hosts, children, vars } = partsOf(group)
    for (const host of hosts) inventory.addHost(host, str(name))
    for (const child of children) inventory.group(str(name)).children.add(child)
    for (const [key, item] of vars) inventory.group(str(name)).vars.set(key, item)
  }
  if (variables !== undefined && isDict(variables)) {
    for (const [host, vars] of variables) {
      const known = inventory.hosts.get(str(host))
      if (known && isDict(vars)) for (const [key, item] of vars) known.set(key, item)
    }
  }
  return inventory
}

/** A group is a map with `hosts`, `children` and `vars`, or a list of its hosts. */
function partsOf(group: Value): { hosts: string[]; children: string[]; vars: Dict } {
  if (!isDict(group)) return { hosts: names(group), children: [], vars: new Map() }
  const vars = group.get('vars')
  return {
    hosts: names(group.get('hosts')),
    children: names(group.get('children')),
    vars: vars !== undefined && isDict(vars) ? vars : new Map(),
  }
}

function names(value: Value | undefined): string[] {
  if (value === undefined || value === null) return []
  if (isDict(value)) return [...value.keys()].map(str)
  return isList(value) ? value.map(str) : [textOf(value) ?? str(value)]
}
