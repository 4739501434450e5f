// System statistics from /proc: processors, memory, volumes, network and logins.
import { float, round, splitLines, splitWords, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, type Result, textAt } from '../../../../sdk/mod.ts'

const CPU = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice']

const read = async (ctx: FunctionContext, path: string): Promise<string> => (await textAt(ctx.host, path)) ?? ''

const rounded = (value: number): Value => round(float(value), 1)

/** Return the ticks of all processors together, or of each. */
export async function processorTicks(ctx: FunctionContext, each: boolean): Promise<number[][]> {
  const rows = splitLines(await read(ctx, '/proc/stat')).map(splitWords)
  const wanted = rows.filter(([name = '']) => (each ? /^cpu\d+$/.test(name) : name === 'cpu'))
  return wanted.map(([, ...ticks]) => ticks.map(Number))
}

export const processorTimes = (ticks: readonly number[]): Record<string, Value> =>
  Object.fromEntries(CPU.map((name, at) => [name, float((ticks[at] ?? 0) / 100)]))

/** Return the usage of a processor between two samples, in percent. */
export function busyPercent(before: readonly number[], after: readonly number[]): Value {
  const total = (ticks: readonly number[]): number => ticks.slice(0, 8).reduce((sum, tick) => sum + tick, 0)
  const idle = (ticks: readonly number[]): number => (ticks[3] ?? 0) + (ticks[4] ?? 0)
  const all = total(after) - total(before)
  if (all <= 0) return float(0)
  return rounded(Math.max(0, ((all - (idle(after) - idle(before))) / all) * 100))
}

async function memoryFields(ctx: FunctionContext): Promise<Map<string, number>> {
  const rows = splitLines(await read(ctx, '/proc/meminfo')).map(splitWords)
  return new Map(rows.map(([name = '', value]) => [name.replace(':', ''), Number(value) * 1024]))
}

export const memoryTotal = async (ctx: FunctionContext): Promise<number> =>
  (await memoryFields(ctx)).get('MemTotal') ?? 0

export async function virtualMemory(ctx: FunctionContext): Promise<Result> {
  const fields = await memoryFields(ctx)
  const field = (name: string): number => fields.get(name) ?? 0
  const total = field('MemTotal')
  const free = field('MemFree')
  const buffers = field('Buffers')
  const cached = field('Cached') + field('SReclaimable')
  const used = total - free - cached - buffers
  const available = fields.has('MemAvailable') ? field('MemAvailable') : free + cached + buffers
  return {
    total,
    available,
    percent: rounded(((total - available) / total) * 100),
    used: used < 0 ? total - free : used,
    free,
    active: field('Active'),
    inactive: field('Inactive'),
    buffers,
    cached,
    shared: field('Shmem'),
    slab: field('Slab'),
  }
}

export async function swapMemory(ctx: FunctionContext): Promise<Result> {
  const fields = await memoryFields(ctx)
  const total = fields.get('SwapTotal') ?? 0
  const free = fields.get('SwapFree') ?? 0
  const paging = await read(ctx, '/proc/vmstat')
  const pages = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(paging)?.[1] ?? 0) * 4096
  const percent = total === 0 ? float(0) : rounded(((total - free) / total) * 100)
  return { total, used: total - free, free, percent, sin: pages('pswpin'), sout: pages('pswpout') }
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

export interface Partition {
  device: string
  mountpoint: string
  fstype: string
  opts: string
  maxfile: number
  maxpath: number
}

