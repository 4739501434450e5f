// File systems of XFS: made, looked at, changed, dumped and put in order by the programs of xfsprogs and xfsdump.
import { type Dict, decodeBytes, isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { dumpFacts, estimates, geometry, inventory, pruned, xfsDevices, xfsMounts } from './module/output.ts'

const failed = (message: string): SaltError => new SaltError('CommandExecutionError', message)

interface Outcome {
  stdout: string
  stderr: string
  retcode: number
}

async function run(ctx: FunctionContext, ...argv: string[]): Promise<Outcome> {
  if ((await ctx.host.which(argv[0]!)) === undefined) {
    throw failed(`Utility "${argv[0]}" has to be installed or missing.`)
  }
  const answer = await ctx.call('cmd.run_all', [argv], { python_shell: false })
  const dict: Dict = isDict(answer) ? answer : new Map()
  const text = (name: string): string => str(dict.get(name) ?? '')
  return { stdout: text('stdout'), stderr: text('stderr'), retcode: Number(dict.get('retcode') ?? 0) }
}

/** The output of a program that did its work. */
async function output(ctx: FunctionContext, ...argv: string[]): Promise<string> {
  const { stdout, stderr, retcode } = await run(ctx, ...argv)
  if (retcode !== 0 && stderr !== '') throw failed(stderr)
  return stdout
}

async function mounts(ctx: FunctionContext): Promise<Map<string, Dict>> {
  return xfsMounts(decodeBytes(await ctx.host.read('/proc/mounts')))
}

async function devices(ctx: FunctionContext, ...device: string[]): Promise<Dict> {
  const found = xfsDevices(await output(ctx, 'blkid', '-o', 'export', ...device))
  for (const [name, mount] of await mounts(ctx)) {
    for (const [key, value] of mount) found.get(name)?.set(key, value)
  }
  return new Map(found)
}

/** Which option of mkfs.xfs each argument is. */
const SWITCHES = { bso: '-b', gmo: '-m', nmo: '-n', ino: '-i', dso: '-d', lso: '-l', rso: '-r' } as const

function options(given: Readonly<Record<string, Value>>): string[] {
  return Object.entries(SWITCHES).flatMap(([name, flag]) => {
    const text = truthy(given[name] ?? null) ? str(given[name]!) : ''
    if (!text.includes('=')) return []
    if (text.split(',').some((pair) => pair.split('=').length !== 2)) {
      throw failed(`Wrong parameters "${text}" for option "${flag}"`)
    }
    return [flag, text]
  })
}

/** Such as `2026.11.15, 19:05`. */
function timeOf(ctx: FunctionContext): string {
  const now = new Date(ctx.host.now() * 1000)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}`
  return `${day}, ${two(now.getHours())}:${two(now.getMinutes())}`
}

const device = arg.string('The device')
const label = arg.text('A label', { optional: true })
const option = (doc: string) => arg.any(doc, { optional: true })

const reading = {
  info: reads({
    doc: 'The geometry of a file system.',
    args: { device },
    returns: ret.dict('Values by section'),
    example: 'xfs.info /dev/sda1',
    run: async (ctx, { device }) => {
      const { stdout, stderr } = await run(ctx, 'xfs_info', device)
      if (stderr !== '') throw failed(stderr.replaceAll('xfs_info:', '').trim())
      return geometry(stdout)
    },
  }),
  devices: reads({
    doc: 'The devices with XFS, and where they are mounted.',
    args: {},
    returns: ret.dict('Facts by device'),
    example: 'xfs.devices',
    run: (ctx) => devices(ctx),
  }),
  inventory: reads({
    doc: 'The dumps that were made on this machine.',
    args: {},
    returns: ret.dict('Sessions by file system'),
    example: 'xfs.inventory',
    run: async (ctx) => inventory(await output(ctx, 'xfsrestore', '-I')),
  }),
  estimate: reads({
    doc: 'How much room directories would take on XFS.',
    args: { path: arg.string('The directory') },
    returns: ret.dict('Sizes by directory'),
    example: 'xfs.estimate /path/to/dir',
    run: async (ctx, { path }) => {
      if (!(await ctx.host.stat(path))) throw failed(`Path "${path}" was not found.`)
      return estimates(await output(ctx, 'xfs_estimate', '-v', path))
    },
  }),
}

const changing = {
  dump: changes({
    doc: 'Dump a file system to a file or tape.',
    args: {
      device,
      destination: arg.string('Where it goes'),
      level: arg.any('The level of the dump, 0 to 9', { default: 0 }),
      label,
      noerase: arg.flag('Whether the medium is left as it is', { optional: true }),
    },
    returns: ret.dict('What was done'),
    example: "xfs.dump /dev/sda1 /destination label='Company accountancy'",
    run: async (ctx, { device, destination, level, label, noerase }) => {
      const own = `XFS dump for "${device}" of ${timeOf(ctx)}`.replaceAll("'", '"')
      const name = label ? label : own
      const erase = noerase ? [] : ['-E']
      const words = ['-F', ...erase, '-L', name, '-l', str(level), '-f', destination, device]
      return dumpFacts(await output(ctx, 'xfsdump', ...words))
    },
  }),
  prune_dump: changes({
    doc: 'Forget a dump.',
    args: { sessionid: arg.string('The id of its session') },
    returns: ret.dict('What it was'),
    example: 'xfs.prune_dump b74a3586-e52e-4a4a-8775-c3334fa8ea2c',
    run: async (ctx, { sessionid }) => {
      const found = pruned(await output(ctx, 'xfsinvutil', '-s', sessionid, '-F'), sessionid)
      if (found.size === 0) throw failed(`Session UUID "${sessionid}" was not found.`)
      return found
    },
  }),
  mkfs: changes({
    doc: 'Make a file system, over one that may be there.',
    args: {
      device,
      label,
      ssize: arg.text('The size of sectors', { optional: true }),
      noforce: arg.flag('Whether one that is there is left', { optional: true }),
      bso: option('Options of blocks'),
      gmo: option('Options of metadata'),
      ino: option('Options of inodes'),
      lso: option('Options of the log'),
      rso: option('Options of the real-time section'),
      nmo: option('Options of names'),
      dso: option('Options of the data section'),
    },
    returns: ret.dict('Its geometry'),
    example: "xfs.mkfs /dev/sda1 dso='su=32k,sw=6' noforce=True",
    run: async (ctx, { device, label, ssize, noforce, ...sections }) => {
      const words = [
        ...(label ? ['-L', label] : []),
        ...(ssize ? ['-s', ssize] : []),
        ...options(sections),
        ...(noforce ? [] : ['-f']),
      ]
      return geometry(await output(ctx, 'mkfs.xfs', ...words, device))
    },
  }),
  modify: changes({
    doc: 'Change label, id or counting of a file system.',
    args: {
      device,
      label,
      lazy_counting: option('Whether it counts lazily'),
      uuid: option('True for a new id, False for none'),
    },
    returns: ret.dict('Facts by device'),
    example: "xfs.modify /dev/sda1 label='My backup' lazy_counting=False",
    run: async (ctx, { device, label, lazy_counting, uuid }) => {
      if (!label && lazy_counting === null && uuid === null) {
        throw failed(`Nothing specified for modification for "${device}" device`)
      }
      const choice = (value: Value, flag: string, no: string, yes: string): string[] =>
        value === false ? [flag, no] : truthy(value) ? [flag, yes] : []
      const words = [
        ...(label ? ['-L', label] : []),
        ...choice(lazy_counting, '-c', '0', '1'),
        ...choice(uuid, '-U', 'nil', 'generate'),
      ]
      await output(ctx, 'xfs_admin', ...words, device)
      return devices(ctx, device)
    },
  }),
  defragment: changes({
    doc: 'Put the files of a mounted file system in order.',
    args: { device },
    returns: ret.dict('What was said'),
    example: 'xfs.defragment /dev/sda1',
    run: async (ctx, { device }) => {
      if (device === '/') throw failed('Root is not a device.')
      if (!(await mounts(ctx)).has(device)) throw failed(`Device "${device}" is not mounted`)
      return { log: await output(ctx, 'xfs_fsr', device) }
    },
  }),
}

export default defineModule({
  name: 'xfs',
  doc: 'Manage file systems of XFS.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'The xfs module only works on Linux',
  functions: { ...reading, ...changing },
})
