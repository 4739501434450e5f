// Attributes of kernel objects, as files below /sys.
import { posix } from 'node:path'
import { recover } from '../../../base/mod.ts'
import { type Dict, floatFromText, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isDirectory,
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

async function write(ctx: FunctionContext, key: string, value: string): Promise<boolean> {
  const path = await target(ctx, key)
  if (path === false) return false
  return recover(isHostError, false, async () => {
    await ctx.host.writeAt(path, 0, Buffer.from(`${value}\n`))
    return true
  })
}

function numberOrText(text: string): Value {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  return /^[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$/i.test(text) ? floatFromText(text) : text
}

async function read(ctx: FunctionContext, key: Value, root: string): Promise<Value> {
  if (isList(key)) {
    const found: Dict = new Map()
    for (const item of key) {
      const value = await read(ctx, posix.join(root, str(item)), '')
      if (value !== false) found.set(item, value)
    }
    return found
  }
  const path = await target(ctx, posix.join(root, str(key)))
  if (path === false) return false
  if (!(await isDirectory(ctx, path))) {
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
  const [first = '', ...rest] = path
  if (rest.length === 0) {
    into.set(first, value)
    return
  }
  const known = into.get(first)
  const inner: Dict = known instanceof Map ? known : new Map()
  into.set(first, inner)
  place(inner, rest, value)
}

interface Attributes {
  r: string[]
  w: string[]
  rw: string[]
}

/** Return the files below a directory by the permissions of their owner. Links are not followed. */
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

const key = arg.string('Attribute, relative to /sys')

export default defineModule({
  name: 'sysfs',
  doc: 'Manage attributes of kernel objects.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || '',
  functions: {
    attr: changes({
      doc: 'Read or set an attribute.',
      example: 'sysfs.attr block/sda/queue/logical_block_size',
      args: { key, value: arg.string('Value to set, as number or text; None to read', { optional: true }) },
      run: async (ctx, { key, value }) => {
        const path = await target(ctx, key)
        if (path === false || (await isDirectory(ctx, path))) return path
        return value === null ? read(ctx, path, '') : write(ctx, path, value)
      },
    }),
    write: changes({
      doc: 'Set an attribute.',
      example: "sysfs.write devices/system/cpu/cpu0/cpufreq/scaling_governor 'performance'",
      args: { key, value: arg.string('Value, as number or text') },
      run: (ctx, args) => write(ctx, args.key, args.value),
    }),
    read: reads({
      doc: 'Return an attribute; a dict for a directory or a list.',
      example: 'sysfs.read class/net/em1/statistics',
      args: {
        key: arg.any('Attribute, or a list of attributes'),
        root: arg.string('Directory that the attributes are relative to', { default: '' }),
      },
      run: (ctx, { key, root }) => read(ctx, key, root),
    }),
    target: reads({
      doc: 'Return the path of an attribute.',
      example: 'sysfs.target class/ttyS0',
      args: { key, full: arg.boolean('Whether to return the whole path instead of the last part', { default: true }) },
      run: async (ctx, { key, full }) => {
        const path = await target(ctx, key)
        return path === false || full ? path : posix.basename(path)
      },
    }),
    interfaces: reads({
      doc: 'Return the attributes below a directory by their permissions.',
      example: 'sysfs.interfaces block/bcache0/bcache',
      args: { root: arg.string('Directory, relative to /sys') },
      run: async (ctx, { root }) => {
        const path = await target(ctx, root)
        if (path !== false && (await isDirectory(ctx, path))) return { ...(await attributes(ctx, path)) }
        ctx.log('error', `SysFS ${path} not a dir`)
        return false
      },
    }),
  },
})
