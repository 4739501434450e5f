// Calls of the master from a minion on its machine: jobs for other minions, runner and wheel functions. Orchestration uses
// these three, so their results have the form of Salt's clients.
import { didYouMean } from '../../../../base/mod.ts'
import { type Dict, failure, misuse, numberOf, PyError, repr, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type FunctionContext,
  HINTS,
  type MasterFunctionCall,
  type MasterOutcome,
  type MasterParameters,
  type MasterReach,
  type MinionJob,
  option,
  startsOrchestration,
} from '../../../../sdk/mod.ts'
import { inBatches } from './batch.ts'
import { commandOverSsh } from './over-ssh.ts'
import { ableMinions, everyAnswer } from './subset.ts'

const NOT_BESIDE = 'This command can only be executed on a minion that is located on the master.'
const GONE = 'The salt master could not be contacted. Is master running?'

async function masterOf(ctx: FunctionContext, complaint = NOT_BESIDE): Promise<MasterReach> {
  const master = ctx.master ?? (await ctx.daemon?.masterBeside?.())
  if (master) return master
  throw failure(complaint)
}

export interface Commanded {
  tgt: Value
  fun: Value
  arg: Value
  timeout: Value
  tgt_type: string
  ret: Value
  kwarg: Value
  ssh?: boolean
  kwargs: ReadonlyMap<string, Value>
}

/** Options of a publication that a call may have. */
const OPTIONS = ['ret_config', 'ret_kwargs', 'metadata', 'delimiter', 'module_executors', 'executor_opts']

function jobOf({ tgt, fun, arg, timeout, tgt_type, ret, kwarg, kwargs }: Commanded): MinionJob {
  const seconds = numberOf(timeout)
  const options = new Map<Value, Value>(OPTIONS.filter((name) => kwargs.has(name)).map((n) => [n, kwargs.get(n)!]))
  return {
    tgt,
    tgtType: tgt_type,
    fun,
    arg: Array.isArray(arg) ? [...arg] : [arg],
    ret: str(ret ?? ''),
    ...(kwarg instanceof Map && kwarg.size > 0 && { kwarg }),
    ...(seconds !== undefined && timeout !== null && { timeout: seconds }),
    ...(options.size > 0 && { options }),
  }
}

/** Return the answers of the minions: `ret`, `retcode`, `jid`, `out`. */
export async function command(ctx: FunctionContext, asked: Commanded): Promise<Dict> {
  const master = await masterOf(ctx, GONE)
  const job = jobOf(asked)
  const { kwargs, ssh = false } = asked
  if (ssh) return commandOverSsh(master, job, kwargs)
  const batch = kwargs.get('batch') ?? null
  const subset = kwargs.get('subset') ?? null
  if (truthy(batch)) return batched(ctx, job, str(batch), truthy(kwargs.get('failhard') ?? false))
  const isWhole = truthy(kwargs.get('_cmd_meta') ?? false)
  if (truthy(subset)) return ofSome(master, job, numberOf(subset) ?? 3, isWhole)
  const answers: Dict = new Map()
  for await (const [id, answer] of answersOf(master, job, kwargs)) answers.set(id, answer)
  return answers
}

/** Return the answers of the minions, and fire a progress event for each as it comes. */
export async function commandEach(ctx: FunctionContext, asked: Commanded): Promise<Dict> {
  const answers: Dict = new Map()
  const tell = async (id: string, answer: Value): Promise<void> => {
    await ctx.daemon?.progress?.(answers.size, new Map([[id, answer]]))
    answers.set(id, answer)
  }
  const master = await masterOf(ctx, GONE)
  if (asked.ssh) {
    await commandOverSsh(master, jobOf(asked), asked.kwargs, tell)
    return answers
  }
  for await (const [id, answer] of answersOf(master, jobOf(asked), asked.kwargs)) await tell(id, answer)
  return answers
}

async function* answersOf(
  master: MasterReach,
  job: MinionJob,
  kwargs: ReadonlyMap<string, Value>,
): AsyncGenerator<[id: string, answer: Dict]> {
  const isWhole = truthy(kwargs.get('_cmd_meta') ?? false)
  const isExpected = truthy(kwargs.get('expect_minions') ?? false)
  for await (const { id, data, reason } of master.run(job)) {
    if (data) yield [id, answerOf(data, isWhole)]
    else if (isExpected || reason === 'missing') yield [id, new Map([['failed', true]])]
  }
}

function answerOf(data: Dict, isWhole: boolean): Dict {
  const answer: Dict = new Map([['ret', data.get('return') ?? null]])
  for (const name of ['out', 'retcode', 'jid']) if (data.has(name)) answer.set(name, data.get(name)!)
  if (isWhole) for (const [name, value] of data) if (name !== HINTS) answer.set(name, value)
  return answer
}

