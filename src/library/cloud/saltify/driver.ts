// Existing machines that are reached over ssh: only a minion is installed. They are identified by the grain that
// deployment writes, so queries ask the minions.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  cloudAction,
  defineDriver,
  type MachineRequest,
} from '../../../sdk/mod.ts'

const machine = {
  ssh_host: arg.text('Address of the machine; its name unless given', { optional: true }),
  shutdown_on_destroy: arg.flag('Shut the machine down when it is destroyed', { default: false }),
  remove_config_on_destroy: arg.flag('Stop the minion and remove its configuration when the machine is destroyed', {
    default: true,
  }),
} as const

type Settings = { shutdown: boolean; removesConfig: boolean }

class Saltified implements CloudAccount<typeof machine> {
  private readonly ctx: CloudContext
  private readonly settings: Settings

  constructor(ctx: CloudContext, settings: Settings) {
    this.ctx = ctx
    this.settings = settings
  }

  async nodes(): Promise<CloudNode[]> {
    const found: CloudNode[] = []
    const tgt = `G@salt-cloud:driver:saltify and G@salt-cloud:provider:${this.ctx.alias}`
    const job = { tgt, tgtType: 'compound', fun: 'grains.items' }
    for await (const { id, data } of this.ctx.jobs.run(job)) {
      const grains = data?.get('return') ?? null
      found.push(isDict(grains) ? answered(id, grains) : silent(id))
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async create({ name, settings }: MachineRequest<typeof machine>): Promise<CloudNode> {
    return { ...silent(name), state: 'running', public_ips: [settings.ssh_host ?? name] }
  }

  async destroy({ name }: CloudNode): Promise<Dict> {
    const done: Dict = new Map()
    const { shutdown, removesConfig } = this.settings
    if (removesConfig) {
      await this.tell(name, 'file.remove', ['/etc/salt/minion.d/99-bootstrap.conf'])
      await this.tell(name, 'service.disable', ['salt-minion'])
    }
    if (shutdown) await this.tell(name, 'system.shutdown', [])
    else if (removesConfig) await this.tell(name, 'service.stop', ['salt-minion'])
    return done.set('Destroyed', `${this.ctx.alias}:saltify ${name}`)
  }

  async locations(): Promise<Dict> {
    return new Map()
  }

  async sizes(): Promise<Dict> {
    return new Map()
  }

  async undo(): Promise<void> {
    // the machine existed before
  }

  async tell(name: string, fun: string, args: Value[]): Promise<Value> {
    for await (const { data } of this.ctx.jobs.run({ tgt: [name], tgtType: 'list', fun, arg: args })) {
      if (data) return data.get('return') ?? null
    }
    return null
  }
}

const silent = (name: string): CloudNode => ({
  ...{ name, id: name, image: null, size: null, state: 'unknown' },
  ...{ private_ips: [], public_ips: [] },
})

function answered(name: string, grains: Dict): CloudNode {
  const addresses = grains.get('ipv4')
  const all = Array.isArray(addresses) ? addresses.map(str).filter((address) => address !== '127.0.0.1') : []
  const isPrivate = (address: string): boolean => /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address)
  return {
    ...{ name, id: name, state: 'running', details: grains },
    image: `${str(grains.get('os') ?? '')} ${str(grains.get('osrelease') ?? '')}`.trim(),
    size: `${str(grains.get('num_cpus') ?? '?')} CPU, ${str(grains.get('mem_total') ?? '?')} MB`,
    private_ips: all.filter(isPrivate),
    public_ips: all.filter((address) => !isPrivate(address)),
  }
}

export default defineDriver({
  name: 'saltify',
  doc: 'Put minions on machines that exist already and are reached over ssh.',
  isForExisting: true,
  provider: {
    shutdown_on_destroy: machine.shutdown_on_destroy,
    remove_config_on_destroy: machine.remove_config_on_destroy,
  },
  machine,
  actions: {
    reboot: cloudAction({
      doc: 'Reboot the machine by its minion.',
      run: async (account: Saltified, { name }) => account.tell(name, 'system.reboot', []),
    }),
    show_instance: cloudAction({
      doc: 'Return the grains of the machine.',
      run: async (_account: Saltified, { details = new Map() }) => details,
    }),
  },
  open: (ctx, provider) =>
    new Saltified(ctx, {
      shutdown: provider.shutdown_on_destroy,
      removesConfig: provider.remove_config_on_destroy,
    }),
})
