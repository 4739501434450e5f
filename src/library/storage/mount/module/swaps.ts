// Active swap devices: from /proc/swaps on Linux, from commands elsewhere.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result, runAll } from '../../../../sdk/mod.ts'

const facts = (type: string, size: Value, used: Value, priority: string): Dict =>
  dictFrom({ type, size, used, priority })

type Reader = (words: string[]) => Dict

const READERS: Readonly<Record<string, { command: string; skip: RegExp; read: Reader }>> = lookup({
  SunOS: {
    command: 'swap -l',
    skip: /^swapfile/,
    read: ([name = '', , , size, free]) =>
      facts(/^(?:\/dev|swap)/.test(name) ? 'device' : 'file', Number(size), Number(size) - Number(free), '-'),
  },
  OpenBSD: {
    command: 'swapctl -kl',
    skip: /^(?:Device|Total)/,
    read: ([name = '', size = '', used = '', , , priority = '']) =>
      facts(name.startsWith('/dev/') ? 'partition' : 'file', size, used, priority),
  },
})

export async function swaps(ctx: FunctionContext): Promise<Dict> {
  const reader = READERS[str(ctx.grains.get('kernel') ?? '')]
  const text = reader
    ? (await runAll(ctx, reader.command)).stdout
    : Buffer.from(await ctx.host.read('/proc/swaps')).toString()
  const found: Dict = new Map()
  for (const line of splitLines(text)) {
    const words = splitWords(line)
    if (words.length === 0 || (reader?.skip ?? /^Filename/).test(line)) continue
    const [name = '', type = '', size = '', used = '', priority = ''] = words
    found.set(name, reader ? reader.read(words) : facts(type, size, used, priority))
  }
  return found
}

/** Return whether this is a zone of Solaris, where swap cannot be changed. */
const isZone = (ctx: FunctionContext): boolean =>
  ctx.grains.get('kernel') === 'SunOS' && ctx.grains.get('virtual') === 'zone'

export async function swapOn(ctx: FunctionContext, name: string, priority: number | null): Promise<Result> {
  const known = (await swaps(ctx)).get(name)
  if (known !== undefined) return { stats: known, new: false }
  if (isZone(ctx)) return false
  const isSolaris = ctx.grains.get('kernel') === 'SunOS'
  const words = isSolaris ? ['swap', '-a', name] : ['swapon', name, ...(priority ? ['-p', `${priority}`] : [])]
  await outputOf(ctx, words)
  const stats = (await swaps(ctx)).get(name)
  return stats === undefined ? {} : { stats, new: true }
}

const OFF: Readonly<Record<string, string[]>> = lookup({ SunOS: ['swap', '-d'], OpenBSD: ['swapctl', '-d'] })

export async function swapOff(ctx: FunctionContext, name: string): Promise<Result> {
  if (!(await swaps(ctx)).has(name)) return null
  if (isZone(ctx)) return false
  await outputOf(ctx, [...(OFF[str(ctx.grains.get('kernel') ?? '')] ?? ['swapoff']), name])
  return !(await swaps(ctx)).has(name)
}
