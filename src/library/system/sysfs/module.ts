// Attributes of the kernel's objects, as files below /sys.
import { posix } from 'node:path'
import { type Dict, floatFromText, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  namesIn,
  reads,
  textAt,
} from '../../../sdk/mod.ts'

async function target(ctx: FunctionContext, key: string): Promise<string | false> {
  const path = key.startsWith('/sys') ? key : posix.join('/sys', key)
  try {
    return await ctx.host.realPath(path)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('debug', `Unknown SysFS key ${path}`)
    return false
  }
}

const isFolder = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'directory'

async function write(ctx: FunctionContext, key: string, value: Value): Promise<boolean> {
  const path = await target(ctx, key)
  if (path === false) return false
  try {
    await ctx.host.writeAt(path, 0, Buffer.from(`${str(value)}\n`))
    return true
  } catch (error) {
    if (isHostError(error)) return false
    throw error
  }
}

function numberOrText(text: string): Value {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  return /^[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$/i.test(text) ? floatFromText(text) : text
}

async function read(ctx: FunctionContext, key: Value, root: string): Promise<Value> {
  if (isList(key)) {
    const found: Dict = new Map()
    for (const one of key) {
      const value = await read(ctx, posix.join(root, str(one)), '')
      if (value !== false) found.set(one, value)
    }
    return found
  }
  const path = await target(ctx, posix.join(root, str(key)))
  if (path === false) return false
  if (!(await isFolder(ctx, path))) {
    const text = ((await textAt(ctx.host, path)) ?? '').trim()
    return text === '' ? false : numberOrText(text)
  }
  const found: Dict = new Map()
  const files = await attributes(ctx, path)
  for (const file of [...files.r, ...files.rw]) {
    const value = await read(ctx, `${path}/${file}`, '')
    if (value !== false) place(found, file.split('/'), value)
  }
  return found
}

function place(into: Dict, path: readonly string[], value: Value): void {
  const [first, ...rest] = path
  if (rest.length === 0) {
    into.set(first!, value)
    return
  }
  if (!into.has(first!)) into.set(first!, new Map())
  place(into.get(first!) as Dict, rest, value)
}

interface Attributes {
  r: string[]
  w: string[]
  rw: string[]
}

/** Files below a directory, by what their owner may do with them. Links are not followed. */
async function attributes(ctx: FunctionContext, root: string, below = ''): Promise<Attributes> {
  const found: Attributes = { r: [], w: [], rw: [] }
  for (const name of await namesIn(ctx.host, posix.join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`
    const stat = await ctx.host.lstat(`${root}/${path}`)
    if (stat?.type === 'directory') {
      const inner = await attributes(ctx, root, path)
      for (const kind of ['r', 'w', 'rw'] as const) found[kind].push(...inner[kind])
    } else if (stat?.type === 'file') {
      const kind = `${stat.mode & 0o400 ? 'r' : ''}${stat.mode & 0o200 ? 'w' : ''}` as keyof Attributes | ''
      if (kind !== '') found[kind].push(path)
    }
  }
  return found
}

const key = arg.string('The attribute, below /sys')

export default defineModule({
  name: 'sysfs',
  doc: "Attributes of the kernel's objects.",
  when: ({ grains }) => grains.get('kernel') === 'Linux' || '',
  functions: {
    attr: changes({
      doc: 'Read an attribute, or set it.',
      example: 'sysfs.attr block/sda/queue/logical_block_size',
      args: { key, value: arg.any('The value to set', { optional: true }) },
      run: async (ctx, { key, value }) => {
        const path = await target(ctx, key)
        if (path === false || (await isFolder(ctx, path))) return path
        return value === null ? read(ctx, path, '') : write(ctx, path, value)
      },
    }),
    write: changes({
      doc: 'Set an attribute.',
      example: "sysfs.write devices/system/cpu/cpu0/cpufreq/scaling_governor 'performance'",
      args: { key, value: arg.any('The value') },
      run: (ctx, args) => write(ctx, args.key, args.value),
    }),
    read: reads({
      doc: 'An attribute; a directory or a list gives a mapping.',
      example: 'sysfs.read class/net/em1/statistics',
      args: { key: arg.any('The attribute, or a list'), root: arg.string('Where to look', { default: '' }) },
      run: (ctx, { key, root }) => read(ctx, key, root),
    }),
    target: reads({
      doc: 'The path behind a key.',
      example: 'sysfs.target class/ttyS0',
      args: { key, full: arg.boolean('The whole path, not only the last part', { default: true }) },
      run: async (ctx, { key, full }) => {
        const path = await target(ctx, key)
        return path === false || full ? path : posix.basename(path)
      },
    }),
    interfaces: reads({
      doc: 'The attributes below a key, by what can be done with them.',
      example: 'sysfs.interfaces block/bcache0/bcache',
      args: { root: arg.string('The key') },
      run: async (ctx, { root }) => {
        const path = await target(ctx, root)
        if (path !== false && (await isFolder(ctx, path))) return { ...(await attributes(ctx, path)) }
        ctx.log('error', `SysFS ${path} not a dir`)
        return false
      },
    }),
  },
})
