// Shared parts of steps that publish: the options of the call, the tolerated failures, and the event about the step.
import { type Dict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { option, type StateContext } from '../../../../sdk/mod.ts'

export const isDry = (ctx: StateContext): boolean => option(ctx.opts, 'test')

export const orchestrationOf = (ctx: StateContext): Value => ctx.low.get('__orchestration_jid__') ?? null

export async function fireArgs(ctx: StateContext, type: string, tgt: Value, name: string, args: Dict): Promise<void> {
  const jid = orchestrationOf(ctx)
  if (!truthy(jid) || !ctx.master) return
  const data = new Map<Value, Value>([['type', type]]).set('tgt', tgt).set('name', name).set('args', new Map(args))
  await ctx.master.fire(`salt/run/${str(jid)}/args`, data)
}

/** Return the keywords of the call, in the order of the event. */
export function callOptions(entries: ReadonlyArray<readonly [string, Value | undefined]>): Dict {
  return new Map(entries.filter((entry): entry is [string, Value] => entry[1] !== undefined))
}

export interface Tolerance {
  /** Minions whose failure does not count. */
  names: ReadonlySet<string>
  /** How many others may fail. */
  budget: (minions: number) => number
  warnings: string[]
}

/** Parse `fail_minions`: names in a list or with commas. A share such as `5%` is a budget of any minions. */
export function tolerance(fail_minions: Value): Tolerance {
  const isWrong = fail_minions !== null && typeof fail_minions !== 'string' && !isList(fail_minions)
  const given = typeof fail_minions === 'string' ? fail_minions.split(',') : isList(fail_minions) ? fail_minions : []
  const words = given.map((word) => str(word).trim())
  const shares = words.map((word) => /^(\d+(?:\.\d+)?)\s*%$/.exec(word)).filter((share) => share !== null)
  const percent = shares.reduce((sum, share) => sum + Number(share[1]), 0)
  return {
    names: new Set(words.filter((word) => !word.endsWith('%'))),
    budget: (minions) => Math.trunc((minions * percent) / 100),
    warnings: isWrong ? ["'fail_minions' needs to be a list or a comma separated string. Ignored."] : [],
  }
}

/** Return the job id of the first answer. */
export function jidOf(answers: Dict): { __jid__?: Value } {
  const [first] = answers.values()
  const jid = first instanceof Map ? first.get('jid') : undefined
  return jid === undefined ? {} : { __jid__: jid }
}

/** Return the result in an answer, which has one of two names in Salt. */
export const answered = (answer: Dict): Value | undefined =>
  answer.get('ret') ?? answer.get('return') ?? complaint(answer)

/** Return the error of a salt-ssh target in place of a result. */
const complaint = (answer: Dict): Value | undefined =>
  answer.has('_error') ? answer.get('stderr') || answer.get('_error') : undefined