/** Return the mounted volumes; without `all`, only file systems on devices. */
export async function partitions(ctx: FunctionContext, all: boolean): Promise<Partition[]> {
  const lines = splitLines(await read(ctx, '/proc/filesystems'))
  const types = new Set(lines.filter((line) => !line.startsWith('nodev')).map((line) => line.trim()))
  if (lines.some((line) => line.trim().endsWith('\tzfs'))) types.add('zfs')
  const rows = splitLines(await read(ctx, '/proc/self/mounts')).map((line) => line.split(' ').map(unescaped))
  const found: Partition[] = []
  for (const [from = '', mountpoint = '', fstype = '', opts = ''] of rows) {
    const device = from === 'none' ? '' : from
    if (all || (device !== '' && types.has(fstype))) {
      found.push({ device, mountpoint, fstype, opts, maxfile: 255, maxpath: 4096 })
    }
  }
  return found
}

export async function diskUsage(ctx: FunctionContext, path: string): Promise<Record<string, Value>> {
  const { blocks, blockSize, free, available } = await ctx.host.fileSystem(path)
  const used = (blocks - free) * blockSize
  const open = used + available * blockSize
  const percent = open === 0 ? float(0) : rounded((used / open) * 100)
  return { total: blocks * blockSize, used, free: available * blockSize, percent }
}

type Counters = Record<string, number>

function summed(rows: readonly Counters[]): Counters {
  const total: Counters = {}
  for (const row of rows) for (const [key, value] of Object.entries(row)) total[key] = (total[key] ?? 0) + value
  return total
}

export async function networkCounters(ctx: FunctionContext, name: string | null): Promise<Result> {
  const rows = new Map<string, Counters>()
  for (const line of splitLines(await read(ctx, '/proc/net/dev')).slice(2)) {
    const colon = line.lastIndexOf(':')
    const columns = splitWords(line.slice(colon + 1)).map(Number)
    const [bytes_recv = 0, packets_recv = 0, errin = 0, dropin = 0] = columns
    const [bytes_sent = 0, packets_sent = 0, errout = 0, dropout = 0] = columns.slice(8)
    const received = { packets_recv, errin, errout, dropin, dropout }
    rows.set(line.slice(0, colon).trim(), { bytes_sent, bytes_recv, packets_sent, ...received })
  }
  return name === null ? summed([...rows.values()]) : (rows.get(name) ?? false)
}

export async function diskCounters(ctx: FunctionContext, name: string | null): Promise<Result> {
  const rows = new Map<string, Counters>()
  const whole: Counters[] = []
  for (const words of splitLines(await read(ctx, '/proc/diskstats')).map(splitWords)) {
    const [, , disk = '', ...columns] = words
    const [read_count = 0, read_merged_count = 0, readSectors = 0, read_time = 0, ...rest] = columns.map(Number)
    const [write_count = 0, write_merged_count = 0, writeSectors = 0, write_time = 0, , busy_time = 0] = rest
    const row = {
      read_count,
      write_count,
      read_bytes: readSectors * 512,
      write_bytes: writeSectors * 512,
      read_time,
      write_time,
      read_merged_count,
      write_merged_count,
      busy_time,
    }
    rows.set(disk, row)
    // partitions are included in their disk
    if ((await ctx.host.stat(`/sys/block/${disk.replaceAll('/', '!')}`)) !== undefined) whole.push(row)
  }
  return name === null ? summed(whole) : (rows.get(name) ?? false)
}

const RECORD = 384
const USER_PROCESS = 7

/** Return the logged-in users, from utmp. */
export async function loggedIn(ctx: FunctionContext): Promise<Result[]> {
  let bytes: Buffer
  try {
    bytes = Buffer.from(await ctx.host.read('/run/utmp'))
  } catch (error) {
    if (isHostError(error)) return []
    throw error
  }
  const found: Result[] = []
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    const text = (from: number, length: number): string =>
      bytes.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    if (bytes.readInt16LE(at) !== USER_PROCESS) continue
    const host = text(76, 256)
    found.push({
      name: text(44, 32),
      terminal: text(8, 32) || null,
      host: host === ':0' || host === ':0.0' ? 'localhost' : host,
      started: float(bytes.readInt32LE(at + 340)),
      pid: bytes.readInt32LE(at + 4),
    })
  }
  return found
}
