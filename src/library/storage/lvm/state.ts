// Physical volumes, volume groups and logical volumes are there or not.
import { type Dict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  isHostError,
  type Result,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1 / 2048, m: 1, g: 1024, t: 1024 ** 2, p: 1024 ** 3 }

/** `10G`, `512mb`, `100` or sectors as `2048s`, in megabytes. */
function megabytes(size: string): number {
  const [, digits, unit = 'm'] = /^(.*?)([a-z])?b?$/.exec(size.toLowerCase()) ?? []
  if (digits === undefined || !/\d$/.test(digits)) throw new SaltError('ArgumentValueError', `Size ${size} is invalid.`)
  const factor = UNITS[unit]
  if (factor === undefined) throw new SaltError('ArgumentValueError', `Unit ${unit} is invalid.`)
  return Number(digits) * factor
}

const isThere = async (ctx: StateContext, fun: string, name: string, quiet = true): Promise<boolean> =>
  truthy(await ctx.call(`lvm.${fun}`, [name], quiet ? { quiet: true } : {}))

interface Kind {
  noun: string
  display: string
  /** What is said of something that is not there. */
  gone: string
}

const KINDS = {
  pv: { noun: 'Physical Volume', display: 'pvdisplay', gone: 'does not exist' },
  vg: { noun: 'Volume Group', display: 'vgdisplay', gone: 'already absent' },
  lv: { noun: 'Logical Volume', display: 'lvdisplay', gone: 'already absent' },
} as const satisfies Record<string, Kind>

/** The volume or group that a state is about; `path` is what LVM shows it by. */
interface Volume {
  kind: Kind
  name: string
  path: string
}

/** Remove a volume or group that is there. */
function absent(
  ctx: StateContext,
  { kind, name, path }: Volume,
  remove: () => Value | Promise<Value>,
): Promise<StateReturn> {
  const subject = `${kind.noun} ${name}`
  return ensure(ctx, {
    name,
    look: async () => ((await isThere(ctx, kind.display, path)) ? 'there' : settled(`${subject} ${kind.gone}`)),
    foresee: () => `${subject} is set to be removed`,
    act: async () => {
      const removed = await remove()
      if (await isThere(ctx, kind.display, path)) return failed(`Failed to remove ${subject}`)
      return changed(`Removed ${subject}`, { removed })
    },
  })
}

/** Create a volume or group that is not there. */
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
      if (await isThere(ctx, kind.display, path, false)) return changed(`Created ${subject}`, { created: made })
      const output = made instanceof Map ? made.get('Output from lvcreate') : undefined
      const detail = kind === KINDS.lv ? `. Error: ${str(output ?? made)}` : ''
      return failed(`Failed to create ${subject}${detail}`)
    },
  })
}

async function realPath(ctx: StateContext, path: string): Promise<string> {
  try {
    return await ctx.host.realPath(path)
  } catch (error) {
    if (isHostError(error)) return path
    throw error
  }
}

/** A device belongs to the group, or is added to it. */
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
  devices: Value,
  options: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const list = typeof devices === 'string' ? devices.split(',') : ((devices ?? []) as Value[]).map(str)
  if (!(await isThere(ctx, 'vgdisplay', name))) {
    return created(ctx, { kind: KINDS.vg, name, path: name }, () => ctx.call('lvm.vgcreate', [name, list], options))
  }
  const comments = [`Volume Group ${name} already present`]
  const changes: Record<string, Result> = {}
  let result: boolean | null = true
  for (const device of list) {
    const outcome = await member(ctx, name, device)
    if (outcome.comment !== undefined) comments.push(outcome.comment)
    if (outcome.added !== undefined) changes[device] = outcome.added
    if (!outcome.fine) result = false
    else if (outcome.foreseen && result) result = null
  }
  return { name, changes, result, comment: comments.join('\n') }
}

interface VolumeWish {
  name: string
  vgname: Value
  size: Value
  extents: Value
  snapshot: Value
  pv: Value
  thinvolume: Value
  thinpool: Value
  force: Value
  resizefs: Value
  kwargs: ReadonlyMap<string, Value>
}

