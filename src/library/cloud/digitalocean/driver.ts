// Machines of DigitalOcean. A creation puts a tag with its token on the machine, by which it is found again.
import { type Dict, isDict, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  awaitReady,
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
import { at, byField, exit, MOST_PAGES, RestCloud, rowsOf, userData } from '../common/rest.ts'

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
  wait_for_ip_timeout: arg.count('Seconds until the machine must run', { default: 600 }),
  wait_for_ip_interval: arg.count('Seconds between two looks at it', { default: 5 }),
} as const

const PAGE = 200

const tagOf = (token: string): string => `salt-cloud-creation:${token}`

class DigitalOcean implements CloudAccount<typeof machine> {
  readonly rest: RestCloud
  readonly ctx: CloudContext

  constructor(ctx: CloudContext, token: string, base: string) {
    this.ctx = ctx
    this.rest = new RestCloud(ctx, { base, headers: () => ({ authorization: `Bearer ${token}` }) })
  }

  /** Return all rows of a list over its pages. */
  async all(path: string, key: string): Promise<Dict[]> {
    const rows: Dict[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const mark = path.includes('?') ? '&' : '?'
      const answer = await this.rest.ask('GET', `${path}${mark}page=${page}&per_page=${PAGE}`)
      rows.push(...rowsOf(answer, key))
      if (at(answer, 'links', 'pages', 'next') === null) return rows
    }
    throw exit(`The list ${path} does not come to an end`)
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
    await steps.report(
      'requesting',
      new Map<Value, Value>([
        ['name', name],
        ['size', size],
        ['image', image],
      ]),
    )
    const made = await this.rest.ask('POST', '/droplets', wanted)
    const id = str(at(made, 'droplet', 'id'))
    await steps.note(new Map([['droplet', id]]))
    await steps.report('querying', new Map([['droplet', id]]))
    const { wait_for_ip_timeout: timeout, wait_for_ip_interval: interval, ssh_interface } = settings
    return awaitReady({ what: `an address of ${name}`, timeout, interval, signal: this.ctx.signal }, async () => {
      const found = await this.rest.find('GET', `/droplets/${id}`)
      const row = found?.get('droplet') ?? null
      if (!isDict(row)) throw exit(`${name} is gone while it starts`)
      const node = nodeOf(row)
      const ips = ssh_interface.startsWith('private') ? node.private_ips : node.public_ips
      return node.state === 'active' && ips.length > 0 ? node : undefined
    })
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
    const rows = await this.all('/images', 'images')
    return new Map(rows.map((row): [Value, Value] => [str(row.get('slug') ?? row.get('id') ?? null), row]))
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

const action = (doc: string, event: string, type: string) =>
  cloudAction({
    doc,
    run: async (account: DigitalOcean, node, _args, steps) => {
      await steps.report(event, new Map([['name', node.name]]))
      return account.act(node, type)
    },
  })

export default defineDriver({
  name: 'digitalocean',
  doc: 'Machines of DigitalOcean.',
  provider,
  machine,
  actions: {
    start: action('Start a machine.', 'starting', 'power_on'),
    stop: action('Shut a machine down.', 'stopping', 'shutdown'),
    reboot: action('Reboot a machine.', 'rebooting', 'reboot'),
    show_instance: cloudAction({
      doc: 'Return everything that the provider tells of a machine.',
      run: async (account: DigitalOcean, node) =>
        at(await account.rest.ask('GET', `/droplets/${str(node.id)}`), 'droplet'),
    }),
  },
  functions: {
    list_keypairs: cloudFunction({
      doc: 'Return the ssh keys of the account by their names.',
      run: async (account: DigitalOcean) => byField(await account.all('/account/keys', 'ssh_keys'), 'name'),
    }),
  },
  open: (ctx, { personal_access_token, api_root }) =>
    new DigitalOcean(ctx, personal_access_token, api_root.replace(/\/+$/, '')),
})
