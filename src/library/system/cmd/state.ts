// States that run commands and scripts. A command always runs unless a condition prevents it. With `stateful`, its
// output reports changes: JSON, or `changed=yes comment='…'` in the last line.
import {
  type Dict,
  deepCopy,
  keyError,
  loadJson,
  PyError,
  SaltError,
  shlexSplit,
  splitWords,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { arg, bind, defineState, isHostError, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Answer, asReport, begin, fail } from './state/answer.ts'
import { callArgs, runArgs, scriptArgs, waitArgs, waitCallArgs, waitScriptArgs } from './state/arguments.ts'

type Further = ReadonlyMap<string, Value>
type Given = Record<string, Value> & { name: string; kwargs: Further }

const asGiven = (args: object): Given => args as Given

function isTrue(value: Value): boolean {
  const text = str(value).toLowerCase()
  if (truthy(value) && ['true', 'yes', '1'].includes(text)) return true
  if (['false', 'no', '0'].includes(text)) return false
  throw new PyError('ValueError', `Failed parsing boolean value: ${str(value)}`)
}

/** Parse `a=1 b='2'`; undefined for other text. */
function readPairs(line: string): Dict | undefined {
  try {
    const pairs: Dict = new Map()
    for (const item of shlexSplit(line)) {
      const [key, value, ...more] = item.split('=')
      if (value === undefined || more.length > 0) return undefined
      pairs.set(key!, value)
    }
    return pairs
  } catch (error) {
    if (error instanceof PyError) return undefined
    throw error
  }
}

function readData(text: string): { data: Value; isJson: boolean; end: number } | undefined {
  try {
    return { data: loadJson(text), isJson: true, end: 0 }
  } catch (error) {
    if (!(error instanceof PyError)) throw error
  }
  const end = text.trimEnd().lastIndexOf('\n')
  const data = readPairs(end < 0 ? text : text.slice(end + 1))
  return data && { data, isJson: false, end }
}

/** Return the report that the output of a stateful command describes. */
function reinterpreted(answer: Answer): Answer {
  const outcome = answer.changes as Dict
  const quiet = { ...answer, changes: new Map<Value, Value>(), comment: '' as Value }
  const out = textOf(outcome.get('stdout') ?? null) ?? ''
  if (out === '') {
    const errors = outcome.get('stderr') ?? null
    return truthy(errors) ? { ...quiet, comment: errors } : quiet
  }
  const read = readData(out)
  if (read === undefined) {
    const comment = 'Failed parsing script output! Stdout must be JSON or a line of name=value pairs.'
    return { ...quiet, result: false, changes: new Map(outcome), comment }
  }
  const { data, isJson, end } = read
  if (!(data instanceof Map)) {
    return fail(quiet, 'script JSON output must be a JSON object (e.g., {})!')
  }
  const changed = isTrue(data.get('changed') ?? 'no')
  const comment = data.get('comment') ?? ''
  data.delete('comment')
  if (!changed) return { ...quiet, comment }
  for (const [key, value] of outcome) if (!data.has(key)) data.set(key, value)
  const stdout = str(data.get('stdout') ?? '')
  // as in Salt: without a line before it, the last character is removed
  data.set('stdout', isJson ? '' : end < 0 ? [...stdout].slice(0, -1).join('') : stdout.slice(0, end))
  return { ...quiet, changes: data, comment }
}

/** Return whether to interpret the output, and the command that a dry run runs instead. */
function readStateful(stateful: Value): { stateful: boolean; testName: string | undefined } {
  if (!Array.isArray(stateful)) return { stateful: stateful === true, testName: undefined }
  const [first] = stateful as Value[]
  if (first === undefined) throw new PyError('IndexError', 'list index out of range')
  const testName = first instanceof Map ? first.get('test_name') : undefined
  if (testName === undefined && !(first instanceof Map) && textOf(first) === undefined) {
    throw typeError(`argument of type '${typeName(first)}' is not iterable`)
  }
  return { stateful: true, testName: truthy(testName ?? null) ? str(testName!) : undefined }
}

function shellOf(ctx: StateContext, shell: Value): Value {
  if (truthy(shell)) return shell
  const own = ctx.grains.get('shell')
  if (own === undefined) throw keyError('shell')
  return own
}

const hasBadEnv = (env: Value): boolean => env !== null && !Array.isArray(env) && !(env instanceof Map)

async function lacksDirectory(ctx: StateContext, cwd: Value): Promise<boolean> {
  return truthy(cwd) && (await ctx.host.stat(str(cwd)))?.type !== 'directory'
}

const BAD_ENV = "Invalidly-formatted 'env' parameter. See documentation."
const missingDirectory = (cwd: Value): string => `Desired working directory "${str(cwd)}" is not available`

/** Refuse keywords that the state itself passes. */
function refuseTwice(kwargs: Further, fun: string, names: readonly string[]): void {
  const twice = [...kwargs.keys()].find((key) => names.includes(key))
  if (twice === undefined) return
  throw typeError(`salt.loaded.int.module.cmdmod.${fun}() got multiple values for keyword argument '${twice}'`)
}

/** Return the parameters that are passed unchanged. */
const passed = (args: Given, names: readonly string[]): Map<string, Value> =>
  new Map([...args.kwargs, ...names.map((name): [string, Value] => [name, args[name]!])])

const RUN_PASSED = [
  'cwd',
  'root',
  'runas',
  'password',
  'use_vt',
  'env',
  'prepend_path',
  'output_loglevel',
  'hide_output',
  'success_retcodes',
  'success_stdout',
  'success_stderr',
] as const

async function run(ctx: StateContext, args: Given): Promise<Answer> {
  const { stateful, testName } = readStateful(args['stateful']!)
  const answer = { ...begin(args.name), result: false }
  const name = ctx.test && testName !== undefined ? testName : args.name
  if (hasBadEnv(args['env']!)) return fail(answer, BAD_ENV)
  const options = passed(args, RUN_PASSED).set('shell', shellOf(ctx, args['shell']!))
  if (ctx.test && testName === undefined) {
    const changes = new Map<Value, Value>([['cmd', name]])
    const predicted = { ...answer, result: null, comment: `Command "${name}" would have been executed`, changes }
    return stateful ? reinterpreted(predicted) : predicted
  }
  if (await lacksDirectory(ctx, args['cwd']!)) return fail(answer, missingDirectory(args['cwd']!))
  options.set('cmd', name).set('timeout', args['timeout']!).set('python_shell', true)
  const fun = truthy(args['root']!) ? 'run_chroot' : 'run_all'
  let outcome: Value
  try {
    refuseTwice(args.kwargs, fun, ['cmd', 'python_shell'])
    outcome = await ctx.call(`cmd.${fun}`, [], options)
  } catch (error) {
    return fail(answer, error instanceof Error ? error.message : String(error))
  }
  const report = finished(answer, outcome, `Command "${name}" run`)
  if (truthy(args['ignore_timeout']!)) forgiveTimeout(report)
  return concluded(ctx, report, outcome, stateful)
}

function finished(answer: Answer, outcome: Value, comment: string): Answer {
  const retcode = outcome instanceof Map ? outcome.get('retcode') : outcome
  // a script that could not start has no return code
  if (retcode === undefined) throw keyError('retcode')
  return { ...answer, changes: outcome, result: !truthy(retcode), comment }
}

function forgiveTimeout(answer: Answer): void {
  const changes = answer.changes as Dict
  if (changes.get('retcode') !== 1 || !str(changes.get('stdout') ?? '').includes('Timed out after')) return
  changes.set('retcode', 0)
  answer.result = true
}

function concluded(ctx: StateContext, answer: Answer, outcome: Value, stateful: boolean): Answer {
  const retcode = outcome instanceof Map ? outcome.get('retcode') : undefined
  const report = stateful ? reinterpreted(answer) : answer
  return ctx.test && retcode === 0 && truthy(report.changes) ? { ...report, result: null } : report
}

const SCRIPT_PASSED = [
  'runas',
  'password',
  'env',
  'cwd',
  'template',
  'timeout',
  'output_loglevel',
  'hide_output',
  'use_vt',
  'success_retcodes',
  'success_stdout',
  'success_stderr',
] as const

function badContext(args: Given): string | undefined {
  for (const name of ['context', 'defaults'] as const) {
    if (truthy(args[name]!) && !(args[name] instanceof Map)) {
      return `Invalidly-formatted '${name}' parameter. Must be formed as a dict.`
    }
  }
  return undefined
}

async function script(ctx: StateContext, args: Given): Promise<Answer> {
  const { stateful, testName } = readStateful(args['stateful']!)
  const name = ctx.test && testName !== undefined ? testName : args.name
  const answer = { ...begin(name), result: false }
  const fault = hasBadEnv(args['env']!) ? BAD_ENV : badContext(args)
  if (fault !== undefined) return fail(answer, fault)
  const variables: Dict = new Map([...asDict(args['defaults']!), ...asDict(args['context']!)])
  const options = passed(args, SCRIPT_PASSED)
  options.set('shell', shellOf(ctx, args['shell']!)).set('context', variables).set('saltenv', ctx.env)
  const source = args['source'] ?? name
  const space = name.indexOf(' ')
  if (!truthy(options.get('args') ?? null) && splitWords(name).length > 1) options.set('args', name.slice(space + 1))
  if (ctx.test && testName === undefined) {
    const predicted = { ...answer, result: null, comment: `Command '${name}' would have been executed` }
    return stateful ? reinterpreted(predicted) : predicted
  }
  if (await lacksDirectory(ctx, args['cwd']!)) return fail(answer, missingDirectory(args['cwd']!))
  refuseTwice(args.kwargs, 'script', ['python_shell'])
  let outcome: Value
  try {
    outcome = await ctx.call('cmd.script', [source], options.set('python_shell', true))
  } catch (error) {
    if (!isExpected(error)) throw error
    return fail(answer, (error as Error).message)
  }
  const isUncached = outcome instanceof Map && truthy(outcome.get('cache_error') ?? null)
  const comment = isUncached
    ? `Unable to cache script ${str(source)} from saltenv '${ctx.env}'`
    : `Command '${name}' run`
  return concluded(ctx, finished(answer, outcome, comment), outcome, stateful)
}

const asDict = (value: Value): Dict => (value instanceof Map ? value : new Map())

/** Return whether an error is a failure of a command, a template or the machine. */
function isExpected(error: unknown): boolean {
  if (error instanceof SaltError) return error.code === 'CommandExecutionError'
  return isHostError(error) || (error instanceof Error && error.name === 'SaltRenderError')
}

const nothing = (name: string): StateReturn => ({ name, changes: {}, result: true, comment: '' })

/** Refuse: only Python renderers can pass functions. */
function call(func: Value): never {
  throw typeError(`'${typeName(func)}' object is not callable`)
}

async function react(ctx: StateContext, name: string, kwargs: Further): Promise<StateReturn | Dict> {
  const sfun = kwargs.get('sfun')
  if (sfun === undefined) throw keyError('sfun')
  const options = deepCopy(new Map<Value, Value>(kwargs)) as unknown as Map<string, Value>
  const isStateful = truthy(options.get('stateful') ?? false)
  if (isStateful) options.delete('stateful')
  if (sfun === 'wait' || sfun === 'run' || sfun === 'watch') {
    const answer = await run(ctx, asGiven(bind({ args: runArgs }, 'run', [name], options)))
    return asReport(isStateful ? reinterpreted(answer) : answer)
  }
  if (sfun === 'wait_script' || sfun === 'script') {
    const answer = await script(ctx, asGiven(bind({ args: scriptArgs }, 'script', [name], options)))
    return asReport(isStateful ? reinterpreted(answer) : answer)
  }
  if (sfun === 'wait_call' || sfun === 'call') {
    if (truthy(kwargs.get('func') ?? null)) return call(kwargs.get('func')!)
    return { ...nothing(name), result: false, comment: `cmd.${sfun} needs a named parameter func` }
  }
  const advice = 'does not work with the watch requisite, please use cmd.wait or cmd.wait_script'
  return { ...nothing(name), result: false, comment: `cmd.${str(sfun)} ${advice}` }
}

export default defineState({
  name: 'cmd',
  doc: 'Run commands and scripts.',
  functions: {
    wait: state({
      doc: 'Run a command only when a watched state changes.',
      args: waitArgs,
      run: (_ctx, { name }) => nothing(name),
    }),
    watch: state({ doc: 'Alias of `wait`.', args: waitArgs, calledAs: 'wait', run: (_ctx, { name }) => nothing(name) }),
    wait_script: state({
      doc: 'Run a script only when a watched state changes.',
      args: waitScriptArgs,
      run: (_ctx, { name }) => nothing(name),
    }),
    run: state({
      doc: 'Run a command.',
      args: runArgs,
      examples: ['run a thing once:\n  cmd.run:\n    - name: make install\n    - creates: /usr/local/bin/thing'],
      run: async (ctx, args) => asReport(await run(ctx, asGiven(args))),
    }),
    script: state({
      doc: 'Fetch a script, and run it.',
      args: scriptArgs,
      examples: ['salt://scripts/install.sh:\n  cmd.script:\n    - args: --quiet'],
      run: async (ctx, args) => asReport(await script(ctx, asGiven(args))),
    }),
    call: state({
      doc: 'Call a function; only the Python renderers can pass one.',
      args: callArgs,
      run: (_ctx, { func }) => call(func),
    }),
    wait_call: state({
      doc: 'Call a function only when a watched state changes.',
      args: waitCallArgs,
      run: (_ctx, { name }) => nothing(name),
    }),
    mod_watch: state({
      doc: 'React to changes of watched states.',
      args: { name: arg.string('Command'), kwargs: arg.open('`sfun`, and the parameters of that function') },
      run: (ctx, { name, kwargs }) => react(ctx, name, kwargs),
    }),
  },
})