async function resized(
  ctx: StateContext,
  wish: VolumeWish,
  name: string,
  path: string,
  info: Dict,
): Promise<StateReturn> {
  const { size, force, resizefs } = wish
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name: wish.name,
    changes,
    result,
    comment,
  })
  const settled = `Logical Volume ${name} already present`
  if (!truthy(size) && !truthy(wish.extents)) return report(true, settled)
  const extentsNow = Number(info.get('Current Logical Extents Associated'))
  const sizeNow = megabytes(`${str(info.get('Logical Volume Size')!)}s`)
  const relative = str(wish.extents).includes('%')
  const extents = truthy(size) || relative ? extentsNow : Number(wish.extents)
  const wanted = truthy(size) ? megabytes(str(size)) : sizeNow
  if (force === false && (wanted < sizeNow || extents < extentsNow)) {
    return report(false, "To reduce a Logical Volume option 'force' must be True.")
  }
  if (wanted === sizeNow && extents === extentsNow) {
    return report(true, relative && !truthy(size) ? `${settled}, ${str(wish.extents)} won't be resized.` : settled)
  }
  if (ctx.test) return report(null, `Logical Volume ${name} is set to be resized`)
  const aim: Record<string, Value> = truthy(size) ? { size } : { extents }
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

async function volumePresent(ctx: StateContext, wish: VolumeWish): Promise<StateReturn> {
  const { vgname, size, extents, snapshot, pv, thinvolume, thinpool, force } = wish
  if (truthy(extents) && truthy(size)) {
    const comment = 'Only one of extents or size can be specified.'
    return { name: wish.name, changes: {}, result: false, comment }
  }
  if (truthy(size)) megabytes(str(size))
  const source = truthy(snapshot) ? wish.name : null
  const name = truthy(snapshot) ? str(snapshot) : wish.name
  const group = truthy(thinvolume) ? str(vgname).split('/')[0]! : str(vgname)
  const path = `/dev/${group}/${name}`
  const info = (await ctx.call('lvm.lvdisplay', [path], { quiet: true })).get(path) as Dict | undefined
  if (info) return resized(ctx, wish, name, path, info)
  const options = { size, extents, snapshot: source, pv, thinvolume, thinpool, force }
  const report = await created(ctx, { kind: KINDS.lv, name, path }, () =>
    ctx.call('lvm.lvcreate', [name, vgname], new Map([...Object.entries(options), ...wish.kwargs])),
  )
  return { ...report, name: wish.name }
}

const name = (doc: string) => arg.string(doc)
const vgname = arg.text('The volume group', { optional: true })
const flag = (doc: string) => arg.any(doc, { default: false })
const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'lvm',
  doc: 'Physical volumes, volume groups and logical volumes.',
  when: async ({ host }) => (await host.which('lvm')) !== undefined || 'lvm command not found',
  functions: {
    pv_present: state({
      doc: 'A device is a physical volume.',
      args: { name: name('The device'), kwargs: arg.open('Options of pvcreate') },
      run: async (ctx, { name, kwargs }) => {
        if (!(await isThere(ctx, 'pvdisplay', name))) {
          return created(ctx, { kind: KINDS.pv, name, path: name }, () => ctx.call('lvm.pvcreate', [name], kwargs))
        }
        return { name, changes: {}, result: true, comment: `Physical Volume ${name} already present` }
      },
    }),
    pv_absent: state({
      doc: 'A device is no physical volume.',
      args: { name: name('The device') },
      run: (ctx, { name }) => absent(ctx, { kind: KINDS.pv, name, path: name }, () => ctx.call('lvm.pvremove', [name])),
    }),
    vg_present: state({
      doc: 'There is a volume group with some devices.',
      args: {
        name: name('The volume group'),
        devices: optional('Its devices'),
        kwargs: arg.open('Options of vgcreate'),
      },
      run: (ctx, { name, devices, kwargs }) => groupPresent(ctx, name, devices, kwargs),
    }),
    vg_absent: state({
      doc: 'There is no such volume group.',
      args: { name: name('The volume group') },
      run: (ctx, { name }) => absent(ctx, { kind: KINDS.vg, name, path: name }, () => ctx.call('lvm.vgremove', [name])),
    }),
    lv_present: state({
      doc: 'There is a logical volume of a size.',
      args: {
        name: name('The logical volume'),
        vgname,
        size: optional('Its size'),
        extents: optional('Its number of extents'),
        snapshot: arg.text('The name of a snapshot of it', { optional: true }),
        pv: arg.any('The physical volume it is on', { default: '' }),
        thinvolume: arg.flag('Whether it is thin', { default: false }),
        thinpool: arg.flag('Whether it is a pool of thin ones', { default: false }),
        force: flag('Whether it may become smaller'),
        resizefs: arg.flag('Whether its file system is resized with it', { default: false }),
        kwargs: arg.open('Options of lvcreate'),
      },
      run: volumePresent,
    }),
    lv_absent: state({
      doc: 'There is no such logical volume.',
      args: { name: name('The logical volume'), vgname },
      run: (ctx, { name, vgname }) =>
        absent(ctx, { kind: KINDS.lv, name, path: `/dev/${str(vgname)}/${name}` }, () =>
          ctx.call('lvm.lvremove', [name, vgname]),
        ),
    }),
  },
})
