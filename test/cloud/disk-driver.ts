// A test driver whose machines are files of a folder: the files are the machines that a provider would bill.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SaltError } from '../../src/data/mod.ts'
import {
  arg,
  type CloudAccount,
  type CloudNode,
  type CloudSteps,
  cloudAction,
  cloudFunction,
  defineDriver,
  type MachineRequest,
  type UnfinishedMachine,
} from '../../src/sdk/mod.ts'

const machine = {
  image: arg.text('Image'),
  size: arg.text('Size', { default: 'small' }),
  address: arg.text('Address', { default: '192.0.2.1' }),
  /** A step at which the creation fails, or waits for ever. */
  fail_at: arg.text('Step that fails', { optional: true }),
  hang_at: arg.text('Step that hangs', { optional: true }),
} as const

class Disk implements CloudAccount<typeof machine> {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
  }

  private file = (name: string): string => join(this.folder, `${name}.json`)

  async nodes(): Promise<CloudNode[]> {
    const files = readdirSync(this.folder).filter((name) => name.endsWith('.json'))
    return files.sort().map((name) => {
      const node = JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as CloudNode & {
        token: string
        of: string | null
      }
      return {
        ...node,
        details: new Map([
          ['token', node.token],
          ['of', node.of],
        ]),
      }
    })
  }

  private async step(at: string, { settings, name }: MachineRequest<typeof machine>): Promise<void> {
    appendFileSync(join(this.folder, 'steps.log'), `${name} ${at}\n`)
    if (settings.fail_at === at) throw new SaltError('SaltCloudExecutionFailure', `no room for ${name}`)
    if (settings.hang_at === at) for (;;) await sleep(1000)
  }

  async create(request: MachineRequest<typeof machine>, steps: CloudSteps): Promise<CloudNode> {
    const { name, settings, token, profile = null } = request
    await steps.report('requesting', new Map([['kwargs', request.written]]))
    await this.step('before', request)
    const { image, size, address } = settings
    const node = { name, id: `id-${name}`, image, size, state: 'running', private_ips: [], public_ips: [address] }
    // at once, as a provider makes it
    writeFileSync(`${this.file(name)}.new`, JSON.stringify({ ...node, token, of: profile }))
    renameSync(`${this.file(name)}.new`, this.file(name))
    await this.step('made', request)
    await steps.note(new Map([['volume', `${name}.volume`]]))
    writeFileSync(join(this.folder, `${name}.volume`), token)
    await this.step('noted', request)
    return node
  }

  async destroy({ name }: CloudNode) {
    rmSync(this.file(name))
    rmSync(join(this.folder, `${name}.volume`), { force: true })
    return { Destroyed: name }
  }

  async undo({ name, noted, token }: UnfinishedMachine): Promise<void> {
    if (existsSync(this.file(name)) && readFileSync(this.file(name), 'utf8').includes(token)) rmSync(this.file(name))
    if (noted.has('volume')) rmSync(join(this.folder, String(noted.get('volume'))), { force: true })
  }

  async sizes() {
    return new Map([['small', new Map([['cpus', 1]])]])
  }

  resize(node: CloudNode, size: string): string {
    const known = JSON.parse(readFileSync(this.file(node.name), 'utf8')) as object
    writeFileSync(this.file(node.name), JSON.stringify({ ...known, size }))
    return size
  }
}

export default defineDriver({
  name: 'disk',
  doc: 'Machines that are files.',
  provider: {
    folder: arg.text('Folder of the files'),
    key: arg.text('Secret of the account', { secret: true, optional: true }),
  },
  machine,
  actions: {
    resize: cloudAction({
      doc: 'Change the size.',
      args: { size: arg.text('New size') },
      run: (account: Disk, node, { size }) => account.resize(node, size),
    }),
  },
  functions: {
    count: cloudFunction({ doc: 'Count machines.', run: async (account: Disk) => (await account.nodes()).length }),
  },
  open: (_ctx, { folder }) => new Disk(folder),
})
