// Pauses, ends and resumes state runs: the run reads a file for its job before each state.
import { type Dict, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, fileIn } from '../../../../sdk/mod.ts'
import { cacheDirectory, readPacked, writePacked } from './cache.ts'

const EVERY_ID = '__all__'

const pauseDirectory = (ctx: FunctionContext): string => `${cacheDirectory(ctx)}/state_pause`
const pauseFile = (ctx: FunctionContext, jid: string): string => fileIn(pauseDirectory(ctx), jid)

async function readPauses(ctx: FunctionContext, jid: string): Promise<Dict> {
  const data = await readPacked(ctx, pauseFile(ctx, jid))
  return data instanceof Map ? data : new Map()
}

const writePauses = (ctx: FunctionContext, jid: string, data: Dict): Promise<void> =>
  writePacked(ctx, pauseFile(ctx, jid), data)

/** Note a pause or an end at an ID, or at the next state. */
export async function note(
  ctx: FunctionContext,
  jid: string,
  id: string | null,
  key?: string,
  value?: Value,
): Promise<null> {
  const data = await readPauses(ctx, jid)
  const slot = id ?? EVERY_ID
  const entry = data.get(slot)
  const notes: Dict = entry instanceof Map ? entry : new Map()
  if (key !== undefined && value !== undefined) notes.set(key, value)
  data.set(slot, notes)
  await writePauses(ctx, jid, data)
  return null
}

export async function resume(ctx: FunctionContext, jid: string, id: string | null): Promise<null> {
  const data = await readPauses(ctx, jid)
  if (id === null) data.clear()
  else data.delete(id)
  await writePauses(ctx, jid, data)
  return null
}

/** Return the pauses of runs that are in progress, and remove those of other runs. */
export async function listPauses(ctx: FunctionContext, jids: string[] | null): Promise<Dict> {
  const ret: Dict = new Map()
  const directory = pauseDirectory(ctx)
  if (!(await ctx.host.stat(directory))) return ret
  const jobs = ctx.has('saltutil.is_running') ? await ctx.call('saltutil.is_running', ['state.*']) : []
  const active = new Set(
    Array.isArray(jobs) ? jobs.map((job) => (job instanceof Map ? str(job.get('jid') ?? '') : '')) : [],
  )
  const wanted = jids ?? (await ctx.host.list(directory))
  for (const each of wanted) {
    const file = pauseFile(ctx, each)
    if (active.has(each)) ret.set(each, await readPauses(ctx, each))
    else if (await ctx.host.stat(file)) await ctx.host.remove(file)
  }
  return ret
}
