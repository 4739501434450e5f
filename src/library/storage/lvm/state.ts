// States of physical volumes, volume groups and logical volumes.
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
  unlessRefused,
} from '../../../sdk/mod.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1 / 2048, m: 1, g: 1024, t: 1024 ** 2, p: 1024 ** 3 }

/** Return `10G`, `512mb`, `100` or sectors such as `2048s` in megabytes. */
function megabytes(size: string): number {
  const [, digits, unit = 'm'] = /^(.*?)([a-z])?b?$/.exec(size.toLowerCase()) ?? []
  if (digits === undefined || !/\d$/.test(digits)) throw new SaltError('ArgumentValueError', `Size ${size} is invalid.`)
  const factor = UNITS[unit]
  if (factor === undefined) throw new SaltError('ArgumentValueError', `Unit ${unit} is invalid.`)
  return Number(digits) * factor
}

const exists = async (ctx: StateContext, fun: string, name: string, quiet = true): Promise<boolean> =>
  truthy(await ctx.call(`lvm.${fun}`, [name], quiet ? { quiet: true } : {}))

interface Kind {
  noun: string
  display: string
  /** Comment for an object that does not exist. */
  gone: string
}

const KINDS = {
  pv: { noun: 'Physical Volume', display: 'pvdisplay', gone: 'does not exist' },
  vg: { noun: 'Volume Group', display: 'vgdisplay', gone: 'already absent' },
  lv: { noun: 'Logical Volume', display: 'lvdisplay', gone: 'already absent' },
} as const satisfies Record<string, Kind>

/** The object of a state; `path` is its name in LVM. */
interface Volume {
  kind: Kind
  name: string
  path: string
}

/** Remove an existing volume or group. */
function absent(
  ctx: StateContext,
  { kind, name, path }: Volume,
  remove: () => Value | Promise<Value>,
): Promise<StateReturn> {
  const subject = `${kind.noun} ${name}`
  return ensure(ctx, {
    name,
    look: async () => ((await exists(ctx, kind.display, path)) ? 'present' : settled(`${subject} ${kind.gone}`)),
    foresee: () => `${subject} is set to be removed`,
    act: async () => {
      const removed = await remove()
      if (await exists(ctx, kind.display, path)) return failed(`Failed to remove ${subject}`)
      return changed(`Removed ${subject}`, { removed })
    },
  })
}

/** Create a missing volume or group. */
function created(
  ctx: StateContext,
  { kind, name, path }: Volume,
  create: () => Value | Promise<Value>,
): Promise<StateReturn> {
  const subject = `${kind.noun} ${name}`
  return ensure(ctx, {
    name,
    look: () => 'missing',
    foresee: () => `${subject} is set to be created`,
    act: async () => {
      const made = await create()
      if (await exists(ctx, kind.display, path, false)) return changed(`Created ${subject}`, { created: made })
      const output = made instanceof Map ? made.get('Output from lvcreate') : undefined
      const detail = kind === KINDS.lv ? `. Error: ${str(output ?? made)}` : ''
      return failed(`Failed to create ${subject}${detail}`)
    },
  })
}

async function realPath(ctx: StateContext, path: string): Promise<string> {
  return unlessRefused(ctx.host.realPath(path), path)
}

/** Add a device to the group if necessary, and return the outcome. */
async function member(ctx: StateContext, group: string, device: string) {
  const real = await realPath(ctx, device)
  const groupOf = async (): Promise<Value | undefined> => {
    const volumes = await ctx.call('lvm.pvdisplay', [real], { real: true })
    return (volumes.get(real) as Dict | undefined)?.get('Volume Group Name')
  }
  const current = await groupOf()
  if (current === undefined) return { comment: `pv ${device} is not present`, fine: false }
  if (current === group) return { comment: `${device} is part of Volume Group`, fine: true }
  if (current !== '' && current !== '#orphans_lvm2') {
    return { comment: `${device} is part of ${str(current)}`, fine: false }
  }
  if (ctx.test) return { comment: `${device} is set to be added`, fine: true, foreseen: true }
  await ctx.call('lvm.vgextend', [group, device])
  if ((await groupOf()) === group) return { added: `added to ${group}`, fine: true }
  return { comment: `${device} could not be added`, fine: false }
}

async function groupPresent(
  ctx: StateContext,
  name: string,
  devices: string[],
  options: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  if (!(await exists(ctx, 'vgdisplay', name))) {
    return created(ctx, { kind: KINDS.vg, name, path: name }, () => ctx.call('lvm.vgcreate', [name, devices], options))
  }
  const comments = [`Volume Group ${name} already present`]
  const changes: Record<string, Result> = {}
  let result: boolean | null = true
  for (const device of devices) {
    const outcome = await member(ctx, name, device)
    if (outcome.comment !== undefined) comments.push(outcome.comment)
    if (outcome.added !== undefined) changes[device] = outcome.added
    if (!outcome.fine) result = false
    else if (outcome.foreseen && result) result = null
  }
  return { name, changes, result, comment: comments.join('\n') }
}

type VolumeRequest = Bound<typeof lvPresentArgs>

