// `mount.mounted`: a device is mounted with the wanted options, and in the table for the boot.
import { compileRegex, type Dict, isList, str, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { namesOf, realPath, targetOf } from './devices.ts'
import { compareOptions, listOf, type OptionRules } from './options.ts'
import { isMac, setTable } from './tables.ts'

interface MountRequest extends OptionRules {
  name: string
  device: string
  fstype: string
  mkmnt: boolean
  opts: Value
  dump: number
  pass_num: number
  config: string
  persist: boolean
  mount: boolean
  user: string | null
  match_on: Value
  device_name_regex: string[] | null
  bind_mount_copy_active_opts: boolean
}

/** The report of the state while it is built. */
interface Progress {
  result: boolean | null
  comment: string
  changes: Record<string, Value>
  opts: string[]
  /** Whether to write the cache of mounts. */
  note: boolean
  /** Whether the state is finished. */
  done: boolean
}

interface Place {
  name: string
  real: string
  /** The mount point as the kernel writes it. */
  point: string
}

const isForced = (fstype: string): boolean => ['nfs', 'cvfs'].includes(fstype) || fstype.startsWith('fuse')

const activeMounts = async (ctx: StateContext): Promise<Dict> => await ctx.call('mount.active', [], { extended: true })

/** Apply other options: remount, or unmount and mount a file system that cannot be remounted. */
async function reapply(
  ctx: StateContext,
  request: MountRequest,
  at: Place,
  progress: Progress,
  options: string,
  cached: boolean,
) {
  const { mkmnt, fstype, device } = request
  const again = { mkmnt, fstype, opts: progress.opts }
  progress.note = true
  if (!isForced(fstype)) {
    progress.changes['umount'] = `Forced remount because options (${options}) changed`
    progress.result = (await ctx.call('mount.remount', [at.real, device], again)) === true
    progress.opts = progress.opts.filter((option) => option !== 'remount')
    return
  }
  progress.changes['umount'] = `Forced unmount and mount because options (${options}) changed`
  let unmounted = await ctx.call('mount.umount', [at.real])
  if (unmounted !== true) {
    if (!cached) {
      const why = 'because the previous unmount failed and because the'
      progress.changes['umount'] = `Forced a lazy unmount and mount ${why} options (${options}) changed`
    }
    unmounted = await ctx.call('mount.umount', [at.real], { lazy: true })
  }
  if (unmounted === true) {
    progress.result = (await ctx.call('mount.mount', [at.real, device], again)) === true
    return
  }
  Object.assign(progress, {
    result: false,
    comment: `Unable to unmount ${at.real}: ${str(unmounted)}.`,
    done: true,
  })
}

function foresee(progress: Progress, comment: string): void {
  Object.assign(progress, { result: null, comment, done: true })
}

async function settleOptions(ctx: StateContext, request: MountRequest, at: Place, entry: Dict, progress: Progress) {
  const { differing, last } = await compareOptions(ctx, progress.opts, request.fstype, entry, request)
  if (differing.length > 0) {
    const options = differing.join(',')
    if (ctx.test) return foresee(progress, `Remount would be forced because options (${options}) changed`)
    await reapply(ctx, request, at, progress, options, false)
    if (progress.done) return
  }
  const cache = await ctx.call('mount.read_mount_cache', [at.real])
  const known = cache instanceof Map ? cache.get('opts') : undefined
  if (known === undefined) {
    progress.note = true
    return
  }
  const missing = (isList(known) ? known.map(str) : []).filter((option) => !progress.opts.includes(option))
  if (missing.length === 0) return
  if (ctx.test) return foresee(progress, `Remount would be forced because options (${missing.join(',')})changed`)
  await reapply(ctx, request, at, progress, last, true)
}

/** Unmount a device other than the wanted one, unless a pattern allows it. */
async function settleDevice(
  ctx: StateContext,
  request: MountRequest,
  at: Place,
  progress: Progress,
  device: string,
  names: string[],
): Promise<boolean> {
  if (names.includes(device)) {
    progress.comment = 'Target was already mounted'
    return true
  }
  const patterns = (request.device_name_regex ?? []).map((text) => compileRegex(text))
  const alike = patterns.flatMap((pattern) => names.filter((name) => pattern.match(name))).at(-1)
  if (alike !== undefined) {
    progress.result = true
    progress.comment = `An umount will not be forced because device matched device_name_regex: ${alike}`
    return true
  }
  if (ctx.test) {
    progress.result = null
    progress.comment = `An umount would have been forced because devices do not match.  Watched: ${request.device}`
    return true
  }
  const wanted = device === request.device ? request.device : `${request.device} (${device})`
  progress.changes['umount'] =
    `Forced unmount because devices don't match. Wanted: ${wanted}, current: ${names.join(', ')}`
  await ctx.call('mount.umount', [at.real], { user: request.user })
  progress.note = true
  const still = (await activeMounts(ctx)).has(at.point)
  if (still) Object.assign(progress, { comment: 'Unable to unmount', result: false, done: true })
  return still
}

async function mountNow(ctx: StateContext, request: MountRequest, at: Place, progress: Progress): Promise<void> {
  const { mkmnt, user } = request
  const exists = (await ctx.host.stat(at.name)) !== undefined
  if (ctx.test) {
    if (exists) return foresee(progress, `${at.name} would be mounted`)
    const outcome = mkmnt ? 'would be created and mounted' : 'does not exist and would not be created'
    return foresee(progress, `${at.name} ${outcome}`)
  }
  if (!exists && !mkmnt) {
    Object.assign(progress, { result: false, comment: 'Mount directory is not present', done: true })
    return
  }
  const answer = await ctx.call('mount.mount', [at.name, request.device, mkmnt, request.fstype, progress.opts], {
    user,
  })
  progress.note = true
  if (typeof answer === 'string') {
    Object.assign(progress, { result: false, comment: answer, done: true })
  } else if ((await activeMounts(ctx)).has(at.point)) {
    progress.comment = 'Target was successfully mounted'
    progress.changes['mount'] = true
  }
}

/** Create the directory only, without mounting. */
async function withoutMounting(ctx: StateContext, request: MountRequest, at: Place, progress: Progress): Promise<void> {
  if ((await ctx.host.stat(at.name)) !== undefined) {
    progress.comment = `${at.name} ${ctx.test ? 'would not be mounted' : 'not mounted'}`
  } else if (ctx.test) {
    progress.result = null
    progress.comment = request.mkmnt
      ? `${at.name} would be created, but not mounted`
      : `${at.name} does not exist and would neither be created nor mounted`
  } else if (request.mkmnt) {
    await ctx.call('file.mkdir', [at.name], { user: request.user })
    progress.comment = `${at.name} was created, not mounted`
  } else progress.comment = `${at.name} not present and not mounted`
}

async function persist(ctx: StateContext, request: MountRequest, at: Place, progress: Progress): Promise<void> {
  const { device, fstype, dump, pass_num, config, match_on, mkmnt } = request
  const entry = { name: at.name, device, fstype, opts: progress.opts, dump, pass_num, match_on }
  const outcome = await setTable(ctx, entry, config)
  if (ctx.test && outcome !== 'present') {
    const isMounted = request.mount
    const comment =
      outcome === 'new'
        ? `${at.name} ${isMounted ? 'is mounted, but ' : ''}needs to be written to the fstab in order to be made persistent.`
        : isMounted
          ? `${at.name} is mounted, but its fstab entry must be updated.`
          : `The ${at.name} fstab entry must be updated.`
    progress.result = null
    progress.comment = `${progress.comment}. ${comment}`
    return
  }
  if (progress.note && !ctx.test) {
    await ctx.call('mount.write_mount_cache', [at.real, device], { mkmnt, fstype, mount_opts: progress.opts })
  }
  if (outcome === 'present') progress.comment += '. Entry already exists in the fstab.'
  else {
    progress.changes['persist'] = outcome === 'new' ? 'new' : 'update'
    progress.comment += outcome === 'new' ? '. Added new entry to the fstab.' : '. Updated the entry in the fstab.'
  }
}

export async function mounted(ctx: StateContext, request: MountRequest): Promise<StateReturn> {
  const name = request.name === '/' ? '/' : request.name.replace(/\/+$/, '')
  const real = await realPath(ctx, name)
  const at: Place = { name, real, point: real.replaceAll(' ', '\\040') }
  const given = isMac(ctx) && request.opts === 'defaults' ? 'noowners' : request.opts
  const active = await activeMounts(ctx)
  const aim = await targetOf(ctx, active, {
    device: request.device,
    opts: listOf(given),
    point: at.point,
    copyOptions: request.bind_mount_copy_active_opts,
  })
  const progress: Progress = { result: true, comment: '', changes: {}, opts: aim.opts, note: false, done: false }
  const report = (): StateReturn => {
    const { changes, result, comment } = progress
    return { name: request.name, changes, result, comment }
  }
  if (aim.missingLabel !== undefined) {
    Object.assign(progress, { result: false, comment: `Unable to find device with label ${aim.missingLabel}.` })
    return report()
  }
  const entry = active.get(at.point) as Dict | undefined
  let isMounted = entry !== undefined
  if (entry !== undefined && request.mount) {
    const names = await namesOf(ctx, entry, aim.alike)
    if (progress.opts.length > 0) await settleOptions(ctx, request, at, entry, progress)
    if (!progress.done) isMounted = await settleDevice(ctx, request, at, progress, aim.device, names)
  }
  if (!progress.done && !isMounted) {
    if (request.mount) await mountNow(ctx, request, at, progress)
    else await withoutMounting(ctx, request, at, progress)
  }
  if (!progress.done && request.persist) await persist(ctx, request, at, progress)
  return report()
}
