// `cron.file`: a file of the file server as a user's crontab. Write the crontab to a temporary file, update that as
// `file.managed` does, and install it when it differs.
import { type Dict, dictFrom, str, type Value } from '../../../../data/mod.ts'
import { groupIdsOf, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'

export interface CrontabFile {
  name: Value
  source_hash: string
  source_hash_name: string | null
  user: string
  template: string | null
  context: Value
  replace: boolean
  defaults: Value
  backup: Value
  kwargs: ReadonlyMap<string, Value>
}

export async function crontabFile(ctx: StateContext, wanted: CrontabFile): Promise<StateReturn | Dict> {
  const { name, user } = wanted
  const group = await firstGroup(ctx, user)
  if (group === undefined) {
    return { changes: {}, comment: `Could not identify group for user ${user}`, name, result: false }
  }
  const tab = await ctx.call('cron.raw_cron', [user])
  // as in Salt, an empty crontab counts as existing
  if (!wanted.replace) {
    return { changes: {}, comment: `User ${user} already has a crontab. No changes made`, name, result: true }
  }
  const path = await ctx.host.tempFile({ prefix: '__salt.tmp.' })
  try {
    await ctx.host.write(path, tab.endsWith('\n') ? tab : `${tab}\n`)
    return await (ctx.test ? foreseen : applied)(ctx, wanted, { name: path, user, group, mode: '0600', attrs: [] })
  } finally {
    await ctx.host.remove(path)
  }
}

/** The temporary file and its owner. */
interface Place extends Record<string, Value> {
  name: string
  user: string
  group: string
}

/** Return the first group of the user by name. */
async function firstGroup(ctx: StateContext, user: string): Promise<string | undefined> {
  const account = await ctx.host.user(user)
  if (account === undefined) return undefined
  const ids = new Set(groupIdsOf(account, await ctx.host.groups()))
  const names = (await ctx.host.groups()).filter(({ gid }) => ids.has(gid)).map((group) => group.name)
  return names.sort()[0]
}

function keywords(ctx: StateContext, wanted: CrontabFile, place: Place): Map<string, Value> {
  const { source_hash_name, template, context, defaults, kwargs } = wanted
  const own = { ...place, source_hash_name, template, context, defaults, saltenv: ctx.env }
  return new Map<string, Value>([...kwargs, ...Object.entries(own)])
}

async function foreseen(ctx: StateContext, wanted: CrontabFile, place: Place): Promise<StateReturn> {
  const { name, source_hash } = wanted
  const all = keywords(ctx, wanted, place).set('source', name).set('source_hash', source_hash)
  const [result, comment] = (await ctx.call('file.check_managed', [], all)) as [boolean | null, string]
  return { changes: {}, comment, name, result }
}

async function applied(ctx: StateContext, wanted: CrontabFile, place: Place): Promise<StateReturn | Dict> {
  const { name, backup } = wanted
  const [source, source_hash] = await chosen(ctx, wanted)
  const failed = (comment: string): StateReturn => ({ changes: {}, comment, name, result: false })
  let report: Dict
  try {
    const request = keywords(ctx, wanted, place)
    request.set('source', source).set('source_hash', source_hash).set('skip_verify', false)
    const [sfn, source_sum, comment] = (await ctx.call('file.get_managed', [], request)) as [Value, Value, string]
    if (comment) return failed(comment)
    const ret: Dict = dictFrom({ changes: new Map(), comment: '', name, result: true })
    const content = { sfn, source, source_sum, ret, saltenv: ctx.env, backup }
    report = await ctx.call('file.manage_file', [], { ...place, ...content })
  } catch (error) {
    return failed(`Unable to manage file: ${(error as Error).message}`)
  }
  return installed(ctx, wanted, place, report)
}

const chosen = async (ctx: StateContext, { name, source_hash }: CrontabFile): Promise<[Value, Value]> =>
  (await ctx.call('file.source_list', [name, source_hash, ctx.env])) as [Value, Value]

async function installed(ctx: StateContext, wanted: CrontabFile, place: Place, report: Dict): Promise<Dict> {
  const { user } = wanted
  if (!(report.get('changes') as Dict).has('diff')) {
    if (report.get('result') !== true) return report
    return report.set('comment', `Crontab for user ${user} is in the correct state`).set('changes', new Map())
  }
  const answer = await ctx.call('cron.write_cron_file_verbose', [user, place.name])
  if (answer.get('retcode') === 0) {
    return report.set('comment', `Crontab for user ${user} was updated`).set('result', true)
  }
  const complaint = str(answer.get('stderr') ?? '')
  report.set('comment', `Unable to update user ${user} crontab ${place.name}. Error: ${complaint}`)
  return report.set('result', false).set('changes', new Map())
}
