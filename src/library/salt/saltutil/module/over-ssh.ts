// `ssh=True`: the job runs on targets of salt-ssh. Answers have the form of salt-ssh: `return`, `retcode`, `jid`, `fun` …
import { type Dict, isDict, misuse, numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import type { MasterReach, MinionJob, MinionReturn } from '../../../../sdk/mod.ts'
import { ableMinions, type Running } from './subset.ts'

type Keywords = ReadonlyMap<string, Value>

/** Keywords of the call that are no options of salt-ssh. */
const OF_THE_CALL = new Set(['batch', 'subset', 'failhard', 'expect_minions', '_cmd_meta'])

const SUBSET = 3

function runningOver(master: MasterReach, kwargs: Keywords): Running {
  const options: Dict = new Map([...kwargs].filter(([name]) => !OF_THE_CALL.has(name) && !name.startsWith('__')))
  return async function* ({ tgt, tgtType, fun, arg, kwarg, timeout }: MinionJob): AsyncGenerator<MinionReturn> {
    const call = {
      tgt,
      fun: str(fun),
      ...(tgtType !== undefined && { tgtType }),
      ...(arg && { arg }),
      ...(kwarg && { kwarg }),
      ...(timeout !== undefined && { timeout }),
    }
    for await (const { id, answer, retcode } of master.ssh({ ...call, options })) {
      yield { id, data: isDict(answer) ? answer : new Map<Value, Value>([['return', answer]]).set('retcode', retcode) }
    }
  }
}

/** Run a job on targets of salt-ssh and return their results; `tell` receives each as it arrives. */
export async function commandOverSsh(
  master: MasterReach,
  job: MinionJob,
  kwargs: Keywords,
  tell?: (id: string, answer: Value) => Promise<void>,
): Promise<Dict> {
  if (truthy(kwargs.get('batch') ?? null)) {
    throw misuse('salt-ssh has no batches: the option ssh_max_procs is the number of targets at once')
  }
  const run = runningOver(master, kwargs)
  const subset = kwargs.get('subset') ?? null
  const count = numberOf(subset) ?? SUBSET
  const chosen = truthy(subset) ? { ...job, tgt: await ableMinions(run, job, count), tgtType: 'list' } : job
  const answers: Dict = new Map()
  for await (const { id, data } of run(chosen)) {
    await tell?.(id, data!)
    answers.set(id, data!)
  }
  return answers
}
