// How the machine is doing: load, memory, time since it started. Linux tells it under /proc; other kernels get Salt's
// answer that a function does not serve them.
import {
  compileRegex,
  type Dict,
  fnmatch,
  localDatetime,
  SaltError,
  splitLines,
  splitWords,
  str,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  type FunctionContext,
  isHostError,
  type Result,
  reads,
  ret,
  unlessRefused,
} from '../../../sdk/mod.ts'
import { masterFunctions } from './module/master.ts'
import {
  counters,
  diskCounters,
  interfaceCounters,
  loadAverages,
  logins,
  memory,
  mounts,
  numberIn,
  processList,
  processors,
  processorTimes,
  protocolCounters,
} from './module/proc.ts'

const UNSUPPORTED = 'This method is unsupported on the current operating system!'

const kernelOf = (ctx: FunctionContext): string => str(ctx.grains.get('kernel') ?? '')

/** The text of a file, or undefined where it cannot be read. */
async function textAt(ctx: FunctionContext, path: string): Promise<string | undefined> {
  const bytes = await unlessRefused(ctx.host.read(path), undefined)
  return bytes && Buffer.from(bytes).toString()
}

/** A function over one file of /proc. */
function fromProc(doc: string, name: string, path: string, read: (text: string) => Result) {
  return reads({
    doc,
    args: {},
    returns: ret.any('By name; empty when the kernel does not tell'),
    example: `status.${name}`,
    run: async (ctx) => {
      if (kernelOf(ctx) !== 'Linux') return UNSUPPORTED
      const text = await textAt(ctx, path)
      return text === undefined ? {} : read(text)
    },
  })
}

async function uptime(ctx: FunctionContext): Promise<Result> {
  if (kernelOf(ctx) !== 'Linux') return ctx.call('cmd.run', ['uptime'])
  const text = await textAt(ctx, '/proc/uptime')
  if (text === undefined) throw new SaltError('CommandExecutionError', 'File /proc/uptime was not found.')
  const seconds = Math.floor(Number(splitWords(text)[0]))
  const since = ctx.host.now() - seconds
  const micros = Math.floor((since % 1) * 1e6)
  const wall = new Date(Math.floor(since) * 1000).toISOString().slice(0, 19)
  const left = seconds % 86400
  const answer: Record<string, Result> = {
    seconds,
    since_iso: micros === 0 ? wall : `${wall}.${String(micros).padStart(6, '0')}`,
    since_t: Math.floor(since),
    days: Math.floor(seconds / 86400),
    time: `${Math.floor(left / 3600)}:${Math.floor((left % 3600) / 60)}`,
  }
  // an empty answer counts as one line, as in Salt
  if ((await ctx.host.which('who')) !== undefined) {
    answer['users'] = (await ctx.call('cmd.run', ['who -s'])).split('\n').length
  }
  return answer
}

async function loadavg(ctx: FunctionContext): Promise<Record<string, Value>> {
  const text = await textAt(ctx, '/proc/loadavg')
  if (text !== undefined) return loadAverages(text)
  throw new SaltError('CommandExecutionError', 'status.loadavag is not available on your platform')
}

async function diskUsage(ctx: FunctionContext, wanted: readonly Value[]): Promise<Record<string, Result>> {
  const words = wanted.map(str)
  const types = words.length === 0 ? ['*'] : words.filter((word) => !word.startsWith('/'))
  const paths = new Set(words.filter((word) => word.startsWith('/')))
  if (types.length > 0) {
    if (kernelOf(ctx) !== 'Linux') {
      throw new SaltError('CommandExecutionError', 'status.diskusage not yet supported on this platform')
    }
    const text = await textAt(ctx, '/proc/mounts')
    if (text === undefined) return {}
    for (const { path, type } of mounts(text)) if (types.some((glob) => fnmatch(type, glob))) paths.add(path)
  }
  const found: Record<string, Result> = {}
  for (const path of paths) {
    if (await ctx.host.access(path, 'exists')) found[path] = await spaceAt(ctx, path)
  }
  return found
}

async function spaceAt(ctx: FunctionContext, path: string): Promise<Result> {
  try {
    const { available, blocks, blockSize } = await ctx.host.fileSystem(path)
    return { available: available * blockSize, total: blocks * blockSize }
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('warning', `Cannot get stats from '${path}': ${error.message}`)
    return { available: null, total: null }
  }
}

async function pids(ctx: FunctionContext, signature: string): Promise<string> {
  const shown = await ctx.call('cmd.run_stdout', [ctx.grains.get('ps') ?? ''], { python_shell: true })
  const pattern = compileRegex(signature)
  const own = String(process.pid)
  return splitLines(shown)
    .filter((line) => !line.includes(own) && pattern.search(line) !== null)
    .map((line) => splitWords(line)[1])
    .join('\n')
}

