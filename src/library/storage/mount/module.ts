// Mounting, and the tables that say what is mounted at boot.
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

/** `test=True` in any case asks for no change. */
const isDry = (test: Value, further: ReadonlyMap<string, Value>): boolean =>
  isTrue(test) || [...further].some(([key, value]) => key.toLowerCase() === 'test' && isTrue(value))

interface Mount {
  name: string
  device: Value
  mkmnt: Value
  fstype: Value
  opts: Value
  user: Value
}

const typeWords = (ctx: FunctionContext, fstype: Value): string => {
  if (!truthy(fstype)) return ''
  return ` ${osOf(ctx).toLowerCase().includes('solaris') ? '-F' : '-t'} ${str(fstype)}`
}

async function run(ctx: FunctionContext, command: string, user: Value): Promise<Result> {
  const { retcode, stderr } = await runAll(ctx, command, { runas: user })
  return retcode === 0 ? true : stderr
}

async function mount(ctx: FunctionContext, { name, device, mkmnt, fstype, opts, user }: Mount): Promise<Result> {
  const unwanted =
    opts === null || (isMac(ctx) && (isList(opts) ? opts.includes('defaults') : str(opts).includes('defaults')))
  if (truthy(mkmnt) && (await ctx.host.stat(name)) === undefined) await ctx.call('file.mkdir', [name], { user })
  const words = `${unwanted ? '' : `-o ${listOf(opts).join(',')}`}${typeWords(ctx, fstype)}`
  const what = truthy(device) ? `${words} '${str(device)}' '${name}' ` : `'${name}' `
  return run(ctx, `mount ${what}`, user)
}

async function remount(ctx: FunctionContext, wish: Mount): Promise<Result> {
  const { name, device, fstype, user } = wish
  const force = isMac(ctx) && fstype === 'smbfs'
  const opts = listOf(isMac(ctx) && wish.opts === 'defaults' ? 'noowners' : wish.opts)
  if (!(await activeMounts(ctx, false)).has(name)) return mount(ctx, { ...wish, opts })
  const updates = osOf(ctx) === 'OpenBSD' || isMac(ctx)
  if (!updates && !opts.includes('remount')) opts.push('remount')
  if (force) await umount(ctx, { name, device, user, lazy: false })
  const words = `${opts.length > 0 ? `-o ${opts.join(',')}` : ''}${typeWords(ctx, fstype)}`
  return run(ctx, `mount ${updates && !force ? '-u ' : ''}${words} '${str(device)}' '${name}' `, user)
}

interface Unmount {
  name: string
  device: Value
  user: Value
  lazy: Value
}

async function umount(ctx: FunctionContext, { name, device, user, lazy }: Unmount): Promise<Result> {
  if (!(await activeMounts(ctx, false)).has(name)) return `${name} does not have anything mounted`
  return run(ctx, `umount${truthy(lazy) ? ' -l' : ''} '${truthy(device) ? str(device) : name}'`, user)
}

/** Other programs than mount belong to their own modules. */
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

/** The mount point that a path lies under: the nearest directory above it on another device than its parent. */
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

const name = arg.string('The mount point')
const device = arg.any('The device')
const user = arg.text('Whom it is done as', { optional: true })
const mkmnt = arg.flag('Whether the mount point is made when missing', { default: false })
const opts = arg.any('Options, as a list or with commas', { default: 'defaults' })
const fstype = arg.any('The file system')
const test = arg.any('Whether nothing is written', { default: false })
const match_on = arg.any('The columns by which an entry is found', { default: 'auto' })
const not_change = arg.flag('Whether an entry that differs is left alone', { default: false })
const kwargs = arg.open('Ignored')
const config = (path: string) => arg.string('The file', { default: path })
const util = arg.text('The program that mounts', { default: 'mount' })
const fstabFile = config('/etc/fstab')
const vfstabFile = config('/etc/vfstab')
const autoFile = config('/etc/auto_salt')
const spaces = (value: Value): string => str(value).replaceAll('\\ ', '\\040')
const joined = (opts: Value): string => (isList(opts) ? opts.map(str).join(',') : str(opts))

