// Volumes: how full they are, and what is on a device. Everything is read from `df`, `blkid` and `lsblk`.
import { lookup } from '../../../base/mod.ts'
import {
  type Dict,
  iterate,
  SaltError,
  splitLines,
  splitWords,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'
import { dump, format, hdparms, protectedAreas, smartAttributes, tune, wipe } from './module/devices.ts'
import { inodesByMount, mountRows, percentByMount, usageByMount } from './module/df.ts'
import { iostat } from './module/iostat.ts'

const FLAGS = new Set('aBhHiklPtTxv')

/** The letters, joined as one option for `df`. */
function flagsOf(args: Value, caller: string): string {
  if (args === null) return ''
  const flags = [...iterate(args)].map(str)
  if (!flags.every((flag) => FLAGS.has(flag))) {
    throw new SaltError('CommandExecutionError', `Invalid flag passed to ${caller}`)
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

async function percent(ctx: FunctionContext, partition: Value): Promise<Value> {
  const kernel = kernelOf(ctx)
  const rows = mountRows(await lines(ctx, DF[kernel] ?? 'df'), { joined: false })
  const all = percentByMount(rows, kernel, unreadable(ctx, 'disk usage'))
  if (!truthy(partition)) return all
  const found = all.get(partition)
  if (found !== undefined) return found
  ctx.log('error', `Problem parsing disk usage information: Partition '${str(partition)}' does not exist!`)
  return new Map()
}

/** `/dev/sda1: LABEL="x" UUID="…"`, line by line. */
async function blockIds(ctx: FunctionContext, device: Value, token: Value): Promise<Dict> {
  if ((await ctx.host.which('blkid')) === undefined) {
    throw new SaltError('SaltException', "The 'blkid' binary was not found in $PATH.")
  }
  const which = truthy(device) ? [device] : truthy(token) ? ['-t', token] : []
  const result = await ctx.call('cmd.run_all', [['blkid', ...which]], { python_shell: false })
  const found: Dict = new Map()
  if (Number(result.get('retcode')) > 0) return found
  for (const line of splitLines(str(result.get('stdout') ?? ''))) {
    const [name = ''] = splitWords(line)
    if (name === '') continue
    const pairs = [...line.slice(line.indexOf(' ') + 1).matchAll(/([^\s"=][^"=]*)="([^"]*)"/g)]
    found.set(name.slice(0, -1), new Map(pairs.map(([, key, value]): [Value, Value] => [key!, value!])))
  }
  return found
}

async function fileSystemOf(ctx: FunctionContext, device: Value): Promise<string> {
  const second = async (command: string): Promise<string> => {
    if ((await ctx.host.which(command.split(' ')[0]!)) === undefined) return ''
    return splitLines(await ctx.call('cmd.run', [`${command} ${str(device)}`]))[1] ?? ''
  }
  // what df shows is handed on as the whole line, as Salt does
  return (await second('lsblk -o fstype')).trim() || (await second('df -T'))
}

const flags = arg.any('Letters of options for df', { optional: true })
const device = arg.text('The device')
const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineModule({
  name: 'disk',
  doc: 'How full volumes are, and what they are.',
  when: ({ grains }) => textOf(grains.get('kernel') ?? null) !== 'Windows' || "This module doesn't work on Windows.",
  functions: {
    usage: reads({
      doc: 'The usage of all mounted volumes.',
      args: { args: flags },
      returns: ret.dict('By mount point: filesystem, 1K-blocks, used, available and capacity'),
      example: 'disk.usage',
      run: (ctx, { args }) => usage(ctx, args),
    }),
    inodeusage: reads({
      doc: 'The usage of inodes of all mounted volumes.',
      args: { args: flags },
      returns: ret.dict('By mount point: inodes, used, free, use and filesystem'),
      example: 'disk.inodeusage',
      run: (ctx, { args }) => inodeUsage(ctx, args),
    }),
    percent: reads({
      doc: 'How full all mounted volumes are, or one of them.',
      args: { args: arg.any('A mount point', { optional: true }) },
      returns: ret.any('Percentages by mount point, or one percentage'),
      example: 'disk.percent /var',
      run: (ctx, { args }) => percent(ctx, args),
    }),
    blkid: reads({
      doc: 'Attributes of block devices: UUID, LABEL and others.',
      args: {
        device: arg.any('The device; all when not given', { optional: true }),
        token: arg.any('An attribute that devices must have, such as TYPE=ext4', { optional: true }),
      },
      returns: ret.dict('Attributes by device'),
      examples: ["salt '*' disk.blkid /dev/sda", "salt '*' disk.blkid token='TYPE=ext4'"],
      run: (ctx, { device, token }) => blockIds(ctx, device, token),
    }),
    fstype: reads({
      doc: 'The file system on a device.',
      args: { device: arg.text('The device') },
      returns: ret.string('Its name, or an empty text'),
      example: 'disk.fstype /dev/sdX1',
      run: (ctx, { device }) => fileSystemOf(ctx, device),
    }),
    get_fstype_from_path: reads({
      doc: 'The file system that a path is on.',
      example: 'disk.get_fstype_from_path /root',
      args: { path: arg.text('The path') },
      run: async (ctx, { path }) => fileSystemOf(ctx, await ctx.call('mount.get_device_from_path', [path])),
    }),
    tune: changes({
      doc: 'Tune a device: read-ahead, filesystem-read-ahead, read-only or read-write.',
      example: 'disk.tune /dev/sda1 read-ahead=1024 read-write=True',
      args: { device, kwargs: arg.open('What is set') },
      run: (ctx, { device, kwargs }) => tune(ctx, device, kwargs),
      returns: ret.orFalse(ret.dict('The properties, by name; False when blockdev fails')),
    }),
    dump: reads({
      doc: 'Settings of a device.',
      example: 'disk.dump /dev/sda1',
      args: { device, args: optional('Only these') },
      run: (ctx, { device, args }) => dump(ctx, device, args === null ? [] : [...iterate(args)].map(str)),
      returns: ret.orFalse(ret.dict('The properties, by name; False when blockdev fails')),
    }),
    wipe: changes({
      doc: 'Remove the signatures of file systems from a device.',
      example: 'disk.wipe /dev/sda1',
      args: { device },
      run: (ctx, args) => wipe(ctx, args.device),
    }),
    resize2fs: changes({
      doc: 'Fit an ext file system to its device.',
      example: 'disk.resize2fs /dev/sda1',
      args: { device },
      run: async (ctx, args) => ((await runAll(ctx, `resize2fs ${args.device}`)).retcode === 0 ? true : null),
    }),
    format: changes({
      doc: 'Make a file system on a device.',
      args: {
        device,
        fs_type: arg.string('The file system', { default: 'ext4' }),
        inode_size: arg.text('The size of inodes', { optional: true }),
        lazy_itable_init: arg.text('Whether tables of inodes are made later', { optional: true }),
        fat: optional('12, 16 or 32'),
        force: arg.flag('Whether what is there is overwritten', { default: false }),
      },
      calledAs: 'format_',
      returns: ret.boolean('Whether it worked'),
      example: 'disk.format /dev/sdX1',
      run: format,
    }),
    hdparms: reads({
      doc: 'What hdparm tells about disks.',
      example: 'disk.hdparms sda',
      args: {
        disks: arg.any('A disk, or a list'),
        args: arg.any('Letters of options', { default: 'aAbBcCdgHiJkMmNnQrRuW' }),
      },
      run: (ctx, { disks, args }) => hdparms(ctx, disks, args),
    }),
    hpa: changes({
      doc: 'How much of disks is hidden; with a size that much is hidden.',
      example: 'disk.hpa sda 5%',
      args: { disks: arg.any('A disk, or a list'), size: optional('Sectors, or a percentage') },
      run: (ctx, { disks, size }) => protectedAreas(ctx, disks, size),
    }),
    smart_attributes: reads({
      doc: 'What a disk tells about its health.',
      example: 'disk.smart_attributes /dev/sda',
      args: {
        dev: arg.string('The disk'),
        attributes: optional('Only these numbers'),
        values: optional('Only these columns'),
      },
      run: (ctx, { dev, attributes, values }) => smartAttributes(ctx, dev, attributes, values),
    }),
    iostat: reads({
      doc: 'Averages of input and output, of the machine and of its devices.',
      example: 'disk.iostat 5 disks=sda',
      args: {
        interval: arg.any('Seconds between measurements', { default: 1 }),
        count: arg.any('How many measurements', { default: 5 }),
        disks: optional('A disk, or a list'),
      },
      run: (ctx, { interval, count, disks }) => iostat(ctx, interval, count, disks),
    }),
  },
})
