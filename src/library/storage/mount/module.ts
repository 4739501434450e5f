// Mounts, and the tables of file systems to mount at boot.
import { isList, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isTrue,
  outputOf,
  type Result,
  reads,
  realPath,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { activeMounts } from './module/active.ts'
import { readAutomaster, removeAutomaster, setAutomaster } from './module/automaster.ts'
import { cachedMount, cacheMount, forgetMount } from './module/cache.ts'
import { firstFileSystem, removeFileSystem, setFileSystem } from './module/filesystems.ts'
import { readTable, removeEntry, setEntry } from './module/fstab.ts'
import { swapOff, swapOn, swaps } from './module/swaps.ts'

const osOf = (ctx: FunctionContext): string => str(ctx.grains.get('os') ?? '')
const isMac = (ctx: FunctionContext): boolean => ['MacOS', 'Darwin'].includes(osOf(ctx))

const listOf = (opts: Value): string[] => (isList(opts) ? opts.map(str) : str(opts).split(','))

/** Return whether `test=True` is given, in any letter case. */
const isDry = (test: Value, further: ReadonlyMap<string, Value>): boolean =>
  isTrue(test) || [...further].some(([key, value]) => key.toLowerCase() === 'test' && isTrue(value))

interface Mount {
  name: string
  device: Value
  mkmnt: boolean
  fstype: string
  opts: Value
  user: string | null
}

const typeWords = (ctx: FunctionContext, fstype: string): string => {
  if (!fstype) return ''
  return ` ${osOf(ctx).toLowerCase().includes('solaris') ? '-F' : '-t'} ${fstype}`
}

async function run(ctx: FunctionContext, command: string, user: string | null): Promise<Result> {
  const { retcode, stderr } = await runAll(ctx, command, { runas: user })
  return retcode === 0 ? true : stderr
}

async function mount(ctx: FunctionContext, { name, device, mkmnt, fstype, opts, user }: Mount): Promise<Result> {
  const unwanted =
    opts === null || (isMac(ctx) && (isList(opts) ? opts.includes('defaults') : str(opts).includes('defaults')))
  if (mkmnt && (await ctx.host.stat(name)) === undefined) await ctx.call('file.mkdir', [name], { user })
  const words = `${unwanted ? '' : `-o ${listOf(opts).join(',')}`}${typeWords(ctx, fstype)}`
  const what = truthy(device) ? `${words} '${str(device)}' '${name}' ` : `'${name}' `
  return run(ctx, `mount ${what}`, user)
}

async function remount(ctx: FunctionContext, request: Mount): Promise<Result> {
  const { name, device, fstype, user } = request
  const force = isMac(ctx) && fstype === 'smbfs'
  const opts = listOf(isMac(ctx) && request.opts === 'defaults' ? 'noowners' : request.opts)
  if (!(await activeMounts(ctx, false)).has(name)) return mount(ctx, { ...request, opts })
  const updates = osOf(ctx) === 'OpenBSD' || isMac(ctx)
  if (!updates && !opts.includes('remount')) opts.push('remount')
  if (force) await umount(ctx, { name, device, user, lazy: false })
  const words = `${opts.length > 0 ? `-o ${opts.join(',')}` : ''}${typeWords(ctx, fstype)}`
  return run(ctx, `mount ${updates && !force ? '-u ' : ''}${words} '${str(device)}' '${name}' `, user)
}

interface Unmount {
  name: string
  device: Value
  user: string | null
  lazy: boolean
}

async function umount(ctx: FunctionContext, { name, device, user, lazy }: Unmount): Promise<Result> {
  if (!(await activeMounts(ctx, false)).has(name)) return `${name} does not have anything mounted`
  return run(ctx, `umount${lazy ? ' -l' : ''} '${truthy(device) ? str(device) : name}'`, user)
}

/** Mount with a program other than mount, through its own module. */
async function byProgram(ctx: FunctionContext, util: string, name: string, device: Value): Promise<Result> {
  if (util === 'guestfs') return ctx.call('guestfs.mount', [name], { root: device })
  if (util !== 'qemu_nbd') return false
  const made = await ctx.call('qemu_nbd.init', [name, device])
  if (!(made instanceof Map) || made.size === 0) return false
  const first = [...made.keys()][0]!
  ctx.memory.set(`img.mnt_${str(first)}`, made)
  return first
}

async function usesFuse(ctx: FunctionContext, command: string): Promise<boolean> {
  const path = await ctx.host.which(command)
  if (path === undefined) return false
  if ((await ctx.host.which('ldd')) === undefined) throw new SaltError('CommandNotFoundError', 'ldd')
  return (await outputOf(ctx, ['ldd', path])).includes('libfuse')
}

/** Return the mount point of a path: the nearest directory above it that is on another device than its parent. */
async function mountOf(ctx: FunctionContext, path: string): Promise<string> {
  let at = await realPath(ctx, path)
  while (at !== '/') {
    const parent = at.slice(0, at.lastIndexOf('/')) || '/'
    const [own, above] = [await ctx.host.lstat(at), await ctx.host.lstat(parent)]
    if (own?.device !== above?.device) return at
    at = parent
  }
  return at
}

const name = arg.string('Mount point')
const device = arg.text('Device')
const removedDevice = arg.any('Device of the entry; None matches every device')
const user = arg.text('User that runs the command', { optional: true })
const mkmnt = arg.flag('Whether to create a missing mount point', { default: false })
const opts = arg.any('Options, as a list or text with commas; None for none', { default: 'defaults' })
const fstype = arg.text('File system type')
const test = arg.any('Whether to return the outcome without writing, as boolean or text', { default: false })
const match_on = arg.any('Column or list of columns that identify an entry; `auto` chooses by file system type', {
  default: 'auto',
})
const not_change = arg.flag('Whether to keep an entry that differs', { default: false })
const kwargs = arg.ignored()
const config = (path: string) => arg.string('Path of the table', { default: path })
const util = arg.text('Program that mounts', { default: 'mount' })
const fstabFile = config('/etc/fstab')
const vfstabFile = config('/etc/vfstab')
const autoFile = config('/etc/auto_salt')
const spaces = (value: string): string => value.replaceAll('\\ ', '\\040')
const joined = (opts: Value): string => (isList(opts) ? opts.map(str).join(',') : str(opts))

const tables = {
  fstab: reads({
    doc: 'Return the entries of fstab by mount point.',
    args: { config: fstabFile },
    run: (ctx, { config }) => readTable(ctx, config),
    returns: ret.dict('The entries by mount point'),
  }),
  vfstab: reads({
    doc: 'Return the entries of vfstab by mount point.',
    args: { config: vfstabFile },
    run: (ctx, { config }) => readTable(ctx, config),
  }),
  rm_fstab: changes({
    doc: 'Remove an entry from fstab.',
    example: 'mount.rm_fstab /mnt/foo /dev/sdg',
    args: { name, device: removedDevice, config: fstabFile },
    run: (ctx, { name, device, config }) => removeEntry(ctx, name, device, config),
  }),
  rm_vfstab: changes({
    doc: 'Remove an entry from vfstab.',
    example: 'mount.rm_vfstab /mnt/foo /device/c0t0d0p0',
    args: { name, device: removedDevice, config: vfstabFile },
    run: (ctx, { name, device, config }) => removeEntry(ctx, name, device, config),
  }),
  set_fstab: changes({
    doc: 'Add or change an entry of fstab. Return `new`, `change` or `present`.',
    example: 'mount.set_fstab /mnt/foo /dev/sdz1 ext4',
    args: {
      name,
      device,
      fstype,
      opts,
      dump: arg.count('Dump frequency', { default: 0 }),
      pass_num: arg.count('Order of file system checks at boot', { default: 0 }),
      config: fstabFile,
      test,
      match_on,
      not_change,
      kwargs,
    },
    run: (ctx, { name, device, fstype, opts, dump, pass_num, config, test, match_on, not_change, kwargs }) =>
      setEntry(ctx, 'fstab', {
        entry: { name, device: spaces(device), fstype, opts: spaces(joined(opts)), dump, pass_num },
        config,
        dry: isDry(test, kwargs),
        match_on,
        not_change,
      }),
  }),
  set_vfstab: changes({
    doc: 'Add or change an entry of vfstab. Return `new`, `change` or `present`.',
    example: 'mount.set_vfstab /mnt/foo /device/c0t0d0p0 ufs',
    args: {
      name,
      device,
      fstype,
      opts: arg.any('Options, as a list or text with commas', { default: '-' }),
      device_fsck: arg.text('Device to check', { default: '-' }),
      pass_fsck: arg.text('Order of file system checks', { default: '-' }),
      mount_at_boot: arg.text('yes or no', { default: 'yes' }),
      config: vfstabFile,
      test,
      match_on,
      not_change,
      kwargs,
    },
    run: (ctx, { config, test, match_on, not_change, kwargs, opts, mount_at_boot, ...entry }) =>
      setEntry(ctx, 'vfstab', {
        entry: { ...entry, opts: joined(opts), mount_at_boot: mount_at_boot === 'yes' ? 'yes' : 'no' },
        config,
        dry: isDry(test, kwargs),
        match_on,
        not_change,
      }),
  }),
  automaster: reads({
    doc: 'Return the entries of the automounter.',
    args: { config: autoFile },
    run: (ctx, { config }) => readAutomaster(ctx, config),
    returns: ret.dict('The entries by mount point'),
  }),
  rm_automaster: changes({
    doc: 'Remove an entry of the automounter.',
    example: 'mount.rm_automaster /mnt/foo /dev/sdg',
    args: { name, device: removedDevice, config: autoFile },
    run: (ctx, { name, device, config }) => removeAutomaster(ctx, name, device, config),
  }),
  set_automaster: changes({
    doc: 'Add or change an entry of the automounter. Return `new`, `change` or `present`.',
    example: 'mount.set_automaster /mnt/foo /dev/sdz1 ext4',
    args: {
      name,
      device,
      fstype,
      opts: arg.any('Options, as a list or text with commas', { default: '' }),
      config: autoFile,
      test,
      not_change,
      kwargs,
    },
    run: (ctx, { name, device, fstype, opts, config, test, not_change, kwargs }) =>
      setAutomaster(ctx, {
        name,
        device,
        fstype,
        opts: joined(opts),
        config,
        dry: isDry(test, kwargs),
        not_change,
      }),
  }),
}

const aixFile = config('/etc/filesystems')

const aixTables = {
  filesystems: reads({
    doc: 'Return the table of AIX.',
    args: { config: aixFile },
    run: (ctx, { config }) => firstFileSystem(ctx, config),
  }),
  set_filesystems: changes({
    doc: 'Add or change an entry of the table of AIX. Return `new`, `change` or `present`.',
    example: 'mount.set_filesystems /mnt/foo /dev/sdz1 jfs2',
    args: {
      name,
      device,
      vfstype: arg.text('File system type'),
      opts: arg.any('Options, as a list or text with commas', { default: '-' }),
      mount: arg.text('Whether to mount at boot: true or false', { default: 'true' }),
      config: aixFile,
      test,
      match_on,
      not_change,
      kwargs: arg.open('Further settings of the entry'),
    },
    run: (ctx, { test, ...request }) => setFileSystem(ctx, request, isDry(test, request.kwargs)),
  }),
  rm_filesystems: changes({
    doc: 'Remove an entry from the table of AIX.',
    example: 'mount.rm_filesystems /mnt/foo /dev/sdg',
    args: { name, device: removedDevice, config: aixFile },
    run: (ctx, { name, device, config }) => removeFileSystem(ctx, name, device, config),
  }),
}

const realName = arg.text('Mount point')

export default defineModule({
  name: 'mount',
  doc: 'Mount file systems, and manage the tables of file systems.',
  when: ({ grains }) =>
    textOf(grains.get('kernel') ?? null) !== 'Windows' || 'The mount module cannot be loaded: not a POSIX-like system.',
  functions: {
    active: reads({
      doc: 'Return the active mounts by mount point.',
      args: { extended: arg.flag('Whether to include all data of the kernel', { default: false }) },
      run: (ctx, { extended }) => activeMounts(ctx, extended),
      returns: ret.dict('The data by mount point'),
    }),
    ...tables,
    ...aixTables,
    mount: changes({
      doc: 'Mount a device. Return True, or the error text of mount.',
      example: 'mount.mount /mnt/foo /dev/sdz1 True',
      args: {
        name,
        device: arg.any('Device; False to use the table', { default: false }),
        mkmnt,
        fstype: arg.text('File system type', { default: '' }),
        opts,
        user,
        util,
      },
      run: (ctx, { util, ...request }) =>
        util === 'mount' ? mount(ctx, request) : byProgram(ctx, util, request.name, request.device),
    }),
    remount: changes({
      doc: 'Remount with other options; mount what is not mounted.',
      example: 'mount.remount /mnt/foo /dev/sdz1 True',
      args: { name, device, mkmnt, fstype: arg.text('File system type', { default: '' }), opts, user },
      run: remount,
    }),
    umount: changes({
      doc: 'Unmount. Return True, or the error text of umount.',
      example: 'mount.umount /mnt/foo',
      args: {
        name,
        device: arg.text('Device', { optional: true }),
        user,
        util,
        lazy: arg.flag('Whether to detach now and clean up later', { default: false }),
      },
      run: (ctx, { util, ...request }) =>
        util === 'guestfs'
          ? ctx.call('guestfs.umount', [request.name], { disk: request.device })
          : umount(ctx, request),
    }),
    is_fuse_exec: reads({
      doc: 'Return whether a program mounts in user space.',
      example: 'mount.is_fuse_exec sshfs',
      args: { cmd: arg.string('Program') },
      run: (ctx, { cmd }) => usesFuse(ctx, cmd),
    }),
    swaps: reads({
      doc: 'Return the active swap devices.',
      run: swaps,
      returns: ret.dict('The data by device'),
    }),
    swapon: changes({
      doc: 'Activate a swap device.',
      example: 'mount.swapon /root/swapfile',
      args: { name: arg.text('Device or file'), priority: arg.count('Priority', { optional: true }) },
      run: (ctx, { name, priority }) => swapOn(ctx, name, priority),
    }),
    swapoff: changes({
      doc: 'Deactivate a swap device.',
      example: 'mount.swapoff /root/swapfile',
      args: { name: arg.text('Device or file') },
      run: (ctx, args) => swapOff(ctx, args.name),
    }),
    is_mounted: reads({
      doc: 'Return whether a mount point is mounted.',
      example: 'mount.is_mounted /mnt/share',
      args: { name },
      run: async (ctx, { name }) => (await activeMounts(ctx, false)).has(name),
    }),
    read_mount_cache: reads({
      doc: 'Return the cached data of a mount that a state made.',
      example: 'mount.read_mount_cache /mnt/share',
      args: { name: realName },
      run: (ctx, { name }) => cachedMount(ctx, name),
    }),
    write_mount_cache: changes({
      doc: 'Cache the data of a mount that a state made.',
      example: 'mount.write_mount_cache /mnt/share /dev/sda1 False ext4 defaults',
      args: {
        real_name: realName,
        device,
        mkmnt: arg.flag('Whether the state creates the mount point'),
        fstype,
        mount_opts: arg.any('Options, as a list or text'),
      },
      run: (ctx, { real_name, device, mkmnt, fstype, mount_opts }) =>
        cacheMount(ctx, real_name, new Map(Object.entries({ device, fstype, mkmnt, opts: mount_opts }))),
    }),
    delete_mount_cache: changes({
      doc: 'Delete the cached data of a mount.',
      example: 'mount.delete_mount_cache /mnt/share',
      args: { real_name: realName },
      run: (ctx, { real_name }) => forgetMount(ctx, real_name),
    }),
    get_mount_from_path: reads({
      doc: 'Return the mount point of a path.',
      example: 'mount.get_mount_from_path /opt/some/nested/path',
      args: { path: arg.string('Path') },
      run: (ctx, { path }) => mountOf(ctx, path),
    }),
    get_device_from_path: reads({
      doc: 'Return the device of a path.',
      example: 'mount.get_device_from_path /',
      args: { path: arg.string('Path') },
      run: async (ctx, { path }) => {
        const entry = (await activeMounts(ctx, false)).get(await mountOf(ctx, path))
        return entry instanceof Map ? (entry.get('device') ?? null) : null
      },
    }),
  },
})
