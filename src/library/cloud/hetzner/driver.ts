// Machines of Hetzner Cloud. A creation puts a label with its token on the machine, by which it is found again.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  cloudAction,
  cloudFunction,
  defineDriver,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../../sdk/mod.ts'
import {
  awaitAddress,
  nodeBelow,
  noteMade,
  powerAction,
  reportRequest,
  userData,
  waitSettings,
} from '../common/machine.ts'
import { allPages, at, bearerCloud, byField, type RestCloud, rowsOf } from '../common/rest.ts'

const LABEL = 'salt-cloud-creation'

const provider = {
  key: arg.text('Token of the project', { secret: true }),
  url: arg.text('Address of the interface', { default: 'https://api.hetzner.cloud/v1', beyond: true }),
} as const

const machine = {
  image: arg.textOrNumber('Name or id of the image'),
  size: arg.textOrNumber('Name or id of the type'),
  location: arg.textOrNumber('Name or id of the location', { optional: true }),
  datacenter: arg.textOrNumber('Name or id of the data center, in place of the location', { optional: true }),
  ssh_keys: arg.words('Names or ids of the ssh keys that may sign in', { default: [] }),
  networks: arg.list('Ids of private networks', { default: [] }),
  volumes: arg.list('Ids of volumes to attach', { default: [] }),
  firewalls: arg.list('Ids of firewalls', { default: [] }),
  placement_group: arg.any('Id of the placement group', { optional: true }),
  labels: arg.dict('Labels', { default: new Map() }),
  automount: arg.flag('Whether volumes are mounted', { default: false }),
  start_after_create: arg.flag('Whether the machine is started', { default: true }),
  user_data: arg.text('Text that the machine gets to read', { optional: true, secret: true }),
  user_data_file: arg.text('File of that text', { optional: true }),
  ssh_interface: arg.text('`public_ips` or `private_ips`: the address that is waited for', { default: 'public_ips' }),
  ...waitSettings,
} as const

class HetznerProject implements CloudAccount<typeof machine> {
  readonly rest: RestCloud
  readonly ctx: CloudContext

  constructor(ctx: CloudContext, key: string, url: string) {
    this.ctx = ctx
    this.rest = bearerCloud(ctx, url, key, "'key'")
  }

  /** Return all rows of a list over its pages. */
  all(path: string, key: string): Promise<Dict[]> {
    return allPages(path, 1, async (page, mark) => {
      const answer = await this.rest.ask('GET', `${path}${mark}page=${str(page)}&per_page=50`)
      return [rowsOf(answer, key), at(answer, 'meta', 'pagination', 'next_page')]
    })
  }

  async nodes(): Promise<CloudNode[]> {
    return (await this.all('/servers', 'servers')).map(nodeOf)
  }

  async create({ name, settings, token }: MachineRequest<typeof machine>, steps: CloudSteps): Promise<CloudNode> {
    const id = (value: Value): string | number => (typeof value === 'number' ? value : str(value))
    const labels = Object.fromEntries([...settings.labels].map(([key, value]) => [str(key), str(value)]))
    const data = await userData(this.ctx, settings.user_data, settings.user_data_file)
    const wanted = {
      name,
      server_type: id(settings.size),
      image: id(settings.image),
      ...(settings.location !== null && { location: id(settings.location) }),
      ...(settings.datacenter !== null && { datacenter: id(settings.datacenter) }),
      ...(settings.placement_group !== null && { placement_group: id(settings.placement_group) }),
      ssh_keys: settings.ssh_keys,
      networks: settings.networks.map(id),
      volumes: settings.volumes.map(id),
      firewalls: settings.firewalls.map((firewall) => ({ firewall: id(firewall) })),
      automount: settings.automount,
      start_after_create: settings.start_after_create,
      labels: { ...labels, [LABEL]: token },
    }
    await reportRequest(steps, name, settings)
    const made = await this.rest.ask('POST', '/servers', { ...wanted, ...(data !== null && { user_data: data }) })
    const server = str(at(made, 'server', 'id'))
    await noteMade(steps, 'server', server)
    return awaitAddress(
      this.ctx,
      name,
      settings,
      async () => nodeBelow(await this.rest.find('GET', `/servers/${server}`), 'server', nodeOf),
      ({ state }) => state === 'running' || (!settings.start_after_create && state === 'off'),
    )
  }

  async destroy(node: CloudNode): Promise<Dict> {
    const answer = await this.rest.find('DELETE', `/servers/${str(node.id)}`)
    return answer === undefined ? new Map() : ((answer.get('action') ?? new Map()) as Dict)
  }

  async undo({ token }: UnfinishedMachine): Promise<void> {
    const selector = encodeURIComponent(`${LABEL}==${token}`)
    for (const server of await this.all(`/servers?label_selector=${selector}`, 'servers')) {
      await this.rest.find('DELETE', `/servers/${str(server.get('id')!)}`)
    }
  }

  async locations(): Promise<Dict> {
    return byField(await this.all('/locations', 'locations'), 'name')
  }

  async images(): Promise<Dict> {
    return byField(await this.all('/images', 'images'), 'name', 'id')
  }

  async sizes(): Promise<Dict> {
    return byField(await this.all('/server_types', 'server_types'), 'name')
  }

  async act(node: CloudNode, action: string): Promise<Value> {
    return at(await this.rest.ask('POST', `/servers/${str(node.id)}/actions/${action}`, {}), 'action')
  }
}

function nodeOf(server: Dict): CloudNode {
  const address = at(server, 'public_net', 'ipv4', 'ip')
  const networks = server.get('private_net') ?? []
  return {
    name: str(server.get('name') ?? null),
    id: server.get('id') ?? null,
    image: at(server, 'image', 'name'),
    size: at(server, 'server_type', 'name'),
    state: str(server.get('status') ?? 'unknown'),
    private_ips: Array.isArray(networks) ? networks.map((one) => str(at(one, 'ip'))) : [],
    public_ips: address === null ? [] : [str(address)],
    details: server,
  }
}

export default defineDriver({
  name: 'hetzner',
  doc: 'Machines of Hetzner Cloud.',
  provider,
  machine,
  actions: {
    start: powerAction('Start a machine.', 'starting', 'poweron'),
    stop: powerAction('Shut a machine down.', 'stopping', 'shutdown'),
    reboot: powerAction('Reboot a machine.', 'rebooting', 'reboot'),
    show_instance: cloudAction({
      doc: 'Return everything that the provider tells of a machine.',
      run: async (account: HetznerProject, node) =>
        at(await account.rest.ask('GET', `/servers/${str(node.id)}`), 'server'),
    }),
    resize: cloudAction({
      doc: 'Give a machine that is off another type.',
      args: {
        size: arg.text('The new type'),
        upgrade_disk: arg.flag('Whether the disk grows too, which cannot be undone', { default: false }),
      },
      run: async (account: HetznerProject, node, { size, upgrade_disk }) => {
        const wanted = { server_type: size, upgrade_disk }
        return at(await account.rest.ask('POST', `/servers/${str(node.id)}/actions/change_type`, wanted), 'action')
      },
    }),
  },
  functions: {
    list_ssh_keys: cloudFunction({
      doc: 'Return the ssh keys of the project by their names.',
      run: async (account: HetznerProject) => byField(await account.all('/ssh_keys', 'ssh_keys'), 'name'),
    }),
  },
  open: (ctx, { key, url }) => new HetznerProject(ctx, key, url),
})
