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
    top: reads(
      'The processes that use most of the processors.',
      'ps.top 5 10',
      {
        num_processes: arg.integer('How many', { default: 5 }),
        interval: arg.any('Seconds over which they are watched', { default: 3 }),
      },
      (ctx, { num_processes, interval }) => top(ctx, Number(num_processes), numberOf(interval) ?? 3),
    ),
    get_pid_list: reads('The ids of all processes.', 'ps.get_pid_list', {}, processIds),
    proc_info: reads(
      'What is known about a process.',
      'ps.proc_info 2322',
      { pid, attrs: arg.any('Names of what is asked for', { optional: true }) },
      (ctx, { pid, attrs }) => describe(ctx, Number(pid), attrs),
    ),
    kill_pid: changes('Send a signal to a process.', 'ps.kill_pid 2000', { pid, signal: sig }, (ctx, args) =>
      signal(ctx, Number(args.pid), args.signal),
    ),
    pkill: changes(
      'Send a signal to all processes that match.',
      'ps.pkill httpd',
      { pattern, user, signal: sig, full },
      (ctx, { signal, ...search }) => killMatching(ctx, search, signal),
      ret.optional(ret.dict('`killed` with the process ids; None when there are none')),
    ),
    pgrep: reads(
      'The ids of processes that match.',
      'ps.pgrep httpd',
      { pattern, user, full, pattern_is_regex: arg.any('The pattern is a regular expression', { default: false }) },
      async (ctx, { pattern_is_regex, ...search }) => {
        const found = await matching(ctx, { ...search, regex: pattern_is_regex })
        return found.length > 0 ? found : null
      },
      ret.optional(ret.list('The process ids; None when there are none')),
    ),
    cpu_percent: reads(
      'How busy the processors are.',
      'ps.cpu_percent',
      { interval: arg.any('Seconds over which they are watched', { default: 0.1 as Value }), per_cpu },
      (ctx, { interval, per_cpu }) => busy(ctx, interval, per_cpu),
    ),
    cpu_times: reads('What the processors spent their time on.', 'ps.cpu_times', { per_cpu }, async (ctx, args) => {
      const each = args.per_cpu
      const times = (await processorTicks(ctx, each)).map(processorTimes)
      return each ? times : times[0]
    }),
    virtual_memory: reads('The memory and its use.', 'ps.virtual_memory', {}, virtualMemory),
    swap_memory: reads('The swap space and its use.', 'ps.swap_memory', {}, swapMemory),
    disk_partitions: reads('Mounted volumes.', 'ps.disk_partitions', { all }, async (ctx, { all }) =>
      (await partitions(ctx, all)).map((row) => ({ ...row })),
    ),
    disk_usage: reads(
      'The space on a volume.',
      'ps.disk_usage /home',
      { path: arg.string('A path on it') },
      (ctx, args) => diskUsage(ctx, args.path),
    ),
    disk_partition_usage: reads(
      'Mounted volumes and the space on them.',
      'ps.disk_partition_usage',
      { all },
      async (ctx, { all }) => {
        const found: Result[] = []
        for (const row of await partitions(ctx, all)) {
          found.push({ ...row, ...(await diskUsage(ctx, row.mountpoint)) })
        }
        return found
      },
    ),
    total_physical_memory: reads('The bytes of memory.', 'ps.total_physical_memory', {}, memoryTotal),
    num_cpus: reads(
      'The number of processors.',
      'ps.num_cpus',
      {},
      async (ctx) => (await processorTicks(ctx, true)).length,
    ),
    boot_time: reads(
      'When the machine was started.',
      'ps.boot_time',
      { time_format: arg.text('How it is written; seconds since the epoch when not given', { optional: true }) },
      (ctx, { time_format }) => booted(ctx, time_format),
    ),
    network_io_counters: reads(
      'What went over the network.',
      'ps.network_io_counters',
      { interface: arg.text('One interface instead of all', { optional: true }) },
      (ctx, args) => networkCounters(ctx, nameOrNone(args.interface)),
    ),
    disk_io_counters: reads(
      'What was read from and written to disks.',
      'ps.disk_io_counters',
      { device: arg.text('One device instead of all', { optional: true }) },
      (ctx, { device }) => diskCounters(ctx, nameOrNone(device)),
    ),
    get_users: reads('Who is logged in.', 'ps.get_users', {}, loggedIn),
    lsof: reads(
      'What a program has open.',
      'ps.lsof apache2',
      { name: arg.text('The program') },
      async (ctx, { name }) => [name, await outputOf(ctx, `lsof -c ${name}`)],
    ),
    netstat: reads('Lines of netstat with a text.', 'ps.netstat apache2', { name: arg.text('The text') }, (ctx, args) =>
      linesWith(ctx, 'netstat', 'netstat -nap', args.name),
    ),
    ss: reads('Lines of ss with a text.', 'ps.ss apache2', { name: arg.text('The text') }, (ctx, args) =>
      linesWith(ctx, 'ss', 'ss -neap', args.name),
    ),
    psaux: reads(
      'Lines of ps that match.',
      'ps.psaux www-data',
      { name: arg.text('A regular expression') },
      (ctx, args) => linesOfPs(ctx, args.name),
    ),
    status: reads(
      'The processes in a status.',
      'ps.status zombie',
      { status: arg.any('Such as running, sleeping or zombie') },
      (ctx, { status }) => inStatus(ctx, status),
    ),
  },
})