/** What `all_status` gathers. */
const ALL = [
  'cpuinfo',
  'cpustats',
  'diskstats',
  'diskusage',
  'loadavg',
  'meminfo',
  'netdev',
  'netstats',
  'uptime',
  'vmstats',
  'w',
]

async function everything(ctx: FunctionContext): Promise<Result> {
  const found: Record<string, Result> = {}
  for (const name of ALL) found[name] = await ctx.call(`status.${name}`)
  return found
}

/** The parts that options such as `status.cpustats.custom` ask for. */
async function custom(ctx: FunctionContext): Promise<Result> {
  const found: Record<string, Result> = {}
  for (const [key, wanted] of await ctx.call('config.dot_vals', ['status'])) {
    const fun = str(key).split('.').slice(0, -1).join('.')
    if (fun === 'status.custom') continue
    if (!ctx.has(fun)) {
      ctx.log('warning', `custom status ${fun} isn't loaded`)
      continue
    }
    const values = (await ctx.call(fun)) as Dict
    for (const item of wanted as Value[]) found[str(item)] = values.get(item) ?? 'UNKNOWN'
  }
  return found
}

export default defineModule({
  name: 'status',
  doc: 'How the machine is doing.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'Windows platform is not supported by this module',
  functions: {
    loadavg: reads({
      doc: 'The load averages.',
      args: {},
      returns: ret.dict('1-min, 5-min and 15-min'),
      example: 'status.loadavg',
      run: loadavg,
    }),
    uptime: reads({
      doc: 'How long the machine has been running.',
      args: {},
      returns: ret.any(
        'seconds, since_iso, since_t, days, time and users; what `uptime` prints where there is no Linux',
      ),
      example: 'status.uptime',
      run: uptime,
    }),
    meminfo: fromProc('The memory and its use.', 'meminfo', '/proc/meminfo', memory),
    cpuinfo: fromProc('What the processors are.', 'cpuinfo', '/proc/cpuinfo', processors),
    cpustats: fromProc('What the processors spent their time on.', 'cpustats', '/proc/stat', processorTimes),
    vmstats: fromProc('Counters of virtual memory.', 'vmstats', '/proc/vmstat', counters),
    version: fromProc('The version of the kernel.', 'version', '/proc/version', (text) => text.trim()),
    diskstats: fromProc('What was read from and written to disks.', 'diskstats', '/proc/diskstats', diskCounters),
    netstats: fromProc('Counters of network protocols.', 'netstats', '/proc/net/netstat', protocolCounters),
    netdev: fromProc('Counters of network interfaces.', 'netdev', '/proc/net/dev', interfaceCounters),
    procs: reads({
      doc: 'The processes.',
      example: 'status.procs',
      args: {},
      run: async (ctx) => processList(await ctx.call('cmd.run', [ctx.grains.get('ps') ?? ''], { python_shell: true })),
    }),
    w: reads({
      doc: 'Who is logged in.',
      example: 'status.w',
      args: {},
      run: async (ctx) => (kernelOf(ctx) === 'Linux' ? logins(await ctx.call('cmd.run', ['w -fh'])) : UNSUPPORTED),
    }),
    custom: reads({ doc: 'What the configuration asks for.', example: 'status.custom', args: {}, run: custom }),
    all_status: reads({ doc: 'Everything there is to say.', example: 'status.all_status', args: {}, run: everything }),
    nproc: reads({
      doc: 'The number of processors.',
      args: {},
      returns: ret.any('The number'),
      example: 'status.nproc',
      run: async (ctx) =>
        kernelOf(ctx) === 'Linux' ? numberIn((await ctx.call('cmd.run', ['nproc'])).trim()) : UNSUPPORTED,
    }),
    diskusage: reads({
      doc: 'The space on file systems, in bytes.',
      args: { args: arg.rest('Paths, and globs of types of file systems') },
      returns: ret.dict('available and total, by path'),
      example: 'status.diskusage / ext?',
      run: (ctx, { args }) => diskUsage(ctx, args),
    }),
    pid: reads({
      doc: 'The ids of processes whose line in the list of processes matches.',
      args: { sig: arg.string('A regular expression') },
      returns: ret.string('Ids, one a line'),
      example: 'status.pid <sig>',
      run: (ctx, { sig }) => pids(ctx, sig),
    }),
    time: reads({
      doc: 'The time of the machine.',
      args: { format: arg.string('How it is written', { default: '%A, %d. %B %Y %I:%M%p' }) },
      returns: ret.string('The time'),
      examples: ["salt '*' status.time", "salt '*' status.time '%s'"],
      calledAs: 'time_',
      run: (ctx, { format }) => localDatetime(new Date(ctx.host.now() * 1000), 0).strftime(format),
    }),
    ...masterFunctions,
  },
})
