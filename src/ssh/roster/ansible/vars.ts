// Variables of a host: of its groups, of the folders `group_vars` and `host_vars` beside the inventory, and its own, in Ansible's order.
import { dirname, join } from 'node:path'
import { BrineError } from '../../../base/mod.ts'
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import type { Host } from '../../../host/mod.ts'
import { isValidId } from '../../../wire/mod.ts'
import { load } from '../../../yaml/mod.ts'
import { RosterError } from '../errors.ts'
import { readText } from '../files.ts'
import { ALL, type Inventory } from './inventory.ts'

const ENDINGS = ['', '.yml', '.yaml', '.json']

/** Reads variables from the folders beside an inventory; each file once. */
export class VariableFolders {
  private readonly host: Host
  private readonly folder: string
  private readonly known = new Map<string, Promise<Dict>>()

  constructor(host: Host, inventory: string) {
    this.host = host
    this.folder = dirname(inventory)
  }

  of(kind: 'group_vars' | 'host_vars', name: string): Promise<Dict> {
    const path = join(this.folder, kind, name)
    const found = this.known.get(path) ?? (isValidId(name) ? this.read(path) : Promise.resolve(new Map()))
    this.known.set(path, found)
    return found
  }

  private async read(path: string): Promise<Dict> {
    const all: Dict = new Map()
    for (const ending of ENDINGS) {
      const file = `${path}${ending}`
      const type = (await this.host.stat(file))?.type
      const files = type === 'directory' ? (await this.host.list(file)).sort().map((name) => join(file, name)) : [file]
      for (const one of type === undefined ? [] : files) {
        if (/\/\.|~$/.test(one.slice(this.folder.length))) continue
        if ((await this.host.stat(one))?.type !== 'file') continue
        for (const [key, value] of parsed(await readText(this.host, one), one)) all.set(key, value)
      }
    }
    return all
  }
}

function parsed(text: string, file: string): Dict {
  const hint = 'Install Ansible, whose program ansible-inventory opens encrypted variables'
  if (text.startsWith('$ANSIBLE_VAULT')) {
    throw new RosterError('RosterBroken', `${file} is encrypted with Ansible Vault`, { hint })
  }
  try {
    const value = load(text) as Value
    if (value === null) return new Map()
    if (isDict(value)) return value
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const more = text.includes('!vault') ? { hint } : {}
    throw new RosterError('RosterBroken', `${file}: ${error.message}`, { cause: error, ...more })
  }
  throw new RosterError('RosterBroken', `${file} holds no map of variables`)
}

/** Return all variables of a host; later sources override earlier ones. */
export async function variablesOf(host: string, inventory: Inventory, folders?: VariableFolders): Promise<Dict> {
  const groups = inventory.groupsOf(host)
  const inFolder = (kind: 'group_vars' | 'host_vars', name: string) =>
    folders?.of(kind, name) ?? new Map<Value, Value>()
  const sources = [
    ...[ALL, ...groups].map((name) => inventory.groups.get(name)?.vars ?? new Map<Value, Value>()),
    ...(await Promise.all([ALL, ...groups].map((name) => inFolder('group_vars', name)))),
    inventory.hosts.get(host) ?? new Map<Value, Value>(),
    await inFolder('host_vars', host),
  ]
  return new Map(sources.flatMap((vars) => [...vars]))
}
