// Logical volumes of Linux, through the commands of LVM. The columns of the displays with `-c` get names.
import { type Dict, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  operand,
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

async function rows(ctx: FunctionContext, command: string, name: string, quiet: boolean): Promise<string[][]> {
  const words = [command, '-c', ...(name ? [operand('A volume', name)] : [])]
  const { retcode, stdout } = await runAll(ctx, words, { ignore_retcode: quiet })
  if (retcode !== 0) return []
  const lines = splitLines(stdout).filter((line) => !line.includes('is a new physical volume'))
  return lines.map((line) => line.trim().split(':'))
}

const named = (names: readonly string[], columns: readonly string[]): Dict =>
  new Map(names.map((name, at) => [name, columns[at] ?? '']))

async function display(ctx: FunctionContext, kind: 'vg' | 'lv', name: string, quiet = false): Promise<Dict> {
  const names = kind === 'vg' ? VG : LV
  const found = await rows(ctx, `${kind}display`, name, quiet)
  return new Map(found.map((columns) => [columns[0]!, named(names, columns)]))
}

async function pvdisplay(ctx: FunctionContext, name: string, real = false, quiet = false): Promise<Dict> {
  const found: Dict = new Map()
  for (const columns of await rows(ctx, 'pvdisplay', name, quiet)) {
    const facts = named(PV, columns)
    const [shown = ''] = columns
    const device = real ? await realPath(ctx, shown) : shown
    if (real) facts.set('Real Physical Volume Device', device)
    found.set(device, facts)
  }
  return found
}

const checked = (devices: readonly string[]): string[] => devices.map((device) => operand('A device', device))

const isNone = (devices: readonly string[]): boolean => devices.every((device) => device === '')

const sure = (force: boolean): string => (force ? '--yes' : '-qq')

/** Run a command; return its error text, or a text for success. */
async function outcomeOf(ctx: FunctionContext, words: readonly string[], done: string): Promise<string> {
  const { retcode, stderr } = await runAll(ctx, words)
  return retcode === 0 ? done : stderr.trim()
}

/** Return the options that a command knows and that have values. */
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
  devices: string[]
  override: boolean
  force: boolean
}

async function pvcreate(
  ctx: FunctionContext,
  { devices, override, force, kwargs }: Devices & { kwargs: ReadonlyMap<string, Value> },
): Promise<Result> {
  if (isNone(devices)) return 'Error: at least one device is required'
  const fresh: string[] = []
  for (const device of devices) {
    if ((await ctx.host.stat(device)) === undefined) return `${device} does not exist`
    if ((await pvdisplay(ctx, device, false, true)).size === 0) fresh.push(device)
    else if (!override) return `Device "${device}" is already an LVM physical volume.`
  }
  if (fresh.length === 0) return true
  const words = ['pvcreate', sure(force), ...checked(fresh), ...optionWords(kwargs, PV_OPTIONS)]
  const { retcode, stderr } = await runAll(ctx, words)
  if (retcode !== 0) return stderr
  for (const device of devices) {
    if ((await pvdisplay(ctx, device)).size === 0) return `Device "${device}" was not affected.`
  }
  return true
}

async function eachVolume(ctx: FunctionContext, command: 'pvremove' | 'pvresize', request: Devices): Promise<Result> {
  const { devices, override, force } = request
  const known: string[] = []
  for (const device of devices) {
    if ((await pvdisplay(ctx, device)).size > 0) known.push(device)
    else if (!override) return `${device} is not a physical volume`
  }
  if (known.length === 0) return true
  const { retcode, stderr } = await runAll(ctx, [command, sure(force), ...checked(known)])
  if (retcode !== 0) return stderr
  if (command === 'pvresize') return true
  for (const device of devices) {
    if ((await pvdisplay(ctx, device, false, true)).size > 0) return `Device "${device}" was not affected.`
  }
  return true
}

type NewVolume = Bound<typeof lvcreateArgs>

/** Return the words for the size, or an error text. */
function sizeWords({ size, extents, thinvolume, thinpool }: NewVolume): string[] | string {
  if (size && extents) return 'Error: Please specify only one of size or extents'
  if (thinvolume && thinpool) return 'Error: Please set only one of thinvolume or thinpool to True'
  if (size) return [thinvolume ? '-V' : '-L', size]
  if (!extents) return 'Error: Either size or extents must be specified'
  return thinvolume ? 'Error: Thin volume size cannot be specified as extents' : ['-l', extents]
}

