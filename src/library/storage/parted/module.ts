// Partitions, through parted and sfdisk. All arguments are checked first, because parted runs without confirmation.
import { lookup } from '../../../base/mod.ts'
import { failure, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  operand,
  outputOf,
  type Result,
  reads,
  runAll,
} from '../../../sdk/mod.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const UNITS = words('s B kB MB MiB GB GiB TB TiB % cyl chs compact')
const DISK_FLAGS = words('cylinder_alignment pmbr_boot implicit_partition_table')
const FLAGS = words(
  'boot root swap hidden raid lvm lba hp-service palo prep msftres bios_grub atvrecv diag legacy_boot msftdata irst esp type',
)
const FILE_SYSTEMS = words('btrfs ext2 ext3 ext4 fat fat32 fat16 linux-swap reiserfs hfs hfs+ hfsx NTFS ntfs ufs xfs')
const LABELS = words('aix amiga bsd dvh gpt loop mac msdos pc98 sun')

async function isBlock(ctx: FunctionContext, device: string): Promise<boolean> {
  return device !== '' && (await ctx.host.stat(device))?.type === 'block'
}

const isWhole = (text: string): boolean => /^\s*[+-]?\d+\s*$/.test(text)

/** Check an argument of a function; return the problem. */
type Check = (value: string, fun: string) => string | undefined

const oneOf =
  (set: ReadonlySet<string>, noun: string): Check =>
  (value, fun) =>
    set.has(value) ? undefined : `Invalid ${noun} passed to partition.${fun}`

const number =
  (noun: string): Check =>
  (value, fun) =>
    isWhole(value) ? undefined : `Invalid ${noun} passed to partition.${fun}`

const boundary: Check = (value) => {
  const [, unit] = /^[\d.]+(\D*)$/.exec(value) ?? []
  return unit !== undefined && (unit === '' || UNITS.has(unit))
    ? undefined
    : `Invalid partition boundary passed: "${value}"`
}

const CHECKS: Readonly<Record<string, Check>> = lookup({
  minor: number('minor number'),
  from_minor: number('minor number'),
  to_minor: number('minor number'),
  flag: oneOf(FLAGS, 'flag'),
  state: oneOf(words('on off'), 'state'),
  start: boundary,
  end: boundary,
})

/** Declare a function that runs one command on a device and returns its lines. */
function command<const A extends Readonly<Record<string, Arg<string> | Arg<string | null>>>>(
  doc: string,
  fun: string,
  example: string,
  args: A,
  line: (given: Bound<A>) => readonly string[],
  checks: Readonly<Record<string, Check>> = {},
) {
  return changes({
    doc,
    example: `partition.${fun} ${example}`,
    args,
    run: async (ctx, given) => {
      for (const [name, value] of Object.entries(given as Readonly<Record<string, string | null>>)) {
        if (name === 'device') await requireBlock(ctx, value ?? '')
        const problem = (checks[name] ?? CHECKS[name])?.(value ?? '', fun)
        if (problem !== undefined) throw failure(problem)
      }
      return splitLines(await outputOf(ctx, line(given)))
    },
  })
}

async function requireBlock(ctx: FunctionContext, device: string): Promise<void> {
  if (!(await isBlock(ctx, device))) throw failure('Invalid device passed to partition module.')
}

async function list(ctx: FunctionContext, device: string, unit: string | null): Promise<Result> {
  await requireBlock(ctx, device)
  if (unit && !UNITS.has(unit)) throw failure('Invalid unit passed to partition.part_list')
  const how = unit ? ['unit', unit, 'print'] : ['print']
  const { stdout } = await runAll(ctx, ['parted', '-m', '-s', device, ...how])
  const lines = splitLines(stdout).filter((line) => !['BYT;', 'CHS;', 'CYL;'].includes(line))
  const [head, ...rows] = lines.map((line) => line.replace(/;+$/, '').split(':'))
  if (head === undefined) return { info: {}, partitions: {} }
  const problem = failure('Problem encountered while parsing output from parted')
  if (head.length < 7 || head.length > 8) throw problem
  const titles = [
    'disk',
    'size',
    'interface',
    'logical sector',
    'physical sector',
    'partition table',
    'model',
    'disk flags',
  ]
  const partitions: Record<string, Result> = {}
  for (const row of rows) {
    const isFree = row.at(-1) === 'free'
    const columns = isFree ? row.slice(0, -1) : row
    const sizes = unit === 'chs' ? [] : ['size']
    const names = ['number', 'start', 'end', ...sizes, ...(isFree ? [] : ['file system', 'name', 'flags'])]
    if (names.length !== columns.length) throw problem
    partitions[columns[0]!] = new Map(names.map((name, at) => [name, columns[at]!]))
  }
  return {
    info: new Map(head.map((value, at) => [titles[at]!, value])),
    partitions: new Map(Object.entries(partitions) as [string, Value][]),
  }
}

