// Tests of states. Files with the suffix `.tst` beside SLS files name the functions to call after the states are applied,
// and the returns to expect.
import { type Dict, isDict, iterate, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, reads } from '../../../sdk/mod.ts'
import { runTest, seconds } from './module/run-test.ts'
import { TestFiles } from './module/test-files.ts'

type Results = Map<string, Dict>

const environment = (ctx: FunctionContext, saltenv: string | null): string => {
  const own = option(ctx.opts, 'saltenv')
  return saltenv || (truthy(own) ? str(own) : 'base')
}

async function topStates(ctx: FunctionContext, saltenv: string): Promise<string[]> {
  const top = await ctx.call('state.show_top', [], { saltenv })
  return isDict(top) ? Array.from(iterate(top.get(saltenv) ?? []), str) : []
}

/** Run the tests of all given states; Salt 3008 stops after the first one, against its own documentation. */
async function runStateTests(
  ctx: FunctionContext,
  states: readonly string[],
  { saltenv, check_all, only_fails }: { saltenv: string; check_all: boolean; only_fails: boolean },
): Promise<Dict[]> {
  const files = await TestFiles.of(ctx, saltenv)
  const results: Results = new Map()
  for (const state of states) {
    await files.add(state, check_all)
    const outcomes: Dict = new Map()
    for (const [name, test] of await files.load()) outcomes.set(name, await runTest(ctx, test as Dict))
    // a state that is given twice keeps its first results
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

const saltenv = arg.text('Saltenv; default: the one of the minion, else `base`', { optional: true })
const only_fails = arg.boolean('Return failures only', { default: false })
const junit = arg.boolean('Ignored; the report is data', { default: false })

const run_state_tests = changes({
  doc: 'Run the tests of SLS files and of the SLS files that they include.',
  args: {
    state: arg.string('SLS names, separated by commas'),
    saltenv,
    check_all: arg.boolean('Run all tests in the directories of the SLS files', { default: false }),
    only_fails,
    junit,
  },
  example: 'saltcheck.run_state_tests postfix,common',
  calledAs: 'run_state_tests',
  run: (ctx, { state, saltenv, check_all, only_fails }) =>
    runStateTests(
      ctx,
      state.split(',').map((name) => name.trim()),
      { saltenv: environment(ctx, saltenv), check_all, only_fails },
    ),
})

export default defineModule({
  name: 'saltcheck',
  doc: 'Test the results of states.',
  functions: {
    run_test: changes({
      doc: 'Run one test.',
      example: `saltcheck.run_test test='{"module_and_function": "test.echo", "assertion": "assertEqual", "expected_return": "x", "args": ["x"]}'`,
      args: { kwargs: arg.open('`test`: dict that describes the test') },
      run: (ctx, { kwargs }) => {
        const test = kwargs.get('test') ?? null
        return isDict(test) && test.size > 0 ? runTest(ctx, test) : 'Test argument must be a dictionary'
      },
    }),
    state_apply: changes({
      doc: 'Apply states to prepare a test, or to clean up after it.',
      example: 'saltcheck.state_apply postfix',
      args: {
        state_name: arg.any('SLS name, several names separated by commas, or a list'),
        kwargs: arg.open('Arguments of `state.apply`'),
      },
      run: (ctx, { state_name, kwargs }) => ctx.call('state.apply', [state_name], kwargs),
    }),
    report_highstate_tests: reads({
      doc: 'Report the SLS files of the highstate with and without tests. The return code is the number of files without.',
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
      args: { saltenv, only_fails, junit },
      run: async (ctx, { saltenv, only_fails }) => {
        const env = environment(ctx, saltenv)
        return runStateTests(ctx, await topStates(ctx, env), { saltenv: env, check_all: false, only_fails })
      },
    }),
    parallel_scheck: changes({
      doc: 'Run one test with its name.',
      example: 'saltcheck.parallel_scheck \'["name", {…}]\'',
      args: { data: arg.list('Name and dict of the test') },
      run: async (ctx, { data }) => new Map([[data[0]!, await runTest(ctx, data[1] as Dict)]]),
    }),
  },
})
