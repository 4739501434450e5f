// The data of bcache below /sys: attributes of a cache set and of its devices, sorted by their meaning.
import { type Dict, float, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  baseName,
  dirName,
  expandVariables,
  type FunctionContext,
  isDirectory,
  namesIn,
  realPath,
} from '../../../sdk/mod.ts'

export const SETS = '/sys/fs/bcache'

/** Return an attribute; for a directory its path, and False if it does not exist. */
export async function attribute(ctx: FunctionContext, path: string): Promise<Value> {
  const target = await ctx.call('sysfs.target', [path])
  if (typeof target !== 'string' || (await isDirectory(ctx, target))) return target
  return await ctx.call('sysfs.read', [target])
}

/** Set an attribute; return whether it worked. */
export const setTo = async (ctx: FunctionContext, path: string, value: Value): Promise<boolean> =>
  truthy(await ctx.call('sysfs.write', [path, str(value)]))

/** Return the name of a device: `sda` for `/dev/sda` and for a link to it. */
export async function deviceName(ctx: FunctionContext, device: string): Promise<string> {
  return baseName(await realPath(ctx, await expandVariables(ctx, device)))
}

/** Return the directory of a device: that of a partition is below its disk. */
async function blockPath(ctx: FunctionContext, device: string): Promise<string> {
  const name = await deviceName(ctx, device)
  return `/sys/block/${name.replace(/^([vhs][a-z]+)([0-9]+)/, '$1/$1$2')}`
}

export const bcachePath = async (ctx: FunctionContext, device: string): Promise<string> =>
  `${await blockPath(ctx, device)}/bcache`

/** Return the UUID of the cache set. */
export async function setId(ctx: FunctionContext): Promise<string | false> {
  for (const name of await namesIn(ctx.host, SETS)) {
    if ((await ctx.host.lstat(`${SETS}/${name}`))?.type === 'directory') return name
  }
  return false
}

/** Return the UUID of the set that a device is attached to. */
export async function attachedTo(ctx: FunctionContext, device: string): Promise<string | false> {
  const path = await attribute(ctx, `${await bcachePath(ctx, device)}/cache`)
  return typeof path === 'string' ? baseName(path) : false
}

/** Return an attribute of the cache set. */
export async function setAttribute(ctx: FunctionContext, name: string): Promise<Value> {
  const id = await setId(ctx)
  return id === false ? false : attribute(ctx, `${SETS}/${id}/${name}`)
}

/** Return the name of the device of a bcache, or of the cache itself. */
export async function realDevice(ctx: FunctionContext, device?: string): Promise<string | false> {
  const path = device === undefined ? await setAttribute(ctx, 'cache0') : await bcachePath(ctx, device)
  return truthy(path) ? deviceName(ctx, dirName(str(path))) : false
}

export interface DeviceOptions {
  readonly stats: boolean
  readonly config: boolean
  readonly internals: boolean
}

const STATISTICS = [
  'internal/bset_tree_stats',
  'writeback_rate_debug',
  'metadata_written',
  'nbuckets',
  'written',
  'average_key_size',
  'btree_cache_size',
]
const TABLES = ['writeback_rate_debug', 'internal/bset_tree_stats', 'priority_stats']
const CHOICES = ['cache_mode', 'cache_replacement_policy', 'errors']
const SWITCHES = ['running', 'writeback_running', 'congested']

/** Return the kind of an attribute that can be read, or read and written. */
function kindOf(name: string, isWritable: boolean): string {
  if (isWritable) return name.startsWith('internal') ? 'inter_rw' : 'config'
  return !name.startsWith('internal') && name.includes('stats') ? 'stats' : 'inter_ro'
}

/** Return the names of the attributes by kind: the requested kinds, and `base`. */
async function sorted(ctx: FunctionContext, path: string, base: readonly string[], options: DeviceOptions) {
  const kinds = new Map<string, string[]>()
  for (const kind of options.internals ? ['inter_ro', 'inter_rw'] : []) kinds.set(kind, [])
  if (options.config) kinds.set('config', [])
  if (options.stats) kinds.set('stats', [])
  const found = await ctx.call('sysfs.interfaces', [path])
  for (const [access, isWritable] of [
    ['r', false],
    ['rw', true],
  ] as const) {
    const names = isDict(found) ? (found.get(access) ?? []) : []
    for (const name of isList(names) ? names.map(str) : []) {
      if (!base.includes(name)) kinds.get(kindOf(name, isWritable))?.push(name)
    }
  }
  const stats = kinds.get('stats')
  for (const name of stats ? STATISTICS : []) {
    for (const [kind, names] of kinds) {
      if (!names.includes(name)) continue
      kinds.set(
        kind,
        names.filter((other) => other !== name),
      )
      kinds.set('stats', [...kinds.get('stats')!.filter((other) => other !== name), name])
    }
  }
  return kinds.set('base', [...base])
}

export function numberOrText(text: string): Value {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  return /^[+-]?(\d+\.\d*|\.\d+)$/.test(text) ? float(Number(text)) : text
}

function meaning(name: string, value: Value, keepsChoices: boolean): Value {
  if (TABLES.includes(name)) {
    const rows = str(value)
      .split('\n')
      .map((line) => line.split(':'))
    return new Map(rows.map(([key = '', ...rest]) => [key.trim(), numberOrText(rest.join(':').trim())]))
  }
  if (!keepsChoices && CHOICES.includes(name)) return /\[(.+)\]/.exec(str(value))?.[1] ?? value
  return SWITCHES.includes(name) ? truthy(value) : value
}

/** Return attributes with their values by kind. With `keepsChoices` a choice shows all its possible values. */
export async function attributes(
  ctx: FunctionContext,
  path: string,
  base: readonly string[],
  options: DeviceOptions,
  keepsChoices = false,
): Promise<Map<string, Dict>> {
  const found = new Map<string, Dict>()
  for (const [kind, names] of await sorted(ctx, path, base, options)) {
    const values = await ctx.call('sysfs.read', [names, path])
    if (!isDict(values) || values.size === 0) continue
    const meanings = [...values].map(([name, value]): [Value, Value] => [name, meaning(str(name), value, keepsChoices)])
    found.set(kind, new Map(meanings))
  }
  return found
}

/** Return sizes of a device: all of it and its blocks in bytes, and how much it can discard at once; null if it does not say. */
export async function sizesOf(ctx: FunctionContext, device: string) {
  const names = ['size', 'queue/hw_sector_size', '../queue/hw_sector_size']
  const discards = ['queue/discard_max_bytes', '../queue/discard_max_bytes']
  const read = await ctx.call('sysfs.read', [[...names, ...discards], await blockPath(ctx, device)])
  const values: Dict = isDict(read) ? read : new Map()
  const first = (keys: readonly string[]): Value =>
    keys.map((key) => values.get(key)).find((v) => v !== undefined) ?? null
  return { bytes: 512 * Number(values.get('size') ?? 0), block: first(names.slice(1)), discard: first(discards) }
}

/** Return a size in bytes: `512`, `4k`, `1M`. */
export function bytesOf(size: Value): number | null {
  const [, digits, unit = ''] = /^\s*([\d.]+)\s*([KkMm]?)/.exec(str(size)) ?? []
  if (digits === undefined) return null
  return Math.trunc(Number(digits) * ({ '': 1, k: 1024, m: 1024 ** 2 }[unit.toLowerCase()] ?? 1))
}
