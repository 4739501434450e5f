// Machines on the host of the master itself: containers with their own systemd, booted by systemd-nspawn from a folder
// with a root file system. They are connected to a bridge and get an address of its subnet.
import { type Dict, dictFrom, SaltError, type Value } from '../../../data/mod.ts'
import {
  arg,
  awaitReady,
  type Bound,
  type CloudAccount,
  type CloudContext,
  type CloudNode,
  type CloudSteps,
  cloudAction,
  defineDriver,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../../sdk/mod.ts'
import { Boots } from './boot.ts'
import { Disks } from './disk.ts'
import { Machines, type StoredMachine } from './stored.ts'

const provider = {
  machines_dir: arg.text('Folder of the machines', { default: '/var/lib/machines/salt-cloud' }),
  images_dir: arg.text('Folder of the images: each is a folder with a root file system', {
    default: '/var/lib/machines',
  }),
  bridge: arg.text('Bridge that machines are plugged to'),
  subnet: arg.text('Addresses for machines, such as 10.0.3.0/24; the first one is that of the bridge'),
} as const

const machine = {
  image: arg.text('Folder in images_dir, or an absolute path'),
  size: arg.text('Ignored: machines share the host', { optional: true }),
  ssh_public_key: arg.text('File of a public key that may log in as root', { optional: true }),
  boot_timeout: arg.count('Seconds until the machine must have booted', { default: 120 }),
} as const

const refuse = (text: string): SaltError => new SaltError('SaltCloudConfigError', text)

class Containers implements CloudAccount<typeof machine> {
  private readonly ctx: CloudContext
  private readonly settings: Bound<typeof provider>
  private readonly machines: Machines
  private readonly disks: Disks
  private readonly boots: Boots
  private taking: Promise<unknown> = Promise.resolve()

  constructor(ctx: CloudContext, settings: Bound<typeof provider>) {
    this.ctx = ctx
    this.settings = settings
    this.machines = new Machines(ctx.host, settings.machines_dir)
    this.disks = new Disks(ctx.host, settings.machines_dir)
    this.boots = new Boots(ctx.host, settings.bridge)
  }

  async nodes(): Promise<CloudNode[]> {
    const stored = await this.machines.all()
    return Promise.all(stored.map((one) => this.node(one)))
  }

  private async node(stored: StoredMachine): Promise<CloudNode> {
    const { name, image, address, token, init } = stored
    const isRunning = await this.boots.isRunning(stored)
    return {
      ...{ name, id: name, image, size: null, state: isRunning ? 'running' : 'stopped' },
      ...{ private_ips: [address], public_ips: [] },
      details: dictFrom({ token, pid: isRunning ? init : null, bridge: this.settings.bridge }),
    }
  }

  async create(request: MachineRequest<typeof machine>, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token } = request
    const { image, ssh_public_key, boot_timeout } = settings
    const root = await this.imageFolder(image)
    const key = ssh_public_key === null ? undefined : new TextDecoder().decode(await this.ctx.host.read(ssh_public_key))
    await steps.report('requesting', new Map<Value, Value>([['kwargs', new Map<Value, Value>([['image', image]])]]))
    const stored = await this.take({ name, image, token, init: 0, started: '' })
    await this.disks.make(stored, root)
    await this.disks.prepare(stored, key)
    await steps.report('querying')
    await this.start(stored, boot_timeout)
    return this.node(stored)
  }

  async destroy({ name }: CloudNode): Promise<Dict> {
    const stored = (await this.machines.all()).find((one) => one.name === name)
    if (stored) await this.remove(stored)
    return new Map([['state', 'destroyed']])
  }

  async undo({ name, token }: UnfinishedMachine): Promise<void> {
    const stored = (await this.machines.all()).find((one) => one.name === name && one.token === token)
    if (stored) await this.remove(stored)
  }

  async images(): Promise<Dict> {
    const { images_dir } = this.settings
    const names = await this.ctx.host.list(images_dir)
    const found: Dict = new Map()
    for (const name of names.sort()) {
      const path = `${images_dir}/${name}`
      if ((await this.ctx.host.stat(`${path}/usr`))?.type === 'directory') found.set(name, new Map([['path', path]]))
    }
    return found
  }

  async locations(): Promise<Dict> {
    const { bridge, subnet } = this.settings
    return new Map([[bridge, new Map([['subnet', subnet]])]])
  }

  async startNode({ name }: CloudNode): Promise<string> {
    const stored = await this.stored(name)
    if (await this.boots.isRunning(stored)) return 'running'
    await this.disks.mount(stored, await this.imageFolder(stored.image))
    await this.start(stored, machine.boot_timeout.default as number)
    return 'running'
  }

  async stopNode({ name }: CloudNode): Promise<string> {
    await this.boots.stop(await this.stored(name))
    return 'stopped'
  }

  private async stored(name: string): Promise<StoredMachine> {
    const found = (await this.machines.all()).find((one) => one.name === name)
    if (!found) throw new SaltError('SaltCloudNotFound', `There is no machine ${name}`)
    return found
  }

  private async start(stored: StoredMachine, timeout: number): Promise<void> {
    const { signal } = this.ctx
    const bits = this.settings.subnet.split('/')[1] ?? '24'
    await this.boots.start(stored, this.disks.folder(stored))
    Object.assign(
      stored,
      await awaitReady({ what: `the init of ${stored.name}`, timeout, interval: 0.1, signal }, () =>
        this.boots.init(stored),
      ),
    )
    await this.machines.keep(stored)
    await this.boots.address(stored, `${stored.address}/${bits}`)
    await awaitReady({ what: `${stored.name} to boot`, timeout, interval: 0.2, signal }, () =>
      this.boots.booted(stored),
    )
  }

  private async remove(stored: StoredMachine): Promise<void> {
    await this.boots.stop(stored)
    await this.disks.remove(stored)
    await this.machines.forget(stored)
  }

  /** Take a name and an address, one machine after the other. */
  private take(machine: Omit<StoredMachine, 'address'>): Promise<StoredMachine> {
    const taken = this.taking.then(async () => this.machines.add({ ...machine, address: await this.freeAddress() }))
    this.taking = taken.catch(() => undefined)
    return taken
  }

  private async imageFolder(image: string): Promise<string> {
    if (image.split('/').includes('..')) throw refuse(`The image '${image}' is not below ${this.settings.images_dir}`)
    const path = image.startsWith('/') ? image : `${this.settings.images_dir}/${image}`
    if ((await this.ctx.host.stat(`${path}/usr`))?.type !== 'directory')
      throw refuse(`The image ${path} is no root file system`)
    return path
  }

  /** The lowest address of the subnet that no machine has, after that of the bridge. */
  private async freeAddress(): Promise<string> {
    const taken = new Set((await this.machines.all()).map(({ address }) => address))
    const { network, size } = subnetOf(this.settings.subnet)
    for (let number = 2; number < size - 1; number++) {
      const address = network(number)
      if (!taken.has(address)) return address
    }
    throw new SaltError('SaltCloudExecutionFailure', `All addresses of ${this.settings.subnet} are taken`)
  }
}

