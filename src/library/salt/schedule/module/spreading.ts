// Jobs for other minions: published to them as schedule.add.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { deleteJob } from './changing.ts'
import type { Given } from './item.ts'
import { allJobs } from './jobs.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

/** Copies a job to other minions, and with `move` removes it here. */
export async function spreadJob(
  ctx: FunctionContext,
  name: Value,
  target: string,
  given: Given,
  move: boolean,
): Promise<Dict> {
  const report = (result: boolean, comment: string, minions?: Value): Dict =>
    dict({ comment, result, ...(minions !== undefined && { minions }) })
  if (truthy(given.get('test') ?? false)) {
    return report(truthy(name), `Job: ${str(name)} would be ${move ? 'moved' : 'copied'} from schedule.`)
  }
  const own = (await allJobs(ctx, null, 'opts')).get(name)
  const job = own ?? (await allJobs(ctx, null, 'pillar')).get(name)
  if (!(job instanceof Map)) return report(false, `Job ${str(name)} does not exist.`)
  const options = [...job].map(([key, value]) => `${str(key)}=${str(value)}`)
  const answers = (await ctx.call('publish.publish', [target, 'schedule.add', options])) as Dict
  if (answers.size === 0) return report(true, 'no servers answered the published schedule.add command')
  const refusing = [...answers].filter(([, answer]) => !truthy(answer)).map(([minion]) => minion)
  if (refusing.length > 0) return report(true, 'the following minions return False', refusing)
  if (move) await deleteJob(ctx, name, new Map([['where', own === undefined ? 'pillar' : null]]))
  const done = move ? `Moved Job ${str(name)} from schedule.` : `Copied Job ${str(name)} from schedule to minion(s).`
  return report(true, done, [...answers.keys()])
}
