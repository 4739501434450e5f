// File systems and swap space are mounted or not, and in the table of what is mounted at boot or not.
import { lookup } from '../../../base/mod.ts'
import { type Dict, keyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type MountWish, mounted } from './state/mounted.ts'
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

interface SwapWish {
  name: string
  persist: Value
  config: string
}

async function swap(ctx: StateContext, { name, persist, config }: SwapWish): Promise<StateReturn> {
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
  if (!truthy(persist)) return { name, changes, result, comment }
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

interface UnmountWish {
  name: string
  device: Value
  config: string
  persist: Value
  user: Value
}

async function unmounted(
  ctx: StateContext,
  { name, device, config, persist, user }: UnmountWish,
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
    const answer = await ctx.call('mount.umount', truthy(device) ? [name, device] : [name], { user })
    if (answer === true) {
      comment = 'Target was successfully unmounted'
      changes['umount'] = true
    } else [result, comment] = [false, str(answer)]
    await ctx.call('mount.delete_mount_cache', [name])
  }
  if (!truthy(persist)) return { name, changes, result, comment }
  const entry = (await readTable(ctx, config)).get(name) as Dict | undefined
  if (entry === undefined) return { name, changes, result, comment: `${comment}. fstab entry not found` }
  if (truthy(device) && entry.get('device') !== device) {
    return { name, changes, result, comment: `${comment}. fstab entry for device ${str(device)} not found` }
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
  user: Value,
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

interface FstabWish {
  name: string
  fs_file: string
  fs_vfstype: Value
  fs_mntops: Value
  fs_freq: Value
  fs_passno: Value
  mount_by: Value
  config: string
  mount: Value
  match_on: Value
  not_change: Value
}

const withoutSlash = (path: string): string => (path === '/' ? path : path.replace(/\/+$/, ''))

async function fstabPresent(ctx: StateContext, wish: FstabWish): Promise<StateReturn> {
  const { name, fs_vfstype, fs_freq, fs_passno, match_on, not_change } = wish
  const point = withoutSlash(wish.fs_file)
  const file = tableFile(ctx, wish.config)
  const report = (result: boolean | null, comment: string[], changes = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  const device = await converted(ctx, name, wish.mount_by)
  if (device === undefined) return report(false, [`Device ${name} cannot be converted to ${str(wish.mount_by)}`])
  const opts = isMac(ctx) && wish.fs_mntops === 'defaults' ? 'noowners' : wish.fs_mntops
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
  const outcome = await setTable(ctx, entry, wish.config)
  const mounts = outcome === 'new' && truthy(wish.mount)
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

interface FstabRemoval {
  name: string
  fs_file: string
  mount_by: Value
  config: string
}

async function fstabAbsent(ctx: StateContext, wish: FstabRemoval): Promise<StateReturn> {
  const { name } = wish
  const point = withoutSlash(wish.fs_file)
  const file = tableFile(ctx, wish.config)
  const device = await converted(ctx, name, wish.mount_by)
  const known = (await readTable(ctx, wish.config)).has(point)
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
  if (!(await removeFrom(ctx, point, device ?? null, wish.config))) {
    return { name, changes: {}, result: false, comment: [`${point} entry failed when removing from ${file}.`] }
  }
  return { name, changes: { persist: 'removed' }, result: true, comment: [`${point} entry removed from ${file}.`] }
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const config = arg.string('The table', { default: '/etc/fstab' })
const user = optional('Whom it is done as')
const match_on = arg.any('The columns by which an entry is found', { default: 'auto' })
const mount_by = arg.text('How the device is named: device, uuid, label, partuuid or partlabel', { optional: true })
const kwargs = arg.ignored()

const REQUIRED = ['name', 'device', 'fstype'] as const

export default defineState({
  name: 'mount',
  doc: 'File systems and swap space.',
  functions: {
    mounted: state({
      doc: 'A file system is mounted.',
      args: {
        name: arg.string('The mount point'),
        device: arg.string('The device'),
        fstype: arg.string('The file system'),
        mkmnt: arg.flag('Whether the mount point is made when missing', { default: false }),
        opts: arg.any('Options, as a list or with commas', { default: 'defaults' }),
        dump: arg.any('Whether dump saves it', { default: 0 }),
        pass_num: arg.any('When it is checked at boot', { default: 0 }),
        config,
        persist: arg.flag('Whether it is in the table', { default: true }),
        mount: arg.flag('Whether it is mounted now', { default: true }),
        user,
        match_on,
        device_name_regex: optional('Patterns of devices that may be mounted instead'),
        extra_mount_invisible_options: optional('Further options that are not shown'),
        extra_mount_invisible_keys: optional('Further options whose values are not shown'),
        extra_mount_ignore_fs_keys: optional('Options to ignore, by file system'),
        extra_mount_translate_options: optional('Options that are shown as others'),
        hidden_opts: optional('Options that are not compared'),
        bind_mount_copy_active_opts: arg.flag('Whether a bind mount has the options of its source', { default: true }),
        kwargs,
      },
      run: async (ctx, { kwargs: _, ...wish }) => {
        const missing = REQUIRED.find((key) => wish[key] === '')
        if (missing === undefined) return mounted(ctx, wish as MountWish)
        const comment = `Must provide ${missing} to mount.mounted`
        return { name: wish.name, changes: {}, result: false, comment }
      },
    }),
    swap: state({
      doc: 'Swap space is in use.',
      args: {
        name: arg.string('The device or file'),
        persist: arg.flag('Whether it is in the table', { default: true }),
        config,
      },
      run: swap,
    }),
    unmounted: state({
      doc: 'Nothing is mounted there.',
      args: {
        name: arg.string('The mount point'),
        device: optional('The device'),
        config,
        persist: arg.flag('Whether it leaves the table too', { default: false }),
        user,
        kwargs,
      },
      run: unmounted,
    }),
    mod_watch: state({
      doc: 'Mounts anew what something watched has changed.',
      args: { name: arg.string('The mount point'), user, kwargs: arg.open('The arguments of the state') },
      run: (ctx, { name, user, kwargs }) => remounted(ctx, name, user, kwargs),
    }),
    fstab_present: state({
      doc: 'There is an entry in the table.',
      args: {
        name: arg.string('The device'),
        fs_file: arg.string('The mount point'),
        fs_vfstype: arg.any('The file system'),
        fs_mntops: arg.any('Options', { default: 'defaults' }),
        fs_freq: arg.any('Whether dump saves it', { default: 0 }),
        fs_passno: arg.any('When it is checked at boot', { default: 0 }),
        mount_by,
        config,
        mount: arg.flag('Whether it is mounted when the entry is new', { default: true }),
        match_on,
        not_change: arg.flag('Whether an entry that differs is left alone', { default: false }),
        fs_mount: arg.flag('Whether it is mounted at boot; for AIX', { default: true }),
      },
      run: fstabPresent,
    }),
    fstab_absent: state({
      doc: 'There is no entry in the table.',
      args: { name: arg.string('The device'), fs_file: arg.string('The mount point'), mount_by, config },
      run: fstabAbsent,
    }),
  },
})
