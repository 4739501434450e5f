// Time servers of Windows.
import { isList, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function current(ctx: StateContext): Promise<string[]> {
  const found = await ctx.call('ntp.get_servers')
  return isList(found) ? [...new Set(found.map(str))].sort() : []
}

async function managed(ctx: StateContext, name: Value, servers: Value): Promise<StateReturn> {
  const ret = reportOn(name)
  if (!isList(servers) || !servers.every((server) => typeof server === 'string')) {
    return ret(false, 'NTP servers must be a list of strings')
  }
  const wanted = [...new Set(servers.map(str))].sort()
  const old = await current(ctx)
  const same = (now: readonly string[]): boolean => now.join('\n') === wanted.join('\n')
  if (same(old)) return ret(true, 'NTP servers already configured as specified')
  if (ctx.test) return ret(null, `NTP servers will be updated to: ${wanted.join(', ')}`)
  await ctx.call('ntp.set_servers', wanted)
  const now = await current(ctx)
  if (same(now)) return ret(true, 'NTP servers updated', { old, new: now })
  return ret(false, 'Failed to update NTP servers', old.join('\n') === now.join('\n') ? {} : { old, new: now })
}

export default defineState({
  name: 'ntp',
  doc: 'Keep time servers of Windows.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Only Windows supported',
  functions: {
    managed: state({
      doc: 'The machine asks certain servers for the time.',
      args: { name: arg.any('A name for the state'), servers: arg.any('The servers', { optional: true }) },
      run: (ctx, { name, servers }) => managed(ctx, name, servers),
    }),
  },
})
