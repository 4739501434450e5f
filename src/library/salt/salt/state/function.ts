// Runs a function on minions as one step. Each result is a change; False, a return code, or the verdict of another
// function is a failure.
import { toError } from '../../../../base/mod.ts'
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import { option, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import type { FunctionStep } from './arguments.ts'
import { answered, callOptions, fireArgs, jidOf, tolerance } from './published.ts'

function options(ctx: StateContext, step: FunctionStep, arg: Value): Dict {
  const isHard = step.failhard === true || option(ctx.opts, 'failhard')
  return callOptions([
    ['arg', truthy(arg) ? arg : []],
    ['kwarg', step.kwarg ?? new Map()],
    ['ret', step.ret],
    ['timeout', step.timeout],
    ['batch', step.batch ?? undefined],
    ['subset', step.subset ?? undefined],
    ['tgt_type', step.tgt_type],
    ['ssh', step.ssh],
    ['roster', step.kwargs.get('roster')],
    ['expect_minions', step.expect_minions],
    ['_cmd_meta', true],
    ['failhard', isHard ? true : undefined],
    ['ret_config', truthy(step.ret_config) ? step.ret_config : undefined],
    ['ret_kwargs', truthy(step.ret_kwargs) ? step.ret_kwargs : undefined],
  ])
}

interface Judged {
  changes: Dict
  failed: Set<string>
  /** Whether a minion has a return code, which is always a failure. */
  hasRetcode: boolean
}

async function judge(ctx: StateContext, answers: Dict, step: FunctionStep, names: ReadonlySet<string>) {
  const judged: Judged = { changes: new Map(), failed: new Set(), hasRetcode: false }
  for (const [key, answer] of answers) {
    if (!(answer instanceof Map)) continue
    const id = str(key)
    if (truthy(answer.get('retcode') ?? 0)) {
      judged.hasRetcode = true
      judged.failed.add(id)
    }
    const isLost = truthy(answer.get('failed') ?? false)
    const value = isLost ? false : (answered(answer) ?? null)
    let isFine = value !== false
    if (isFine && step.fail_function) isFine = truthy(await ctx.call(step.fail_function, [value]))
    if (!isFine && !names.has(id)) judged.failed.add(id)
    judged.changes.set(id, value)
  }
  return judged
}

export async function runFunction(ctx: StateContext, step: FunctionStep): Promise<StateReturn> {
  const { name } = step
  const isText = typeof step.arg === 'string'
  const arg = typeof step.arg === 'string' ? step.arg.split(/\s+/).filter((word) => word !== '') : step.arg
  const { names, budget, warnings: more } = tolerance(step.fail_minions)
  const warnings = [...(isText ? ["Please specify 'arg' as a list of arguments."] : []), ...more]
  const noted = warnings.length > 0 ? { warnings } : {}
  if (ctx.opts.get('test') === true) {
    const comment = `Function ${name} would be executed on target ${str(step.tgt)}`
    return { name, changes: {}, comment, result: null, ...(isText && { warnings: [warnings[0]!] }) }
  }
  let answers: Dict
  try {
    const given = options(ctx, step, arg)
    await fireArgs(ctx, 'function', step.tgt, name, given)
    const kwargs = new Map([...given].map(([key, value]): [string, Value] => [str(key), value]))
    answers = await ctx.call('saltutil.cmd', [step.tgt, name], kwargs)
  } catch (error) {
    return { name, changes: {}, comment: toError(error).message, result: false, ...noted }
  }
  if (answers.size === 0) return { name, changes: {}, comment: 'No minions responded', result: false, ...noted }
  const { changes, failed, hasRetcode } = await judge(ctx, answers, step, names)
  const isFine = !hasRetcode && failed.size <= budget(answers.size)
  const verdict = isFine
    ? 'Function ran successfully.'
    : `Running function ${name} failed on minions: ${[...failed].join(', ')}`
  const ran = changes.size > 0 ? ` Function ${name} ran on ${[...changes.keys()].map(str).join(', ')}.` : ''
  return {
    name,
    changes: changes.size > 0 ? { ret: changes } : {},
    comment: `${verdict}${ran}`,
    result: isFine,
    ...jidOf(answers),
    ...noted,
  }
}
