// Holding, ending and resuming runs that are under way, through a file for each job that the run looks at.
import { type Dict, int, numberOf, str, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { cacheDirectory, readPacked, writePacked } from './cache.ts'

const EVERY_ID = '__all__'

const pauseDirectory = (ctx: FunctionContext): string => `${cacheDirectory(ctx)}/state_pause`

async function readPauses(ctx: FunctionContext, jid: string): Promise<Dict> {
  const data = await readPacked(ctx, `${pauseDirectory(ctx)}/${jid}`)
  return data instanceof Map ? data : new Map()
}

const writePauses = (ctx: FunctionContext, jid: string, data: Dict): Promise<void> =>
  writePacked(ctx, `${pauseDirectory(ctx)}/${jid}`, data)

/** Notes something about an ID, or about the next state whatever it is. */
export async function note(ctx: FunctionContext, jid: string, id: Value, key?: string, value?: Value): Promise<null> {
  const data = await readPauses(ctx, jid)
  const slot = id ?? EVERY_ID
  const entry = data.get(slot)
  const notes: Dict = entry instanceof Map ? entry : new Map()
  if (key !== undefined && value !== undefined) notes.set(key, value)
  data.set(slot, notes)
  await writePauses(ctx, jid, data)
  return null
}

export const wholeSeconds = (duration: Value): Value =>
  int(BigInt(Math.trunc(numberOf(duration) ?? Number(str(duration)))))

export async function resume(ctx: FunctionContext, jid: string, id: Value): Promise<null> {
  const data = await readPauses(ctx, jid)
  if (id === null) data.clear()
  else data.delete(id)
  await writePauses(ctx, jid, data)
  return null
}

/** The notes of runs that are under way; those of others are removed. */
export async function listPauses(ctx: FunctionContext, jid: Value): Promise<Dict> {
  const ret: Dict = new Map()
  const directory = pauseDirectory(ctx)
  if (!(await ctx.host.stat(directory))) return ret
  const jobs = ctx.has('saltutil.is_running') ? await ctx.call('saltutil.is_running', ['state.*']) : []
  const active = new Set(
    Array.isArray(jobs) ? jobs.map((job) => (job instanceof Map ? str(job.get('jid') ?? '') : '')) : [],
  )
  const wanted = jid === null ? await ctx.host.list(directory) : (Array.isArray(jid) ? jid : [jid]).map(str)
  for (const each of wanted) {
    if (active.has(each)) ret.set(each, await readPauses(ctx, each))
    else if (await ctx.host.stat(`${directory}/${each}`)) await ctx.host.remove(`${directory}/${each}`)
  }
  return ret
}
