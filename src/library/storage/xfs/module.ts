// XFS file systems, through xfsprogs and xfsdump.
import { type Dict, decodeBytes, failure, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { dumpFacts, estimates, geometry, inventory, pruned, xfsDevices, xfsMounts } from './module/output.ts'

interface Outcome {
  stdout: string
  stderr: string
  retcode: number
}

async function run(ctx: FunctionContext, ...argv: string[]): Promise<Outcome> {
  if ((await ctx.host.which(argv[0]!)) === undefined) {
    throw failure(`Utility "${argv[0]}" has to be installed or missing.`)
  }
  const answer = await ctx.call('cmd.run_all', [argv], { python_shell: false })
  const dict: Dict = isDict(answer) ? answer : new Map()
  const text = (name: string): string => str(dict.get(name) ?? '')
  return { stdout: text('stdout'), stderr: text('stderr'), retcode: Number(dict.get('retcode') ?? 0) }
}

/** Run a program and return its output; raise its error text. */
async function output(ctx: FunctionContext, ...argv: string[]): Promise<string> {
  const { stdout, stderr, retcode } = await run(ctx, ...argv)
  if (retcode !== 0 && stderr !== '') throw failure(stderr)
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

/** Options of mkfs.xfs by argument. */
const SWITCHES = { bso: '-b', gmo: '-m', nmo: '-n', ino: '-i', dso: '-d', lso: '-l', rso: '-r' } as const

function options(given: Readonly<Record<keyof typeof SWITCHES, string | null>>): string[] {
  return Object.entries(SWITCHES).flatMap(([name, flag]) => {
    const text = given[name as keyof typeof SWITCHES]
    if (!text?.includes('=')) return []
    if (text.split(',').some((pair) => pair.split('=').length !== 2)) {
      throw failure(`Wrong parameters "${text}" for option "${flag}"`)
    }
    return [flag, text]
  })
}

/** Return a time such as `2026.11.15, 19:05`. */
function timeOf(ctx: FunctionContext): string {
  const now = new Date(ctx.host.now() * 1000)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}`
  return `${day}, ${two(now.getHours())}:${two(now.getMinutes())}`
}

const device = arg.string('Device path')
const label = arg.text('Label', { optional: true })

const reading = {
  info: reads({
    doc: 'Return the geometry of a file system.',
    args: { device },
    returns: ret.dict('Values by section'),
    example: 'xfs.info /dev/sda1',
    run: async (ctx, { device }) => {
      const { stdout, stderr } = await run(ctx, 'xfs_info', device)
      if (stderr !== '') throw failure(stderr.replaceAll('xfs_info:', '').trim())
      return geometry(stdout)
    },
  }),
  devices: reads({
    doc: 'Return the XFS devices and their mount points.',
    returns: ret.dict('Data by device'),
    run: (ctx) => devices(ctx),
  }),
  inventory: reads({
    doc: 'Return the dumps made on this machine.',
    returns: ret.dict('Sessions by file system'),
    run: async (ctx) => inventory(await output(ctx, 'xfsrestore', '-I')),
  }),
  estimate: reads({
    doc: 'Estimate the space that directories need on XFS.',
    args: { path: arg.string('Directory') },
    returns: ret.dict('Sizes by directory'),
    example: 'xfs.estimate /path/to/dir',
    run: async (ctx, { path }) => {
      if (!(await ctx.host.stat(path))) throw failure(`Path "${path}" was not found.`)
      return estimates(await output(ctx, 'xfs_estimate', '-v', path))
    },
  }),
}

const changing = {
  dump: changes({
    doc: 'Dump a file system to a file or tape.',
    args: {
      device,
      destination: arg.string('Path of the file or tape'),
      level: arg.count('Dump level, 0 to 9', { default: 0 }),
      label,
      noerase: arg.flag('Whether not to erase the medium', { optional: true }),
    },
    returns: ret.dict('Data of the dump'),
    example: "xfs.dump /dev/sda1 /destination label='Company accountancy'",
    run: async (ctx, { device, destination, level, label, noerase }) => {
      const own = `XFS dump for "${device}" of ${timeOf(ctx)}`.replaceAll("'", '"')
      const name = label || own
      const erase = noerase ? [] : ['-E']
      const words = ['-F', ...erase, '-L', name, '-l', str(level), '-f', destination, device]
      return dumpFacts(await output(ctx, 'xfsdump', ...words))
    },
  }),
  prune_dump: changes({
    doc: 'Remove a dump from the inventory.',
    args: { sessionid: arg.string('Session id') },
    returns: ret.dict('Data of the removed dump'),
    example: 'xfs.prune_dump b74a3586-e52e-4a4a-8775-c3334fa8ea2c',
    run: async (ctx, { sessionid }) => {
      const found = pruned(await output(ctx, 'xfsinvutil', '-s', sessionid, '-F'), sessionid)
      if (found.size === 0) throw failure(`Session UUID "${sessionid}" was not found.`)
      return found
    },
  }),
  mkfs: changes({
    doc: 'Create a file system, by default over an existing one.',
    args: {
      device,
      label,
      ssize: arg.text('Sector size', { optional: true }),
      noforce: arg.flag('Whether to keep an existing file system', { optional: true }),
      bso: arg.text('Block size options, such as size=4096', { optional: true }),
      gmo: arg.text('Global metadata options', { optional: true }),
      ino: arg.text('Inode options', { optional: true }),
      lso: arg.text('Log section options', { optional: true }),
      rso: arg.text('Realtime section options', { optional: true }),
      nmo: arg.text('Naming options', { optional: true }),
      dso: arg.text('Data section options', { optional: true }),
    },
    returns: ret.dict('The geometry'),
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
    doc: 'Change the label, UUID or lazy counters of a file system.',
    args: {
      device,
      label,
      lazy_counting: arg.any('True to enable lazy counters, False to disable them, None to keep them', {
        optional: true,
      }),
      uuid: arg.any('True for a new UUID, False for none, None to keep it', { optional: true }),
    },
    returns: ret.dict('Data by device'),
    example: "xfs.modify /dev/sda1 label='My backup' lazy_counting=False",
    run: async (ctx, { device, label, lazy_counting, uuid }) => {
      if (!label && lazy_counting === null && uuid === null) {
        throw failure(`Nothing specified for modification for "${device}" device`)
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
    doc: 'Defragment a mounted file system.',
    args: { device },
    returns: ret.dict('The output of xfs_fsr'),
    example: 'xfs.defragment /dev/sda1',
    run: async (ctx, { device }) => {
      if (device === '/') throw failure('Root is not a device.')
      if (!(await mounts(ctx)).has(device)) throw failure(`Device "${device}" is not mounted`)
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
