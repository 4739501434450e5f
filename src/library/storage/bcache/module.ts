// Caches of block devices by bcache: attributes below /sys, and the programs of bcache-tools.
import { setTimeout as pause } from 'node:timers/promises'
import { type Dict, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  namesIn,
  operand,
  optionalText,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import {
  attachedTo,
  attribute,
  attributes,
  bcachePath,
  bytesOf,
  type DeviceOptions,
  deviceName,
  numberOrText,
  realDevice,
  SETS,
  setAttribute,
  setId,
  setTo,
  sizesOf,
} from './facts.ts'
import { grouped, merged, statistics } from './shape.ts'

const CACHE_BASE = ['block_size', 'bucket_size', 'cache_available_percent', 'cache_replacement_policy', 'congested']
const BACKING_BASE = ['cache_mode', 'running', 'state', 'writeback_running']

/** Wait up to a number of seconds for a condition. */
async function awaits(ctx: FunctionContext, said: string, isMet: () => Promise<boolean>, tries = 10): Promise<boolean> {
  for (let at = 0; at < tries; at++) {
    if (await isMet()) return true
    await pause(1000, undefined, ctx.host.ending ? { signal: ctx.host.ending } : {})
  }
  ctx.log('error', said)
  return false
}

function refused(ctx: FunctionContext, said: string): false {
  ctx.log('error', said)
  return false
}

/** Run a program; return its output, True if that is empty, or False if it failed. */
async function run(ctx: FunctionContext, words: readonly Value[]): Promise<string | boolean> {
  const { retcode, stdout, stderr } = await runAll(ctx, words)
  return retcode === 0 ? stdout || true : refused(ctx, `${str(words[0]!)}: ${stderr.trim()}`)
}

const devicePath = async (ctx: FunctionContext, device: string): Promise<string> =>
  `/dev/${await deviceName(ctx, device)}`

const isBcache = async (ctx: FunctionContext, device: string): Promise<boolean> =>
  truthy(await attribute(ctx, await bcachePath(ctx, device)))

/** Run an action for every backing device; None if there is none. */
async function forAll(ctx: FunctionContext, act: (device: string) => Promise<boolean | null>): Promise<Dict | null> {
  const done: Dict = new Map()
  for (const [name, facts] of await statusOfAll(ctx, NOTHING)) {
    if (facts instanceof Map && facts.has('cache')) done.set(name, await act(str(name)))
  }
  return done.size > 0 ? done : null
}

const NOTHING = { stats: false, config: false, internals: false, superblock: false }
type Details = DeviceOptions & { readonly superblock: boolean }

const anyDone = (done: Dict | null): boolean => done === null || [...done.values()].some(truthy)

async function attach(ctx: FunctionContext, device: string): Promise<boolean | null> {
  const id = await setId(ctx)
  if (id === false) return refused(ctx, `No cache to attach ${device} to`)
  const current = await attachedTo(ctx, device)
  if (current === id) return null
  if (current !== false && !(await detach(ctx, device))) return false
  if (!(await setTo(ctx, `${await bcachePath(ctx, device)}/attach`, id))) {
    return refused(ctx, `Error attaching ${device} to bcache ${id}`)
  }
  return awaits(ctx, `${device} did not attach to bcache ${id}`, async () => (await attachedTo(ctx, device)) === id)
}

async function attachAll(ctx: FunctionContext): Promise<Dict | null | false> {
  if ((await setId(ctx)) === false) return refused(ctx, 'No cache to attach devices to')
  return forAll(ctx, (device) => attach(ctx, device))
}

async function detach(ctx: FunctionContext, device: string): Promise<boolean> {
  if (!(await setTo(ctx, `${await bcachePath(ctx, device)}/detach`, 'goaway'))) {
    return refused(ctx, `Error detaching ${device}`)
  }
  return awaits(ctx, `${device} did not detach`, async () => (await attachedTo(ctx, device)) === false, 300)
}

async function stop(ctx: FunctionContext, device: string): Promise<boolean> {
  if (!(await setTo(ctx, `${await bcachePath(ctx, device)}/stop`, 'goaway'))) {
    return refused(ctx, `Error stopping ${device}`)
  }
  return awaits(ctx, `Device ${device} did not stop`, async () => !(await isBcache(ctx, device)), 300)
}

async function stopAll(ctx: FunctionContext): Promise<boolean | null> {
  if ((await setId(ctx)) === false) return null
  if (!anyDone(await forAll(ctx, (device) => detach(ctx, device)))) return false
  if (!(await setTo(ctx, `${SETS}/${await setId(ctx)}/stop`, 'goaway'))) return refused(ctx, 'Error stopping cache')
  return awaits(ctx, 'Cache did not stop', async () => (await setId(ctx)) === false, 300)
}

const BACK_MAKE = {
  dev: arg.text('Device'),
  cache_mode: arg.text('`writethrough`, `writeback`, `writearound` or `none`', { default: 'writeback' }),
  force: arg.flag('Overwrite an existing bcache', { default: false }),
  attach: arg.flag('Attach the device at once', { default: true }),
  bucket_size: arg.text('Size of a bucket; that of the set if none is given', { optional: true }),
}

async function backMake(ctx: FunctionContext, given: Bound<typeof BACK_MAKE>): Promise<boolean | null> {
  const { dev, cache_mode, force } = given
  if (!/^\w+$/.test(cache_mode)) return refused(ctx, `'${cache_mode}' is not a mode of a cache`)
  if ((await setId(ctx)) === false) return refused(ctx, 'No bcache set found')
  if (await isBcache(ctx, dev)) {
    if (!force) return refused(ctx, `${dev} already contains a bcache. Wipe it manually or use force`)
    if ((await attachedTo(ctx, dev)) !== false && !(await detach(ctx, dev))) return false
    if (!(await stop(ctx, dev))) return false
  }
  const path = await devicePath(ctx, operand('A device', dev))
  const block = bytesOf(await setAttribute(ctx, 'block_size'))
  const bucket = given.bucket_size ?? bytesOf(await setAttribute(ctx, 'bucket_size'))
  const words = ['make-bcache', '--block', block, '--bucket', bucket, `--${cache_mode}`, '--bdev', path]
  if (!(await run(ctx, force ? [...words, '--wipe-bcache'] : words))) return false
  if (!(await setTo(ctx, `${SETS}/register`, path))) {
    return refused(ctx, `Error registering backing device ${path}`)
  }
  if (!(await awaits(ctx, `Backing device ${path} did not register`, () => isBcache(ctx, path)))) return false
  return given.attach ? attach(ctx, path) : true
}

const CACHE_MAKE = {
  dev: arg.text('Device'),
  reserved: optionalText('Size of an empty partition before the cache, such as `10%`; for a whole disk'),
  force: arg.flag('Overwrite existing data and sets', { default: false }),
  block_size: arg.text('Size of a block; that of the device if none is given', { optional: true }),
  bucket_size: arg.text('Size of a bucket', { optional: true }),
  attach: arg.flag('Attach all backing devices at once', { default: true }),
}

/** Return why a cache cannot be made on a device; undefined if it can. */
async function obstacle(ctx: FunctionContext, name: string, { reserved, force }: Bound<typeof CACHE_MAKE>) {
  const facts = (await ctx.call('udev.env', [name])) as Dict
  const isWhole = facts.get('DEVTYPE') !== 'partition'
  if (!force && (facts.has('ID_FS_TYPE') || (isWhole && facts.has('ID_PART_TABLE_TYPE')))) {
    return `${name} already contains data, wipe first or force`
  }
  if (reserved === null) return undefined
  if (!/^\d+(\.\d+)?\s*([kMGT]?i?B?|%|s)$/i.test(reserved)) return `'${reserved}' is not a size`
  return facts.get('DEVTYPE') === 'disk' ? undefined : 'Need a partitionable blockdev for reserved to work'
}

async function cacheMake(ctx: FunctionContext, given: Bound<typeof CACHE_MAKE>): Promise<boolean> {
  const id = await setId(ctx)
  if (id !== false && !given.force) return refused(ctx, `BCache cache ${id} is already on the system`)
  const old = id === false ? false : await realDevice(ctx)
  let name = await deviceName(ctx, operand('A device', given.dev))
  const problem = await obstacle(ctx, name, given)
  if (problem !== undefined) return refused(ctx, problem)
  const block = given.block_size ?? (await sizesOf(ctx, name)).block
  if (old !== false && !((await stopAll(ctx)) && (await wipe(ctx, old)))) return false
  if (!(await wipe(ctx, name))) return false
  if (given.reserved) {
    const layout = ['mklabel', 'gpt', 'mkpart', 'bcache-reserved', '1M', given.reserved]
    const rest = ['mkpart', 'bcache', given.reserved, '100%']
    const words = ['parted', '-m', '-s', '-a', 'optimal', '--', `/dev/${name}`, ...layout, ...rest]
    if (!(await run(ctx, words))) return false
    name = `${name}2`
  }
  const bucket = given.bucket_size === null ? [] : ['--bucket', given.bucket_size]
  const words = ['make-bcache', '--cache', `/dev/${name}`, '--block', block, '--wipe-bcache', ...bucket]
  if (!(await run(ctx, words))) return false
  const said = `Cache ${name} seemingly created OK, but FS did not activate`
  if (!(await awaits(ctx, said, async () => (await setId(ctx)) !== false))) return false
  if (!given.attach) return true
  const done = await attachAll(ctx)
  return done !== false && anyDone(done)
}

/** Clear a device: discard all of it, or write zeros over its beginning and its end. */
async function wipe(ctx: FunctionContext, name: string): Promise<boolean> {
  const { bytes, discard } = await sizesOf(ctx, name)
  if (discard === null) return refused(ctx, `Unable to read SysFS props for ${name}`)
  if (truthy(discard) && (await ctx.host.which('blkdiscard')) !== undefined) {
    await run(ctx, ['blkdiscard', `/dev/${name}`])
    return true
  }
  const words = ['dd', 'if=/dev/zero', `of=/dev/${name}`, 'bs=1M', 'count=4']
  const start = await run(ctx, words)
  const end = await run(ctx, [...words, `seek=${Math.max(0, Math.floor(bytes / 1024 ** 2) - 4)}`])
  return Boolean(start || end)
}

const CONFIG = {
  dev: arg.text('Device; the cache set if none is given', { optional: true }),
  kwargs: arg.open('Attributes to set, such as `cache_mode`'),
}

async function config(ctx: FunctionContext, { dev, kwargs }: Bound<typeof CONFIG>): Promise<Dict | boolean> {
  const id = dev === null ? await setId(ctx) : ''
  if (id === false) return false
  const path = dev === null ? `${SETS}/${id}` : await bcachePath(ctx, dev)
  const wishes = [...kwargs].filter(([name]) => !name.startsWith('__'))
  if (wishes.length === 0) {
    const found = await attributes(ctx, path, [], { stats: false, config: true, internals: true }, true)
    return merged(...[...found].filter(([kind]) => kind !== 'inter_ro').map(([, values]) => values))
  }
  let done = 0
  for (const [name, value] of wishes) {
    const isPlain = /^\w+(\/\w+)*$/.test(name)
    if (isPlain && (await setTo(ctx, `${path}/${name}`, value))) done++
    else refused(ctx, `Failed to update ${path}/${name}`)
  }
  return done > 0
}

async function device(ctx: FunctionContext, dev: string, options: Details): Promise<Dict | false> {
  if (!(await isBcache(ctx, dev))) return refused(ctx, `${dev} is not a bcache`)
  const path = await bcachePath(ctx, dev)
  const isCache = truthy(await attribute(ctx, `${path}/set`))
  const found = await attributes(ctx, path, isCache ? CACHE_BASE : BACKING_BASE, options)
  if (isCache) {
    const more = await attributes(ctx, `${SETS}/${await setId(ctx)}`, CACHE_BASE, options)
    for (const [kind, values] of more) found.set(kind, kind === 'base' ? merged(found.get(kind), values) : values)
  }
  const base = found.get('base') ?? new Map()
  const facts: Dict = isCache
    ? new Map<Value, Value>([['uuid', await setId(ctx)], ...base])
    : await backing(ctx, dev, base)
  const [stats, settings] = [found.get('stats'), found.get('config')]
  if (stats) facts.set('stats', statistics(stats))
  const internals = merged(found.get('inter_ro'), found.get('inter_rw'))
  if (internals.size > 0) facts.set('internals', grouped(internals, ['btree', 'writeback']))
  if (settings) facts.set('config', grouped(settings, ['writeback']))
  if (options.superblock) facts.set('superblock', await superblock(ctx, dev))
  return facts
}

/** Return the facts of a backing device; its switches become words of its state. */
async function backing(ctx: FunctionContext, dev: string, base: Dict): Promise<Dict> {
  const shown = await attribute(ctx, `${await bcachePath(ctx, dev)}/dev`)
  const facts: Dict = new Map<Value, Value>([['cache', await attachedTo(ctx, dev)]])
  if (typeof shown === 'string') facts.set('dev', await deviceName(ctx, shown))
  facts.set('bdev', await realDevice(ctx, dev))
  const state: Value[] = [base.get('state') ?? null, truthy(base.get('running') ?? false) ? 'running' : 'stopped']
  const writes = base.get('writeback_running')
  if (writes !== undefined) state.push(truthy(writes) ? 'writeback_running' : 'writeback_stopped')
  if (base.has('cache_mode')) facts.set('cache_mode', base.get('cache_mode')!)
  return facts.set('state', state)
}

/** Return the devices with a bcache: disks, and partitions below them. */
async function bcaches(ctx: FunctionContext): Promise<string[]> {
  const found: string[] = []
  for (const block of await namesIn(ctx.host, '/sys/block')) {
    if (block.includes('bcache')) continue
    const inside = await namesIn(ctx.host, `/sys/block/${block}`)
    if (inside.includes('bcache')) found.push(block)
    for (const part of inside.filter((name) => name.startsWith(block))) {
      if ((await namesIn(ctx.host, `/sys/block/${block}/${part}`)).includes('bcache')) found.push(part)
    }
  }
  return found
}

async function statusOfAll(ctx: FunctionContext, options: Details): Promise<Dict> {
  const all: Dict = new Map()
  for (const name of await bcaches(ctx)) all.set(name, await device(ctx, name, options))
  const cache = await realDevice(ctx)
  const facts = cache === false ? undefined : all.get(cache)
  if (facts instanceof Map) {
    const id = await setId(ctx)
    const others = [...all].filter(
      ([name, other]) => name !== cache && other instanceof Map && other.get('cache') === id,
    )
    facts.set('attached_backing_devices', others.length)
  }
  return all
}

/** Return the fields of a superblock; a value with an explanation in brackets becomes a list of both. */
async function superblock(ctx: FunctionContext, dev: string): Promise<Dict | false> {
  const shown = await run(ctx, ['bcache-super-show', await devicePath(ctx, operand('A device', dev))])
  if (shown === false) return false
  const found: Dict = new Map()
  for (const line of splitLines(str(shown))) {
    const [, group, key, value = '', , note] = /^\s*([^.\s]+)\.(\S+)\s+(\S+)(\s+\S?(.*?)\S)?\s*$/.exec(line) ?? []
    if (group === undefined || key === undefined) continue
    const known = found.get(group)
    const fields: Dict = known instanceof Map ? known : new Map()
    const plain: Value = value === 'yes' ? true : value === 'no' ? false : numberOrText(value)
    found.set(group, fields.set(key, note === undefined ? plain : [plain, note]))
  }
  return found
}

const dev = arg.text('Device, such as `sdb`, `/dev/sdb` or `bcache0`', { optional: true })
const DETAILS = {
  stats: arg.flag('Include statistics', { default: false }),
  config: arg.flag('Include settings', { default: false }),
  internals: arg.flag('Include internals', { default: false }),
  superblock: arg.flag('Include the superblock', { default: false }),
}

export default defineModule({
  name: 'bcache',
  doc: 'Manage caches of block devices by bcache.',
  when: async ({ host }) => (await host.which('make-bcache')) !== undefined || 'The program make-bcache was not found',
  functions: {
    uuid: reads({
      doc: 'Return the UUID of the cache set, or of the set that a device is attached to.',
      args: { dev },
      returns: ret.orFalse(ret.string('The UUID')),
      example: 'bcache.uuid /dev/sda',
      run: (ctx, { dev }) => (dev === null ? setId(ctx) : attachedTo(ctx, dev)),
    }),
    attach: changes({
      doc: 'Attach a backing device, or all, to the cache set.',
      calledAs: 'attach_',
      args: { dev },
      returns: ret.any('Whether it succeeded, by device if none is given; None if there was nothing to do'),
      example: 'bcache.attach sdc',
      run: (ctx, { dev }) => (dev === null ? attachAll(ctx) : attach(ctx, dev)),
    }),
    detach: changes({
      doc: 'Detach a backing device, or all, from the cache set. This writes what is cached to the device.',
      args: { dev },
      returns: ret.any('Whether it succeeded, by device if none is given; None if there was nothing to do'),
      example: 'bcache.detach sdc',
      run: (ctx, { dev }) => (dev === null ? forAll(ctx, (name) => detach(ctx, name)) : detach(ctx, dev)),
    }),
    start: changes({
      doc: 'Start bcache through udev.',
      returns: ret.boolean('Whether there is a cache set now'),
      run: async (ctx) =>
        (await run(ctx, ['udevadm', 'trigger'])) !== false &&
        (await awaits(ctx, 'No active cache set found', async () => (await setId(ctx)) !== false)),
    }),
    stop: changes({
      doc: 'Stop a bcache device without writing what is cached; without a device, detach all and stop the cache.',
      args: { dev },
      returns: ret.optional(ret.boolean('Whether it succeeded; None if nothing runs')),
      run: (ctx, { dev }) => (dev === null ? stopAll(ctx) : stop(ctx, dev)),
    }),
    back_make: changes({
      doc: 'Make a backing device. The cache set must exist.',
      args: BACK_MAKE,
      returns: ret.optional(ret.boolean('Whether it succeeded')),
      example: 'bcache.back_make sdc cache_mode=writeback attach=True',
      run: backMake,
    }),
    cache_make: changes({
      doc: 'Make a cache on a device. This clears the device.',
      args: CACHE_MAKE,
      returns: ret.boolean('Whether it succeeded'),
      example: 'bcache.cache_make sdb reserved=10% block_size=4096',
      run: cacheMake,
    }),
    config: changes({
      doc: 'Return or set attributes of a bcache device or of the cache set.',
      calledAs: 'config_',
      args: CONFIG,
      returns: ret.any('The attributes, or whether one was set'),
      example: 'bcache.config bcache1 cache_mode=writeback writeback_percent=15',
      run: config,
    }),
    status: reads({
      doc: 'Return the facts of the cache, or of all devices.',
      args: { ...DETAILS, alldevs: arg.flag('All devices, by name', { default: false }) },
      returns: ret.dict('Facts'),
      example: 'bcache.status stats=True',
      run: async (ctx, { alldevs, ...options }) => {
        const [all, cache] = [await statusOfAll(ctx, options), await realDevice(ctx)]
        const facts = cache === false || alldevs ? undefined : all.get(cache)
        return facts instanceof Map ? facts : all
      },
    }),
    device: reads({
      doc: 'Return the facts of one device.',
      args: { dev: arg.text('Device, such as `sdb` or `bcache0`'), ...DETAILS },
      returns: ret.orFalse(ret.dict('Facts')),
      example: 'bcache.device /dev/sdc stats=True',
      run: (ctx, { dev, ...options }) => device(ctx, dev, options),
    }),
    super: reads({
      doc: 'Return the superblock of a device.',
      calledAs: 'super_',
      args: { dev: arg.text('Device') },
      returns: ret.orFalse(ret.dict('Fields by group')),
      example: 'bcache.super /dev/sdc',
      run: (ctx, { dev }) => superblock(ctx, dev),
    }),
  },
})
