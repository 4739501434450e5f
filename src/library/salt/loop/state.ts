// Calls a function until it returns the wanted value. The condition of `until` is Python code, which Python evaluates;
// the comparison of `until_no_eval` is a function or an operator of Python.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, isInt, numberOf, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, pause, reportOn, type StateContext, state } from '../../../sdk/mod.ts'
import { comparison, conditionHolds } from './state/judgement.ts'

const isNumber = (value: Value): boolean => typeof value === 'boolean' || isInt(value) || numberOf(value) !== undefined

const secondsOf = (value: Value): number => Number(numberOf(value) ?? Number(value))

function timeError(period: Value, timeout: Value): string | undefined {
  if (!isNumber(period)) return 'Period must be specified as a float in seconds'
  if (!isNumber(timeout)) return 'Timeout must be specified as a float in seconds'
  return undefined
}

interface Call {
  name: string
  args: Value[] | null
  kwargs: Dict | null
}

const answerOf = async (ctx: StateContext, { name, args, kwargs }: Call): Promise<Value> =>
  ctx.call(name, args ?? [], new Map([...(kwargs ?? [])].map(([key, value]) => [str(key), value])))

/** Repeat attempts until one succeeds or the time is over. Return their number and whether one succeeded. */
async function attempts(
  ctx: StateContext,
  period: Value,
  timeout: Value,
  attempt: () => Promise<boolean>,
): Promise<{ count: number; met: boolean }> {
  const end = Date.now() + secondsOf(timeout) * 1000
  let count = 0
  while (Date.now() < end) {
    count += 1
    if (await attempt()) return { count, met: true }
    await pause(ctx, secondsOf(period))
  }
  return { count, met: false }
}

/** Return the class of an error as Python shows it, such as `<class 'salt.exceptions.CommandExecutionError'>`. */
function classOf(error: BrineError): string {
  return `<class '${error instanceof SaltError ? 'salt.exceptions.' : ''}${error.name}'>`
}

const period = arg.any('Seconds between two calls: a number; other types fail', { default: 1 })
const timeout = arg.any('Seconds until the state fails: a number; other types fail', { default: 60 })
const name = arg.text('Function')
const positional = arg.list('Arguments of the function', { optional: true })
const keywords = arg.dict('Keyword arguments of the function', { optional: true })

export default defineState({
  name: 'loop',
  doc: 'Wait for the result of a function.',
  functions: {
    until: state({
      doc: 'Call a function until a Python condition is true. In the condition, `m_ret` is the result.',
      args: {
        name,
        m_args: positional,
        m_kwargs: keywords,
        condition: arg.text('Python expression, such as `m_ret == 0`', { default: null }),
        period,
        timeout,
      },
      run: async (ctx, { name, m_args, m_kwargs, condition, period, timeout }) => {
        const ret = reportOn(name)
        if (!(await ctx.serves(name))) return ret(false, `Cannot find module ${name}`)
        if (condition === null) return ret(false, 'An exit condition must be specified')
        const problem = timeError(period, timeout)
        if (problem !== undefined) return ret(false, problem)
        if (ctx.test) return ret(null, `The execution module ${name} will be run`)
        const { met } = await attempts(ctx, period, timeout, async () => {
          const m_ret = await answerOf(ctx, { name, args: m_args, kwargs: m_kwargs })
          return conditionHolds(ctx, condition, { name, m_args, m_kwargs, m_ret })
        })
        if (met) return ret(true, `Condition ${condition} was met`)
        return ret(false, `Timed out while waiting for condition ${condition}`)
      },
    }),
    until_no_eval: state({
      doc: 'Call a function until a comparison of its result with the expected value is true.',
      args: {
        name,
        expected: arg.any('Expected value of any type'),
        compare_operator: arg.string('Operator of Python, or a function that gets the result and the expected value', {
          default: 'eq',
        }),
        timeout,
        period,
        init_wait: arg.any('Seconds to wait before the first call: a number', { default: 0 }),
        args: positional,
        kwargs: keywords,
      },
      run: async (ctx, { name, expected, compare_operator, timeout, period, init_wait, args, kwargs }) => {
        const ret = reportOn(name)
        const compares = await comparison(ctx, compare_operator)
        if (ctx.test) return ret(null, `Would have waited for "${name}" to produce "${str(expected)}".`)
        if (!(await ctx.serves(name))) return ret(false, `Module.function "${name}" is unavailable.`)
        const problem = timeError(period, timeout)
        if (problem !== undefined) return ret(false, problem)
        if (!compares) return ret(false, `Invalid operator "${compare_operator}" supplied.`)
        if (truthy(init_wait)) await pause(ctx, secondsOf(init_wait))
        let failure: string | undefined
        const { count, met } = await attempts(ctx, period, timeout, async () => {
          try {
            return await compares(await answerOf(ctx, { name, args, kwargs }), expected)
          } catch (error) {
            if (!(error instanceof BrineError)) throw error
            failure = `Exception occurred while executing ${name}: ${classOf(error)}:${error.message}`
            return true
          }
        })
        if (failure !== undefined) return ret(false, failure)
        if (met) return ret(true, `Call provided the expected results in ${count} attempts`)
        return ret(false, `Call did not produce the expected result after ${count} attempts`)
      },
    }),
  },
})