async function systemTypes(ctx: FunctionContext): Promise<Map<Value, Value>> {
  const rows = splitLines(await outputOf(ctx, 'sfdisk -T')).filter((line) => line !== '' && !line.startsWith('Id'))
  return new Map(rows.map((line): [Value, Value] => [splitWords(line)[0] ?? '', splitWords(line)[1] ?? '']))
}

async function makeFileSystem(ctx: FunctionContext, device: string, type: string): Promise<Result> {
  await requireBlock(ctx, device)
  if (!FILE_SYSTEMS.has(type)) throw failure('Invalid fs_type passed to partition.mkfs')
  const program = type === 'linux-swap' ? 'mkswap' : `mkfs.${type === 'NTFS' ? 'ntfs' : type}`
  if ((await ctx.host.which(program)) === undefined) return `Error: ${program} is unavailable.`
  return splitLines(await outputOf(ctx, [program, device]))
}

const device = arg.text('Device path')
const minor = arg.text('Partition number')
const flag = arg.text('Flag, such as boot')
const state = arg.text('on or off')
const start = arg.text('Start of the partition, such as 10MB')
const end = arg.text('End of the partition, such as 200MB')
const partition = arg.text('Partition number')
const part_type = arg.text('primary, logical or extended')
const fs_type = arg.text('File system type', { optional: true })
const parted = ['parted', '-m', '-s']

/** Boundaries are checked only if both are given. */
const made = {
  part_type: oneOf(words('primary logical extended'), 'part_type'),
  start: () => undefined,
  end: () => undefined,
}

const mkpart = (fun: 'mkpart' | 'mkpartfs') =>
  command(
    'Create a partition.',
    fun,
    '/dev/sda primary fs_type=fat32 start=0 end=639',
    {
      device,
      part_type,
      fs_type,
      start: arg.text('Start, such as 0', { optional: true }),
      end: arg.text('End, such as 639', { optional: true }),
    },
    ({ device, part_type, fs_type, start, end }) => {
      const problem = start !== null && end !== null ? (boundary(start, fun) ?? boundary(end, fun)) : undefined
      if (problem !== undefined) throw failure(problem)
      const kind = fs_type ? [part_type, fs_type] : [part_type]
      return ['parted', '-m', '-s', '--', device, 'mkpart', ...kind, start ?? '', end ?? '']
    },
    {
      ...made,
      fs_type: (value) =>
        value !== '' && !FILE_SYSTEMS.has(value) ? 'Invalid fs_type passed to partition.mkpart' : undefined,
    },
  )

