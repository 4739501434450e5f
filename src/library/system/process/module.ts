// Processes and what the machine spends on them, read off /proc: the answers that Salt gets through psutil.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  compileRegex,
  fromTimestamp,
  numberOf,
  SaltError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
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
  pattern: Value
  user: Value
  full: Value
  regex?: Value
}

async function matching(ctx: FunctionContext, { pattern, user, full, regex = false }: Search): Promise<number[]> {
  const compiled = truthy(regex) ? compileRegex(str(pattern)) : undefined
  const found: number[] = []
  for (const { pid, name, cmdline } of await processes(ctx)) {
    const line = truthy(full) ? cmdline.join(' ') : name
    const isMatch = compiled ? compiled.search(line) !== null : line.includes(str(pattern))
    if (isMatch && (user === null || user === (await userOf(ctx, pid)))) found.push(pid)
  }
  return found
}

async function killMatching(
  ctx: FunctionContext,
  search: Search,
  number: Value,
): Promise<Record<string, Result> | null> {
  const killed: number[] = []
  for (const pid of await matching(ctx, search)) if (await signal(ctx, pid, number)) killed.push(pid)
  return killed.length > 0 ? { killed } : null
}

/** Lines of a command that have a text in them. */
async function linesWith(ctx: FunctionContext, program: string, command: string, name: string): Promise<Result> {
  if ((await ctx.host.which(program)) === undefined) {
    throw new SaltError('CommandExecutionError', `'${program}' binary was not found in $PATH.`)
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

async function inStatus(ctx: FunctionContext, status: Value): Promise<Result> {
  if (!truthy(status)) throw new SaltError('SaltInvocationError', 'Filter is required for ps.status')
  const found = (await processes(ctx)).filter((process) => statusOf(process) === status)
  return found.map(({ pid, name }) => ({ pid, name }))
}

const pid = arg.integer('The id of a process')
const pattern = arg.text('A part of the name')
const user = arg.any('Whose process it must be', { optional: true })
const full = arg.flag('Look at the whole command line', { default: false })
const sig = arg.any('The number of the signal', { default: 15 })
const per_cpu = arg.flag('Each processor by itself', { default: false })
const all = arg.flag('Those without a device too', { default: false })
const nameOrNone = (value: string | null): string | null => (value ? value : null)

export default defineModule({
  name: 'ps',
  doc: 'Processes, processors, memory and counters.',
  when: ({ grains }) =>
    grains.get('kernel') === 'Linux' || 'The ps module cannot be loaded: python module psutil not installed.',
  functions: {
    top: reads({
      doc: 'The processes that use most of the processors.',
      example: 'ps.top 5 10',
      args: {
        num_processes: arg.integer('How many', { default: 5 }),
        interval: arg.any('Seconds over which they are watched', { default: 3 }),
      },
      run: (ctx, { num_processes, interval }) => top(ctx, Number(num_processes), numberOf(interval) ?? 3),
    }),
    get_pid_list: reads({ doc: 'The ids of all processes.', example: 'ps.get_pid_list', args: {}, run: processIds }),
    proc_info: reads({
      doc: 'What is known about a process.',
      example: 'ps.proc_info 2322',
      args: { pid, attrs: arg.any('Names of what is asked for', { optional: true }) },
      run: (ctx, { pid, attrs }) => describe(ctx, Number(pid), attrs),
    }),
    kill_pid: changes({
      doc: 'Send a signal to a process.',
      example: 'ps.kill_pid 2000',
      args: { pid, signal: sig },
      run: (ctx, args) => signal(ctx, Number(args.pid), args.signal),
    }),
    pkill: changes({
      doc: 'Send a signal to all processes that match.',
      example: 'ps.pkill httpd',
      args: { pattern, user, signal: sig, full },
      run: (ctx, { signal, ...search }) => killMatching(ctx, search, signal),
      returns: ret.optional(ret.dict('`killed` with the process ids; None when there are none')),
    }),
    pgrep: reads({
      doc: 'The ids of processes that match.',
      example: 'ps.pgrep httpd',
      args: {
        pattern,
        user,
        full,
        pattern_is_regex: arg.any('The pattern is a regular expression', { default: false }),
      },
      run: async (ctx, { pattern_is_regex, ...search }) => {
        const found = await matching(ctx, { ...search, regex: pattern_is_regex })
        return found.length > 0 ? found : null
      },
      returns: ret.optional(ret.list('The process ids; None when there are none')),
    }),
    cpu_percent: reads({
      doc: 'How busy the processors are.',
      example: 'ps.cpu_percent',
      args: { interval: arg.any('Seconds over which they are watched', { default: 0.1 as Value }), per_cpu },
      run: (ctx, { interval, per_cpu }) => busy(ctx, interval, per_cpu),
    }),
    cpu_times: reads({
      doc: 'What the processors spent their time on.',
      example: 'ps.cpu_times',
      args: { per_cpu },
      run: async (ctx, args) => {
        const each = args.per_cpu
        const times = (await processorTicks(ctx, each)).map(processorTimes)
        return each ? times : times[0]
      },
    }),
    virtual_memory: reads({
      doc: 'The memory and its use.',
      example: 'ps.virtual_memory',
      args: {},
      run: virtualMemory,
    }),
    swap_memory: reads({ doc: 'The swap space and its use.', example: 'ps.swap_memory', args: {}, run: swapMemory }),
    disk_partitions: reads({
      doc: 'Mounted volumes.',
      example: 'ps.disk_partitions',
      args: { all },
      run: async (ctx, { all }) => (await partitions(ctx, all)).map((row) => ({ ...row })),
    }),
    disk_usage: reads({
      doc: 'The space on a volume.',
      example: 'ps.disk_usage /home',
      args: { path: arg.string('A path on it') },
      run: (ctx, args) => diskUsage(ctx, args.path),
    }),
    disk_partition_usage: reads({
      doc: 'Mounted volumes and the space on them.',
      example: 'ps.disk_partition_usage',
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
      doc: 'The bytes of memory.',
      example: 'ps.total_physical_memory',
      args: {},
      run: memoryTotal,
    }),
    num_cpus: reads({
      doc: 'The number of processors.',
      example: 'ps.num_cpus',
      args: {},
      run: async (ctx) => (await processorTicks(ctx, true)).length,
    }),
    boot_time: reads({
      doc: 'When the machine was started.',
      example: 'ps.boot_time',
      args: { time_format: arg.text('How it is written; seconds since the epoch when not given', { optional: true }) },
      run: (ctx, { time_format }) => booted(ctx, time_format),
    }),
    network_io_counters: reads({
      doc: 'What went over the network.',
      example: 'ps.network_io_counters',
      args: { interface: arg.text('One interface instead of all', { optional: true }) },
      run: (ctx, args) => networkCounters(ctx, nameOrNone(args.interface)),
    }),
    disk_io_counters: reads({
      doc: 'What was read from and written to disks.',
      example: 'ps.disk_io_counters',
      args: { device: arg.text('One device instead of all', { optional: true }) },
      run: (ctx, { device }) => diskCounters(ctx, nameOrNone(device)),
    }),
    get_users: reads({ doc: 'Who is logged in.', example: 'ps.get_users', args: {}, run: loggedIn }),
    lsof: reads({
      doc: 'What a program has open.',
      example: 'ps.lsof apache2',
      args: { name: arg.text('The program') },
      run: async (ctx, { name }) => [name, await outputOf(ctx, `lsof -c ${name}`)],
    }),
    netstat: reads({
      doc: 'Lines of netstat with a text.',
      example: 'ps.netstat apache2',
      args: { name: arg.text('The text') },
      run: (ctx, args) => linesWith(ctx, 'netstat', 'netstat -nap', args.name),
    }),
    ss: reads({
      doc: 'Lines of ss with a text.',
      example: 'ps.ss apache2',
      args: { name: arg.text('The text') },
      run: (ctx, args) => linesWith(ctx, 'ss', 'ss -neap', args.name),
    }),
    psaux: reads({
      doc: 'Lines of ps that match.',
      example: 'ps.psaux www-data',
      args: { name: arg.text('A regular expression') },
      run: (ctx, args) => linesOfPs(ctx, args.name),
    }),
    status: reads({
      doc: 'The processes in a status.',
      example: 'ps.status zombie',
      args: { status: arg.any('Such as running, sleeping or zombie') },
      run: (ctx, { status }) => inStatus(ctx, status),
    }),
  },
})
