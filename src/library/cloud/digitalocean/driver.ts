// Machines of DigitalOcean. A creation puts a tag with its token on the machine, by which it is found again.
import { type Dict, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  cloudAction,
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
import { allPages, at, bearerCloud, byField, exit, type RestCloud, rowsOf } from '../common/rest.ts'
import { functions } from './functions.ts'

const provider = {
  personal_access_token: arg.text('Token of the account', { secret: true }),
  api_root: arg.text('Address of the interface', { default: 'https://api.digitalocean.com/v2' }),
} as const

const machine = {
  image: arg.textOrNumber('Slug, id or name of the image'),
  size: arg.text('Slug of the size'),
  location: arg.text('Slug of the region'),
  ssh_key_names: arg.words('Names of the ssh keys that may sign in', { default: [] }),
  private_networking: arg.flag('Whether the machine has a private address', { default: false }),
  vpc_uuid: arg.text('Id of the network', { optional: true, beyond: true }),
  backups_enabled: arg.flag('Whether backups are made', { default: false }),
  ipv6: arg.flag('Whether the machine has an address of IPv6', { default: false }),
  monitoring: arg.flag('Whether the machine is watched', { default: false }),
  tags: arg.words('Tags', { default: [] }),
  userdata_file: arg.text('File of the text that the machine gets to read', { optional: true }),
  ssh_interface: arg.text('`public` or `private`: the address that is waited for', { default: 'public' }),
  ...waitSettings,
} as const

const PAGE = 200

const tagOf = (token: string): string => `salt-cloud-creation:${token}`

class DigitalOcean implements CloudAccount<typeof machine> {
  readonly rest: RestCloud
  readonly ctx: CloudContext

  constructor(ctx: CloudContext, token: string, base: string) {
    this.ctx = ctx
    this.rest = bearerCloud(ctx, base, token, "'personal_access_token'")
  }

  /** Return all rows of a list over its pages. */
  all(path: string, key: string): Promise<Dict[]> {
    return allPages(path, 1, async (page, mark) => {
      const answer = await this.rest.ask('GET', `${path}${mark}page=${str(page)}&per_page=${PAGE}`)
      return [rowsOf(answer, key), at(answer, 'links', 'pages', 'next') === null ? null : Number(page) + 1]
    })
  }

  async nodes(): Promise<CloudNode[]> {
    return (await this.all('/droplets', 'droplets')).map(nodeOf)
  }

  /** Return the ids of ssh keys by their names. */
  private async keys(names: readonly string[]): Promise<(string | number)[]> {
    if (names.length === 0) return []
    const known = byField(await this.all('/account/keys', 'ssh_keys'), 'name')
    return names.map((name) => {
      const id = at(known.get(name) ?? null, 'id')
      if (id === null) throw exit(`The ssh key '${name}' is not known to DigitalOcean`)
      return Number(id)
    })
  }

  async create({ name, settings, token }: MachineRequest<typeof machine>, steps: CloudSteps): Promise<CloudNode> {
    const { image, size, location } = settings
    const data = await userData(this.ctx, null, settings.userdata_file)
    const wanted = {
      name,
      region: location,
      size,
      image: typeof image === 'number' ? image : str(image),
      ssh_keys: await this.keys(settings.ssh_key_names),
      private_networking: settings.private_networking,
      backups: settings.backups_enabled,
      ipv6: settings.ipv6,
      monitoring: settings.monitoring,
      tags: [...settings.tags, tagOf(token)],
      ...(settings.vpc_uuid !== null && { vpc_uuid: settings.vpc_uuid }),
      ...(data !== null && { user_data: data }),
    }
    await reportRequest(steps, name, settings)
    const made = await this.rest.ask('POST', '/droplets', wanted)
    const id = str(at(made, 'droplet', 'id'))
    await noteMade(steps, 'droplet', id)
    return awaitAddress(
      this.ctx,
      name,
      settings,
      async () => nodeBelow(await this.rest.find('GET', `/droplets/${id}`), 'droplet', nodeOf),
      ({ state }) => state === 'active',
    )
  }

  async destroy(node: CloudNode): Promise<boolean> {
    return (await this.rest.find('DELETE', `/droplets/${str(node.id)}`)) !== undefined
  }

  async undo({ token }: UnfinishedMachine): Promise<void> {
    await this.rest.find('DELETE', `/droplets?tag_name=${encodeURIComponent(tagOf(token))}`)
    await this.rest.find('DELETE', `/tags/${encodeURIComponent(tagOf(token))}`)
  }

  async locations(): Promise<Dict> {
    return byField(await this.all('/regions', 'regions'), 'slug')
  }

  async images(): Promise<Dict> {
    return byField(await this.all('/images', 'images'), 'slug', 'id')
  }

  async sizes(): Promise<Dict> {
    return byField(await this.all('/sizes', 'sizes'), 'slug')
  }

  async act(node: CloudNode, type: string): Promise<Value> {
    return at(await this.rest.ask('POST', `/droplets/${str(node.id)}/actions`, { type }), 'action')
  }
}

function nodeOf(droplet: Dict): CloudNode {
  const networks = at(droplet, 'networks', 'v4')
  const ips = (type: string): string[] =>
    (isList(networks) ? networks : [])
      .filter((one) => at(one, 'type') === type)
      .map((one) => str(at(one, 'ip_address')))
  return {
    name: str(droplet.get('name') ?? null),
    id: droplet.get('id') ?? null,
    image: at(droplet, 'image', 'slug') ?? at(droplet, 'image', 'name'),
    size: droplet.get('size_slug') ?? null,
    state: str(droplet.get('status') ?? 'unknown'),
    private_ips: ips('private'),
    public_ips: ips('public'),
    details: droplet,
  }
}

export default defineDriver({
  name: 'digitalocean',
  doc: 'Machines of DigitalOcean.',
  provider,
  machine,
  actions: {
    start: powerAction('Start a machine.', 'starting', 'power_on'),
    stop: powerAction('Shut a machine down.', 'stopping', 'shutdown'),
    reboot: powerAction('Reboot a machine.', 'rebooting', 'reboot'),
    show_instance: cloudAction({
      doc: 'Return everything that the provider tells of a machine.',
      run: async (account: DigitalOcean, node) =>
        at(await account.rest.ask('GET', `/droplets/${str(node.id)}`), 'droplet'),
    }),
  },
  functions,
  open: (ctx, { personal_access_token, api_root }) => new DigitalOcean(ctx, personal_access_token, api_root),
})