export default defineModule({
  name: 'parted_partition',
  virtual: 'partition',
  doc: 'Manage partitions and partition tables.',
  when: async ({ host, grains }) => {
    const failed = 'The parted execution module failed to load'
    if (grains.get('kernel') === 'Windows') return `${failed} Windows systems are not supported.`
    for (const program of ['parted', 'lsblk', 'partprobe']) {
      if ((await host.which(program)) === undefined) return `${failed} ${program} binary is not in the path.`
    }
    return true
  },
  functions: {
    probe: changes({
      doc: 'Make the kernel reread partition tables.',
      example: 'partition.probe /dev/sda',
      args: { devices: arg.rest('Device paths') },
      run: async (ctx, { devices }) => {
        const names = devices.map(str)
        for (const name of names) await requireBlock(ctx, name)
        return splitLines(await outputOf(ctx, ['partprobe', '--', ...names]))
      },
    }),
    list: reads({
      doc: 'Return the partition table of a device.',
      args: { device, unit: arg.text('Unit of sizes, such as MB', { optional: true }) },
      calledAs: 'list_',
      example: 'partition.list /dev/sda unit=s',
      run: (ctx, { device, unit }) => list(ctx, device, unit),
    }),
    align_check: command(
      'Return whether a partition is aligned.',
      'align_check',
      '/dev/sda minimal 1',
      { device, part_type: arg.text('minimal or optimal'), partition },
      (given) => ['parted', '-m', given.device, 'align-check', given.part_type, given.partition],
      { part_type: oneOf(words('minimal optimal'), 'part_type'), partition: number('partition') },
    ),
    check: command(
      'Check the file system of a partition.',
      'check',
      '/dev/sda 1',
      { device, minor },
      ({ device, minor }) => [...parted, device, 'check', minor],
    ),
    cp: command(
      'Copy a file system to another partition.',
      'cp',
      '/dev/sda 2 3',
      { device, from_minor: arg.text('Source partition number'), to_minor: arg.text('Destination partition number') },
      (given) => [...parted, given.device, 'cp', given.from_minor, given.to_minor],
    ),
    get_id: command(
      'Return the system id of a partition.',
      'get_id',
      '/dev/sda 1',
      { device, minor },
      ({ device, minor }) => ['sfdisk', '--print-id', device, minor],
    ),
    set_id: changes({
      doc: 'Set the system id of a partition.',
      example: 'partition.set_id /dev/sda 1 83',
      args: { device, minor, system_id: arg.any('System id, as text such as 83; a number is refused, as in Salt') },
      run: async (ctx, { device, minor, system_id }) => {
        await requireBlock(ctx, device)
        if (!isWhole(minor)) throw failure('Invalid minor number passed to partition.set_id')
        if (!(await systemTypes(ctx)).has(system_id)) throw failure('Invalid system_id passed to partition.set_id')
        return splitLines(await outputOf(ctx, ['sfdisk', '--change-id', device, minor, str(system_id)]))
      },
    }),
    system_types: reads({
      doc: 'Return the valid system ids.',
      run: systemTypes,
    }),
    mkfs: changes({
      doc: 'Create a file system.',
      example: 'partition.mkfs /dev/sda2 fs_type=fat32',
      args: { device, fs_type: arg.text('File system type') },
      run: (ctx, { device, fs_type }) => makeFileSystem(ctx, device, fs_type),
    }),
    mklabel: changes({
      doc: 'Create a partition table on a device.',
      example: 'partition.mklabel /dev/sda msdos',
      args: { device, label_type: arg.text('Type of table, such as msdos or gpt') },
      run: async (ctx, { device, label_type }) => {
        if (!LABELS.has(label_type)) throw failure('Invalid label_type passed to partition.mklabel')
        return splitLines(await outputOf(ctx, [...parted, operand('A device', device), 'mklabel', label_type]))
      },
    }),
    mkpart: mkpart('mkpart'),
    mkpartfs: mkpart('mkpartfs'),
    name: command(
      'Set the name of a partition.',
      'name',
      "/dev/sda 1 'My Documents'",
      { device, partition, name: arg.text('Name') },
      ({ device, partition, name }) => [...parted, device, 'name', partition, `'${name}'`],
      {
        partition: number('partition'),
        name: (value) => (/^[A-Za-z0-9 _-]*$/.test(value) ? undefined : 'Invalid characters passed to partition.name'),
      },
    ),
    rescue: command('Rescue a lost partition.', 'rescue', '/dev/sda 0 8056', { device, start, end }, (given) => [
      ...parted,
      given.device,
      'rescue',
      given.start,
      given.end,
    ]),
    resize: command('Resize a partition.', 'resize', '/dev/sda 3 200 850', { device, minor, start, end }, (given) => [
      ...parted,
      '--',
      given.device,
      'resize',
      given.minor,
      given.start,
      given.end,
    ]),
    rm: command('Remove a partition.', 'rm', '/dev/sda 5', { device, minor }, ({ device, minor }) => [
      ...parted,
      device,
      'rm',
      minor,
    ]),
    set: {
      ...command('Set a flag of a partition.', 'set', '/dev/sda 1 boot on', { device, minor, flag, state }, (given) => [
        ...parted,
        given.device,
        'set',
        given.minor,
        given.flag,
        given.state,
      ]),
      calledAs: 'set_',
    },
    toggle: command(
      'Toggle a flag of a partition.',
      'toggle',
      '/dev/sda 1 boot',
      { device, partition, flag },
      (given) => [...parted, given.device, 'toggle', given.partition, given.flag],
      { partition: number('partition number') },
    ),
    disk_set: command(
      'Set a flag of a device.',
      'disk_set',
      '/dev/sda pmbr_boot on',
      { device, flag, state },
      (given) => ['parted', '-m', '-s', given.device, 'disk_set', given.flag, given.state],
      { flag: oneOf(DISK_FLAGS, 'flag') },
    ),
    disk_toggle: command(
      'Toggle a flag of a device.',
      'disk_toggle',
      '/dev/sda pmbr_boot',
      { device, flag },
      (given) => ['parted', '-m', '-s', given.device, 'disk_toggle', given.flag],
      { flag: oneOf(DISK_FLAGS, 'flag') },
    ),
    exists: reads({
      doc: 'Return whether a block device exists.',
      example: 'partition.exists /dev/sdb1',
      args: { device: arg.text('Device path', { default: '' }) },
      run: (ctx, args) => isBlock(ctx, args.device),
    }),
    get_block_device: reads({
      doc: 'Return the names of all disks.',
      run: async (ctx) => splitLines(await outputOf(ctx, 'lsblk -n -io KNAME -d -e 1,7,11 -l')),
    }),
  },
})
