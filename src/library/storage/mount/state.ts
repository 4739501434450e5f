// States of mounts and swap devices, and their entries in the table for the boot.
import { lookup } from '../../../base/mod.ts'
import { type Dict, keyError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  optionalText,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'
import { mounted } from './state/mounted.ts'
import { converted, isMac, readTable, removeFrom, setTable, tableFile } from './state/tables.ts'

const PERSISTED: Readonly<Record<string, { change: string; comment: string } | undefined>> = lookup({
  new: { change: 'new', comment: '. Added new entry to the fstab.' },
  change: { change: 'update', comment: '. Updated the entry in the fstab.' },
})

async function swapDevice(ctx: StateContext, name: string): Promise<string> {
  if ((await ctx.host.lstat(name))?.type !== 'link') return name
  const target = await ctx.host.readLink(name)
  return target.startsWith('/') ? target : `/dev/${target.slice(target.lastIndexOf('/') + 1)}`
}

type SwapRequest = Bound<typeof swapArgs>

async function swap(ctx: StateContext, { name, persist, config }: SwapRequest): Promise<StateReturn> {
  const device = await swapDevice(ctx, name)
  let on = await ctx.call('mount.swaps')
  const changes: Record<string, Value> = {}
  let result: boolean | null = true
  let comment = `Swap ${name} already active`
  if (!on.has(device) && ctx.test) [result, comment] = [null, `Swap ${name} is set to be activated`]
  else if (!on.has(device)) {
    await ctx.call('mount.swapon', [device])
    on = await ctx.call('mount.swaps')
    const stats = on.get(device) as Dict | undefined
    if (stats) for (const [key, value] of stats) changes[str(key)] = value
    ;[result, comment] = stats ? [true, `Swap ${name} activated`] : [false, `Swap ${name} failed to activate`]
  }
  if (!persist) return { name, changes, result, comment }
  const table = await ctx.call('mount.fstab', [config])
  if (ctx.test) {
    const listed = table.has(name) || [...table.values()].some((entry) => (entry as Dict).get('device') === name)
    if (!listed) {
      result = null
      if (on.has(name)) comment = `Swap ${name} is set to be added to the fstab and to be activated`
    }
    return { name, changes, result, comment }
  }
  const none = table.get('none') as Dict | undefined
  if (none && none.get('device') === name && none.get('fstype') !== 'swap') return { name, changes, result, comment }
  const outcome = PERSISTED[str(await ctx.call('mount.set_fstab', ['none', name, 'swap', ['defaults'], 0, 0, config]))]
  if (!outcome) return { name, changes, result, comment }
  return { name, changes: { ...changes, persist: outcome.change }, result, comment: comment + outcome.comment }
}

type UnmountRequest = Bound<typeof unmountedArgs>

async function unmounted(
  ctx: StateContext,
  { name, device, config, persist, user }: UnmountRequest,
): Promise<StateReturn> {
  if (name === '') return { name, changes: {}, result: false, comment: 'Must provide name to mount.unmounted' }
  const active = await ctx.call('mount.active', [], { extended: true })
  const changes: Record<string, Value> = {}
  let result: boolean | null = true
  let comment = 'Target was already unmounted'
  if (active.has(name.replaceAll(' ', '\\040'))) {
    if (ctx.test) {
      return { name, changes, result: null, comment: `Mount point ${name} is mounted but should not be` }
    }
    const answer = await ctx.call('mount.umount', device ? [name, device] : [name], { user })
    if (answer === true) {
      comment = 'Target was successfully unmounted'
      changes['umount'] = true
    } else [result, comment] = [false, str(answer)]
    await ctx.call('mount.delete_mount_cache', [name])
  }
  if (!persist) return { name, changes, result, comment }
  const entry = (await readTable(ctx, config)).get(name) as Dict | undefined
  if (entry === undefined) return { name, changes, result, comment: `${comment}. fstab entry not found` }
  if (device && entry.get('device') !== device) {
    return { name, changes, result, comment: `${comment}. fstab entry for device ${device} not found` }
  }
  if (ctx.test) {
    const file = tableFile(ctx, config)
    const purge = `Mount point ${name} is unmounted but needs to be purged from ${file} to be made persistent`
    return { name, changes, result: null, comment: purge }
  }
  if (!(await removeFrom(ctx, name, device, config))) {
    return { name, changes, result: false, comment: `${comment}. Failed to persist purge` }
  }
  return { name, changes: { ...changes, persist: 'purged' }, result, comment: `${comment}. Removed target from fstab` }
}

async function remounted(
  ctx: StateContext,
  name: string,
  user: string | null,
  given: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const need = (key: string): Value => {
    const value = given.get(key)
    if (value === undefined) throw keyError(key)
    return value
  }
  const sfun = str(need('sfun'))
  if (sfun !== 'mounted') {
    return { name, changes: {}, result: true, comment: `Watch not supported in ${sfun} at this time` }
  }
  const answer = await ctx.call('mount.remount', [name, need('device'), false, need('fstype'), need('opts')], { user })
  if (truthy(answer)) return { name, changes: {}, result: true, comment: `${name} remounted` }
  return { name, changes: {}, result: false, comment: `${name} failed to remount: ${str(answer)}` }
}

type FstabRequest = Bound<typeof fstabPresentArgs>

const withoutSlash = (path: string): string => (path === '/' ? path : path.replace(/\/+$/, ''))

async function fstabPresent(ctx: StateContext, request: FstabRequest): Promise<StateReturn> {
  const { name, fs_vfstype, fs_freq, fs_passno, match_on, not_change } = request
  const point = withoutSlash(request.fs_file)
  const file = tableFile(ctx, request.config)
  const report = (result: boolean | null, comment: string[], changes = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  const device = await converted(ctx, name, request.mount_by)
  if (device === undefined) return report(false, [`Device ${name} cannot be converted to ${request.mount_by}`])
  const opts = isMac(ctx) && request.fs_mntops === 'defaults' ? 'noowners' : request.fs_mntops
  const entry = {
    name: point,
    device,
    fstype: fs_vfstype,
    opts,
    dump: fs_freq,
    pass_num: fs_passno,
    match_on,
    not_change,
  }
  const outcome = await setTable(ctx, entry, request.config)
  const mounts = outcome === 'new' && request.mount
  if (ctx.test) {
    if (outcome === 'present') return report(true, [`${point} entry is already in ${file}.`])
    const verb = outcome === 'new' ? 'written' : 'updated'
    return report(null, [
      `${point} entry will be ${verb} in ${file}.`,
      ...(mounts ? [`Will mount ${name} on ${point}`] : []),
    ])
  }
  if (outcome === 'present') return report(true, [`${point} entry was already in ${file}.`])
  const changes = { persist: outcome }
  const comment = [`${point} entry ${outcome === 'new' ? 'added' : 'updated'} in ${file}.`]
  if (!mounts) return report(true, comment, changes)
  const answer = await ctx.call('mount.mount', [point])
  if (typeof answer !== 'string') return report(true, [...comment, `Mounted ${name} on ${point}`], changes)
  return report(false, [...comment, `Error while mounting ${answer.slice(answer.indexOf(':') + 1)}`], changes)
}

type FstabRemoval = Bound<typeof fstabAbsentArgs>

async function fstabAbsent(ctx: StateContext, request: FstabRemoval): Promise<StateReturn> {
  const { name } = request
  const point = withoutSlash(request.fs_file)
  const file = tableFile(ctx, request.config)
  const device = await converted(ctx, name, request.mount_by)
  const known = (await readTable(ctx, request.config)).has(point)
  const missing = [`${point} entry is already missing in ${file}.`]
  if (ctx.test) {
    return {
      name,
      changes: {},
      result: null,
      comment: known ? [`${point} entry will be removed from ${file}.`] : missing,
    }
  }
  if (!known) return { name, changes: {}, result: true, comment: missing }
  if (!(await removeFrom(ctx, point, device ?? null, request.config))) {
    return { name, changes: {}, result: false, comment: [`${point} entry failed when removing from ${file}.`] }
  }
  return { name, changes: { persist: 'removed' }, result: true, comment: [`${point} entry removed from ${file}.`] }
}

const config = arg.string('Path of the table', { default: '/etc/fstab' })
const user = arg.text('User that runs the command', { optional: true })
const match_on = arg.any('Column or list of columns that identify an entry; `auto` chooses by file system type', {
  default: 'auto',
})
const mount_by = optionalText('Name of the device in the table: device, uuid, label, partuuid or partlabel')
const kwargs = arg.ignored()

const REQUIRED = ['name', 'device', 'fstype'] as const

const swapArgs = {
  name: arg.string('Device or file'),
  persist: arg.flag('Whether to add the device to the table', { default: true }),
  config,
}

const unmountedArgs = {
  name: arg.string('Mount point'),
  device: arg.text('Device', { optional: true }),
  config,
  persist: arg.flag('Whether to remove the entry from the table as well', { default: false }),
  user,
  kwargs,
}

const fstabPresentArgs = {
  name: arg.string('Device'),
  fs_file: arg.string('Mount point'),
  fs_vfstype: arg.text('File system type'),
  fs_mntops: arg.any('Options, as a list or text with commas', { default: 'defaults' }),
  fs_freq: arg.count('Dump frequency', { default: 0 }),
  fs_passno: arg.count('Order of file system checks at boot', { default: 0 }),
  mount_by,
  config,
  mount: arg.flag('Whether to mount it when the entry is new', { default: true }),
  match_on,
  not_change: arg.flag('Whether to keep an entry that differs', { default: false }),
  fs_mount: arg.flag('Whether to mount at boot; for AIX', { default: true }),
}

const fstabAbsentArgs = { name: arg.string('Device'), fs_file: arg.string('Mount point'), mount_by, config }

export default defineState({
  name: 'mount',
  doc: 'Manage mounts and swap devices.',
  functions: {
    mounted: state({
      doc: 'Ensure that a file system is mounted.',
      args: {
        name: arg.string('Mount point'),
        device: arg.string('Device'),
        fstype: arg.string('File system type'),
        mkmnt: arg.flag('Whether to create a missing mount point', { default: false }),
        opts: arg.any('Options, as a list or text with commas', { default: 'defaults' }),
        dump: arg.count('Dump frequency', { default: 0 }),
        pass_num: arg.count('Order of file system checks at boot', { default: 0 }),
        config,
        persist: arg.flag('Whether to add the mount to the table', { default: true }),
        mount: arg.flag('Whether to mount it now', { default: true }),
        user,
        match_on,
        device_name_regex: arg.words('Patterns of devices that may be mounted instead', { optional: true }),
        extra_mount_invisible_options: arg.words('Further options that the kernel does not show', { optional: true }),
        extra_mount_invisible_keys: arg.words('Further options whose values the kernel does not show', {
          optional: true,
        }),
        extra_mount_ignore_fs_keys: arg.dict('Options to ignore, by file system type', { optional: true }),
        extra_mount_translate_options: arg.dict('Options that the kernel shows as others', { optional: true }),
        hidden_opts: arg.words('Options to exclude from the comparison', { optional: true }),
        bind_mount_copy_active_opts: arg.flag('Whether a bind mount gets the options of its source', { default: true }),
        kwargs,
      },
      run: async (ctx, { kwargs: _, ...request }) => {
        const missing = REQUIRED.find((key) => request[key] === '')
        if (missing === undefined) return mounted(ctx, request)
        const comment = `Must provide ${missing} to mount.mounted`
        return { name: request.name, changes: {}, result: false, comment }
      },
    }),
    swap: state({ doc: 'Ensure that a swap device is active.', args: swapArgs, run: swap }),
    unmounted: state({ doc: 'Ensure that a mount point is not mounted.', args: unmountedArgs, run: unmounted }),
    mod_watch: state({
      doc: 'Remount because a watched state changed.',
      args: { name: arg.string('Mount point'), user, kwargs: arg.open('Arguments of the state') },
      run: (ctx, { name, user, kwargs }) => remounted(ctx, name, user, kwargs),
    }),
    fstab_present: state({ doc: 'Ensure that the table has an entry.', args: fstabPresentArgs, run: fstabPresent }),
    fstab_absent: state({
      doc: 'Ensure that the table does not have an entry.',
      args: fstabAbsentArgs,
      run: fstabAbsent,
    }),
  },
})
