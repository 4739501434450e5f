// Applies states on minions as one step, and evaluates the results of each minion.
import {
  type Dict,
  isList,
  misuse,
  numberOf,
  repr,
  statesSucceeded,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { option, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import type { StateStep } from './arguments.ts'
import { answered, callOptions, fireArgs, isDry, jidOf, tolerance } from './published.ts'

interface Called {
  fun: string
  arg: Value[]
}

function functionOf({ highstate, top, sls }: StateStep): Called | undefined {
  if (highstate) return { fun: 'state.highstate', arg: [] }
  if (top) return { fun: 'state.top', arg: [top] }
  if (!truthy(sls)) return undefined
  return { fun: 'state.sls', arg: [isList(sls) ? sls.map(str).join(',') : sls] }
}

function keywordsOf(ctx: StateContext, step: StateStep): Dict {
  const given = (value: Value): Value | undefined => (value === null ? undefined : value)
  return callOptions([
    ['test', step.test ?? (isDry(ctx) ? ctx.opts.get('test') : undefined)],
    ['pillar', truthy(step.pillar) ? step.pillar : undefined],
    ['pillarenv', given(step.pillarenv)],
    ['saltenv', given(step.saltenv)],
    ['exclude', given(step.exclude)],
    ['queue', step.queue],
    ['concurrent', step.concurrent],
  ])
}

function options(ctx: StateContext, step: StateStep, arg: Value[]): Dict {
  const isHard = step.failhard === true || option(ctx.opts, 'failhard')
  return callOptions([
    ['arg', arg],
    ['kwarg', keywordsOf(ctx, step)],
    ['ret', step.ret],
    ['timeout', step.timeout],
    ['ret_config', truthy(step.ret_config) ? step.ret_config : undefined],
    ['ret_kwargs', truthy(step.ret_kwargs) ? step.ret_kwargs : undefined],
    ['tgt_type', step.tgt_type],
    ['ssh', step.ssh],
    ['roster', step.kwargs.get('roster')],
    ['expect_minions', step.expect_minions],
    ['batch', step.batch ?? undefined],
    ['subset', step.subset ?? undefined],
    ['failhard', isHard ? true : undefined],
  ])
}

/** A minion without a master runs the states itself. */
async function runHere(ctx: StateContext, { fun, arg }: Called, given: Dict): Promise<Dict> {
  const kwargs = new Map<string, Value>()
  for (const [key, value] of given.get('kwarg') as Dict) kwargs.set(str(key), value)
  const ret = await ctx.call(fun, arg, kwargs)
  const out = ret instanceof Map ? (ret.get('out') ?? 'highstate') : 'highstate'
  return new Map([[option(ctx.opts, 'id'), new Map<Value, Value>([['ret', ret]]).set('out', out)]])
}

async function perform(ctx: StateContext, step: StateStep, called: Called): Promise<Dict> {
  const given = options(ctx, step, called.arg)
  const isMasterless = ctx.opts.get('__role') === 'minion' && ctx.opts.get('file_client') === 'local'
  if (isMasterless && !step.ssh) return runHere(ctx, called, given)
  await fireArgs(ctx, 'state', step.tgt, step.name, given)
  const kwargs = new Map([...given].map(([key, value]): [string, Value] => [str(key), value]))
  return ctx.call('saltutil.cmd', [step.tgt, called.fun], kwargs)
}

interface Judged {
  changes: Dict
  /** Failed minions, with a text for the comment. */
  failed: Map<string, string>
  unchanged: string[]
}

function failureText(id: string, value: Value | undefined): string {
  if (value === undefined) return `Minion ${id} did not return a state result.`
  if (value instanceof Map) return ''
  if (!isList(value)) return `Minion ${id} returned ${repr(value)} instead of a state result.`
  const parts = value.filter(truthy).map(str)
  return parts.length === 0
    ? `Minion ${id} returned an empty error list.`
    : `Minion ${id} returned errors: ${parts.join('; ')}`
}

function judge(ctx: StateContext, answers: Dict, tolerated: ReadonlySet<string>): Judged {
  const judged: Judged = { changes: new Map(), failed: new Map(), unchanged: [] }
  for (const [key, answer] of answers) {
    if (!(answer instanceof Map)) continue
    const id = str(key)
    if (answer.get('out') !== 'highstate') ctx.log('warning', 'Output from salt state not highstate')
    const value = answered(answer)
    const isLost = truthy(answer.get('failed') ?? false)
    const ret = isLost || value === undefined ? false : value
    if (isLost || value === undefined || !statesSucceeded(value, true)) {
      if (!tolerated.has(id)) judged.failed.set(id, failureText(id, value))
      judged.changes.set(id, ret)
    } else if (hasChanges(value)) judged.changes.set(id, value)
    else judged.unchanged.push(id)
  }
  return judged
}

const hasChanges = (results: Value): boolean =>
  results instanceof Map &&
  [...results.values()].some((result) => result instanceof Map && truthy(result.get('changes') ?? null))

function commentOf({ changes, failed, unchanged }: Judged, isFine: boolean): string {
  if (!isFine) {
    const details = [...failed.keys()].sort().map((id) => failed.get(id)!)
    const lines = [`Run failed on minions: ${[...failed.keys()].join(', ')}`, ...details.filter((line) => line !== '')]
    return lines.join('\n')
  }
  const updated = changes.size > 0 ? ` Updating ${[...changes.keys()].map(str).join(', ')}.` : ''
  const others = unchanged.length > 0 ? ` No changes made to ${unchanged.join(', ')}.` : ''
  return `States ran successfully.${updated}${others}`
}

const refused = (name: string, comment: string): StateReturn => ({ name, changes: {}, comment, result: false })

function allowed(value: Value): number | undefined {
  if (typeof value === 'string') return /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined
  const number = numberOf(value)
  if (number === undefined) throw misuse(`'allow_fail' is ${repr(value)}, not a number`)
  return Math.trunc(number)
}

export async function runState(ctx: StateContext, step: StateStep): Promise<StateReturn> {
  const { name } = step
  const allowFail = allowed(step.allow_fail)
  if (allowFail === undefined) return refused(name, "Passed invalid value for 'allow_fail', must be an int")
  const called = functionOf(step)
  if (!called) return refused(name, 'No highstate or sls specified, no execution made')
  if (typeof step.concurrent !== 'boolean') return refused(name, "Must pass in boolean for value of 'concurrent'")
  const answers = await perform(ctx, step, called)
  const { names, budget, warnings } = tolerance(step.fail_minions)
  const more = { ...jidOf(answers), ...(warnings.length > 0 && { warnings }) }
  if (answers.size === 0 && step.expect_minions) return { ...refused(name, 'No minions returned'), ...more }
  const judged = judge(ctx, answers, names)
  const isFine = judged.failed.size <= allowFail + budget(answers.size)
  const isWouldBe = isFine && judged.changes.size > 0 && (truthy(step.test) || isDry(ctx))
  return {
    name,
    changes: judged.changes.size > 0 ? { out: 'highstate', ret: judged.changes } : {},
    comment: commentOf(judged, isFine),
    result: isWouldBe ? null : isFine,
    ...more,
  }
}
