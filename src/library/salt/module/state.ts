// Functions of execution modules as states: in the new form, one or more functions by name; in the old form, the name
// of the state is the function.
import { type Dict, PyError, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { callByList } from './state/call.ts'
import { legacyRun } from './state/legacy.ts'
import { succeeded } from './state/outcome.ts'

type Given = ReadonlyMap<string, Value>

const NOT_ARGUMENTS = new Set(['name', '__reqs__', 'sfun'])

function run(ctx: StateContext, given: Given): Promise<StateReturn> | StateReturn {
  const names = [...given.keys()].filter((name) => !NOT_ARGUMENTS.has(name))
  const isLegacy = names.length === 0 || names.some((name) => !name.includes('.'))
  return isLegacy ? legacyRun(ctx, given) : runAll(ctx, given)
}

async function runAll(ctx: StateContext, given: Given): Promise<StateReturn> {
  const names = [...given.keys()].filter((name) => name !== 'name')
  const functions = names.filter((name) => name.includes('.'))
  const bare = functions.map((name) => name.split(':')[0]!)
  const missing = bare.filter((name) => !ctx.has(name))
  const report = (result: boolean | null, comment: string, changes: Value = new Map()): StateReturn => ({
    name: names,
    changes,
    comment,
    result,
  })
  const tests = ctx.test ? bare.filter((name) => !missing.includes(name)) : []
  if (missing.length > 0 || tests.length > 0) {
    const parts = [
      missing.length > 0 ? `Unavailable function${plural(missing)}: ${missing.join(', ')}.` : '',
      tests.length > 0 ? `Function${plural(tests)} ${tests.join(', ')} to be executed.` : '',
    ]
    return report(missing.length > 0 ? false : null, parts.join(' ').trim())
  }
  const failures: string[] = []
  const successes: string[] = []
  const changes: Dict = new Map()
  for (const name of functions) {
    try {
      const answer = await callByList(ctx, name.split(':')[0]!, given.get(name) ?? null)
      if (succeeded(answer)) {
        successes.push(`${name}: ${answer instanceof Map ? str(answer.get('comment') ?? 'Success') : str(answer)}`)
        changes.set(name, answer)
      } else if (answer instanceof Map) {
        failures.push(`'${name}' failed: ${str(answer.get('comment') ?? '(error message N/A)')}`)
      } else failures.push(`'${name}': ${str(answer)}`)
    } catch (error) {
      if (!isRefusal(error)) throw error
      failures.push(`'${name}' failed: ${error.message}`)
    }
  }
  return report(failures.length === 0, [...failures, ...successes].join(', '), changes)
}

/** Return Salt's plural ending: by mistake, `True` in place of an s. */
const plural = (names: readonly string[]): string => (names.length > 1 ? 'True' : '')

function isRefusal(error: unknown): error is Error {
  if (error instanceof SaltError) return error.code === 'SaltInvocationError'
  return error instanceof PyError && error.code === 'TypeError'
}

const wait = state({
  doc: 'Call a function after the change of a watched state.',
  args: { name: arg.any('Function; reported unchanged'), kwargs: arg.open('Arguments of the function') },
  run: (_ctx, { name }) => ({ name, changes: {}, result: true, comment: '' }),
})

const runState = state({
  doc: 'Call functions.',
  args: {
    kwargs: arg.open('Arguments by function; in the old form, `name` and the arguments of that function'),
  },
  run: (ctx, { kwargs }) => run(ctx, kwargs),
})

export default defineState({
  name: 'module',
  doc: 'Call functions of execution modules.',
  functions: { wait, watch: wait, run: runState, mod_watch: runState },
})
