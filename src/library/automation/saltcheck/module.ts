// Tests of states: files ending in `.tst` beside SLS files say which functions are called once the states are applied,
// and what their answers must be.
import { type Dict, isDict, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, reads } from '../../../sdk/mod.ts'
import { runTest, seconds } from './module/run-test.ts'
import { TestFiles } from './module/test-files.ts'

type Results = Map<string, Dict>

const environment = (ctx: FunctionContext, saltenv: Value): Value =>
  truthy(saltenv) ? saltenv : option(ctx.opts, 'saltenv') || 'base'

async function topStates(ctx: FunctionContext, saltenv: Value): Promise<string[]> {
  const top = (await ctx.call('state.show_top', [], { saltenv })) as Dict
  return ((top.get(saltenv) ?? []) as Value[]).map(str)
}

/** All of the states that are named; Salt 3008 comes back after the first of them, against its own manual. */
async function runStateTests(
  ctx: FunctionContext,
  states: readonly string[],
  { saltenv, check_all, only_fails }: { saltenv: Value; check_all: boolean; only_fails: boolean },
): Promise<Dict[]> {
  const files = await TestFiles.of(ctx, saltenv)
  const results: Results = new Map()
  for (const state of states) {
    await files.add(state, check_all)
    const outcomes: Dict = new Map()
    for (const [name, test] of await files.load()) outcomes.set(name, await runTest(ctx, test as Dict))
    // a state that is named twice keeps what it had
    if (!results.get(state)?.size) results.set(state, outcomes)
  }
  return report(ctx, results, only_fails)
}

const statusOf = (outcome: Value): string => str((outcome as Dict).get('status') ?? '')

function report(ctx: FunctionContext, results: Results, onlyFails: boolean): Dict[] {
  const all = [...results.values()].flatMap((outcomes) => [...outcomes.values()])
  const count = (status: string): number => all.filter((outcome) => statusOf(outcome).startsWith(status)).length
  const time = all.reduce<number>((sum, outcome) => sum + (numberOf((outcome as Dict).get('duration')!) ?? 0), 0)
  const shown = [...results].map(([state, outcomes]): Dict => {
    const failed: Dict = new Map([...outcomes].filter(([, outcome]) => statusOf(outcome).startsWith('Fail')))
    if (!onlyFails) return new Map([[state, outcomes]])
    return failed.size > 0 ? new Map([[state, failed]]) : new Map()
  })
  const first = (entry: Dict): string => str([...entry.keys()][0] ?? '')
  const sum: Dict = new Map<Value, Value>([
    ['Execution Time', seconds(time)],
    ['Passed', count('Pass')],
    ['Failed', count('Fail')],
    ['Skipped', count('Skip')],
    ['Missing Tests', [...results.values()].filter(({ size }) => size === 0).length],
  ])
  ctx.memory.set('retcode', count('Fail') > 0 ? 1 : 0)
  const sorted = shown.sort((a, b) => (first(a) < first(b) ? -1 : first(a) > first(b) ? 1 : 0))
  return [...sorted, new Map([['TEST RESULTS', sum]])]
}

const saltenv = arg.any('The environment; that of the minion or `base` when not given', { optional: true })
const only_fails = arg.boolean('Whether only failures are shown', { default: false })
const junit = arg.boolean('Has no effect: the report is data, which outputters show', { default: false })

const run_state_tests = changes({
  doc: 'Run the tests of SLS files and of those that they include.',
  args: {
    state: arg.string('SLS names, with commas'),
    saltenv,
    check_all: arg.boolean('Whether all tests of their folders are run', { default: false }),
    only_fails,
    junit,
  },
  example: 'saltcheck.run_state_tests postfix,common',
  calledAs: 'run_state_tests',
  run: (ctx, { state, saltenv, check_all, only_fails }) =>
    runStateTests(
      ctx,
      state.split(',').map((name) => name.trim()),
      {
        saltenv: environment(ctx, saltenv),
        check_all,
        only_fails,
      },
    ),
})

export default defineModule({
  name: 'saltcheck',
  doc: 'Test that states did what they are for.',
  functions: {
    run_test: changes({
      doc: 'Run one test.',
      example: `saltcheck.run_test test='{"module_and_function": "test.echo", "assertion": "assertEqual", "expected_return": "x", "args": ["x"]}'`,
      args: { kwargs: arg.open('`test`: the test') },
      run: (ctx, { kwargs }) => {
        const test = kwargs.get('test') ?? null
        return isDict(test) && test.size > 0 ? runTest(ctx, test) : 'Test argument must be a dictionary'
      },
    }),
    state_apply: changes({
      doc: 'Apply states to prepare a test, or to clean up after it.',
      example: 'saltcheck.state_apply postfix',
      args: { state_name: arg.any('The SLS file'), kwargs: arg.open('Arguments of `state.apply`') },
      run: (ctx, { state_name, kwargs }) => ctx.call('state.apply', [state_name], kwargs),
    }),
    report_highstate_tests: reads({
      doc: 'Which SLS files of the highstate have tests. The return code is the number of those that have none.',
      example: 'saltcheck.report_highstate_tests',
      args: { saltenv },
      run: async (ctx, { saltenv }) => {
        const env = environment(ctx, saltenv)
        const files = await TestFiles.of(ctx, env)
        const missing: string[] = []
        for (const state of await topStates(ctx, env)) {
          await files.add(state, false)
          if (!files.foundStates.includes(state)) missing.push(state)
        }
        ctx.memory.set('retcode', missing.length)
        const found: Dict = new Map<Value, Value>([
          ['Missing Tests', missing.length],
          ['States missing tests', missing],
          ['States with tests', files.foundStates],
        ])
        return new Map([['TEST REPORT RESULTS', found]])
      },
    }),
    run_state_tests,
    run_state_tests_ssh: run_state_tests,
    run_highstate_tests: changes({
      doc: 'Run the tests of all SLS files of the highstate.',
      example: 'saltcheck.run_highstate_tests',
      args: { saltenv, only_fails, junit },
      run: async (ctx, { saltenv, only_fails }) => {
        const env = environment(ctx, saltenv)
        return runStateTests(ctx, await topStates(ctx, env), { saltenv: env, check_all: false, only_fails })
      },
    }),
    parallel_scheck: changes({
      doc: 'Run one test, given with its name.',
      example: 'saltcheck.parallel_scheck \'["name", {…}]\'',
      args: { data: arg.list('The name and the test') },
      run: async (ctx, { data }) => new Map([[data[0]!, await runTest(ctx, data[1] as Dict)]]),
    }),
  },
})