async function lvcreate(ctx: FunctionContext, request: NewVolume): Promise<Result> {
  const size = sizeWords(request)
  if (typeof size === 'string') return size
  const { lvname: lv, vgname: vg, snapshot, pv, thinvolume, thinpool, force, kwargs } = request
  const name = thinvolume ? ['--thin', '-n', lv] : [thinpool ? '--thinpool' : '-n', lv]
  const flags = LV_FLAGS.filter((flag) => kwargs.has(flag)).map((flag) => `--${flag}`)
  const words = [
    (await ctx.host.which('lvcreate')) ?? 'lvcreate',
    ...name,
    ...(snapshot ? ['-s', operand('A volume group', `${vg}/${snapshot}`)] : [operand('A volume group', vg)]),
    ...size,
    ...(pv ? checked([pv]) : []),
    ...flags,
    ...optionWords(kwargs, LV_OPTIONS),
    sure(force),
  ]
  const output = await outcomeOf(ctx, words, `Logical volume "${lv}" created.`)
  return (await display(ctx, 'lv', `/dev/${vg}/${lv}`)).set('Output from lvcreate', output)
}

async function resize(
  ctx: FunctionContext,
  verb: 'resize' | 'extend',
  { size, extents, lvpath, force, resizefs }: Bound<typeof sizing>,
): Promise<Record<string, Result>> {
  if (Boolean(size) === Boolean(extents)) {
    const problem = size ? 'Please specify only one of size or extents' : 'Either size or extents must be specified'
    ctx.log('error', `Error: ${problem}`)
    return {}
  }
  const answer = verb === 'resize' && force ? '--force' : sure(force)
  const words = [`lv${verb}`, answer, ...(resizefs ? ['--resizefs'] : [])]
  words.push(...(size ? ['-L', size] : ['-l', str(extents)]), operand('A logical volume', str(lvpath)))
  const done = `Logical volume "${str(lvpath)}" successfully ${verb === 'resize' ? 'resized' : 'extended'}.`
  return { [`Output from lv${verb}`]: await outcomeOf(ctx, words, done) }
}

const NO_DEVICES = 'Error: vgname and device(s) are both required'

async function vgcreate(
  ctx: FunctionContext,
  vg: string,
  devices: string[],
  force: boolean,
  options: ReadonlyMap<string, Value>,
) {
  const words = [
    'vgcreate',
    operand('A volume group', vg),
    ...checked(devices),
    sure(force),
    ...optionWords(options, VG_OPTIONS),
  ]
  const output = await outcomeOf(ctx, words, `Volume group "${vg}" successfully created`)
  return (await display(ctx, 'vg', vg)).set('Output from vgcreate', output)
}

async function versions(ctx: FunctionContext): Promise<Dict> {
  const lines = splitLines(await outputOf(ctx, 'lvm version')).map((line) => line.split(':'))
  return new Map(lines.map(([name = '', value = '']) => [name.trim(), value.trim()]))
}

const quiet = arg.flag('Whether a failure does not change the return code of the job', { default: false })
const devices = arg.words('Devices, as a list or with commas')
const override = arg.flag('Whether to skip devices that need no change', { default: true })
const vgname = arg.text('Volume group')
const lvname = arg.text('Logical volume')
const kwargs = arg.open('Further options of the command')
const sizing = {
  size: arg.text('New size, such as +12M', { optional: true }),
  lvpath: arg.text('Path of the logical volume', { optional: true }),
  extents: arg.text('New number of extents', { optional: true }),
  force: arg.flag('Whether to answer questions with yes', { default: false }),
  resizefs: arg.flag('Whether to resize the file system as well', { default: false }),
}

const lvcreateArgs = {
  lvname,
  vgname,
  size: arg.text('Size, such as 10G', { optional: true }),
  extents: arg.text('Number of extents', { optional: true }),
  snapshot: arg.text('Logical volume to take a snapshot of', { optional: true }),
  pv: arg.text('Physical volume to use', { optional: true }),
  thinvolume: arg.flag('Whether to create a thin volume', { default: false }),
  thinpool: arg.flag('Whether to create a thin pool', { default: false }),
  force: arg.flag('Whether to answer questions with yes', { default: false }),
  kwargs,
}

