// Jobs that run once, at a time: the `at` command.
import { type Dict, splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, type Result, reads } from '../../../sdk/mod.ts'
import { isBsd, type Job, jobs, output } from './module/queue.ts'

const listed = (found: readonly Job[]): Result => ({ jobs: found.map((job) => ({ ...job })) })

async function add(ctx: FunctionContext, words: readonly Value[], kwargs: Dict): Promise<Result> {
  const [time, ...command] = words.map(str)
  if (time === undefined || command.length === 0) return { jobs: [] }
  const path = await ctx.host.which('at')
  if (path === undefined) return "'at.at' is not available."
  const script = command.join(' ')
  const tag = kwargs.get('tag')
  const runas = kwargs.get('runas')
  const said = await outputOf(ctx, [path, time], {
    stdin: tag === undefined ? script : `### SALT: ${str(tag)}\n${script}`,
    ...(runas !== undefined && { runas }),
  })
  if (said.endsWith('Garbled time')) return { jobs: [], error: 'invalid timespec' }
  const hasPreface = said.startsWith('warning: commands') || said.startsWith('commands will be executed')
  const id = splitWords(hasPreface ? splitLines(said)[1]! : said)[1]!
  return listed(await jobs(ctx, isBsd(ctx) ? id : Number(id)))
}

async function remove(ctx: FunctionContext, words: readonly Value[]): Promise<Result> {
  if (words.length === 0) return { jobs: { removed: [], tag: null } }
  const [first, tag = null, ...more] = words.map(str)
  const all = first === 'all'
  const queue = await jobs(ctx, all ? tag : null)
  const named = [first, tag, ...more]
  const removed = queue.map(({ job }) => str(job)).filter((job) => all || named.includes(job))
  await output(ctx, 'at', '-d', removed.join(' '))
  return { jobs: { removed, tag: all ? tag : null } }
}

const twoDigits = (value: Value): string => String(Math.trunc(Number(str(value)))).padStart(2, '0')

/** What a job must have, by the name of the condition. */
const CONDITIONS: Readonly<Record<string, (job: Job, wanted: Value) => boolean>> = {
  runas: ({ user }, wanted) => user === wanted,
  tag: ({ tag }, wanted) => tag === wanted,
  hour: ({ time }, wanted) => time.split(':')[0] === twoDigits(wanted),
  minute: ({ time }, wanted) => time.split(':')[1] === twoDigits(wanted),
  day: ({ date }, wanted) => date.split('-')[2] === twoDigits(wanted),
  month: ({ date }, wanted) => date.split('-')[1] === twoDigits(wanted),
  // a year of four digits counts only as text, as in Salt
  year: ({ date }, wanted) => date.split('-')[0] === (str(wanted).length === 2 ? `20${str(wanted)}` : wanted),
}

async function check(ctx: FunctionContext, kwargs: Dict): Promise<Result> {
  if (kwargs.size === 0) return { error: 'You have given a condition' }
  const queue = await jobs(ctx)
  if (queue.length === 0) return { jobs: [] }
  const wishes = Object.entries(CONDITIONS).filter(([name]) => truthy(kwargs.get(name) ?? null))
  const found = queue.filter((job) => wishes.every(([name, holds]) => holds(job, kwargs.get(name)!)))
  if (found.length > 0) return listed(found)
  return { jobs: [], note: 'No match jobs or time format error' }
}

export default defineModule({
  name: 'at',
  doc: 'Jobs that run once.',
  when: async ({ grains, host }) => {
    if (['Windows', 'SunOS'].includes(str(grains.get('kernel') ?? ''))) {
      return 'The at module could not be loaded: unsupported platform'
    }
    return (await host.which('at')) !== undefined || 'The at module could not be loaded: at command not found'
  },
  functions: {
    atq: reads({
      doc: 'The jobs that wait.',
      example: 'at.atq',
      args: { tag: arg.any('A tag or an id that they must have', { optional: true }) },
      run: async (ctx, { tag }) => listed(await jobs(ctx, tag)),
    }),
    atrm: changes({
      doc: 'Remove jobs.',
      example: 'at.atrm all',
      args: { args: arg.rest('Ids, or `all` with or without a tag') },
      run: (ctx, { args }) => remove(ctx, args),
    }),
    at: changes({
      doc: 'Add a job.',
      example: "at.at 12:05am '/sbin/reboot' tag=reboot",
      args: { args: arg.rest('The time, and the command'), kwargs: arg.open('`tag` and `runas`') },
      run: (ctx, { args, kwargs }) => add(ctx, args, kwargs),
    }),
    atc: reads({
      doc: 'The script of a job.',
      example: 'at.atc 12',
      args: { jobid: arg.text('Its id') },
      run: async (ctx, { jobid }) => {
        const script = await output(ctx, 'at', '-c', jobid)
        return script === '' ? { error: `invalid job id '${jobid}'` } : script
      },
    }),
    jobcheck: reads({
      doc: 'The jobs that meet conditions.',
      example: 'at.jobcheck runas=jam day=13',
      args: { kwargs: arg.open('`runas`, `tag`, `hour`, `minute`, `day`, `month`, `year`') },
      run: (ctx, { kwargs }) => check(ctx, kwargs),
    }),
  },
})
