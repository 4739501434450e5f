// System statistics: load, memory, uptime. Linux shows them under /proc; on other kernels functions return Salt's text that
// they are not supported.
import {
  compileRegex,
  type Dict,
  failure,
  fnmatch,
  localDatetime,
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

/** Return the text of a file, or undefined if it is not readable. */
async function textAt(ctx: FunctionContext, path: string): Promise<string | undefined> {
  const bytes = await unlessRefused(ctx.host.read(path), undefined)
  return bytes && Buffer.from(bytes).toString()
}

/** Declare a function that reads a file of /proc. */
function fromProc(doc: string, name: string, path: string, read: (text: string) => Result) {
  return reads({
    doc,
    returns: ret.any('The data by name; empty if the file is not readable'),
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
  if (text === undefined) throw failure('File /proc/uptime was not found.')
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
  // as in Salt, empty output counts as one line
  if ((await ctx.host.which('who')) !== undefined) {
    answer['users'] = (await ctx.call('cmd.run', ['who -s'])).split('\n').length
  }
  return answer
}

async function loadavg(ctx: FunctionContext): Promise<Record<string, Value>> {
  const text = await textAt(ctx, '/proc/loadavg')
  if (text !== undefined) return loadAverages(text)
  throw failure('status.loadavag is not available on your platform')
}

async function diskUsage(ctx: FunctionContext, wanted: readonly Value[]): Promise<Record<string, Result>> {
  const words = wanted.map(str)
  const types = words.length === 0 ? ['*'] : words.filter((word) => !word.startsWith('/'))
  const paths = new Set(words.filter((word) => word.startsWith('/')))
  if (types.length > 0) {
    if (kernelOf(ctx) !== 'Linux') {
      throw failure('status.diskusage not yet supported on this platform')
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

/** Functions that `all_status` calls. */
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

/** Return the items in options such as `status.cpustats.custom`. */
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
  doc: 'Return system statistics.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'Windows platform is not supported by this module',
  functions: {
    loadavg: reads({
      doc: 'Return the load averages.',
      returns: ret.dict('1-min, 5-min and 15-min'),
      run: loadavg,
    }),
    uptime: reads({
      doc: 'Return the uptime.',
      returns: ret.any(
        'seconds, since_iso, since_t, days, time and users; the output of `uptime` on other systems than Linux',
      ),
      run: uptime,
    }),
    meminfo: fromProc('Return the memory usage.', 'meminfo', '/proc/meminfo', memory),
    cpuinfo: fromProc('Return the properties of the processors.', 'cpuinfo', '/proc/cpuinfo', processors),
    cpustats: fromProc('Return the processor times.', 'cpustats', '/proc/stat', processorTimes),
    vmstats: fromProc('Return the counters of virtual memory.', 'vmstats', '/proc/vmstat', counters),
    version: fromProc('Return the kernel version.', 'version', '/proc/version', (text) => text.trim()),
    diskstats: fromProc('Return the I/O counters of disks.', 'diskstats', '/proc/diskstats', diskCounters),
    netstats: fromProc('Return the counters of network protocols.', 'netstats', '/proc/net/netstat', protocolCounters),
    netdev: fromProc('Return the counters of network interfaces.', 'netdev', '/proc/net/dev', interfaceCounters),
    procs: reads({
      doc: 'Return the processes.',
      run: async (ctx) => processList(await ctx.call('cmd.run', [ctx.grains.get('ps') ?? ''], { python_shell: true })),
    }),
    w: reads({
      doc: 'Return the logged-in users.',
      run: async (ctx) => (kernelOf(ctx) === 'Linux' ? logins(await ctx.call('cmd.run', ['w -fh'])) : UNSUPPORTED),
    }),
    custom: reads({
      doc: 'Return the statistics that the configuration names.',
      run: custom,
    }),
    all_status: reads({ doc: 'Return all statistics.', example: 'status.all_status', run: everything }),
    nproc: reads({
      doc: 'Return the number of processors.',
      returns: ret.any('The number'),
      run: async (ctx) =>
        kernelOf(ctx) === 'Linux' ? numberIn((await ctx.call('cmd.run', ['nproc'])).trim()) : UNSUPPORTED,
    }),
    diskusage: reads({
      doc: 'Return the usage of file systems in bytes.',
      args: { args: arg.rest('Paths, and globs of file system types') },
      returns: ret.dict('available and total by path'),
      example: 'status.diskusage / ext?',
      run: (ctx, { args }) => diskUsage(ctx, args),
    }),
    pid: reads({
      doc: 'Return the ids of processes whose line in the process list matches.',
      args: { sig: arg.string('Regular expression') },
      returns: ret.string('The process ids, one on each line'),
      example: 'status.pid <sig>',
      run: (ctx, { sig }) => pids(ctx, sig),
    }),
    time: reads({
      doc: 'Return the current time.',
      args: { format: arg.string('Format for strftime', { default: '%A, %d. %B %Y %I:%M%p' }) },
      returns: ret.string('The time'),
      examples: ["salt '*' status.time", "salt '*' status.time '%s'"],
      calledAs: 'time_',
      run: (ctx, { format }) => localDatetime(new Date(ctx.host.now() * 1000), 0).strftime(format),
    }),
    ...masterFunctions,
  },
})
