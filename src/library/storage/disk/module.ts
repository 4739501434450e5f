// Usage of volumes, and the contents of devices, from `df`, `blkid` and `lsblk`.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  failure,
  iterate,
  SaltError,
  splitLines,
  splitWords,
  str,
  textOf,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'
import { dump, format, hdparms, protectedAreas, smartAttributes, tune, wipe } from './module/devices.ts'
import { inodesByMount, mountRows, percentByMount, usageByMount } from './module/df.ts'
import { iostat } from './module/iostat.ts'

const FLAGS = new Set('aBhHiklPtTxv')

/** Return the letters as one option for `df`. */
function flagsOf(args: Value, caller: string): string {
  if (args === null) return ''
  const flags = [...iterate(args)].map(str)
  if (!flags.every((flag) => FLAGS.has(flag))) {
    throw failure(`Invalid flag passed to ${caller}`)
  }
  return flags.length > 0 ? ` -${flags.join('')}` : ''
}

const kernelOf = (ctx: FunctionContext): string => str(ctx.grains.get('kernel') ?? '')

const DF: Readonly<Record<string, string>> = lookup({ Linux: 'df -P', OpenBSD: 'df -kP', AIX: 'df -kP' })

async function lines(ctx: FunctionContext, command: string): Promise<string[]> {
  return splitLines(await ctx.call('cmd.run', [command], { python_shell: false }))
}

function unreadable(ctx: FunctionContext, what: string): () => void {
  return () => ctx.log('error', `Problem parsing ${what} information`)
}

async function usage(ctx: FunctionContext, args: Value): Promise<Dict> {
  const flags = flagsOf(args, 'disk.usage')
  const kernel = kernelOf(ctx)
  if (kernel === 'Linux' && (await ctx.host.stat('/etc/mtab'))?.type !== 'file') {
    ctx.log('error', 'df cannot run without /etc/mtab')
    return new Map()
  }
  const command = kernel === 'SunOS' ? 'df -k' : (DF[kernel] ?? 'df')
  const rows = mountRows(await lines(ctx, command + flags), { joined: true })
  return usageByMount(rows, kernel, unreadable(ctx, 'disk usage'))
}

async function inodeUsage(ctx: FunctionContext, args: Value): Promise<Dict> {
  const flags = flagsOf(args, 'disk.inodeusage')
  const kernel = kernelOf(ctx)
  const shown = await lines(ctx, (kernel === 'AIX' ? 'df -i' : 'df -iP') + flags)
  return inodesByMount(shown, kernel, unreadable(ctx, 'inode usage'))
}

async function percent(ctx: FunctionContext, partition: string | null): Promise<Value> {
  const kernel = kernelOf(ctx)
  const rows = mountRows(await lines(ctx, DF[kernel] ?? 'df'), { joined: false })
  const all = percentByMount(rows, kernel, unreadable(ctx, 'disk usage'))
  if (!partition) return all
  const found = all.get(partition)
  if (found !== undefined) return found
  ctx.log('error', `Problem parsing disk usage information: Partition '${partition}' does not exist!`)
  return new Map()
}

/** Parse lines such as `/dev/sda1: LABEL="x" UUID="…"`. */
async function blockIds(ctx: FunctionContext, device: string | null, token: string | null): Promise<Dict> {
  if ((await ctx.host.which('blkid')) === undefined) {
    throw new SaltError('SaltException', "The 'blkid' binary was not found in $PATH.")
  }
  const which = device ? [device] : token ? ['-t', token] : []
  const result = await ctx.call('cmd.run_all', [['blkid', ...which]], { python_shell: false })
  const found: Dict = new Map()
  if (Number(result.get('retcode')) > 0) return found
  for (const line of splitLines(str(result.get('stdout') ?? ''))) {
    const [name = ''] = splitWords(line)
    if (name === '') continue
    const pairs = [...line.slice(line.indexOf(' ') + 1).matchAll(/([^\s"=][^"=]*)="([^"]*)"/g)]
    found.set(name.slice(0, -1), new Map(pairs.map(([, key = '', value = '']): [Value, Value] => [key, value])))
  }
  return found
}

async function fileSystemOf(ctx: FunctionContext, device: string): Promise<string> {
  const second = async (command: string): Promise<string> => {
    if ((await ctx.host.which(command.split(' ')[0]!)) === undefined) return ''
    return splitLines(await ctx.call('cmd.run', [`${command} ${device}`]))[1] ?? ''
  }
  // as in Salt, return the whole line of df
  return (await second('lsblk -o fstype')).trim() || (await second('df -T'))
}

const flags = arg.any('Option letters of df, as text or list', { optional: true })
const device = arg.text('Device path')

