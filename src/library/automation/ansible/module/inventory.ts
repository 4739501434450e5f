// Inventories and playbooks of Ansible.
import { toError } from '../../../../base/mod.ts'
import { failure, isList, iterate, loadJson, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type FunctionContext, isFile } from '../../../../sdk/mod.ts'

export const TARGETS = {
  inventory: arg.text('Path of the inventory; default: `/etc/ansible/hosts`', { optional: true }),
  inventories: arg.any('List of inventory paths; other values are ignored', { optional: true }),
  yaml: arg.flag('Return YAML text', { default: false }),
  export: arg.flag('Return the export form of ansible-inventory', { default: false }),
}

type Targets = Bound<typeof TARGETS>

/** Return the hosts of one inventory, or of several by path. */
export async function inventoryTargets(ctx: FunctionContext, call: Targets): Promise<Value> {
  const { inventories } = call
  const first = call.inventory ?? (inventories === null ? '/etc/ansible/hosts' : null)
  const isSeveral = isList(inventories)
  const paths = isSeveral ? inventories.map(str) : []
  if (first !== null && !paths.includes(first)) paths.push(first)
  const all = new Map<Value, Value>()
  for (const path of paths) {
    const hosts = await hostsOf(ctx, path, call)
    if (!isSeveral) return hosts
    all.set(path, hosts)
  }
  return all
}

async function hostsOf(ctx: FunctionContext, path: string, call: Targets): Promise<Value> {
  if ((await ctx.host.stat(path))?.type !== 'file') throw failure(`Inventory file not found: ${path}`)
  if (!path.startsWith('/')) throw failure(`Path to inventory file must be an absolute path: ${path}`)
  const words = [...(call.export ? ['--export'] : []), ...(call.yaml ? ['--yaml'] : [])]
  const text = await ctx.call('cmd.run', [`ansible-inventory -i ${path} --list ${words.join(' ')}`], {
    env: new Map([['ANSIBLE_DEPRECATION_WARNINGS', '0']]),
    reset_system_locale: false,
  })
  if (call.yaml) return text
  try {
    return loadJson(text)
  } catch {
    throw failure(`Error processing the inventory ${path}: ${text}`)
  }
}

export interface Search {
  extensions: Value
  hosts: string
  check: boolean
}

type Playbooks = Map<string, Map<Value, Value>>

/** Return the playbooks in a directory and in its direct subdirectories. */
export async function playbooksIn(ctx: FunctionContext, folder: string, search: Search): Promise<Playbooks> {
  const found: Playbooks = new Map()
  const fault = await folderFault(ctx, folder)
  if (fault !== undefined) {
    ctx.log('error', fault)
    return found
  }
  const join = (...parts: string[]): string => parts.join('/').replaceAll(/\/+/g, '/')
  const look = async (path: string, name: string, below: string): Promise<void> => {
    if (!endingsOf(search.extensions).some((ending) => path.endsWith(ending))) return
    const inventory = join(below, search.hosts)
    const entry = new Map<Value, Value>([['fullpath', path]])
    if (await isFile(ctx, inventory)) entry.set('custom_inventory', inventory)
    found.set(name, entry)
  }
  try {
    for (const name of await ctx.host.list(folder)) {
      const path = join(folder, name)
      if (await isFile(ctx, path)) await look(path, name, folder)
      else if ((await ctx.host.stat(path))?.type === 'directory') {
        for (const inner of await ctx.host.list(path)) {
          const file = join(path, inner)
          if (await isFile(ctx, file)) await look(file, `${name}/${inner}`, path)
        }
      }
    }
  } catch (error) {
    throw failure(`There was an exception while discovering playbooks: ${toError(error).message}`)
  }
  return search.check ? sound(ctx, found) : found
}

const endingsOf = (given: Value): string[] => {
  const text = textOf(given)
  return text === undefined ? Array.from(iterate(given), str) : [text]
}

export async function folderFault(ctx: FunctionContext, folder: string): Promise<string | undefined> {
  if (!folder.startsWith('/')) return `The given path is not an absolute path: ${folder}`
  const isFolder = (await ctx.host.stat(folder))?.type === 'directory'
  return isFolder ? undefined : `The given path is not a directory: ${folder}`
}

/** Drop the playbooks with a wrong syntax. */
async function sound(ctx: FunctionContext, found: Playbooks): Promise<Playbooks> {
  for (const [name, entry] of found) {
    const words = ['ansible-playbook', '--syntax-check', entry.get('fullpath')!]
    const retcode = await ctx.call('cmd.retcode', [words], { reset_system_locale: false })
    if (truthy(retcode)) found.delete(name)
  }
  return found
}
