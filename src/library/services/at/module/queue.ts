// The queue of `at`, as `atq` (on Red Hat `at -l`) lists it. The first line of the script of a job that Salt added is
// its tag.
import { failure, splitLines, splitWords, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export interface Job {
  job: Value
  date: string
  time: string
  queue: string
  user: string
  tag: string
}

const BSD = ['OpenBSD', 'FreeBSD']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export const isBsd = (ctx: FunctionContext): boolean => BSD.includes(str(ctx.grains.get('os') ?? ''))

export async function output(ctx: FunctionContext, program: string, ...words: string[]): Promise<string> {
  const path = await ctx.host.which(program)
  if (path === undefined) throw failure(`${program}: command not found`)
  return await ctx.call('cmd.run_stdout', [[path, ...words]], { python_shell: false })
}

const iso = (year: string, month: string, day: string): string =>
  `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.replace(',', '').padStart(2, '0')}`

/** Parse date, time, queue and user of a line, with the job id; undefined for headings. */
function readLine(ctx: FunctionContext, line: string): { id: string; specs: string[] } | undefined {
  const os = ctx.grains.get('os')
  const words = splitWords(line)
  if (os === 'OpenBSD') {
    if (line.startsWith(' Rank')) return undefined
    const [, month = '', day = '', year = '', time = '', user = '', id = '', queue = ''] = words
    return { id, specs: [iso(year, month, day), `${time}:00`, queue, user] }
  }
  if (os === 'FreeBSD') {
    if (line.startsWith('Date')) return undefined
    const [, month = '', day = '', time = '', , year = '', user = '', queue = '', id = ''] = words
    return { id, specs: [iso(year, month, day), `${time.slice(0, 5)}:00`, queue, user] }
  }
  const [id = '', spec = ''] = line.split('\t')
  const parts = splitWords(spec)
  if (ctx.grains.get('os_family') === 'RedHat') return { id, specs: parts }
  const [, month = '', day = '', time = '', year = '', queue = '', user = ''] = parts
  return { id, specs: [iso(year, month, day), `${time.slice(0, 5)}:00`, queue, user] }
}

export async function jobs(ctx: FunctionContext, tag: Value = null): Promise<Job[]> {
  const isRedHat = ctx.grains.get('os_family') === 'RedHat'
  const shown = isRedHat ? await output(ctx, 'at', '-l') : await output(ctx, 'atq')
  const found: Job[] = []
  for (const line of splitLines(shown)) {
    const read = readLine(ctx, line)
    if (!read) continue
    const { id, specs } = read
    const script = await output(ctx, 'at', '-c', id)
    const label = splitLines(script).findLast((text) => /^### SALT: \w+/.test(text))
    const jobTag = /^### SALT: (\w+)/.exec(label ?? '')?.[1] ?? ''
    const job = isBsd(ctx) ? id : Number(id)
    const [date = '', time = '', queue = '', user = ''] = specs
    if (!truthy(tag) || tag === jobTag || tag === job) found.push({ job, date, time, queue, user, tag: jobTag })
  }
  return found
}
