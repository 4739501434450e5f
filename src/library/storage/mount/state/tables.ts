// The table for the boot: fstab, or the map of the automounter on macOS.
import { type Dict, isDict, str, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export const isMac = (ctx: StateContext): boolean => ['MacOS', 'Darwin'].includes(str(ctx.grains.get('os') ?? ''))

export const tableFile = (ctx: StateContext, config: string): string =>
  isMac(ctx) && config === '/etc/fstab' ? '/etc/auto_salt' : config

/** Set an entry; return `present`, `change` or `new`. A dry run writes nothing. */
export async function setTable(ctx: StateContext, entry: Record<string, Value>, given: string): Promise<string> {
  const config = tableFile(ctx, given)
  const dry: Record<string, Value> = ctx.test ? { test: true } : {}
  if (!isMac(ctx)) return str(await ctx.call('mount.set_fstab', [], { ...entry, config, ...dry }))
  const { dump, pass_num, match_on, ...plain } = entry
  return str(await ctx.call('mount.set_automaster', [], { ...plain, config, ...dry }))
}

export async function readTable(ctx: StateContext, given: string): Promise<Dict> {
  const fun = isMac(ctx) ? 'mount.automaster' : 'mount.fstab'
  return ctx.call(fun, [tableFile(ctx, given)])
}

export async function removeFrom(ctx: StateContext, name: string, device: Value, given: string): Promise<boolean> {
  const fun = isMac(ctx) ? 'mount.rm_automaster' : 'mount.rm_fstab'
  return (await ctx.call(fun, [name, device, tableFile(ctx, given)])) === true
}

/** Convert a device name to a kind: `device`, `uuid`, `label`, `partuuid` or `partlabel`. */
export async function converted(ctx: StateContext, device: string, wanted: string | null): Promise<string | undefined> {
  if (!wanted) return device
  if (wanted === 'device' && device.startsWith('/')) return device
  if (device.startsWith(`${wanted.toUpperCase()}=`)) return device
  const found = device.startsWith('/')
    ? await ctx.call('disk.blkid', [device])
    : await ctx.call('disk.blkid', [], { token: device })
  if (!isDict(found) || found.size !== 1) return undefined
  const [[path, facts]] = [...found] as [[Value, Value]]
  if (wanted === 'device') return str(path)
  const key = wanted.toUpperCase()
  return `${key}=${str((facts as Dict).get(key) ?? '')}`
}
