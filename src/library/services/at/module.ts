// Jobs that run once at a given time, through the command `at`.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  oneLine,
  outputOf,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { isBsd, type Job, jobs, output } from './module/queue.ts'

type Fields = Record<string, Result>

const listed = (found: readonly Job[]): Fields => ({ jobs: found.map((job) => ({ ...job })) })

async function add(ctx: FunctionContext, words: readonly Value[], kwargs: Dict): Promise<Fields | string> {
  const [time, ...command] = words.map(str)
  if (time === undefined || command.length === 0) return { jobs: [] }
  const path = await ctx.host.which('at')
  if (path === undefined) return "'at.at' is not available."
  const script = command.join(' ')
  const tag = kwargs.get('tag')
  const runas = kwargs.get('runas')
  const answer = await outputOf(ctx, [path, time], {
    stdin: tag === undefined ? script : `### SALT: ${oneLine('A tag', str(tag))}\n${script}`,
    ...(runas !== undefined && { runas }),
  })
  if (answer.endsWith('Garbled time')) return { jobs: [], error: 'invalid timespec' }
  const id = /^job (\S+) /im.exec(answer)?.[1]
  if (id === undefined) return { jobs: [], error: answer.trim() }
  return listed(await jobs(ctx, isBsd(ctx) ? id : Number(id)))
}

async function remove(ctx: FunctionContext, words: readonly Value[]): Promise<Fields> {
  if (words.length === 0) return { jobs: { removed: [], tag: null } }
  const [first, tag = null, ...more] = words.map(str)
  const all = first === 'all'
  const queue = await jobs(ctx, all ? tag : null)
  const named = [first, tag, ...more]
  const removed = queue.map(({ job }) => str(job)).filter((job) => all || named.includes(job))
  if (removed.length > 0) await output(ctx, 'at', '-d', ...removed)
  return { jobs: { removed, tag: all ? tag : null } }
}

const twoDigits = (value: Value): string => String(Math.trunc(Number(str(value)))).padStart(2, '0')

/** Conditions of `at.jobcheck` by name. */
const CONDITIONS: Readonly<Record<string, (job: Job, wanted: Value) => boolean>> = {
  runas: ({ user }, wanted) => user === wanted,
  tag: ({ tag }, wanted) => tag === wanted,
  hour: ({ time }, wanted) => time.split(':')[0] === twoDigits(wanted),
  minute: ({ time }, wanted) => time.split(':')[1] === twoDigits(wanted),
  day: ({ date }, wanted) => date.split('-')[2] === twoDigits(wanted),
  month: ({ date }, wanted) => date.split('-')[1] === twoDigits(wanted),
  // as in Salt, a year of four digits matches only as text
  year: ({ date }, wanted) => date.split('-')[0] === (str(wanted).length === 2 ? `20${str(wanted)}` : wanted),
}

async function check(ctx: FunctionContext, kwargs: Dict): Promise<Fields> {
  if (kwargs.size === 0) return { error: 'You have given a condition' }
  const queue = await jobs(ctx)
  if (queue.length === 0) return { jobs: [] }
  const conditions = Object.entries(CONDITIONS).filter(([name]) => truthy(kwargs.get(name) ?? null))
  const found = queue.filter((job) => conditions.every(([name, holds]) => holds(job, kwargs.get(name)!)))
  if (found.length > 0) return listed(found)
  return { jobs: [], note: 'No match jobs or time format error' }
}

export default defineModule({
  name: 'at',
  doc: 'Manage jobs that run once.',
  when: async ({ grains, host }) => {
    if (['Windows', 'SunOS'].includes(str(grains.get('kernel') ?? ''))) {
      return 'The at module could not be loaded: unsupported platform'
    }
    return (await host.which('at')) !== undefined || 'The at module could not be loaded: at command not found'
  },
  functions: {
    atq: reads({
      doc: 'Return the queued jobs.',
      args: { tag: arg.any('Tag as text, or job id as number', { optional: true }) },
      returns: ret.dict('The jobs'),
      run: async (ctx, { tag }) => listed(await jobs(ctx, tag)),
    }),
    atrm: changes({
      doc: 'Remove jobs from the queue.',
      example: 'at.atrm all',
      args: { args: arg.rest('Job ids, or `all` with or without a tag') },
      returns: ret.dict('The removed jobs'),
      run: (ctx, { args }) => remove(ctx, args),
    }),
    at: changes({
      doc: 'Add a job to the queue.',
      example: "at.at 12:05am '/sbin/reboot' tag=reboot",
      args: { args: arg.rest('Time, then the command'), kwargs: arg.open('`tag` and `runas`') },
      run: (ctx, { args, kwargs }) => add(ctx, args, kwargs),
    }),
    atc: reads({
      doc: 'Return the script of a job.',
      example: 'at.atc 12',
      args: { jobid: arg.text('Job id') },
      run: async (ctx, { jobid }) => {
        const script = await output(ctx, 'at', '-c', jobid)
        return script === '' ? { error: `invalid job id '${jobid}'` } : script
      },
    }),
    jobcheck: reads({
      doc: 'Return the queued jobs that meet all conditions.',
      example: 'at.jobcheck runas=jam day=13',
      args: { kwargs: arg.open('`runas`, `tag`, `hour`, `minute`, `day`, `month`, `year`') },
      returns: ret.dict('The jobs, or an error'),
      run: (ctx, { kwargs }) => check(ctx, kwargs),
    }),
  },
})
