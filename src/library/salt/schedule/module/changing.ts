// Adds, changes and removes jobs: through the minion daemon, or with `offline` in its file.
import { type Dict, dictFrom, equals, keyError, OrderedDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { BOTH_TIMES, buildItem, type Given, hasBothTimes, hasConflict, hintAtIgnored, isRefusal } from './item.ts'
import { allJobs, askSchedule, locate, saveJobs, scheduleIn } from './jobs.ts'

const flag = (given: Given, name: string): boolean => truthy(given.get(name) ?? false)
const persistOf = (given: Given): Value => (given.has('persist') ? given.get('persist')! : true)

export async function addJob(ctx: FunctionContext, name: string, given: Given): Promise<Dict> {
  const report = (result: boolean, comment: string, changes: Dict = new Map()): Dict =>
    dictFrom({ comment, result, changes })
  const jobs = await allJobs(ctx, flag(given, 'offline'))
  if (jobs.has(name)) return report(false, `Job ${name} already exists in schedule.`)
  if (hasConflict(given)) {
    return report(false, 'Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.')
  }
  if (hasBothTimes(given)) return report(false, BOTH_TIMES)
  const item = buildItem(name, given)
  if (isRefusal(item)) return item
  hintAtIgnored(ctx, name, given)
  if (flag(given, 'test')) return report(true, `Job: ${name} would be added to schedule.`)
  const added = (): Dict => report(true, `Added job: ${name} to schedule.`, new Map([[name, 'added']]))
  if (flag(given, 'offline')) {
    await saveJobs(ctx, jobs.set(name, item))
    return added()
  }
  const data = { name, schedule: new Map([[name, item]]), func: 'add', persist: persistOf(given) }
  const now = scheduleIn(await askSchedule(ctx, data, 'add_complete'))
  return now?.has(name) ? added() : report(false, `Failed to add job ${name} to schedule.`)
}

export async function modifyJob(ctx: FunctionContext, name: string, given: Given): Promise<Dict> {
  const report = (result: boolean, comment: string, changes: Dict = new Map()): Dict =>
    dictFrom({ comment, changes, result })
  if (hasConflict(given)) {
    return report(false, 'Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" option.')
  }
  if (hasBothTimes(given)) return report(false, BOTH_TIMES)
  const jobs = await allJobs(ctx, flag(given, 'offline'))
  const current = jobs.get(name) as Dict | undefined
  if (current === undefined) return report(false, `Job ${name} does not exist in schedule.`)
  const fun = given.get('function') ?? current.get('function') ?? null
  const item = buildItem(name, new Map([['function', fun], ...given]))
  if (isRefusal(item)) return item
  hintAtIgnored(ctx, name, given)
  if (equals(item, current)) return report(true, `Job ${name} in correct state`)
  const change = dictFrom({ old: new OrderedDict(current), new: new OrderedDict(item) })
  const changes: Dict = new Map([[name, change]])
  if (flag(given, 'test')) return report(true, `Job: ${name} would be modified in schedule.`, changes)
  const modified = report(true, `Modified job: ${name} in schedule.`, changes)
  if (flag(given, 'offline')) {
    for (const [key, value] of item) current.set(key, value)
    await saveJobs(ctx, jobs)
    return modified
  }
  const place = (await locate(ctx, name)) ?? {}
  const persist = 'where' in place ? false : persistOf(given)
  const data = dictFrom({ name, schedule: item, ...place, func: 'modify', persist })
  const heard = truthy(await ctx.call('event.fire', [data, 'manage_schedule']))
  return heard ? modified : report(false, `Failed to modify job ${name} in schedule.`, changes)
}

export async function deleteJob(ctx: FunctionContext, name: string, given: Given): Promise<Dict> {
  const report = (result: boolean, comment: string, changes: Dict = new Map()): Dict =>
    dictFrom({ comment, result, changes })
  if (flag(given, 'test')) return report(true, `Job: ${name} would be deleted from schedule.`)
  const deleted = (): Dict => report(true, `Deleted Job ${name} from schedule.`, new Map([[name, 'removed']]))
  if (flag(given, 'offline')) {
    const jobs = await allJobs(ctx, true)
    if (!jobs.delete(name)) throw keyError(name)
    await saveJobs(ctx, jobs)
    return deleted()
  }
  const place = await locate(ctx, name)
  if (place === undefined) return report(false, `Job ${name} does not exist.`)
  const data = { name, ...place, func: 'delete', persist: 'where' in place ? false : persistOf(given) }
  const now = scheduleIn(await askSchedule(ctx, data, 'delete_complete'))
  const gone = now !== undefined && !now.has(name)
  return gone ? deleted() : report(false, `Failed to delete job ${name} from schedule.`)
}

export async function purgeJobs(ctx: FunctionContext, given: Given): Promise<Dict> {
  const offline = flag(given, 'offline')
  const jobs = await allJobs(ctx, offline)
  const comments: string[] = []
  const changes: Dict = new Map()
  for (const name of [...jobs.keys()].filter((name) => name !== 'enabled' && !str(name).startsWith('__'))) {
    if (flag(given, 'test')) {
      comments.push(`Job: ${str(name)} would be deleted from schedule.`)
      continue
    }
    const data = { name, func: 'delete', persist: persistOf(given) }
    const now = offline ? undefined : scheduleIn(await askSchedule(ctx, data, 'delete_complete'))
    if (!offline && now === undefined) continue
    if (now?.has(name)) comments.push(`Failed to delete job ${str(name)} from schedule.`)
    else {
      jobs.delete(name)
      comments.push(`Deleted job: ${str(name)} from schedule.`)
      changes.set(name, 'removed')
    }
  }
  if (offline) await saveJobs(ctx, jobs)
  return dictFrom({ comment: comments, changes, result: true })
}