async function resized(
  ctx: StateContext,
  request: VolumeRequest,
  name: string,
  path: string,
  info: Dict,
): Promise<StateReturn> {
  const { size, force, resizefs } = request
  const report = reportOn(request.name)
  const settled = `Logical Volume ${name} already present`
  if (!size && !request.extents) return report(true, settled)
  const extentsNow = Number(info.get('Current Logical Extents Associated'))
  const sizeNow = megabytes(`${str(info.get('Logical Volume Size')!)}s`)
  const relative = request.extents?.includes('%') ?? false
  const extents = size || relative ? extentsNow : Number(request.extents)
  const wanted = size ? megabytes(size) : sizeNow
  if (!force && (wanted < sizeNow || extents < extentsNow)) {
    return report(false, "To reduce a Logical Volume option 'force' must be True.")
  }
  if (wanted === sizeNow && extents === extentsNow) {
    return report(true, relative && !size ? `${settled}, ${request.extents} won't be resized.` : settled)
  }
  if (ctx.test) return report(null, `Logical Volume ${name} is set to be resized`)
  const aim: Record<string, Value> = size ? { size } : { extents }
  const changes = await ctx.call('lvm.lvresize', [], { lvpath: path, ...aim, resizefs, force })
  const after = (await ctx.call('lvm.lvdisplay', [path], { quiet: true })).get(path) as Dict | undefined
  if (after && megabytes(`${str(after.get('Logical Volume Size')!)}s`) !== sizeNow) {
    return report(true, `Resized Logical Volume ${name}`, { resized: changes })
  }
  return report(
    false,
    `Failed to resize Logical Volume ${name}.\nError: ${str(changes.get('Output from lvresize') ?? '')}`,
  )
}

async function volumePresent(ctx: StateContext, request: VolumeRequest): Promise<StateReturn> {
  const { vgname, size, extents, snapshot, pv, thinvolume, thinpool, force } = request
  if (extents && size) {
    const comment = 'Only one of extents or size can be specified.'
    return { name: request.name, changes: {}, result: false, comment }
  }
  if (size) megabytes(size)
  const source = snapshot ? request.name : null
  const name = snapshot || request.name
  const group = thinvolume ? (str(vgname).split('/')[0] ?? '') : str(vgname)
  const path = `/dev/${group}/${name}`
  const info = (await ctx.call('lvm.lvdisplay', [path], { quiet: true })).get(path) as Dict | undefined
  if (info) return resized(ctx, request, name, path, info)
  const options = { size, extents, snapshot: source, pv, thinvolume, thinpool, force }
  const report = await created(ctx, { kind: KINDS.lv, name, path }, () =>
    ctx.call('lvm.lvcreate', [name, vgname], new Map([...Object.entries(options), ...request.kwargs])),
  )
  return { ...report, name: request.name }
}

const vgname = arg.text('Volume group', { optional: true })

const lvPresentArgs = {
  name: arg.string('Logical volume'),
  vgname,
  size: arg.text('Size, such as 10G', { optional: true }),
  extents: arg.text('Number of extents, or a percentage', { optional: true }),
  snapshot: arg.text('Name of a snapshot to create of the volume', { optional: true }),
  pv: arg.text('Physical volume to use', { default: '' }),
  thinvolume: arg.flag('Whether to create a thin volume', { default: false }),
  thinpool: arg.flag('Whether to create a thin pool', { default: false }),
  force: arg.flag('Whether the volume may be reduced', { default: false }),
  resizefs: arg.flag('Whether to resize the file system as well', { default: false }),
  kwargs: arg.open('Options of lvcreate'),
}

export default defineState({
  name: 'lvm',
  doc: 'Manage physical volumes, volume groups and logical volumes.',
  when: async ({ host }) => (await host.which('lvm')) !== undefined || 'lvm command not found',
  functions: {
    pv_present: state({
      doc: 'Ensure that a device is a physical volume.',
      args: { name: arg.string('Device path'), kwargs: arg.open('Options of pvcreate') },
      run: async (ctx, { name, kwargs }) => {
        if (await exists(ctx, 'pvdisplay', name)) return reportOn(name)(true, `Physical Volume ${name} already present`)
        return created(ctx, { kind: KINDS.pv, name, path: name }, () => ctx.call('lvm.pvcreate', [name], kwargs))
      },
    }),
    pv_absent: state({
      doc: 'Ensure that a device is not a physical volume.',
      args: { name: arg.string('Device path') },
      run: (ctx, { name }) => absent(ctx, { kind: KINDS.pv, name, path: name }, () => ctx.call('lvm.pvremove', [name])),
    }),
    vg_present: state({
      doc: 'Ensure that a volume group exists and has devices.',
      args: {
        name: arg.string('Volume group'),
        devices: arg.words('Devices, as a list or with commas', { optional: true }),
        kwargs: arg.open('Options of vgcreate'),
      },
      run: (ctx, { name, devices, kwargs }) => groupPresent(ctx, name, devices ?? [], kwargs),
    }),
    vg_absent: state({
      doc: 'Ensure that a volume group is absent.',
      args: { name: arg.string('Volume group') },
      run: (ctx, { name }) => absent(ctx, { kind: KINDS.vg, name, path: name }, () => ctx.call('lvm.vgremove', [name])),
    }),
    lv_present: state({
      doc: 'Ensure that a logical volume exists and has a size.',
      args: lvPresentArgs,
      run: volumePresent,
    }),
    lv_absent: state({
      doc: 'Ensure that a logical volume is absent.',
      args: { name: arg.string('Logical volume'), vgname },
      run: (ctx, { name, vgname }) =>
        absent(ctx, { kind: KINDS.lv, name, path: `/dev/${str(vgname)}/${name}` }, () =>
          ctx.call('lvm.lvremove', [name, vgname]),
        ),
    }),
  },
})