async function batched(ctx: FunctionContext, job: MinionJob, batch: string, failhard: boolean): Promise<Dict> {
  const master = await masterOf(ctx)
  const answers: Dict = new Map()
  const returns = new Map<string, Dict>()
  const gatherJobTimeout = option(ctx.opts, 'gather_job_timeout')
  for await (const { id, data } of inBatches(master, job, batch, { failhard, gatherJobTimeout })) {
    if (data) returns.set(id, data)
    const value = data?.get('return') ?? null
    const out = value instanceof Map ? (value.get('out') ?? 'highstate') : 'highstate'
    if (data) answers.set(id, new Map<Value, Value>([['out', out]]).set('ret', value))
  }
  await master.logHints(returns)
  return answers
}

/** Run the job on random minions that have the function. */
async function ofSome(master: MasterReach, job: MinionJob, count: number, isWhole: boolean): Promise<Dict> {
  const chosen = await ableMinions(master.run, job, count)
  const answers: Dict = new Map()
  for (const { id, data } of await everyAnswer(master.run, { ...job, tgt: chosen, tgtType: 'list' })) {
    if (data) answers.set(id, answerOf(data, isWhole))
    else
      answers.set(
        id,
        new Map<Value, Value>([['out', 'no_return']]).set('ret', 'Minion did not return').set('retcode', 1),
      )
  }
  return answers
}

function unknown(master: MasterReach, family: 'runner' | 'wheel', name: string): PyError {
  const hint = didYouMean(name, master.names(family))
  return new PyError('KeyError', repr(name.includes('.') ? name : `The key '${name}' should contain a '.'`), { hint })
}

function assertKnown({ names, open }: MasterParameters, keywords: ReadonlyMap<string, Value>): void {
  const others = open ? [] : [...keywords].filter(([name]) => !names.includes(name))
  if (others.length === 0) return
  const listed = others.map(([name, value]) => `${name}=${str(value)}`).join(', ')
  throw misuse(`The following keyword arguments are not valid: ${listed}`)
}

/** A run as Salt's clients describe it. */
/** Return all fields of the last event of a call. */
function outcome(family: 'runner' | 'wheel', call: MasterFunctionCall, ended: MasterOutcome): Dict {
  const { name, args, kwargs, user } = call
  return new Map<Value, Value>([
    ['fun', `${family}.${name}`],
    ['jid', ended.jid],
    ['user', user],
    ['fun_args', [...args, ...(kwargs.size > 0 ? [new Map<Value, Value>(kwargs)] : [])]],
    ['_stamp', new Date().toISOString().replace(/Z$/, '000+00:00')],
    ['return', ended.value],
    ['success', ended.success],
  ])
}

async function fireArgs(master: MasterReach, jid: Value, data: Dict): Promise<void> {
  if (truthy(jid)) await master.fire(`salt/run/${str(jid)}/args`, data)
}

export interface RunnerCall {
  name: string
  arg: Value
  kwarg: Value
  full_return: boolean
  saltenv: Value
  jid: Value
  kwargs: ReadonlyMap<string, Value>
}

const plainKeywords = (given: ReadonlyMap<string, Value>): Array<[string, Value]> =>
  [...given].filter(([name]) => !name.startsWith('__'))

export async function runner(ctx: FunctionContext, call: RunnerCall): Promise<Value> {
  const master = await masterOf(ctx)
  const { name, kwargs } = call
  const args = Array.isArray(call.arg) ? [...call.arg] : call.arg === null ? [] : [call.arg]
  const jid = kwargs.get('__orchestration_jid__') ?? call.jid
  const given =
    call.kwarg instanceof Map ? [...call.kwarg].map(([key, value]): [string, Value] => [str(key), value]) : []
  const keywords = new Map<string, Value>([...given, ...plainKeywords(kwargs)])
  const parameters = await master.parameters('runner', name)
  if (parameters?.names.includes('saltenv')) keywords.set('saltenv', kwargs.get('__env__') ?? call.saltenv)
  if (startsOrchestration(name)) keywords.set('orchestration_jid', jid)
  const told = new Map<Value, Value>([['type', 'runner']]).set('name', name).set('args', args)
  await fireArgs(master, jid, told.set('kwargs', new Map<Value, Value>(keywords)))
  if (!parameters) throw unknown(master, 'runner', name)
  assertKnown(parameters, keywords)
  const user = str(kwargs.get('__pub_user') ?? 'UNKNOWN')
  if (parameters.open) keywords.set('__pub_user', user)
  const asked = { name, args, kwargs: keywords, user }
  const ended = await master.call('runner', asked)
  return call.full_return ? outcome('runner', asked, ended) : ended.value
}

export async function wheel(
  ctx: FunctionContext,
  name: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const master = await masterOf(ctx)
  const keywords = new Map(plainKeywords(kwargs))
  const parameters = await master.parameters('wheel', name)
  if (parameters?.names.includes('saltenv')) keywords.set('saltenv', kwargs.get('__env__') ?? 'base')
  const told = new Map<Value, Value>([['type', 'wheel']]).set('name', name)
  await fireArgs(master, kwargs.get('__orchestration_jid__') ?? null, told.set('args', new Map<Value, Value>(keywords)))
  if (!parameters) throw unknown(master, 'wheel', name)
  assertKnown(parameters, keywords)
  const asked = { name, args, kwargs: keywords, user: 'UNKNOWN' }
  return outcome('wheel', asked, await master.call('wheel', asked))
}
