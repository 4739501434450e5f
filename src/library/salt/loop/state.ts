// Calling a function again and again until it answers what is wanted. Conditions of `until` are Python, as users wrote
// them, and are judged by Python; comparisons of `until_no_eval` are functions or the operators of Python.
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError } from '../../../base/mod.ts'
import { isInt, numberOf, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, state } from '../../../sdk/mod.ts'
import { comparison, conditionHolds } from './state/judgement.ts'

const isNumber = (value: Value): boolean => typeof value === 'boolean' || isInt(value) || numberOf(value) !== undefined

const secondsOf = (value: Value): number => Number(numberOf(value) ?? Number(value))

function timeComplaint(period: Value, timeout: Value): string | undefined {
  if (!isNumber(period)) return 'Period must be specified as a float in seconds'
  if (!isNumber(timeout)) return 'Timeout must be specified as a float in seconds'
  return undefined
}

interface Call {
  name: Value
  args: Value
  kwargs: Value
}

const answerOf = async (ctx: StateContext, { name, args, kwargs }: Call): Promise<Value> =>
  ctx.call(str(name), [...((args ?? []) as Value[])], (kwargs ?? new Map()) as Map<string, Value>)

/** Attempts until one is enough, or the time is over; their number, and whether one was. */
async function attempts(
  period: Value,
  timeout: Value,
  attempt: () => Promise<boolean>,
): Promise<{ count: number; met: boolean }> {
  const end = Date.now() + secondsOf(timeout) * 1000
  let count = 0
  while (Date.now() < end) {
    count += 1
    if (await attempt()) return { count, met: true }
    await sleep(secondsOf(period) * 1000)
  }
  return { count, met: false }
}

/** `<class 'salt.exceptions.CommandExecutionError'>` and the like. */
function classOf(error: BrineError): string {
  return `<class '${error instanceof SaltError ? 'salt.exceptions.' : ''}${error.name}'>`
}

const period = arg.any('Seconds from one call to the next', { default: 1 })
const timeout = arg.any('After how many seconds it ends', { default: 60 })
const name = arg.any('The function')

export default defineState({
  name: 'loop',
  doc: 'Wait for what a function answers.',
  functions: {
    until: state({
      doc: 'Call a function until a condition in Python holds; its answer is `m_ret` there.',
      args: {
        name,
        m_args: arg.any('Its positional arguments', { default: null }),
        m_kwargs: arg.any('Its keyword arguments', { default: null }),
        condition: arg.text('The condition', { default: null }),
        period,
        timeout,
      },
      run: async (ctx, { name, m_args, m_kwargs, condition, period, timeout }) => {
        const ret = reportOn(name)
        if (!(await ctx.serves(str(name)))) return ret(false, `Cannot find module ${str(name)}`)
        if (condition === null) return ret(false, 'An exit condition must be specified')
        const complaint = timeComplaint(period, timeout)
        if (complaint !== undefined) return ret(false, complaint)
        if (ctx.test) return ret(null, `The execution module ${str(name)} will be run`)
        const { met } = await attempts(period, timeout, async () => {
          const m_ret = await answerOf(ctx, { name, args: m_args, kwargs: m_kwargs })
          return conditionHolds(ctx, condition, { name, m_args, m_kwargs, m_ret })
        })
        if (met) return ret(true, `Condition ${condition} was met`)
        return ret(false, `Timed out while waiting for condition ${condition}`)
      },
    }),
    until_no_eval: state({
      doc: 'Call a function until its answer compares well with what is expected.',
      args: {
        name,
        expected: arg.any('What is expected'),
        compare_operator: arg.string('An operator of Python, or a function that is given both', { default: 'eq' }),
        timeout,
        period,
        init_wait: arg.any('Seconds to wait before the first call', { default: 0 }),
        args: arg.any('Its positional arguments', { default: null }),
        kwargs: arg.any('Its keyword arguments', { default: null }),
      },
      run: async (ctx, { name, expected, compare_operator, timeout, period, init_wait, args, kwargs }) => {
        const ret = reportOn(name)
        const compares = await comparison(ctx, compare_operator)
        if (ctx.test) return ret(null, `Would have waited for "${str(name)}" to produce "${str(expected)}".`)
        if (!(await ctx.serves(str(name)))) return ret(false, `Module.function "${str(name)}" is unavailable.`)
        const complaint = timeComplaint(period, timeout)
        if (complaint !== undefined) return ret(false, complaint)
        if (!compares) return ret(false, `Invalid operator "${compare_operator}" supplied.`)
        if (truthy(init_wait)) await sleep(secondsOf(init_wait) * 1000)
        let failure: string | undefined
        const { count, met } = await attempts(period, timeout, async () => {
          try {
            return await compares(await answerOf(ctx, { name, args, kwargs }), expected)
          } catch (error) {
            if (!(error instanceof BrineError)) throw error
            failure = `Exception occurred while executing ${str(name)}: ${classOf(error)}:${error.message}`
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
