// What Ansible has on disk: inventories and playbooks.

import { toError } from '../../../../base/mod.ts'
import { isList, loadJson, SaltError, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

export interface Targets {
  inventory: Value
  inventories: Value
  yaml: Value
  export: Value
}

/** The hosts of one inventory, or of several by their path. */
export async function inventoryTargets(ctx: FunctionContext, wish: Targets): Promise<Value> {
  const first = wish.inventory ?? (wish.inventories === null ? '/etc/ansible/hosts' : null)
  const isSeveral = isList(wish.inventories)
  const paths = (isSeveral ? [...(wish.inventories as Value[])] : []).map(str)
  if (first !== null && !paths.includes(str(first))) paths.push(str(first))
  const all = new Map<Value, Value>()
  for (const path of paths) {
    const hosts = await hostsOf(ctx, path, wish)
    if (!isSeveral) return hosts
    all.set(path, hosts)
  }
  return all
}

async function hostsOf(ctx: FunctionContext, path: string, wish: Targets): Promise<Value> {
  if ((await ctx.host.stat(path))?.type !== 'file') throw failure(`Inventory file not found: ${path}`)
  if (!path.startsWith('/')) throw failure(`Path to inventory file must be an absolute path: ${path}`)
  const words = [...(truthy(wish.export) ? ['--export'] : []), ...(truthy(wish.yaml) ? ['--yaml'] : [])]
  const text = await ctx.call('cmd.run', [`ansible-inventory -i ${path} --list ${words.join(' ')}`], {
    env: new Map([['ANSIBLE_DEPRECATION_WARNINGS', '0']]),
    reset_system_locale: false,
  })
  if (truthy(wish.yaml)) return text
  try {
    return loadJson(str(text))
  } catch {
    throw failure(`Error processing the inventory ${path}: ${str(text)}`)
  }
}

export interface Search {
  extensions: Value
  hosts: Value
  check: boolean
}

type Playbooks = Map<string, Map<string, Value>>

/** Playbooks in a folder and in the folders right below it. */
export async function playbooksIn(ctx: FunctionContext, folder: string, wish: Search): Promise<Playbooks> {
  const found: Playbooks = new Map()
  const fault = await folderFault(ctx, folder)
  if (fault !== undefined) {
    ctx.log('error', fault)
    return found
  }
  const join = (...parts: string[]): string => parts.join('/').replaceAll(/\/+/g, '/')
  const look = async (path: string, name: string, below: string): Promise<void> => {
    if (!endingsOf(wish.extensions).some((ending) => path.endsWith(ending))) return
    const inventory = join(below, str(wish.hosts))
    const entry = new Map<string, Value>([['fullpath', path]])
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
  return wish.check ? sound(ctx, found) : found
}

const isFile = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'file'

const endingsOf = (given: Value): string[] => {
  const text = textOf(given)
  return text === undefined ? (given as Value[]).map(str) : [text]
}

export async function folderFault(ctx: FunctionContext, folder: string): Promise<string | undefined> {
  if (!folder.startsWith('/')) return `The given path is not an absolute path: ${folder}`
  const isFolder = (await ctx.host.stat(folder))?.type === 'directory'
  return isFolder ? undefined : `The given path is not a directory: ${folder}`
}

/** Those that Ansible can read. */
async function sound(ctx: FunctionContext, found: Playbooks): Promise<Playbooks> {
  for (const [name, entry] of found) {
    const words = ['ansible-playbook', '--syntax-check', entry.get('fullpath')!]
    const retcode = await ctx.call('cmd.retcode', [words], { reset_system_locale: false })
    if (truthy(retcode)) found.delete(name)
  }
  return found
}
