// Keys of minions that have not been seen for long are deleted. When each was last connected is kept in `presence.p` in the
// cache, in the form that Salt has.
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, numberOf, str } from '../../../data/mod.ts'
import { arg, defineEngine, type EngineContext, type MasterContext, option } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'stalekey',
  doc: 'Deletes the keys of minions that have not been connected for a while.',
  args: {
    interval: arg.number('Seconds between two looks', { default: 3600 }),
    expire: arg.number('Seconds after which a minion counts as gone', { default: 604800 }),
  },
  when: ({ opts, master }) => {
    if (!master) return 'stalekey engine runs only on a master'
    if (option(opts, 'minion_data_cache')) return true
    return 'stalekey engine requires minion_data_cache to be enabled'
  },
  start: async (ctx, { interval, expire }) => {
    while (!ctx.signal.aborted) {
      await look(ctx, ctx.master!, numberOf(expire) ?? 0)
      await ctx.pause(numberOf(interval) ?? 3600)
    }
  },
})

async function look(ctx: EngineContext, master: MasterContext, expire: number): Promise<void> {
  const file = `${option(ctx.opts, 'cachedir')}/presence.p`
  const seen = await readPresence(ctx, file)
  const now = ctx.host.now()
  const present = master.connected()
  for (const id of master.keys.list('minions')) if (!seen.has(id) || present.has(id)) seen.set(id, now)
  for (const [id, at] of [...seen]) {
    if (now - expire <= (numberOf(at) ?? now)) continue
    ctx.log('info', `Removing stale key for ${str(id)}`)
    await master.wheel('key.delete', [id])
    seen.delete(id)
  }
  await ctx.host.write(file, encodeMsgpack(seen, 'bus'), { mode: 0o600 })
}

async function readPresence({ host }: EngineContext, file: string): Promise<Dict> {
  if (!(await host.stat(file))) return new Map()
  const kept = decodeMsgpack(await host.read(file), { dialect: 'bus' })
  return isDict(kept) ? kept : new Map()
}
