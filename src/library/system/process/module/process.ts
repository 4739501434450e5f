// Processes under /proc. Processes that end during the call are skipped.
import { failure, float, splitWords, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, textAt, unlessRefused } from '../../../../sdk/mod.ts'

/** Clock ticks per second and bytes of a page, the same on all common Linux systems. */
const TICKS = 100
const PAGE = 4096

const STATUS: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  X: 'dead',
  x: 'dead',
  K: 'wake-kill',
  W: 'waking',
  I: 'idle',
  P: 'parked',
}

export async function processIds(ctx: FunctionContext): Promise<number[]> {
  const names = await namesIn(ctx.host, '/proc')
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** The fields of /proc/<pid>/stat after the name, starting with the status. */
export interface Process {
  pid: number
  name: string
  cmdline: string[]
  fields: string[]
}

export async function processAt(ctx: FunctionContext, pid: number): Promise<Process | undefined> {
  const stat = await textAt(ctx.host, `/proc/${pid}/stat`)
  const end = stat?.lastIndexOf(')') ?? -1
  if (stat === undefined || end < 0) return undefined
  const short = stat.slice(stat.indexOf('(') + 1, end)
  const line = (await textAt(ctx.host, `/proc/${pid}/cmdline`)) ?? ''
  const cmdline = line === '' ? [] : line.endsWith('\0') ? line.slice(0, -1).split('\0') : line.split(' ')
  const first = (cmdline[0] ?? '').split('/').at(-1)!
  // the kernel truncates names to fifteen characters
  const name = short.length >= 15 && first.startsWith(short) ? first : short
  return { pid, name, cmdline, fields: splitWords(stat.slice(end + 1)) }
}

export async function processes(ctx: FunctionContext): Promise<Process[]> {
  const found: Process[] = []
  for (const pid of await processIds(ctx)) {
    const process = await processAt(ctx, pid)
    if (process) found.push(process)
  }
  return found
}

/** Return the values of a line `Name:\tvalue` in /proc/<pid>/status. */
export async function statusLine(ctx: FunctionContext, pid: number, name: string): Promise<string[]> {
  const text = (await textAt(ctx.host, `/proc/${pid}/status`)) ?? ''
  return splitWords(new RegExp(`^${name}:(.*)$`, 'm').exec(text)?.[1] ?? '')
}

export async function userOf(ctx: FunctionContext, pid: number): Promise<string | null> {
  const [uid] = await statusLine(ctx, pid, 'Uid')
  if (uid === undefined) return null
  return (await ctx.host.user(Number(uid)))?.name ?? uid
}

export const statusOf = ({ fields }: Process): string => STATUS[fields[0]!] ?? '?'

const seconds = (field: string | undefined): Value => float(Number(field ?? 0) / TICKS)

export const cpuTimes = ({ fields }: Process): Record<string, Value> => ({
  user: seconds(fields[11]),
  system: seconds(fields[12]),
  children_user: seconds(fields[13]),
  children_system: seconds(fields[14]),
  iowait: seconds(fields[39]),
})

/** Return the processor time in seconds. */
export const cpuSeconds = ({ fields }: Process): number => (Number(fields[11]) + Number(fields[12])) / TICKS

export async function memoryOf(ctx: FunctionContext, pid: number): Promise<Record<string, Value>> {
  const pages = splitWords((await textAt(ctx.host, `/proc/${pid}/statm`)) ?? '').map((word) => Number(word) * PAGE)
  const [vms = 0, rss = 0, shared = 0, text = 0, lib = 0, data = 0, dirty = 0] = pages
  return { rss, vms, shared, text, lib, data, dirty }
}

export async function bootTime(ctx: FunctionContext): Promise<number> {
  const text = (await textAt(ctx.host, '/proc/stat')) ?? ''
  const since = /^btime (\d+)/m.exec(text)?.[1]
  if (since === undefined) throw failure("line 'btime' not found in /proc/stat")
  return Number(since)
}

export const startedAt = ({ fields }: Process, booted: number): Value => float(booted + Number(fields[19]) / TICKS)

/** Return the target of a link below /proc/<pid>, if it is readable. */
export function linkAt(ctx: FunctionContext, path: string): Promise<string | null> {
  return unlessRefused(ctx.host.readLink(path), null)
}

/** Send a signal; return false if there is no such process. */
export async function signal(ctx: FunctionContext, pid: number, number: number): Promise<boolean> {
  if ((await ctx.host.stat(`/proc/${pid}`)) === undefined) return false
  const argv = ['sh', '-c', 'kill -"$0" "$1"', String(number), String(pid)]
  const { retcode, stderr } = await ctx.host.run({ argv })
  if (retcode === 0) return true
  throw failure(Buffer.from(stderr).toString().trim())
}