const tables = {
  fstab: reads({
    doc: 'The entries of fstab, by mount point.',
    example: 'mount.fstab',
    args: { config: fstabFile },
    run: (ctx, { config }) => readTable(ctx, config),
    returns: ret.dict('The entries, by mount point'),
  }),
  vfstab: reads({
    doc: 'The entries of vfstab, by mount point.',
    example: 'mount.vfstab',
    args: { config: vfstabFile },
    run: (ctx, { config }) => readTable(ctx, config),
  }),
  rm_fstab: changes({
    doc: 'Remove an entry from fstab.',
    example: 'mount.rm_fstab /mnt/foo /dev/sdg',
    args: { name, device, config: fstabFile },
    run: (ctx, { name, device, config }) => removeEntry(ctx, name, device, config),
  }),
  rm_vfstab: changes({
    doc: 'Remove an entry from vfstab.',
    example: 'mount.rm_vfstab /mnt/foo /device/c0t0d0p0',
    args: { name, device, config: vfstabFile },
    run: (ctx, { name, device, config }) => removeEntry(ctx, name, device, config),
  }),
  set_fstab: changes({
    doc: 'Have an entry in fstab: `new`, `change` or `present`.',
    example: 'mount.set_fstab /mnt/foo /dev/sdz1 ext4',
    args: {
      name,
      device,
      fstype,
      opts,
      dump: arg.any('Whether dump saves it', { default: 0 }),
      pass_num: arg.any('When it is checked at boot', { default: 0 }),
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
        not_change: not_change,
      }),
  }),
  set_vfstab: changes({
    doc: 'Have an entry in vfstab: `new`, `change` or `present`.',
    example: 'mount.set_vfstab /mnt/foo /device/c0t0d0p0 ufs',
    args: {
      name,
      device,
      fstype,
      opts: arg.any('Options, as a list or with commas', { default: '-' }),
      device_fsck: arg.any('The device that is checked', { default: '-' }),
      pass_fsck: arg.any('When it is checked', { default: '-' }),
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
        not_change: not_change,
      }),
  }),
  automaster: reads({
    doc: 'The entries of the automounter.',
    example: 'mount.automaster',
    args: { config: autoFile },
    run: (ctx, { config }) => readAutomaster(ctx, config),
    returns: ret.dict('The entries, by mount point'),
  }),
  rm_automaster: changes({
    doc: 'Remove an entry of the automounter.',
    example: 'mount.rm_automaster /mnt/foo /dev/sdg',
    args: { name, device, config: autoFile },
    run: (ctx, { name, device, config }) => removeAutomaster(ctx, name, device, config),
  }),
  set_automaster: changes({
    doc: 'Have an entry of the automounter: `new`, `change` or `present`.',
    example: 'mount.set_automaster /mnt/foo /dev/sdz1 ext4',
    args: {
      name,
      device,
      fstype,
      opts: arg.any('Options, as a list or with commas', { default: '' }),
      config: autoFile,
      test,
      not_change,
      kwargs,
    },
    run: (ctx, { name, device, fstype, opts, config, test, not_change, kwargs }) =>
      setAutomaster(ctx, {
        name,
        device: str(device),
        fstype: str(fstype),
        opts: joined(opts),
        config,
        dry: isDry(test, kwargs),
        not_change: not_change,
      }),
  }),
}

const aixFile = config('/etc/filesystems')

const aixTables = {
  filesystems: reads({
    doc: 'The table of AIX.',
    example: 'mount.filesystems',
    args: { config: aixFile },
    run: (ctx, { config }) => firstFileSystem(ctx, config),
  }),
  set_filesystems: changes({
    doc: 'Have an entry in the table of AIX: `new`, `change` or `present`.',
    example: 'mount.set_filesystems /mnt/foo /dev/sdz1 jfs2',
    args: {
      name,
      device,
      vfstype: arg.text('The file system'),
      opts: arg.any('Options, as a list or with commas', { default: '-' }),
      mount: arg.text('Whether it is mounted at boot', { default: 'true' }),
      config: aixFile,
      test,
      match_on,
      not_change,
      kwargs: arg.open('Further settings of the entry'),
    },
    run: (ctx, { test, ...wish }) => setFileSystem(ctx, wish, isDry(test, wish.kwargs)),
  }),
  rm_filesystems: changes({
    doc: 'Remove an entry from the table of AIX.',
    example: 'mount.rm_filesystems /mnt/foo /dev/sdg',
    args: { name, device, config: aixFile },
    run: (ctx, { name, device, config }) => removeFileSystem(ctx, name, device, config),
  }),
}

const realName = arg.any('The mount point')

