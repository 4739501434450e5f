// States that compare system statistics with limits. They change nothing.
import { float, numberOf, order, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type Result, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const reporter =
  (name: string) =>
  (result: boolean, comment: string, data: Result = {}): StateReturn => ({ name, result, comment, changes: {}, data })

async function loadavg(ctx: StateContext, name: string, maximum: Value, minimum: Value): Promise<StateReturn> {
  const ret = reporter(name)
  const averages = await ctx.call('status.loadavg')
  const now = averages.get(name)
  if (now === undefined) return ret(false, `Requested load average ${name} not available `)
  if (truthy(minimum) && truthy(maximum) && (order(minimum, maximum, '>=') ?? -1) >= 0) {
    return ret(false, 'Min must be less than max')
  }
  const value = numberOf(now) ?? Number(str(now))
  const limit = (value: Value): number => Number(str(value))
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

export default defineState({
  name: 'status',
  doc: 'Check system statistics.',
  functions: {
    loadavg: state({
      doc: 'Ensure that a load average is within limits.',
      args: {
        name: arg.text('1-min, 5-min or 15-min'),
        maximum: arg.any('Maximum, as number or text', { optional: true }),
        minimum: arg.any('Minimum, as number or text', { optional: true }),
      },
      run: (ctx, { name, maximum, minimum }) => loadavg(ctx, name, maximum, minimum),
    }),
    process: state({
      doc: 'Ensure that a process runs.',
      args: { name: arg.text('Regular expression for the line in the process list') },
      run: (ctx, { name }) => process(ctx, name),
    }),
  },
})
