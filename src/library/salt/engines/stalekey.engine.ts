// Deletes the keys of minions that have not been connected for some time. The times of the last connections are in
// `presence.p` in the cache, in the format of Salt.
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, numberOf, str } from '../../../data/mod.ts'
import { arg, defineEngine, type EngineContext, type MasterContext, option } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'stalekey',
  doc: 'Delete the keys of minions that have not been connected for some time.',
  args: {
    interval: arg.number('Seconds between two checks', { default: 3600 }),
    expire: arg.number('Seconds without a connection after which the key is deleted', { default: 604800 }),
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
