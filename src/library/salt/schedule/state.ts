// Jobs of the minion's schedule.
import { contains, type Dict, equals, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = ReadonlyMap<string, Value>

async function jobs(ctx: StateContext, offline: Value): Promise<Dict> {
  return (await ctx.call('schedule.list', [], { show_all: true, return_yaml: false, offline })) as Dict
}

/** Calls a function that answers with result, comment and changes; in a dry run it is told so. */
async function act(ctx: StateContext, fun: string, name: string, given: Given): Promise<Dict> {
  const keywords = new Map(ctx.test ? [...given, ['test', true] as const] : given)
  return (await ctx.call(`schedule.${fun}`, [name], keywords)) as Dict
}

const commentOf = (answer: Dict): string | string[] => answer.get('comment') as string | string[]
const changesOf = (answer: Dict): Value => answer.get('changes') ?? new Map()

/** The refusal in an answer, or undefined. */
function refusal(name: string, answer: Dict): StateReturn | undefined {
  if (truthy(answer.get('result') ?? false)) return undefined
  return { name, result: answer.get('result') as boolean, changes: {}, comment: commentOf(answer) }
}

async function present(ctx: StateContext, name: string, given: Given): Promise<StateReturn> {
  const report = (comment: string | string[], changes: Value = new Map()): StateReturn => ({
    name,
    result: true,
    changes,
    comment,
  })
  const current = (await jobs(ctx, given.get('offline') ?? null)).get(name)
  if (current === undefined) {
    const answer = await act(ctx, 'add', name, given)
    if (ctx.test) return report(commentOf(answer), new Map([[name, 'added']]))
    return refusal(name, answer) ?? report(`Adding new job ${name} to schedule`, changesOf(answer))
  }
  const item = await ctx.call('schedule.build_schedule_item', [name], given)
  const refused = item.has('result') ? refusal(name, item) : undefined
  if (refused !== undefined) return refused
  if (equals(item, current)) return report(`Job ${name} in correct state`)
  const answer = await act(ctx, 'modify', name, given)
  if (ctx.test) return report(commentOf(answer), changesOf(answer))
  return refusal(name, answer) ?? report(`Modifying job ${name} in schedule`, changesOf(answer))
}

async function absent(ctx: StateContext, name: string, given: Given): Promise<StateReturn> {
  const report = (comment: string | string[], changes: Value = new Map()): StateReturn => ({
    name,
    result: true,
    changes,
    comment,
  })
  if (!contains(await jobs(ctx, given.get('offline') ?? null), name))
    return report(`Job ${name} not present in schedule`)
  const answer = await act(ctx, 'delete', name, given)
  if (ctx.test) return report(commentOf(answer))
  return refusal(name, answer) ?? report(`Removed job ${name} from schedule`, changesOf(answer))
}

async function switched(ctx: StateContext, name: string, given: Given, on: boolean): Promise<StateReturn> {
  const report = (comment: string | string[]): StateReturn => ({ name, result: true, changes: {}, comment })
  const known = await jobs(ctx, on ? false : (given.get('offline') ?? null))
  if (!contains(known, name)) return report(`Job ${name} not present in schedule`)
  const answer = await act(ctx, on ? 'enable_job' : 'disable_job', name, given)
  if (ctx.test) return report(commentOf(answer))
  return refusal(name, answer) ?? report(`${on ? 'Enabled' : 'Disabled'} job ${name} from schedule`)
}

const name = arg.string('The job')
const kwargs = arg.open('Further options: persist, offline')

export default defineState({
  name: 'schedule',
  doc: "Keep jobs of the minion's schedule.",
  functions: {
    present: state({
      doc: 'A job is in the schedule.',
      args: { name, kwargs: arg.open('The job: function, seconds, when, cron, job_args, …') },
      run: (ctx, { name, kwargs }) => present(ctx, name, kwargs),
    }),
    absent: state({
      doc: 'A job is not in the schedule.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => absent(ctx, name, kwargs),
    }),
    enabled: state({
      doc: 'A job is switched on.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, true),
    }),
    disabled: state({
      doc: 'A job is switched off.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, false),
    }),
  },
})