/** Return the addresses of an IPv4 subnet by number. */
function subnetOf(text: string): { network(number: number): string; size: number } {
  const [, base, bits] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(text) ?? []
  const length = Number(bits)
  if (base === undefined || !(length >= 16 && length <= 29))
    throw refuse(`subnet '${text}' is no IPv4 network of 16 to 29 bits`)
  const parts = base.split('.').map(Number)
  if (parts.some((part) => part > 255)) throw refuse(`subnet '${text}' is no IPv4 network`)
  const first = (parts.reduce((all, part) => all * 256 + part, 0) >>> (32 - length)) * 2 ** (32 - length)
  const shown = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
  return { network: (number) => shown(first + number), size: 2 ** (32 - length) }
}

export default defineDriver({
  name: 'nspawn',
  doc: 'Make machines on the host of the master: containers booted by systemd-nspawn.',
  provider,
  machine,
  actions: {
    start: cloudAction({
      doc: 'Boot a machine that is stopped.',
      run: (account: Containers, node) => account.startNode(node),
    }),
    stop: cloudAction({
      doc: 'End a machine; its disk stays.',
      run: (account: Containers, node) => account.stopNode(node),
    }),
    reboot: cloudAction({
      doc: 'End a machine and boot it again.',
      run: async (account: Containers, node) => {
        await account.stopNode(node)
        return account.startNode(node)
      },
    }),
    show_instance: cloudAction({
      doc: 'Return all facts about a machine.',
      run: (_account: Containers, node) => ({ ...node, details: node.details ?? null }),
    }),
  },
  open: (ctx, settings) => {
    subnetOf(settings.subnet)
    if (!/^[\w.-]{1,15}$/.test(settings.bridge)) throw refuse(`'${settings.bridge}' is no name of a bridge`)
    return new Containers(ctx, settings)
  },
})
