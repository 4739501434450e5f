// States for the jobs of the schedule of the minion.
import { contains, type Dict, equals, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = ReadonlyMap<string, Value>

/** Return the jobs by name. */
async function jobs(ctx: StateContext, offline: Value): Promise<Dict> {
  return (await ctx.call('schedule.list', [], { show_all: true, return_yaml: false, offline })) as Dict
}

/** Call a function that returns `result`, `comment` and `changes`; in a dry run with `test=True`. */
async function act(ctx: StateContext, fun: string, name: string, given: Given): Promise<Dict> {
  const keywords = new Map(ctx.test ? [...given, ['test', true] as const] : given)
  return (await ctx.call(`schedule.${fun}`, [name], keywords)) as Dict
}

const commentOf = (answer: Dict): string | string[] => answer.get('comment') as string | string[]
const changesOf = (answer: Dict): Value => answer.get('changes') ?? new Map()

/** Return the failure in an answer, or undefined. */
function failure(name: string, answer: Dict): StateReturn | undefined {
  if (truthy(answer.get('result') ?? false)) return undefined
  return { name, result: answer.get('result') as boolean, changes: {}, comment: commentOf(answer) }
}

const success = (name: string, comment: string | string[], changes: Value = new Map()): StateReturn => ({
  name,
  result: true,
  changes,
  comment,
})

async function present(ctx: StateContext, name: string, given: Given): Promise<StateReturn> {
  const current = (await jobs(ctx, given.get('offline') ?? null)).get(name)
  if (current === undefined) {
    const answer = await act(ctx, 'add', name, given)
    if (ctx.test) return success(name, commentOf(answer), new Map([[name, 'added']]))
    return failure(name, answer) ?? success(name, `Adding new job ${name} to schedule`, changesOf(answer))
  }
  const item = await ctx.call('schedule.build_schedule_item', [name], given)
  const refused = item.has('result') ? failure(name, item) : undefined
  if (refused !== undefined) return refused
  if (equals(item, current)) return success(name, `Job ${name} in correct state`)
  const answer = await act(ctx, 'modify', name, given)
  if (ctx.test) return success(name, commentOf(answer), changesOf(answer))
  return failure(name, answer) ?? success(name, `Modifying job ${name} in schedule`, changesOf(answer))
}

async function absent(ctx: StateContext, name: string, given: Given): Promise<StateReturn> {
  if (!contains(await jobs(ctx, given.get('offline') ?? null), name))
    return success(name, `Job ${name} not present in schedule`)
  const answer = await act(ctx, 'delete', name, given)
  if (ctx.test) return success(name, commentOf(answer))
  return failure(name, answer) ?? success(name, `Removed job ${name} from schedule`, changesOf(answer))
}

async function switched(ctx: StateContext, name: string, given: Given, on: boolean): Promise<StateReturn> {
  const known = await jobs(ctx, on ? false : (given.get('offline') ?? null))
  if (!contains(known, name)) return success(name, `Job ${name} not present in schedule`)
  const answer = await act(ctx, on ? 'enable_job' : 'disable_job', name, given)
  if (ctx.test) return success(name, commentOf(answer))
  return failure(name, answer) ?? success(name, `${on ? 'Enabled' : 'Disabled'} job ${name} from schedule`)
}

const name = arg.string('Name of the job')
const kwargs = arg.open('`persist` and `offline`')

export default defineState({
  name: 'schedule',
  doc: 'Manage the jobs of the schedule of the minion.',
  functions: {
    present: state({
      doc: 'Ensure that a job is in the schedule.',
      args: { name, kwargs: arg.open('Options of the job: `function`, `seconds`, `when`, `cron`, `job_args`, …') },
      run: (ctx, { name, kwargs }) => present(ctx, name, kwargs),
    }),
    absent: state({
      doc: 'Ensure that a job is not in the schedule.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => absent(ctx, name, kwargs),
    }),
    enabled: state({
      doc: 'Ensure that a job is enabled.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, true),
    }),
    disabled: state({
      doc: 'Ensure that a job is disabled.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, false),
    }),
  },
})
