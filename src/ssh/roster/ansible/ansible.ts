// The ansible roster: hosts of an Ansible inventory. Where `ansible-inventory` is installed it reads the inventory, as in Salt, with
// all plug-ins and vaults that Ansible knows. Else inventories in INI and YAML form and inventory scripts are read here.
import { extname, resolve } from 'node:path'
import { toError } from '../../../base/mod.ts'
import { option } from '../../../config/mod.ts'
import { type Dict, isDict, loadJson, truthy, type Value } from '../../../data/mod.ts'
import { isHostError } from '../../../host/mod.ts'
import type { Backend, RawEntry, RosterRequest } from '../backend.ts'
import { RosterError } from '../errors.ts'
import { readText, rosterFile } from '../files.ts'
import { readIniInventory } from './ini.ts'
import { ALL, fromListing, type Inventory, UNGROUPED } from './inventory.ts'
import { VariableFolders, variablesOf } from './vars.ts'
import { readYaml } from './yaml.ts'

const PROGRAM = 'ansible-inventory'
const MOST_OUTPUT = 64 * 1024 * 1024

export const ansible: Backend = {
  async read(request) {
    const source = await rosterFile(request)
    const { inventory, folders } = await readInventory(request, source)
    const entry = (name: string) => async () => settingsOf(name, await variablesOf(name, inventory, folders))
    const groups = new Map([ALL, UNGROUPED, ...inventory.groups.keys()].map((name) => [name, inventory.members(name)]))
    const entries = new Map<string, RawEntry>([...inventory.hosts.keys()].map((name) => [name, entry(name)]))
    return { source, entries, groups }
  },
}

interface Read {
  inventory: Inventory
  /** Folders with further variables. */
  folders?: VariableFolders
}

async function readInventory(request: RosterRequest, file: string): Promise<Read> {
  const { host } = request
  const text = await readText(host, file)
  const program = await host.which(PROGRAM)
  if (program !== undefined) {
    return { inventory: fromListing(await answer(request, [program, '-i', resolve(file), '--list']), PROGRAM) }
  }
  const folders = new VariableFolders(host, file)
  if (text.startsWith('#!') && (await host.access(file, 'execute')))
    return { inventory: await fromScript(request, file), folders }
  const isYaml = ['.yml', '.yaml', '.json'].includes(extname(file)) || /^(---|\{|\w+:[ \t]*$)/m.test(firstLine(text))
  return { inventory: isYaml ? readYaml(text, file) : readIniInventory(text, file), folders }
}

const firstLine = (text: string): string => text.split('\n').find((line) => !/^\s*(#.*)?$/.test(line)) ?? ''

/** Inventory scripts answer `--list`; variables are in the same answer, or are requested with `--host`. */
async function fromScript(request: RosterRequest, file: string): Promise<Inventory> {
  const listing = await answer(request, [resolve(file), '--list'])
  const inventory = fromListing(listing, file)
  if (isDict(listing) && listing.has('_meta')) return inventory
  for (const [name, vars] of inventory.hosts) {
    const own = await answer(request, [resolve(file), '--host', name])
    if (isDict(own)) for (const [key, value] of own) vars.set(key, value)
  }
  return inventory
}

async function answer({ host, opts }: RosterRequest, argv: string[]): Promise<Value> {
  const failed = (why: string): RosterError =>
    new RosterError('RosterBroken', `Error processing the inventory with ${argv.join(' ')}: ${why}`)
  try {
    const env = new Map([['ANSIBLE_DEPRECATION_WARNINGS', '0']])
    const run = await host.run({ argv, env, timeout: option(opts, 'ansible_timeout'), maxOutput: MOST_OUTPUT })
    if (run.timedOut) throw failed('it takes too long')
    if (run.retcode !== 0)
      throw failed(new TextDecoder().decode(run.stderr).trim().slice(0, 1000) || `it exits with ${run.retcode}`)
    return loadJson(run.stdout)
  } catch (error) {
    if (error instanceof RosterError) throw error
    if (isHostError(error)) throw failed(error.message)
    throw failed(`its answer is no JSON: ${toError(error).message}`)
  }
}

/** Variables of Ansible by the settings of a roster; of several that are set the first counts. */
const SETTINGS: readonly (readonly [string, readonly string[]])[] = [
  ['host', ['ansible_ssh_host', 'ansible_host']],
  ['port', ['ansible_ssh_port', 'ansible_port']],
  ['user', ['ansible_ssh_user', 'ansible_user']],
  ['passwd', ['ansible_ssh_pass', 'ansible_ssh_password', 'ansible_password']],
  ['priv', ['ansible_ssh_private_key_file', 'ansible_private_key_file']],
  ['sudo_passwd', ['ansible_sudo_pass', 'ansible_become_pass', 'ansible_become_password']],
  ['sudo_user', ['ansible_become_user']],
  ['become', ['ansible_become_method']],
]

/** All variables that are no settings are options of the minion, as in Salt. */
function settingsOf(host: string, vars: Dict): Dict {
  const rest: Dict = new Map(vars)
  const settings: Dict = new Map()
  for (const [key, names] of SETTINGS) {
    for (const name of names) {
      const value = rest.get(name) ?? null
      if (value !== null && !settings.has(key)) settings.set(key, value)
      rest.delete(name)
    }
  }
  const isBecoming = vars.has('ansible_sudo_pass') || truthy(vars.get('ansible_become') ?? null)
  rest.delete('ansible_become')
  if (isBecoming) settings.set('sudo', true)
  else settings.delete('become')
  if (!settings.has('host')) settings.set('host', host)
  settings.set('minion_opts', rest)
  return settings
}
