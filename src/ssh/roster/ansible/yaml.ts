// Inventories in Ansible's YAML form: groups with `hosts`, `vars` and `children`, one within the other.
import { BrineError } from '../../../base/mod.ts'
import { isDict, str, typeName, type Value } from '../../../data/mod.ts'
import { load } from '../../../yaml/mod.ts'
import { RosterError } from '../errors.ts'
import { Inventory } from './inventory.ts'
import { hostNames } from './names.ts'

const DEEPEST = 100

export function readYaml(text: string, file: string): Inventory {
  const inventory = new Inventory()
  const groups = loaded(text, file)
  if (groups === null) return inventory
  addGroups(inventory, groups, file, 0)
  return inventory
}

function loaded(text: string, file: string): Value {
  try {
    return load(text) as Value
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new RosterError('RosterBroken', `${file}: ${error.message}`, { cause: error })
  }
}

function addGroups(inventory: Inventory, groups: Value, file: string, depth: number): string[] {
  if (depth > DEEPEST) throw new RosterError('RosterBroken', `${file}: groups are nested too deeply`)
  const names: string[] = []
  for (const [key, parts] of entries(groups, 'the groups', file)) {
    const name = str(key)
    names.push(name)
    const group = inventory.group(name)
    for (const [part, value] of entries(parts, `group '${name}'`, file)) {
      if (part === 'hosts') addHosts(inventory, name, value, file)
      else if (part === 'children') {
        for (const child of addGroups(inventory, value, file, depth + 1)) group.children.add(child)
      } else if (part === 'vars') {
        for (const [variable, item] of entries(value, `vars of group '${name}'`, file)) group.vars.set(variable, item)
      }
    }
  }
  return names
}

function addHosts(inventory: Inventory, group: string, value: Value, file: string): void {
  for (const [pattern, vars] of entries(value, `hosts of group '${group}'`, file)) {
    const { hosts, port } = hostNames(str(pattern))
    const own = entries(vars, `host '${str(pattern)}'`, file)
    const all = new Map<Value, Value>([...(port === undefined ? [] : ([['ansible_port', port]] as const)), ...own])
    for (const host of hosts) inventory.addHost(host, group, all)
  }
}

/** Null counts as an empty map. */
function entries(value: Value, what: string, file: string): [Value, Value][] {
  if (value === null) return []
  if (isDict(value)) return [...value]
  throw new RosterError('RosterBroken', `${file}: ${what} is of type ${typeName(value)}, not a map`)
}
