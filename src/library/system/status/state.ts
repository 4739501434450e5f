// How the machine is doing, held against limits. These states only look.
import { float, numberOf, order, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type Result, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const reporter =
  (name: Value) =>
  (result: boolean, comment: string, data: Result = {}): StateReturn => ({ name, result, comment, changes: {}, data })

async function loadavg(ctx: StateContext, name: Value, maximum: Value, minimum: Value): Promise<StateReturn> {
  const ret = reporter(name)
  const averages = await ctx.call('status.loadavg')
  const now = averages.get(name)
  if (now === undefined) return ret(false, `Requested load average ${str(name)} not available `)
  if (truthy(minimum) && truthy(maximum) && (order(minimum, maximum, '>=') ?? -1) >= 0) {
    return ret(false, 'Min must be less than max')
  }
  const value = numberOf(now) ?? Number(str(now))
  const limit = (wish: Value): number => Number(str(wish))
  const at = `at ${str(float(value))}`
  if (truthy(minimum) && value < limit(minimum)) {
    return ret(false, `Load avg is below minimum of ${str(minimum)} ${at}`, now)
  }
  if (truthy(maximum) && value > limit(maximum)) {
    return ret(false, `Load avg above maximum of ${str(maximum)} ${at}`, now)
  }
  return ret(true, 'Load avg in acceptable range', now)
}

async function process(ctx: StateContext, name: string): Promise<StateReturn> {
  const ret = reporter(name)
  const pids = await ctx.call('status.pid', [name])
  if (!truthy(pids)) return ret(false, `Process signature "${name}" not found `)
  return ret(true, `Process signature "${name}" was found `, pids)
}

const limit = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'status',
  doc: 'Hold the machine against limits.',
  functions: {
    loadavg: state({
      doc: 'A load average lies between limits.',
      args: {
        name: arg.any('1-min, 5-min or 15-min'),
        maximum: limit('What it may not exceed'),
        minimum: limit('What it may not fall below'),
      },
      run: (ctx, { name, maximum, minimum }) => loadavg(ctx, name, maximum, minimum),
    }),
    process: state({
      doc: 'A process runs.',
      args: { name: arg.text('A regular expression for its line in the list of processes') },
      run: (ctx, { name }) => process(ctx, name),
    }),
  },
})
