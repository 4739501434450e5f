// Processes and system statistics from /proc, with the results that Salt gets from psutil.
import { setTimeout as sleep } from 'node:timers/promises'
import { compileRegex, failure, fromTimestamp, misuse, numberOf, splitLines, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { describe } from './module/attributes.ts'
import {
  bootTime,
  cpuSeconds,
  cpuTimes,
  memoryOf,
  type Process,
  processAt,
  processes,
  processIds,
  signal,
  startedAt,
  statusOf,
  userOf,
} from './module/process.ts'
import {
  busyPercent,
  diskCounters,
  diskUsage,
  loggedIn,
  memoryTotal,
  networkCounters,
  partitions,
  processorTicks,
  processorTimes,
  swapMemory,
  virtualMemory,
} from './module/system.ts'

async function top(ctx: FunctionContext, count: number, interval: number): Promise<Result> {
  const before = await processes(ctx)
  await sleep(interval * 1000)
  const usage: [number, Process][] = []
  for (const process of before) {
    const now = await processAt(ctx, process.pid)
    if (now) usage.push([cpuSeconds(now) - cpuSeconds(process), now])
  }
  usage.sort(([a], [b]) => b - a)
  const booted = await bootTime(ctx)
  const found: Result[] = []
  for (const [, process] of usage.slice(0, Math.max(count, 1))) {
    found.push({
      cmd: process.cmdline.length > 0 ? process.cmdline : process.name,
      user: await userOf(ctx, process.pid),
      status: statusOf(process),
      pid: process.pid,
      create_time: startedAt(process, booted),
      cpu: cpuTimes(process),
      mem: await memoryOf(ctx, process.pid),
    })
  }
  return found
}

interface Search {
  pattern: string
  user: string | null
  full: boolean
  regex?: boolean
}

async function matching(ctx: FunctionContext, { pattern, user, full, regex = false }: Search): Promise<number[]> {
  const compiled = regex ? compileRegex(pattern) : undefined
  const found: number[] = []
  for (const { pid, name, cmdline } of await processes(ctx)) {
    const line = full ? cmdline.join(' ') : name
    const isMatch = compiled ? compiled.search(line) !== null : line.includes(pattern)
    if (isMatch && (user === null || user === (await userOf(ctx, pid)))) found.push(pid)
  }
  return found
}

async function killMatching(
  ctx: FunctionContext,
  search: Search,
  number: number,
): Promise<Record<string, Result> | null> {
  const killed: number[] = []
  for (const pid of await matching(ctx, search)) if (await signal(ctx, pid, number)) killed.push(pid)
  return killed.length > 0 ? { killed } : null
}

/** Return the lines of a command that contain a text. */
async function linesWith(ctx: FunctionContext, program: string, command: string, name: string): Promise<Result> {
  if ((await ctx.host.which(program)) === undefined) {
    throw failure(`'${program}' binary was not found in $PATH.`)
  }
  const lines = splitLines(await outputOf(ctx, command))
  return [name, lines.filter((line) => line.includes(name))]
}

async function linesOfPs(ctx: FunctionContext, name: string): Promise<Result> {
  const pattern = compileRegex(name)
  const lines = splitLines(await outputOf(ctx, 'ps aux')).filter(
    (line) => pattern.search(line) !== null && !/salt.+ps\.psaux.+/.test(line),
  )
  return [name, lines, `${lines.length} occurrence(s).`]
}

async function busy(ctx: FunctionContext, interval: Value, each: boolean): Promise<Result> {
  const before = await processorTicks(ctx, each)
  await sleep((numberOf(interval) ?? 0) * 1000)
  const after = await processorTicks(ctx, each)
  const percents = after.map((ticks, at) => busyPercent(before[at] ?? ticks, ticks))
  return each ? percents : percents[0]
}

async function booted(ctx: FunctionContext, format: string | null): Promise<Result> {
  const since = await bootTime(ctx)
  return format ? fromTimestamp(since).strftime(format) : since
}

async function inStatus(ctx: FunctionContext, status: string): Promise<Result> {
  if (!status) throw misuse('Filter is required for ps.status')
  const found = (await processes(ctx)).filter((process) => statusOf(process) === status)
  return found.map(({ pid, name }) => ({ pid, name }))
}

const pid = arg.integer('Process id')
const pattern = arg.text('Part of the name')
const user = arg.text('User of the process', { optional: true })
const full = arg.flag('Whether to search the whole command line', { default: false })
const sig = arg.count('Signal number', { default: 15 })
const per_cpu = arg.flag('Whether to return each processor separately', { default: false })
const all = arg.flag('Whether to include volumes without a device', { default: false })

export default defineModule({
  name: 'ps',
  doc: 'Inspect processes, processors, memory and counters.',
  when: ({ grains }) =>
    grains.get('kernel') === 'Linux' || 'The ps module cannot be loaded: python module psutil not installed.',
  functions: {
    top: reads({
      doc: 'Return the processes that use the most processor time.',
      example: 'ps.top 5 10',
      args: {
        num_processes: arg.integer('Number of processes', { default: 5 }),
        interval: arg.number('Seconds to observe', { default: 3 }),
      },
      run: (ctx, { num_processes, interval }) => top(ctx, Number(num_processes), numberOf(interval) ?? 3),
    }),
    get_pid_list: reads({
      doc: 'Return the ids of all processes.',
      run: processIds,
    }),
    proc_info: reads({
      doc: 'Return the attributes of a process.',
      example: 'ps.proc_info 2322',
      args: {
        pid,
        attrs: arg.words('Attribute names, as a list or with commas; all if not given', { optional: true }),
      },
      run: (ctx, { pid, attrs }) => describe(ctx, Number(pid), attrs),
    }),
    kill_pid: changes({
      doc: 'Send a signal to a process.',
      example: 'ps.kill_pid 2000',
      args: { pid, signal: sig },
      run: (ctx, args) => signal(ctx, Number(args.pid), args.signal),
    }),
    pkill: changes({
      doc: 'Send a signal to all matching processes.',
      example: 'ps.pkill httpd',
      args: { pattern, user, signal: sig, full },
      run: (ctx, { signal, ...search }) => killMatching(ctx, search, signal),
      returns: ret.optional(ret.dict('`killed` with the process ids; None when there are none')),
    }),
    pgrep: reads({
      doc: 'Return the ids of matching processes.',
      example: 'ps.pgrep httpd',
      args: {
        pattern,
        user,
        full,
        pattern_is_regex: arg.flag('Whether the pattern is a regular expression', { default: false }),
      },
      run: async (ctx, { pattern_is_regex, ...search }) => {
        const found = await matching(ctx, { ...search, regex: pattern_is_regex })
        return found.length > 0 ? found : null
      },
      returns: ret.optional(ret.list('The process ids; None when there are none')),
    }),
    cpu_percent: reads({
      doc: 'Return the processor usage in percent.',
      args: { interval: arg.number('Seconds to observe', { default: 0.1 }), per_cpu },
      run: (ctx, { interval, per_cpu }) => busy(ctx, interval, per_cpu),
    }),
    cpu_times: reads({
      doc: 'Return the processor times.',
      args: { per_cpu },
      run: async (ctx, args) => {
        const each = args.per_cpu
        const times = (await processorTicks(ctx, each)).map(processorTimes)
        return each ? times : times[0]
      },
    }),
    virtual_memory: reads({
      doc: 'Return the memory usage.',
      run: virtualMemory,
    }),
    swap_memory: reads({ doc: 'Return the swap usage.', example: 'ps.swap_memory', run: swapMemory }),
    disk_partitions: reads({
      doc: 'Return the mounted volumes.',
      args: { all },
      run: async (ctx, { all }) => (await partitions(ctx, all)).map((row) => ({ ...row })),
    }),
    disk_usage: reads({
      doc: 'Return the usage of a volume.',
      example: 'ps.disk_usage /home',
      args: { path: arg.string('Path on the volume') },
      run: (ctx, args) => diskUsage(ctx, args.path),
    }),
    disk_partition_usage: reads({
      doc: 'Return the mounted volumes and their usage.',
      args: { all },
      run: async (ctx, { all }) => {
        const found: Result[] = []
        for (const row of await partitions(ctx, all)) {
          found.push({ ...row, ...(await diskUsage(ctx, row.mountpoint)) })
        }
        return found
      },
    }),
    total_physical_memory: reads({
      doc: 'Return the size of the memory in bytes.',
      run: memoryTotal,
    }),
    num_cpus: reads({
      doc: 'Return the number of processors.',
      run: async (ctx) => (await processorTicks(ctx, true)).length,
    }),
    boot_time: reads({
      doc: 'Return the boot time.',
      args: { time_format: arg.text('Format for strftime; seconds since the epoch if not given', { optional: true }) },
      run: (ctx, { time_format }) => booted(ctx, time_format),
    }),
    network_io_counters: reads({
      doc: 'Return the I/O counters of the network.',
      args: { interface: arg.text('Interface; the sum of all if not given', { optional: true }) },
      run: (ctx, args) => networkCounters(ctx, args.interface || null),
    }),
    disk_io_counters: reads({
      doc: 'Return the I/O counters of disks.',
      args: { device: arg.text('Device; the sum of all if not given', { optional: true }) },
      run: (ctx, { device }) => diskCounters(ctx, device || null),
    }),
    get_users: reads({ doc: 'Return the logged-in users.', example: 'ps.get_users', run: loggedIn }),
    lsof: reads({
      doc: 'Return the open files of a program.',
      example: 'ps.lsof apache2',
      args: { name: arg.text('Program') },
      run: async (ctx, { name }) => [name, await outputOf(ctx, `lsof -c ${name}`)],
    }),
    netstat: reads({
      doc: 'Return the lines of netstat that contain a text.',
      example: 'ps.netstat apache2',
      args: { name: arg.text('Text') },
      run: (ctx, args) => linesWith(ctx, 'netstat', 'netstat -nap', args.name),
    }),
    ss: reads({
      doc: 'Return the lines of ss that contain a text.',
      example: 'ps.ss apache2',
      args: { name: arg.text('Text') },
      run: (ctx, args) => linesWith(ctx, 'ss', 'ss -neap', args.name),
    }),
    psaux: reads({
      doc: 'Return the lines of `ps aux` that match.',
      example: 'ps.psaux www-data',
      args: { name: arg.text('Regular expression') },
      run: (ctx, args) => linesOfPs(ctx, args.name),
    }),
    status: reads({
      doc: 'Return the processes with a status.',
      example: 'ps.status zombie',
      args: { status: arg.text('Status, such as running, sleeping or zombie') },
      run: (ctx, { status }) => inStatus(ctx, status),
    }),
  },
})
