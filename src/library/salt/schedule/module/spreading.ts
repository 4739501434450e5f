// Copies jobs to other minions, by publishing `schedule.add`.
import { type Dict, dictFrom, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { deleteJob } from './changing.ts'
import type { Given } from './item.ts'
import { allJobs } from './jobs.ts'

/** Copy a job to other minions, and with `move` remove it here. */
export async function spreadJob(
  ctx: FunctionContext,
  name: string,
  target: string,
  given: Given,
  move: boolean,
): Promise<Dict> {
  const report = (result: boolean, comment: string, minions?: Value): Dict =>
    dictFrom({ comment, result, ...(minions !== undefined && { minions }) })
  if (truthy(given.get('test') ?? false)) {
    return report(name !== '', `Job: ${name} would be ${move ? 'moved' : 'copied'} from schedule.`)
  }
  const own = (await allJobs(ctx, false, 'opts')).get(name)
  const job = own ?? (await allJobs(ctx, false, 'pillar')).get(name)
  if (!(job instanceof Map)) return report(false, `Job ${name} does not exist.`)
  const options = [...job].map(([key, value]) => `${str(key)}=${str(value)}`)
  const answers = (await ctx.call('publish.publish', [target, 'schedule.add', options])) as Dict
  if (answers.size === 0) return report(true, 'no servers answered the published schedule.add command')
  const refusing = [...answers].filter(([, answer]) => !truthy(answer)).map(([minion]) => minion)
  if (refusing.length > 0) return report(true, 'the following minions return False', refusing)
  if (move) await deleteJob(ctx, name, new Map([['where', own === undefined ? 'pillar' : null]]))
  const done = move ? `Moved Job ${name} from schedule.` : `Copied Job ${name} from schedule to minion(s).`
  return report(true, done, [...answers.keys()])
}