export default defineModule({
  name: 'linux_lvm',
  virtual: 'lvm',
  doc: 'Manage physical volumes, volume groups and logical volumes.',
  when: async ({ host }) =>
    (await host.which('lvm')) !== undefined ||
    'The linux_lvm execution module cannot be loaded: the lvm binary is not in the path.',
  functions: {
    version: reads({
      doc: 'Return the version of LVM.',
      run: async (ctx) => [...(await versions(ctx)).values()][0] ?? null,
    }),
    fullversion: reads({
      doc: 'Return all versions that LVM shows.',
      run: versions,
    }),
    pvdisplay: reads({
      doc: 'Return the physical volumes.',
      example: 'lvm.pvdisplay md0',
      args: {
        pvname: arg.text('Device; all if empty', { default: '' }),
        real: arg.flag('Whether to use the real path of devices', { default: false }),
        quiet,
      },
      run: (ctx, { pvname, real, quiet }) => pvdisplay(ctx, pvname, real, quiet),
      returns: ret.dict('The data by device'),
    }),
    vgdisplay: reads({
      doc: 'Return the volume groups.',
      example: 'lvm.vgdisplay nova-volumes',
      args: { vgname: arg.text('Volume group; all if empty', { default: '' }), quiet },
      run: (ctx, args) => display(ctx, 'vg', args.vgname, args.quiet),
    }),
    lvdisplay: reads({
      doc: 'Return the logical volumes.',
      example: 'lvm.lvdisplay /dev/vg_myserver/root',
      args: { lvname: arg.text('Path of the logical volume; all if empty', { default: '' }), quiet },
      run: (ctx, args) => display(ctx, 'lv', args.lvname, args.quiet),
      returns: ret.dict('The data by volume'),
    }),
    pvcreate: changes({
      doc: 'Create physical volumes.',
      example: 'lvm.pvcreate /dev/sdb1,/dev/sdb2 dataalignmentoffset=7s',
      args: { devices, override, force: arg.flag('Whether to answer questions with yes', { default: true }), kwargs },
      run: pvcreate,
    }),
    pvremove: changes({
      doc: 'Remove physical volumes.',
      example: 'lvm.pvremove /dev/sdb1',
      args: { devices, override, force: arg.flag('Whether to answer questions with yes', { default: true }) },
      run: (ctx, given) => eachVolume(ctx, 'pvremove', given),
    }),
    vgcreate: changes({
      doc: 'Create a volume group.',
      example: 'lvm.vgcreate my_vg /dev/sdb1,/dev/sdb2 clustered=y',
      args: { vgname, devices, force: arg.flag('Whether to answer questions with yes', { default: false }), kwargs },
      run: (ctx, { vgname, devices, force, kwargs }) =>
        vgname && !isNone(devices) ? vgcreate(ctx, vgname, devices, force, kwargs) : NO_DEVICES,
    }),
    vgextend: changes({
      doc: 'Add devices to a volume group.',
      example: 'lvm.vgextend my_vg /dev/sdb1,/dev/sdb2',
      args: { vgname, devices, force: arg.flag('Whether to answer questions with yes', { default: false }) },
      run: async (ctx, { vgname, devices, force }) => {
        if (!vgname || isNone(devices)) return NO_DEVICES
        const words = ['vgextend', operand('A volume group', vgname), sure(force), ...checked(devices)]
        return { 'Output from vgextend': await outcomeOf(ctx, words, `Volume group "${vgname}" successfully extended`) }
      },
    }),
    lvcreate: changes({
      doc: 'Create a logical volume.',
      example: 'lvm.lvcreate new_volume_name vg_name size=10G',
      args: lvcreateArgs,
      run: lvcreate,
    }),
    vgremove: changes({
      doc: 'Remove a volume group.',
      example: 'lvm.vgremove vgname',
      args: { vgname, force: arg.flag('Whether to answer questions with yes', { default: true }) },
      run: (ctx, { vgname, force }) =>
        outcomeOf(
          ctx,
          ['vgremove', operand('A volume group', vgname), sure(force)],
          `Volume group "${vgname}" successfully removed`,
        ),
    }),
    lvremove: changes({
      doc: 'Remove a logical volume.',
      example: 'lvm.lvremove lvname vgname',
      args: { lvname, vgname, force: arg.flag('Whether to answer questions with yes', { default: true }) },
      run: (ctx, { lvname, vgname, force }) =>
        outcomeOf(
          ctx,
          ['lvremove', operand('A volume group', `${vgname}/${lvname}`), sure(force)],
          `Logical volume "${lvname}" successfully removed`,
        ),
    }),
    lvresize: changes({
      doc: 'Resize a logical volume.',
      example: 'lvm.lvresize +12M /dev/mapper/vg1-test',
      args: sizing,
      run: (ctx, request) => resize(ctx, 'resize', request),
      returns: ret.dict('The output of lvresize'),
    }),
    lvextend: changes({
      doc: 'Extend a logical volume.',
      example: 'lvm.lvextend +12M /dev/mapper/vg1-test',
      args: sizing,
      run: (ctx, request) => resize(ctx, 'extend', request),
    }),
    pvresize: changes({
      doc: 'Resize physical volumes to the size of their devices.',
      example: 'lvm.pvresize /dev/sdb1,/dev/sdb2',
      args: { devices, override, force: arg.flag('Whether to answer questions with yes', { default: true }) },
      run: (ctx, given) => eachVolume(ctx, 'pvresize', given),
    }),
  },
})