export default defineModule({
  name: 'mount',
  doc: 'Mount file systems, and keep the tables of them.',
  when: ({ grains }) =>
    textOf(grains.get('kernel') ?? null) !== 'Windows' || 'The mount module cannot be loaded: not a POSIX-like system.',
  functions: {
    active: reads({
      doc: 'What is mounted, by mount point.',
      example: 'mount.active',
      args: { extended: arg.flag('With all that the kernel tells', { default: false }) },
      run: (ctx, { extended }) => activeMounts(ctx, extended),
      returns: ret.dict('The facts, by mount point'),
    }),
    ...tables,
    ...aixTables,
    mount: changes({
      doc: 'Mount a device; true, or what mount complains about.',
      example: 'mount.mount /mnt/foo /dev/sdz1 True',
      args: {
        name,
        device: arg.any('The device', { default: false }),
        mkmnt,
        fstype: arg.text('The file system', { default: '' }),
        opts,
        user,
        util,
      },
      run: (ctx, { util, ...wish }) =>
        util === 'mount' ? mount(ctx, wish) : byProgram(ctx, util, wish.name, wish.device),
    }),
    remount: changes({
      doc: 'Mount anew with other options; mounts what is not mounted.',
      example: 'mount.remount /mnt/foo /dev/sdz1 True',
      args: { name, device, mkmnt, fstype: arg.text('The file system', { default: '' }), opts, user },
      run: remount,
    }),
    umount: changes({
      doc: 'Unmount; true, or what umount complains about.',
      example: 'mount.umount /mnt/foo',
      args: {
        name,
        device: arg.text('The device', { optional: true }),
        user,
        util,
        lazy: arg.flag('Whether it is detached now and cleaned up later', { default: false }),
      },
      run: (ctx, { util, ...wish }) =>
        util === 'guestfs' ? ctx.call('guestfs.umount', [wish.name], { disk: wish.device }) : umount(ctx, wish),
    }),
    is_fuse_exec: reads({
      doc: 'Whether a program mounts in user space.',
      example: 'mount.is_fuse_exec sshfs',
      args: { cmd: arg.string('The program') },
      run: (ctx, { cmd }) => usesFuse(ctx, cmd),
    }),
    swaps: reads({
      doc: 'Swap space in use.',
      example: 'mount.swaps',
      args: {},
      run: swaps,
      returns: ret.dict('The facts, by device'),
    }),
    swapon: changes({
      doc: 'Use swap space.',
      example: 'mount.swapon /root/swapfile',
      args: { name: arg.any('The device or file'), priority: arg.any('Its priority', { optional: true }) },
      run: (ctx, { name, priority }) => swapOn(ctx, name, priority),
    }),
    swapoff: changes({
      doc: 'Use swap space no longer.',
      example: 'mount.swapoff /root/swapfile',
      args: { name: arg.any('The device or file') },
      run: (ctx, args) => swapOff(ctx, args.name),
    }),
    is_mounted: reads({
      doc: 'Whether something is mounted there.',
      example: 'mount.is_mounted /mnt/share',
      args: { name },
      run: async (ctx, { name }) => (await activeMounts(ctx, false)).has(name),
    }),
    read_mount_cache: reads({
      doc: 'What a state mounted there.',
      example: 'mount.read_mount_cache /mnt/share',
      args: { name: realName },
      run: (ctx, { name }) => cachedMount(ctx, name),
    }),
    write_mount_cache: changes({
      doc: 'Note what a state mounted.',
      example: 'mount.write_mount_cache /mnt/share /dev/sda1 False ext4 defaults',
      args: {
        real_name: realName,
        device,
        mkmnt: arg.any('Whether it was made'),
        fstype,
        mount_opts: arg.any('Options'),
      },
      run: (ctx, { real_name, device, mkmnt, fstype, mount_opts }) =>
        cacheMount(ctx, real_name, new Map(Object.entries({ device, fstype, mkmnt, opts: mount_opts }))),
    }),
    delete_mount_cache: changes({
      doc: 'Forget what a state mounted.',
      example: 'mount.delete_mount_cache /mnt/share',
      args: { real_name: realName },
      run: (ctx, { real_name }) => forgetMount(ctx, real_name),
    }),
    get_mount_from_path: reads({
      doc: 'The mount point that a path is under.',
      example: 'mount.get_mount_from_path /opt/some/nested/path',
      args: { path: arg.string('The path') },
      run: (ctx, { path }) => mountOf(ctx, path),
    }),
    get_device_from_path: reads({
      doc: 'The device that a path is on.',
      example: 'mount.get_device_from_path /',
      args: { path: arg.string('The path') },
      run: async (ctx, { path }) => {
        const entry = (await activeMounts(ctx, false)).get(await mountOf(ctx, path))
        return entry instanceof Map ? (entry.get('device') ?? null) : null
      },
    }),
  },
})
