// Partitions, through parted and sfdisk. Everything is checked before a command is built, since parted asks no one.
import { lookup } from '../../../base/mod.ts'
import { SaltError, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
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

const wrong = (message: string): SaltError => new SaltError('CommandExecutionError', message)

async function isBlock(ctx: FunctionContext, device: Value): Promise<boolean> {
  return typeof device === 'string' && device !== '' && (await ctx.host.stat(device))?.type === 'block'
}

const isWhole = (value: Value): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value))

/** What a function asks of its arguments, by their names; each check says what it found wrong. */
type Check = (value: Value, fun: string) => string | undefined

const oneOf =
  (set: ReadonlySet<string>, noun: string): Check =>
  (value, fun) =>
    set.has(str(value)) ? undefined : `Invalid ${noun} passed to partition.${fun}`

const number =
  (noun: string): Check =>
  (value, fun) =>
    isWhole(value) ? undefined : `Invalid ${noun} passed to partition.${fun}`

const boundary: Check = (value) => {
  const [, unit] = /^[\d.]+(\D*)$/.exec(str(value)) ?? []
  return unit !== undefined && (unit === '' || UNITS.has(unit))
    ? undefined
    : `Invalid partition boundary passed: "${str(value)}"`
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

/** A function that is one command about a device, shown line by line. */
function command<const A extends Args>(
  doc: string,
  fun: string,
  example: string,
  args: A,
  line: (given: Bound<A>) => string | readonly Value[],
  checks: Readonly<Record<string, Check>> = {},
) {
  return changes({
    doc,
    example: `partition.${fun} ${example}`,
    args,
    run: async (ctx, given) => {
      const values = given as Readonly<Record<string, Value>>
      if ('device' in values && !(await isBlock(ctx, values['device']!))) {
        throw wrong('Invalid device passed to partition module.')
      }
      for (const [name, value] of Object.entries(values)) {
        const problem = (checks[name] ?? CHECKS[name])?.(value, fun)
        if (problem !== undefined) throw wrong(problem)
      }
      return splitLines(await outputOf(ctx, line(given)))
    },
  })
}

async function list(ctx: FunctionContext, device: Value, unit: string | null): Promise<Result> {
  if (!(await isBlock(ctx, device))) throw wrong('Invalid device passed to partition module.')
  if (unit && !UNITS.has(unit)) throw wrong('Invalid unit passed to partition.part_list')
  const how = unit ? `unit ${unit} print` : 'print'
  const { stdout } = await runAll(ctx, `parted -m -s ${str(device)} ${how}`)
  const lines = splitLines(stdout).filter((line) => !['BYT;', 'CHS;', 'CYL;'].includes(line))
  const [head, ...rows] = lines.map((line) => line.replace(/;+$/, '').split(':'))
  if (head === undefined) return { info: {}, partitions: {} }
  const problem = wrong('Problem encountered while parsing output from parted')
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

async function makeFileSystem(ctx: FunctionContext, device: Value, type: string): Promise<Result> {
  if (!(await isBlock(ctx, device))) throw wrong('Invalid device passed to partition module.')
  if (!FILE_SYSTEMS.has(type)) throw wrong('Invalid fs_type passed to partition.mkfs')
  const program = type === 'linux-swap' ? 'mkswap' : `mkfs.${type === 'NTFS' ? 'ntfs' : type}`
  if ((await ctx.host.which(program)) === undefined) return `Error: ${program} is unavailable.`
  return splitLines(await outputOf(ctx, `${program} ${str(device)}`))
}

const device = arg.any('The device')
const minor = arg.any('The number of the partition')
const flag = arg.any('The flag')
const state = arg.any('on or off')
const start = arg.any('Where it begins')
const end = arg.any('Where it ends')
const partition = arg.any('The number of the partition')
const part_type = arg.any('primary, logical or extended')
const fs_type = arg.any('The file system it is meant for', { optional: true })
const parted = 'parted -m -s'

/** Both boundaries are looked at only when both are given. */
const made = {
  part_type: oneOf(words('primary logical extended'), 'part_type'),
  start: () => undefined,
  end: () => undefined,
}

const mkpart = (fun: 'mkpart' | 'mkpartfs') =>
  command(
    'Make a partition.',
    fun,
    '/dev/sda primary fs_type=fat32 start=0 end=639',
    {
      device,
      part_type,
      fs_type,
      start: arg.any('Where it begins', { optional: true }),
      end: arg.any('Where it ends', { optional: true }),
    },
    ({ device, part_type, fs_type, start, end }) => {
      const problem = start !== null && end !== null ? (boundary(start, fun) ?? boundary(end, fun)) : undefined
      if (problem !== undefined) throw wrong(problem)
      const kind = truthy(fs_type) ? [part_type, fs_type] : [part_type]
      return ['parted', '-m', '-s', '--', device, 'mkpart', ...kind, start ?? '', end ?? ''].map(str)
    },
    {
      ...made,
      fs_type: (value) =>
        truthy(value) && !FILE_SYSTEMS.has(str(value)) ? 'Invalid fs_type passed to partition.mkpart' : undefined,
    },
  )

export default defineModule({
  name: 'parted_partition',
  virtual: 'partition',
  doc: 'Partitions and their tables.',
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
      doc: 'Have the kernel read tables anew.',
      example: 'partition.probe /dev/sda',
      args: { devices: arg.rest('The devices') },
      run: async (ctx, { devices }) => {
        for (const one of devices)
          if (!(await isBlock(ctx, one))) throw wrong('Invalid device passed to partition module.')
        return splitLines(await outputOf(ctx, `partprobe -- ${devices.map(str).join(' ')}`))
      },
    }),
    list: reads({
      doc: 'The table of a device.',
      args: { device, unit: arg.text('The unit of sizes', { optional: true }) },
      calledAs: 'list_',
      example: 'partition.list /dev/sda unit=s',
      run: (ctx, { device, unit }) => list(ctx, device, unit),
    }),
    align_check: command(
      'Whether a partition is aligned.',
      'align_check',
      '/dev/sda minimal 1',
      { device, part_type: arg.any('minimal or optimal'), partition },
      (given) => `parted -m ${str(given.device)} align-check ${str(given.part_type)} ${str(given.partition)}`,
      { part_type: oneOf(words('minimal optimal'), 'part_type'), partition: number('partition') },
    ),
    check: command(
      'Check the file system of a partition.',
      'check',
      '/dev/sda 1',
      { device, minor },
      ({ device, minor }) => `${parted} ${str(device)} check ${str(minor)}`,
    ),
    cp: command(
      'Copy a file system over another partition.',
      'cp',
      '/dev/sda 2 3',
      { device, from_minor: arg.any('The partition it comes from'), to_minor: arg.any('The partition it goes to') },
      (given) => `${parted} ${str(given.device)} cp ${str(given.from_minor)} ${str(given.to_minor)}`,
    ),
    get_id: command(
      'The system id of a partition.',
      'get_id',
      '/dev/sda 1',
      { device, minor },
      ({ device, minor }) => `sfdisk --print-id ${str(device)} ${str(minor)}`,
    ),
    set_id: changes({
      doc: 'Set the system id of a partition.',
      example: 'partition.set_id /dev/sda 1 83',
      args: { device, minor, system_id: arg.any('The id') },
      run: async (ctx, { device, minor, system_id }) => {
        if (!(await isBlock(ctx, device))) throw wrong('Invalid device passed to partition module.')
        if (!isWhole(minor)) throw wrong('Invalid minor number passed to partition.set_id')
        if (!(await systemTypes(ctx)).has(system_id)) throw wrong('Invalid system_id passed to partition.set_id')
        return splitLines(await outputOf(ctx, `sfdisk --change-id ${str(device)} ${str(minor)} ${str(system_id)}`))
      },
    }),
    system_types: reads({
      doc: 'The system ids there are.',
      example: 'partition.system_types',
      args: {},
      run: systemTypes,
    }),
    mkfs: changes({
      doc: 'Make a file system.',
      example: 'partition.mkfs /dev/sda2 fs_type=fat32',
      args: { device, fs_type: arg.text('The file system') },
      run: (ctx, { device, fs_type }) => makeFileSystem(ctx, device, fs_type),
    }),
    mklabel: changes({
      doc: 'Make a new table on a device.',
      example: 'partition.mklabel /dev/sda msdos',
      args: { device, label_type: arg.any('The kind of table') },
      run: async (ctx, { device, label_type }) => {
        if (!LABELS.has(str(label_type))) throw wrong('Invalid label_type passed to partition.mklabel')
        return splitLines(await outputOf(ctx, ['parted', '-m', '-s', device, 'mklabel', label_type].map(str)))
      },
    }),
    mkpart: mkpart('mkpart'),
    mkpartfs: mkpart('mkpartfs'),
    name: command(
      'Name a partition.',
      'name',
      "/dev/sda 1 'My Documents'",
      { device, partition, name: arg.any('The name') },
      ({ device, partition, name }) => `${parted} ${str(device)} name ${str(partition)} "'${str(name)}'"`,
      {
        partition: number('partition'),
        name: (value) =>
          /^[A-Za-z0-9 _-]*$/.test(str(value)) ? undefined : 'Invalid characters passed to partition.name',
      },
    ),
    rescue: command(
      'Find a lost partition.',
      'rescue',
      '/dev/sda 0 8056',
      { device, start, end },
      (given) => `${parted} ${str(given.device)} rescue ${str(given.start)} ${str(given.end)}`,
    ),
    resize: command(
      'Resize a partition.',
      'resize',
      '/dev/sda 3 200 850',
      { device, minor, start, end },
      (given) => `${parted} -- ${str(given.device)} resize ${str(given.minor)} ${str(given.start)} ${str(given.end)}`,
    ),
    rm: command(
      'Remove a partition.',
      'rm',
      '/dev/sda 5',
      { device, minor },
      ({ device, minor }) => `${parted} ${str(device)} rm ${str(minor)}`,
    ),
    set: {
      ...command(
        'Set a flag of a partition.',
        'set',
        '/dev/sda 1 boot on',
        { device, minor, flag, state },
        (given) => `${parted} ${str(given.device)} set ${str(given.minor)} ${str(given.flag)} ${str(given.state)}`,
      ),
      calledAs: 'set_',
    },
    toggle: command(
      'Switch a flag of a partition over.',
      'toggle',
      '/dev/sda 1 boot',
      { device, partition, flag },
      (given) => `${parted} ${str(given.device)} toggle ${str(given.partition)} ${str(given.flag)}`,
      { partition: number('partition number') },
    ),
    disk_set: command(
      'Set a flag of a device.',
      'disk_set',
      '/dev/sda pmbr_boot on',
      { device, flag, state },
      (given) => ['parted', '-m', '-s', given.device, 'disk_set', given.flag, given.state].map(str),
      { flag: oneOf(DISK_FLAGS, 'flag') },
    ),
    disk_toggle: command(
      'Switch a flag of a device over.',
      'disk_toggle',
      '/dev/sda pmbr_boot',
      { device, flag },
      (given) => ['parted', '-m', '-s', given.device, 'disk_toggle', given.flag].map(str),
      { flag: oneOf(DISK_FLAGS, 'flag') },
    ),
    exists: reads({
      doc: 'Whether there is such a device.',
      example: 'partition.exists /dev/sdb1',
      args: { device: arg.any('The device', { default: '' }) },
      run: (ctx, args) => isBlock(ctx, args.device),
    }),
    get_block_device: reads({
      doc: 'The names of all disks.',
      example: 'partition.get_block_device',
      args: {},
      run: async (ctx) => splitLines(await outputOf(ctx, 'lsblk -n -io KNAME -d -e 1,7,11 -l')),
    }),
  },
})
