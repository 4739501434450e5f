// Attributes of a process, by name.
import { failure, float } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, type Result, textAt } from '../../../../sdk/mod.ts'
import {
  bootTime,
  cpuTimes,
  linkAt,
  memoryOf,
  type Process,
  processAt,
  startedAt,
  statusLine,
  statusOf,
  userOf,
} from './process.ts'
import { memoryTotal } from './system.ts'

type Attribute = (ctx: FunctionContext, process: Process) => Result | Promise<Result>

async function ids(ctx: FunctionContext, pid: number, line: string): Promise<Result> {
  const [real, effective, saved] = (await statusLine(ctx, pid, line)).map(Number)
  return [real, effective, saved]
}

async function variables(ctx: FunctionContext, pid: number): Promise<Result> {
  const text = (await textAt(ctx.host, `/proc/${pid}/environ`)) ?? ''
  const found: Record<string, string> = {}
  for (const entry of text.split('\0')) {
    const equal = entry.indexOf('=')
    if (equal > 0) found[entry.slice(0, equal)] = entry.slice(equal + 1)
  }
  return found
}

async function openFiles(ctx: FunctionContext, pid: number): Promise<Result> {
  const found: Result[] = []
  for (const fd of await namesIn(ctx.host, `/proc/${pid}/fd`)) {
    const path = await linkAt(ctx, `/proc/${pid}/fd/${fd}`)
    if (path === null || !path.startsWith('/') || (await ctx.host.stat(path))?.type !== 'file') continue
    const info = (await textAt(ctx.host, `/proc/${pid}/fdinfo/${fd}`)) ?? ''
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8)
    const mode = ['r', 'w', 'r+'][flags & 3] ?? 'r'
    const position = Number(/^pos:\s*(\d+)/m.exec(info)?.[1] ?? 0)
    found.push([path, Number(fd), position, flags & 0o2000 ? mode.replace('w', 'a') : mode, flags])
  }
  return found
}

const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  cmdline: (_, { cmdline }) => cmdline,
  cpu_num: (_, { fields }) => Number(fields[36]),
  cpu_times: (_, process) => Object.values(cpuTimes(process)),
  create_time: async (ctx, process) => startedAt(process, await bootTime(ctx)),
  cwd: (ctx, { pid }) => linkAt(ctx, `/proc/${pid}/cwd`),
  environ: (ctx, { pid }) => variables(ctx, pid),
  // kernel threads have no program, and the program of other users may be hidden
  exe: async (ctx, { pid, cmdline }) => (await linkAt(ctx, `/proc/${pid}/exe`)) ?? (cmdline.length > 0 ? null : ''),
  gids: (ctx, { pid }) => ids(ctx, pid, 'Gid'),
  memory_info: async (ctx, { pid }) => Object.values(await memoryOf(ctx, pid)),
  memory_percent: async (ctx, { pid }) =>
    float((Number((await memoryOf(ctx, pid))['rss']) / (await memoryTotal(ctx))) * 100),
  name: (_, { name }) => name,
  nice: (_, { fields }) => Number(fields[16]),
  num_ctx_switches: async (ctx, { pid }) => [
    Number((await statusLine(ctx, pid, 'voluntary_ctxt_switches'))[0] ?? 0),
    Number((await statusLine(ctx, pid, 'nonvoluntary_ctxt_switches'))[0] ?? 0),
  ],
  num_fds: async (ctx, { pid }) => (await namesIn(ctx.host, `/proc/${pid}/fd`)).length,
  num_threads: (_, { fields }) => Number(fields[17]),
  open_files: (ctx, { pid }) => openFiles(ctx, pid),
  pid: (_, { pid }) => pid,
  ppid: (_, { fields }) => Number(fields[1]),
  status: (_, process) => statusOf(process),
  uids: (ctx, { pid }) => ids(ctx, pid, 'Uid'),
  username: (ctx, { pid }) => userOf(ctx, pid),
}

export async function describe(ctx: FunctionContext, pid: number, wanted: string[] | null): Promise<Result> {
  const process = await processAt(ctx, pid)
  if (!process) throw failure(`process PID not found (pid=${pid})`)
  const names = wanted ?? Object.keys(ATTRIBUTES)
  const unknown = names.filter((name) => !Object.hasOwn(ATTRIBUTES, name))
  if (unknown.length > 0) {
    const noun = unknown.length === 1 ? 'name' : 'names'
    throw failure(`invalid attr ${noun} ${unknown.join(', ')}`)
  }
  const found: Record<string, Result> = {}
  for (const name of names) found[name] = await ATTRIBUTES[name]!(ctx, process)
  return found
}