export default defineModule({
  name: 'disk',
  doc: 'Inspect and format volumes and devices.',
  when: ({ grains }) => textOf(grains.get('kernel') ?? null) !== 'Windows' || "This module doesn't work on Windows.",
  functions: {
    usage: reads({
      doc: 'Return the usage of all mounted volumes.',
      args: { args: flags },
      returns: ret.dict('By mount point: filesystem, 1K-blocks, used, available and capacity'),
      run: (ctx, { args }) => usage(ctx, args),
    }),
    inodeusage: reads({
      doc: 'Return the inode usage of all mounted volumes.',
      args: { args: flags },
      returns: ret.dict('By mount point: inodes, used, free, use and filesystem'),
      run: (ctx, { args }) => inodeUsage(ctx, args),
    }),
    percent: reads({
      doc: 'Return the usage of mounted volumes in percent.',
      args: { args: arg.text('Mount point; all if not given', { optional: true }) },
      returns: ret.any('Percentages by mount point, or one percentage'),
      example: 'disk.percent /var',
      run: (ctx, { args }) => percent(ctx, args),
    }),
    blkid: reads({
      doc: 'Return attributes of block devices, such as UUID and LABEL.',
      args: {
        device: arg.text('Device path; all if not given', { optional: true }),
        token: arg.text('Attribute that devices must have, such as TYPE=ext4', { optional: true }),
      },
      returns: ret.dict('Attributes by device'),
      examples: ["salt '*' disk.blkid /dev/sda", "salt '*' disk.blkid token='TYPE=ext4'"],
      run: (ctx, { device, token }) => blockIds(ctx, device, token),
    }),
    fstype: reads({
      doc: 'Return the file system type of a device.',
      args: { device: arg.text('Device path') },
      returns: ret.string('File system type, or an empty text'),
      example: 'disk.fstype /dev/sdX1',
      run: (ctx, { device }) => fileSystemOf(ctx, device),
    }),
    get_fstype_from_path: reads({
      doc: 'Return the file system type of the volume of a path.',
      example: 'disk.get_fstype_from_path /root',
      args: { path: arg.text('Path') },
      run: async (ctx, { path }) => fileSystemOf(ctx, str(await ctx.call('mount.get_device_from_path', [path]))),
    }),
    tune: changes({
      doc: 'Set parameters of a device: read-ahead, filesystem-read-ahead, read-only or read-write.',
      example: 'disk.tune /dev/sda1 read-ahead=1024 read-write=True',
      args: { device, kwargs: arg.open('Parameters') },
      run: (ctx, { device, kwargs }) => tune(ctx, device, kwargs),
      returns: ret.orFalse(ret.dict('The parameters by name; False if blockdev fails')),
    }),
    dump: reads({
      doc: 'Return the parameters of a device.',
      example: 'disk.dump /dev/sda1',
      args: {
        device,
        args: arg.words('Parameter names, as a list or with commas; all if not given', { optional: true }),
      },
      run: (ctx, { device, args }) => dump(ctx, device, args ?? []),
      returns: ret.orFalse(ret.dict('The parameters by name; False if blockdev fails')),
    }),
    wipe: changes({
      doc: 'Remove the file system signatures from a device.',
      example: 'disk.wipe /dev/sda1',
      args: { device },
      run: (ctx, args) => wipe(ctx, args.device),
    }),
    resize2fs: changes({
      doc: 'Resize an ext file system to the size of its device.',
      example: 'disk.resize2fs /dev/sda1',
      args: { device },
      run: async (ctx, args) => ((await runAll(ctx, `resize2fs ${args.device}`)).retcode === 0 ? true : null),
    }),
    format: changes({
      doc: 'Create a file system on a device.',
      args: {
        device,
        fs_type: arg.string('File system type', { default: 'ext4' }),
        inode_size: arg.text('Inode size', { optional: true }),
        lazy_itable_init: arg.text('Whether inode tables are initialized later: 0 or 1', { optional: true }),
        fat: arg.any('12, 16 or 32, as a number', { optional: true }),
        force: arg.flag('Whether to overwrite an existing file system', { default: false }),
      },
      calledAs: 'format_',
      returns: ret.boolean('Whether it succeeded'),
      example: 'disk.format /dev/sdX1',
      run: format,
    }),
    hdparms: reads({
      doc: 'Return the output of hdparm for disks as data.',
      example: 'disk.hdparms sda',
      args: {
        disks: arg.words('Disks, as a list or with commas'),
        args: arg.textOrList('Option letters of hdparm, as text or list', { default: 'aAbBcCdgHiJkMmNnQrRuW' }),
      },
      run: (ctx, { disks, args }) => hdparms(ctx, disks, args),
    }),
    hpa: changes({
      doc: 'Return the sizes of the host protected areas of disks; with `size`, set them.',
      example: 'disk.hpa sda 5%',
      args: {
        disks: arg.words('Disks, as a list or with commas'),
        size: arg.text('Sectors, or a percentage such as 5%', { optional: true }),
      },
      run: (ctx, { disks, size }) => protectedAreas(ctx, disks, size),
    }),
    smart_attributes: reads({
      doc: 'Return the SMART attributes of a disk.',
      example: 'disk.smart_attributes /dev/sda',
      args: {
        dev: arg.string('Disk'),
        attributes: arg.any('List of attribute ids; all if not given', { optional: true }),
        values: arg.words('Columns, as a list or with commas; all if not given', { optional: true }),
      },
      run: (ctx, { dev, attributes, values }) => smartAttributes(ctx, dev, attributes, values),
    }),
    iostat: reads({
      doc: 'Return average I/O statistics of the machine and its devices.',
      example: 'disk.iostat 5 disks=sda',
      args: {
        interval: arg.count('Seconds between measurements', { default: 1 }),
        count: arg.count('Number of measurements', { default: 5 }),
        disks: arg.words('Disks, as a list or with commas', { optional: true }),
      },
      run: (ctx, { interval, count, disks }) => iostat(ctx, interval, count, disks),
    }),
  },
})
