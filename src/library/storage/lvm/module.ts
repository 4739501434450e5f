// Logical volumes of Linux, by LVM's own commands. What the `-c` forms of its displays show is given with their names.
import { type Dict, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  realPath,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const PV = [
  'Physical Volume Device',
  'Volume Group Name',
  'Physical Volume Size (kB)',
  'Internal Physical Volume Number',
  'Physical Volume Status',
  'Physical Volume (not) Allocatable',
  'Current Logical Volumes Here',
  'Physical Extent Size (kB)',
  'Total Physical Extents',
  'Free Physical Extents',
  'Allocated Physical Extents',
]
const VG = [
  'Volume Group Name',
  'Volume Group Access',
  'Volume Group Status',
  'Internal Volume Group Number',
  'Maximum Logical Volumes',
  'Current Logical Volumes',
  'Open Logical Volumes',
  'Maximum Logical Volume Size',
  'Maximum Physical Volumes',
  'Current Physical Volumes',
  'Actual Physical Volumes',
  'Volume Group Size (kB)',
  'Physical Extent Size (kB)',
  'Total Physical Extents',
  'Allocated Physical Extents',
  'Free Physical Extents',
  'UUID',
]
const LV = [
  'Logical Volume Name',
  'Volume Group Name',
  'Logical Volume Access',
  'Logical Volume Status',
  'Internal Logical Volume Number',
  'Open Logical Volumes',
  'Logical Volume Size',
  'Current Logical Extents Associated',
  'Allocated Logical Extents',
  'Allocation Policy',
  'Read Ahead Sectors',
  'Major Device Number',
  'Minor Device Number',
]

async function rows(ctx: FunctionContext, command: string, name: Value, quiet: Value): Promise<string[][]> {
  const words = [command, '-c', ...(truthy(name) ? [name] : [])]
  const { retcode, stdout } = await runAll(ctx, words, { ignore_retcode: truthy(quiet) })
  if (retcode !== 0) return []
  const lines = splitLines(stdout).filter((line) => !line.includes('is a new physical volume'))
  return lines.map((line) => line.trim().split(':'))
}

const named = (names: readonly string[], columns: readonly string[]): Dict =>
  new Map(names.map((name, at) => [name, columns[at] ?? '']))

async function display(ctx: FunctionContext, kind: 'vg' | 'lv', name: Value, quiet: Value = false): Promise<Dict> {
  const names = kind === 'vg' ? VG : LV
  const found = await rows(ctx, `${kind}display`, name, quiet)
  return new Map(found.map((columns) => [columns[0]!, named(names, columns)]))
}

async function pvdisplay(ctx: FunctionContext, name: Value, real: Value = false, quiet: Value = false): Promise<Dict> {
  const found: Dict = new Map()
  for (const columns of await rows(ctx, 'pvdisplay', name, quiet)) {
    const facts = named(PV, columns)
    const device = truthy(real) ? await realPath(ctx, columns[0]!) : columns[0]!
    if (truthy(real)) facts.set('Real Physical Volume Device', device)
    found.set(device, facts)
  }
  return found
}

const listOf = (devices: Value): string[] =>
  typeof devices === 'string' ? devices.split(',') : ((devices ?? []) as Value[]).map(str)

const sure = (force: Value): string => (truthy(force) ? '--yes' : '-qq')

/** What a command complained about, or what is said when it did not. */
async function told(ctx: FunctionContext, words: readonly string[], done: string): Promise<string> {
  const { retcode, stderr } = await runAll(ctx, words)
  return retcode === 0 ? done : stderr.trim()
}

/** Options with values among those that a command knows. */
const optionWords = (given: ReadonlyMap<string, Value>, valid: string): string[] =>
  [...given].flatMap(([name, value]) =>
    valid.split(' ').includes(name) && truthy(value) ? [`--${name}`, str(value)] : [],
  )

const PV_OPTIONS =
  'metadatasize dataalignment dataalignmentoffset pvmetadatacopies metadatacopies metadataignore restorefile ' +
  'norestorefile labelsector setphysicalvolumesize'
const VG_OPTIONS =
  'addtag alloc autobackup clustered maxlogicalvolumes maxphysicalvolumes metadatatype vgmetadatacopies ' +
  'metadatacopies physicalextentsize zero'
const LV_OPTIONS =
  'activate chunksize contiguous discards stripes stripesize minor persistent mirrors monitor permission ' +
  'poolmetadatasize readahead regionsize type virtualsize zero'
const LV_FLAGS = ['nosync', 'noudevsync', 'ignoremonitoring', 'thin']

interface Devices {
  devices: Value
  override: Value
  force: Value
}

async function pvcreate(
  ctx: FunctionContext,
  given: Devices & { kwargs: ReadonlyMap<string, Value> },
): Promise<Result> {
  if (!truthy(given.devices)) return 'Error: at least one device is required'
  const devices = listOf(given.devices)
  const fresh: string[] = []
  for (const device of devices) {
    if ((await ctx.host.stat(device)) === undefined) return `${device} does not exist`
    if ((await pvdisplay(ctx, device, false, true)).size === 0) fresh.push(device)
    else if (!truthy(given.override)) return `Device "${device}" is already an LVM physical volume.`
  }
  if (fresh.length === 0) return true
  const words = ['pvcreate', sure(given.force), ...fresh, ...optionWords(given.kwargs, PV_OPTIONS)]
  const { retcode, stderr } = await runAll(ctx, words)
  if (retcode !== 0) return stderr
  for (const device of devices) {
    if ((await pvdisplay(ctx, device)).size === 0) return `Device "${device}" was not affected.`
  }
  return true
}

async function eachVolume(ctx: FunctionContext, command: 'pvremove' | 'pvresize', given: Devices): Promise<Result> {
  const known: string[] = []
  const devices = listOf(given.devices)
  for (const device of devices) {
    if ((await pvdisplay(ctx, device)).size > 0) known.push(device)
    else if (!truthy(given.override)) return `${device} is not a physical volume`
  }
  if (known.length === 0) return true
  const { retcode, stderr } = await runAll(ctx, [command, sure(given.force), ...known])
  if (retcode !== 0) return stderr
  if (command === 'pvresize') return true
  for (const device of devices) {
    if ((await pvdisplay(ctx, device, false, true)).size > 0) return `Device "${device}" was not affected.`
  }
  return true
}

interface VolumeWish {
  lvname: Value
  vgname: Value
  size: Value
  extents: Value
  snapshot: Value
  pv: Value
  thinvolume: Value
  thinpool: Value
  force: Value
  kwargs: ReadonlyMap<string, Value>
}

/** What is wrong with a wish, or the words of its size. */
function sizeWords({ size, extents, thinvolume, thinpool }: VolumeWish): string[] | string {
  if (truthy(size) && truthy(extents)) return 'Error: Please specify only one of size or extents'
  if (truthy(thinvolume) && truthy(thinpool)) return 'Error: Please set only one of thinvolume or thinpool to True'
  if (truthy(size)) return [truthy(thinvolume) ? '-V' : '-L', str(size)]
  if (!truthy(extents)) return 'Error: Either size or extents must be specified'
  return truthy(thinvolume) ? 'Error: Thin volume size cannot be specified as extents' : ['-l', str(extents)]
}

async function lvcreate(ctx: FunctionContext, wish: VolumeWish): Promise<Result> {
  const size = sizeWords(wish)
  if (typeof size === 'string') return size
  const [lv, vg] = [str(wish.lvname), str(wish.vgname)]
  const name = truthy(wish.thinvolume) ? ['--thin', '-n', lv] : [truthy(wish.thinpool) ? '--thinpool' : '-n', lv]
  const flags = LV_FLAGS.filter((flag) => wish.kwargs.has(flag)).map((flag) => `--${flag}`)
  const words = [
    (await ctx.host.which('lvcreate')) ?? 'lvcreate',
    ...name,
    ...(truthy(wish.snapshot) ? ['-s', `${vg}/${str(wish.snapshot)}`] : [vg]),
    ...size,
    ...(truthy(wish.pv) ? [str(wish.pv)] : []),
    ...flags,
    ...optionWords(wish.kwargs, LV_OPTIONS),
    sure(wish.force),
  ]
  const output = await told(ctx, words, `Logical volume "${lv}" created.`)
  return (await display(ctx, 'lv', `/dev/${vg}/${lv}`)).set('Output from lvcreate', output)
}

interface Resize {
  size: Value
  lvpath: Value
  extents: Value
  force: Value
  resizefs: Value
}

async function resize(ctx: FunctionContext, verb: 'resize' | 'extend', wish: Resize): Promise<Record<string, Result>> {
  const { size, extents, lvpath } = wish
  if (truthy(size) === truthy(extents)) {
    const problem = truthy(size)
      ? 'Please specify only one of size or extents'
      : 'Either size or extents must be specified'
    ctx.log('error', `Error: ${problem}`)
    return {}
  }
  const insists = verb === 'resize' && truthy(wish.force) ? '--force' : sure(wish.force)
  const words = [`lv${verb}`, insists, ...(truthy(wish.resizefs) ? ['--resizefs'] : [])]
  words.push(...(truthy(size) ? ['-L', str(size)] : ['-l', str(extents)]), str(lvpath))
  const done = `Logical volume "${str(lvpath)}" successfully ${verb === 'resize' ? 'resized' : 'extended'}.`
  return { [`Output from lv${verb}`]: await told(ctx, words, done) }
}

const NO_DEVICES = 'Error: vgname and device(s) are both required'

async function vgcreate(
  ctx: FunctionContext,
  vg: string,
  devices: Value,
  force: boolean,
  options: ReadonlyMap<string, Value>,
) {
  const words = ['vgcreate', vg, ...listOf(devices), sure(force), ...optionWords(options, VG_OPTIONS)]
  const output = await told(ctx, words, `Volume group "${vg}" successfully created`)
  return (await display(ctx, 'vg', vg)).set('Output from vgcreate', output)
}

async function versions(ctx: FunctionContext): Promise<Dict> {
  const lines = splitLines(await outputOf(ctx, 'lvm version')).map((line) => line.split(':'))
  return new Map(lines.map(([name = '', value = '']) => [name.trim(), value.trim()]))
}

const quiet = arg.flag('Whether a failure is no failure of the call', { default: false })
const devices = arg.any('Devices, as a list or with commas')
const override = arg.flag('Whether devices that need nothing are passed over', { default: true })
const vgname = arg.text('The volume group')
const lvname = arg.text('The logical volume')
const optional = (doc: string) => arg.any(doc, { optional: true })
const kwargs = arg.open('Further options of the command')
const sizing = {
  size: optional('The new size'),
  lvpath: arg.text('The path of the volume', { optional: true }),
  extents: arg.text('The new number of extents', { optional: true }),
  force: arg.flag('Whether questions are answered with yes', { default: false }),
  resizefs: arg.flag('With the file system on it', { default: false }),
}

export default defineModule({
  name: 'linux_lvm',
  virtual: 'lvm',
  doc: 'Physical volumes, volume groups and logical volumes.',
  when: async ({ host }) =>
    (await host.which('lvm')) !== undefined ||
    'The linux_lvm execution module cannot be loaded: the lvm binary is not in the path.',
  functions: {
    version: reads({
      doc: 'The version of LVM.',
      example: 'lvm.version',
      args: {},
      run: async (ctx) => [...(await versions(ctx)).values()][0] ?? null,
    }),
    fullversion: reads({ doc: 'All versions that LVM tells.', example: 'lvm.fullversion', args: {}, run: versions }),
    pvdisplay: reads({
      doc: 'Physical volumes.',
      example: 'lvm.pvdisplay md0',
      args: {
        pvname: arg.any('Only this one', { default: '' }),
        real: arg.flag('Devices by their real path', { default: false }),
        quiet,
      },
      run: (ctx, { pvname, real, quiet }) => pvdisplay(ctx, pvname, real, quiet),
      returns: ret.dict('The facts, by device'),
    }),
    vgdisplay: reads({
      doc: 'Volume groups.',
      example: 'lvm.vgdisplay nova-volumes',
      args: { vgname: arg.any('Only this one', { default: '' }), quiet },
      run: (ctx, args) => display(ctx, 'vg', args.vgname, args.quiet),
    }),
    lvdisplay: reads({
      doc: 'Logical volumes.',
      example: 'lvm.lvdisplay /dev/vg_myserver/root',
      args: { lvname: arg.any('Only this one', { default: '' }), quiet },
      run: (ctx, args) => display(ctx, 'lv', args.lvname, args.quiet),
      returns: ret.dict('The facts, by volume'),
    }),
    pvcreate: changes({
      doc: 'Make physical volumes.',
      example: 'lvm.pvcreate /dev/sdb1,/dev/sdb2 dataalignmentoffset=7s',
      args: {
        devices,
        override,
        force: arg.flag('Whether questions are answered with yes', { default: true }),
        kwargs,
      },
      run: pvcreate,
    }),
    pvremove: changes({
      doc: 'Remove physical volumes.',
      example: 'lvm.pvremove /dev/sdb1',
      args: { devices, override, force: arg.flag('Whether questions are answered with yes', { default: true }) },
      run: (ctx, given) => eachVolume(ctx, 'pvremove', given),
    }),
    vgcreate: changes({
      doc: 'Make a volume group.',
      example: 'lvm.vgcreate my_vg /dev/sdb1,/dev/sdb2 clustered=y',
      args: { vgname, devices, force: arg.flag('Whether questions are answered with yes', { default: false }), kwargs },
      run: (ctx, { vgname, devices, force, kwargs }) =>
        vgname && truthy(devices) ? vgcreate(ctx, vgname, devices, force, kwargs) : NO_DEVICES,
    }),
    vgextend: changes({
      doc: 'Add devices to a volume group.',
      example: 'lvm.vgextend my_vg /dev/sdb1,/dev/sdb2',
      args: { vgname, devices, force: arg.flag('Whether questions are answered with yes', { default: false }) },
      run: async (ctx, { vgname, devices, force }) => {
        if (!vgname || !truthy(devices)) return NO_DEVICES
        const words = ['vgextend', vgname, sure(force), ...listOf(devices)]
        return { 'Output from vgextend': await told(ctx, words, `Volume group "${vgname}" successfully extended`) }
      },
    }),
    lvcreate: changes({
      doc: 'Make a logical volume.',
      example: 'lvm.lvcreate new_volume_name vg_name size=10G',
      args: {
        lvname,
        vgname,
        size: optional('Its size'),
        extents: arg.text('Its number of extents', { optional: true }),
        snapshot: arg.text('The volume it is a snapshot of', { optional: true }),
        pv: arg.text('The physical volume it is on', { optional: true }),
        thinvolume: arg.flag('Whether it is thin', { default: false }),
        thinpool: arg.flag('Whether it is a pool of thin ones', { default: false }),
        force: arg.flag('Whether questions are answered with yes', { default: false }),
        kwargs,
      },
      run: lvcreate,
    }),
    vgremove: changes({
      doc: 'Remove a volume group.',
      example: 'lvm.vgremove vgname',
      args: { vgname, force: arg.flag('Whether questions are answered with yes', { default: true }) },
      run: (ctx, { vgname, force }) =>
        told(ctx, ['vgremove', vgname, sure(force)], `Volume group "${vgname}" successfully removed`),
    }),
    lvremove: changes({
      doc: 'Remove a logical volume.',
      example: 'lvm.lvremove lvname vgname',
      args: { lvname, vgname, force: arg.flag('Whether questions are answered with yes', { default: true }) },
      run: (ctx, { lvname, vgname, force }) =>
        told(ctx, ['lvremove', `${vgname}/${lvname}`, sure(force)], `Logical volume "${lvname}" successfully removed`),
    }),
    lvresize: changes({
      doc: 'Set the size of a logical volume.',
      example: 'lvm.lvresize +12M /dev/mapper/vg1-test',
      args: sizing,
      run: (ctx, wish) => resize(ctx, 'resize', wish),
      returns: ret.dict('What lvresize says'),
    }),
    lvextend: changes({
      doc: 'Enlarge a logical volume.',
      example: 'lvm.lvextend +12M /dev/mapper/vg1-test',
      args: sizing,
      run: (ctx, wish) => resize(ctx, 'extend', wish),
    }),
    pvresize: changes({
      doc: 'Take up the new size of devices.',
      example: 'lvm.pvresize /dev/sdb1,/dev/sdb2',
      args: { devices, override, force: arg.flag('Whether questions are answered with yes', { default: true }) },
      run: (ctx, given) => eachVolume(ctx, 'pvresize', given),
    }),
  },
})
