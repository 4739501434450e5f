// Virtual machines of Vagrant, through the program vagrant. Salt's data about a machine is stored by the sdb profile
// `vagrant_sdb_data`.
import { resolve } from 'node:path'
import {
  type Dict,
  failure,
  IpTextError,
  ipAddress,
  ipNetwork,
  isDict,
  markSecret,
  misuse,
  str,
  textOf,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const STORE = 'sdb://vagrant_sdb_data/'

const name = arg.text('Name of the machine in Salt')
const cwd = arg.text('Directory of the Vagrantfile', { optional: true })

interface Machine {
  /** Name in the Vagrantfile; empty for the default one. */
  machine: string
  cwd: string | undefined
  runas: string | undefined
  provider: string
}

const machineKey = (machine: string, cwd: string): string => `${STORE}${machine}?${resolve(cwd)}`

/** Refuse a name that the program would take for an option. */
function checked(word: string): string {
  if (word.startsWith('-')) throw misuse(`'${word}' is no name of a machine`)
  return word
}

async function infoOf(ctx: FunctionContext, name: string): Promise<Dict> {
  const info = await ctx.call('sdb.get', [`${STORE}${name}`])
  if (typeof info === 'string' && info.startsWith('sdb://'))
    throw misuse('There is no sdb profile vagrant_sdb_data: the configuration must have one')
  if (isDict(info) && info.has('machine')) return info
  throw misuse(`No Vagrant machine defined for Salt_id ${name}`)
}

function machineOf(info: Dict): Machine {
  const text = (field: string): string => textOf(info.get(field) ?? '') ?? ''
  const { machine, cwd, runas } = { machine: checked(text('machine')), cwd: text('cwd'), runas: text('runas') }
  return { machine, cwd: cwd || undefined, runas: runas || undefined, provider: text('vagrant_provider') }
}

async function keep(ctx: FunctionContext, name: string, info: Dict): Promise<void> {
  await ctx.call('sdb.set', [`${STORE}${name}`, info])
  const { machine, cwd = '.' } = machineOf(info)
  if (machine !== '') await ctx.call('sdb.set', [machineKey(machine, cwd), name])
}

const idOf = async (ctx: FunctionContext, machine: string, cwd: string): Promise<Value> => {
  const found = await ctx.call('sdb.get', [machineKey(machine, cwd)])
  return typeof found === 'string' && !found.startsWith('sdb://') && found !== '' ? found : null
}

async function run(ctx: FunctionContext, words: readonly string[], at: Partial<Machine> = {}) {
  const place = { ...(at.cwd && { cwd: at.cwd }), ...(at.runas && { runas: at.runas }) }
  const argv = words.filter((word) => word !== '')
  const answer = await ctx.call('cmd.run_all', [argv], { python_shell: false, ...place })
  const text = (field: string): string => (isDict(answer) ? str(answer.get(field) ?? '') : '')
  return { lines: text('stdout').split('\n'), isDone: text('retcode') === '0' }
}

const wordsOf = (line: string): string[] => line.trim().split(/\s+/)

/** Return the machines of a Vagrantfile: name, state and provider. */
async function statusOf(ctx: FunctionContext, machine: string, cwd: string | null) {
  const { lines } = await run(ctx, ['vagrant', 'status', machine], cwd === null ? {} : { cwd })
  return lines
    .map(wordsOf)
    .filter((words) => words.length > 1 && words.at(-1)!.endsWith(')'))
    .map((words) => ({
      machine: words[0]!,
      state: words.slice(1, -1).join(' '),
      provider: words.at(-1)!.replace(/^\(|\)$/g, ''),
    }))
}

async function start(ctx: FunctionContext, name: string, info: Dict): Promise<string | false> {
  const at = machineOf(info)
  const provider = at.provider === '' ? '' : `--provider=${at.provider}`
  const { lines, isDone } = await run(ctx, ['vagrant', 'up', at.machine, provider], at)
  let { machine } = at
  if (machine === '') {
    machine = wordsOf(lines.find((line) => line.startsWith('==>')) ?? '')[1]?.replace(/:$/, '') ?? ''
    if (machine !== '') await keep(ctx, name, new Map(info).set('machine', machine))
  }
  return isDone && `Started "${name}" using Vagrant machine "${machine}".`
}

/** Run a command of vagrant on a machine; return whether it succeeded. */
async function onMachine(ctx: FunctionContext, name: string, before: readonly string[], ...after: string[]) {
  const at = machineOf(await infoOf(ctx, name))
  return (await run(ctx, ['vagrant', ...before, at.machine, ...after], at)).isDone
}

async function forget(ctx: FunctionContext, name: string, info: Dict): Promise<void> {
  const { machine, cwd = '.' } = machineOf(info)
  const keys = [...(machine === '' ? [] : [machineKey(machine, cwd)]), `${STORE}${name}`]
  for (const key of keys) {
    // some drivers cannot delete
    try {
      await ctx.call('sdb.delete', [key])
    } catch {
      await ctx.call('sdb.set', [key, new Map()])
    }
  }
}

/** Return the first address of a network that the output of `ip addr` or `ifconfig` has. */
function addressIn(lines: readonly string[], network: string): string | undefined {
  const range = ipNetwork(network, false)
  for (const line of lines) {
    const words = wordsOf(line.replace('addr:', ''))
    const at = words.findIndex((word) => word === 'inet' || word === 'inet6')
    const text = words[at + 1]?.split('/')[0]
    if (at < 0 || text === undefined) continue
    try {
      const address = ipAddress(text)
      if (address.version === range.version && range.contains(address)) return address.toString()
    } catch (error) {
      if (!(error instanceof IpTextError)) throw error
    }
  }
  return undefined
}

async function sshFacts(ctx: FunctionContext, name: string, network: string, withKey: boolean): Promise<Dict> {
  const at = machineOf(await infoOf(ctx, name))
  const { lines } = await run(ctx, ['vagrant', 'ssh-config', at.machine], at)
  const config = new Map(lines.map(wordsOf).filter(({ length }) => length === 2) as Array<[string, string]>)
  const [file, user, host, port] = ['IdentityFile', 'User', 'HostName', 'Port'].map((key) =>
    config.get(key)?.replace(/^"|"$/g, ''),
  )
  if (!file || !user || !host || !port) {
    throw failure(`Insufficient SSH information to contact VM ${at.machine || '(default)'}. Is it running?`)
  }
  const facts: Dict = new Map<Value, Value>(
    Object.entries({ key_filename: file, ssh_username: user, ssh_host: host, ssh_port: port }),
  )
  if (network !== '') {
    const options = ['StrictHostKeyChecking', 'UserKnownHostsFile'].map((key) => `-o${key}=${config.get(key) ?? ''}`)
    const ssh = ['ssh', '-i', file, '-p', port, ...options, '-oControlPath=none', `${user}@${host}`]
    const find = async (...command: string[]) => addressIn((await run(ctx, [...ssh, ...command])).lines, network)
    const address = (await find('ip', 'addr', 'show')) ?? (await find('ifconfig'))
    if (address !== undefined) facts.set('ip_address', address)
  }
  if (withKey) {
    const key = Buffer.from(await ctx.host.read(file)).toString()
    markSecret(new Map([['private_key', key]]))
    facts.set('private_key', key)
  }
  return facts
}

const listing = {
  version: reads({
    doc: 'Return the version of vagrant.',
    returns: ret.string('The output of `vagrant -v`'),
    run: async (ctx) => (await run(ctx, ['vagrant', '-v'])).lines.join('\n'),
  }),
  list_domains: reads({
    doc: 'Return the names of all machines that Salt knows.',
    returns: ret.texts('The names'),
    run: async (ctx) => {
      const found: string[] = []
      for (const line of (await run(ctx, ['vagrant', 'global-status'])).lines) {
        const words = wordsOf(line)
        if (words.length < 3 || !/^[\da-f]+$/i.test(words[0]!)) continue
        const id = await idOf(ctx, words[1]!, words.at(-1)!)
        if (id !== null) found.push(str(id))
      }
      return found
    },
  }),
  list_active_vms: reads({
    doc: 'Return the names of the running machines of a Vagrantfile.',
    args: { cwd },
    returns: ret.texts('The names in the Vagrantfile'),
    example: 'vagrant.list_active_vms cwd=/projects/project_1',
    run: async (ctx, { cwd }) =>
      (await statusOf(ctx, '', cwd)).filter(({ state }) => state === 'running').map(({ machine }) => machine),
  }),
  list_inactive_vms: reads({
    doc: 'Return the names of the machines of a Vagrantfile that do not run.',
    args: { cwd },
    returns: ret.texts('The names in the Vagrantfile'),
    example: 'vagrant.list_inactive_vms cwd=/projects/project_1',
    run: async (ctx, { cwd }) =>
      (await statusOf(ctx, '', cwd)).filter(({ state }) => state !== 'running').map(({ machine }) => machine),
  }),
  vm_state: reads({
    doc: 'Return the states of machines.',
    args: { name: arg.text('Name of the machine in Salt; all machines of `cwd` if not given', { default: '' }), cwd },
    returns: ret.list('Dicts of `machine`, `state`, `provider` and `name`'),
    example: 'vagrant.vm_state cwd=/projects/project_1',
    run: async (ctx, { name, cwd }) => {
      const at = name === '' ? undefined : machineOf(await infoOf(ctx, name))
      const place = at?.cwd ?? cwd
      if (!place) throw misuse('The directory of the Vagrantfile must be given as cwd')
      const found = await statusOf(ctx, at?.machine ?? '', place)
      return Promise.all(
        found.map(
          async (facts) =>
            new Map<Value, Value>([...Object.entries(facts), ['name', await idOf(ctx, facts.machine, place)]]),
        ),
      )
    },
  }),
  get_vm_info: reads({
    doc: 'Return what Salt knows of a machine.',
    args: { name },
    returns: ret.dict('`name`, `cwd`, `machine`, `runas` and `vagrant_provider`'),
    example: 'vagrant.get_vm_info quail1',
    run: (ctx, { name }) => infoOf(ctx, name),
  }),
  get_machine_id: reads({
    doc: 'Return the name in Salt of a machine of a Vagrantfile.',
    args: { machine: arg.text('Name in the Vagrantfile'), cwd: arg.text('Directory of the Vagrantfile') },
    returns: ret.any('The name; None if Salt does not know the machine'),
    example: 'vagrant.get_machine_id quail1 /projects/project_1',
    run: (ctx, { machine, cwd }) => idOf(ctx, machine, cwd),
  }),
  get_ssh_config: reads({
    doc: 'Return how a machine is reached by SSH.',
    args: {
      name,
      network_mask: arg.text('Network, such as `10.240.0.0/16`; the address of the machine in it is returned', {
        default: '',
      }),
      get_private_key: arg.flag('Return the private key', { default: false }),
    },
    returns: ret.dict('`key_filename`, `ssh_username`, `ssh_host`, `ssh_port`, `ip_address`, `private_key`'),
    example: 'vagrant.get_ssh_config quail1',
    run: (ctx, { name, network_mask, get_private_key }) => sshFacts(ctx, name, network_mask, get_private_key),
  }),
}

const stop = {
  doc: 'Shut a machine down.',
  args: { name },
  returns: ret.boolean('Whether it worked'),
  run: (ctx: FunctionContext, { name }: { name: string }) => onMachine(ctx, name, ['halt']),
}

const changing = {
  init: changes({
    doc: 'Tell Salt of a machine of a Vagrantfile, and start it if `start` is set.',
    args: {
      name,
      cwd,
      machine: arg.text('Name in the Vagrantfile; the default machine if not given', { default: '' }),
      runas: arg.text('User who owns the machine', { optional: true }),
      start: arg.flag('Start the machine', { default: false }),
      vagrant_provider: arg.text('Provider, such as `vmware_desktop`', { default: '' }),
      vm: arg.dict('The other arguments, by name', { optional: true }),
    },
    returns: ret.any('A text; False if the machine did not start'),
    example: 'vagrant.init quail1 /projects/project_1 machine=quail start=True',
    run: async (ctx, { name, start: starts, vm, ...given }) => {
      const info: Dict = new Map(vm ?? [])
      info.set('name', name)
      for (const [field, value] of Object.entries(given)) info.set(field, value || (info.get(field) ?? value))
      if (!info.get('cwd')) throw misuse('Path to Vagrantfile must be defined by "cwd" argument')
      await keep(ctx, name, info)
      if (starts) return start(ctx, name, info)
      return `Name ${name} defined using VM ${machineOf(info).machine || '(default)'}`
    },
  }),
  start: changes({
    doc: 'Start a machine.',
    args: { name },
    returns: ret.orFalse(ret.string('A text; False if it did not start')),
    example: 'vagrant.start quail1',
    run: async (ctx, { name }) => start(ctx, name, await infoOf(ctx, name)),
  }),
  stop: changes({ ...stop, example: 'vagrant.stop quail1' }),
  shutdown: changes({ ...stop, example: 'vagrant.shutdown quail1' }),
  pause: changes({
    doc: 'Suspend a machine.',
    args: { name },
    returns: ret.boolean('Whether it worked'),
    example: 'vagrant.pause quail1',
    run: (ctx, { name }) => onMachine(ctx, name, ['suspend']),
  }),
  reboot: changes({
    doc: 'Restart a machine.',
    args: { name, provision: arg.flag('Run the provisioners of the Vagrantfile again', { default: false }) },
    returns: ret.boolean('Whether it worked'),
    example: 'vagrant.reboot quail1 provision=True',
    run: (ctx, { name, provision }) => onMachine(ctx, name, ['reload'], provision ? '--provision' : ''),
  }),
  destroy: changes({
    doc: 'Delete a machine, and forget it.',
    args: { name },
    returns: ret.orFalse(ret.string('A text; False if it did not work')),
    example: 'vagrant.destroy quail1',
    run: async (ctx, { name }) => {
      const info = await infoOf(ctx, name)
      if (!(await onMachine(ctx, name, ['destroy', '-f']))) return false
      await forget(ctx, name, info)
      return `Destroyed VM ${name}`
    },
  }),
}

export default defineModule({
  name: 'vagrant',
  doc: 'Manage virtual machines of Vagrant.',
  when: async ({ host }) => (await host.which('vagrant')) !== undefined || 'vagrant is not installed',
  functions: { ...listing, ...changing },
})
