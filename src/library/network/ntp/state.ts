// State of the NTP servers of Windows.
import { isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

async function current(ctx: StateContext): Promise<string[]> {
  const found = await ctx.call('ntp.get_servers')
  return isList(found) ? [...new Set(found.map(str))].sort() : []
}

function managed(ctx: StateContext, name: string, servers: Value): Promise<StateReturn> {
  const wanted = isList(servers) ? [...new Set(servers.map(str))].sort() : []
  const isWanted = (now: readonly string[]): boolean => now.join('\n') === wanted.join('\n')
  return ensure(ctx, {
    name,
    look: async () => {
      if (!isList(servers) || !servers.every((server) => typeof server === 'string')) {
        return failed('NTP servers must be a list of strings')
      }
      const old = await current(ctx)
      return isWanted(old) ? settled('NTP servers already configured as specified') : old
    },
    foresee: () => `NTP servers will be updated to: ${wanted.join(', ')}`,
    act: async (old) => {
      await ctx.call('ntp.set_servers', wanted)
      const now = await current(ctx)
      if (isWanted(now)) return changed('NTP servers updated', { old, new: now })
      return failed('Failed to update NTP servers', old.join('\n') === now.join('\n') ? {} : { old, new: now })
    },
  })
}

export default defineState({
  name: 'ntp',
  doc: 'Manage the NTP servers of Windows.',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Only Windows supported',
  functions: {
    managed: state({
      doc: 'Ensure that the machine uses the given NTP servers.',
      args: {
        name: arg.text('Name of the state'),
        servers: arg.any('List of host names; other types fail the state', { optional: true }),
      },
      run: (ctx, { name, servers }) => managed(ctx, name, servers),
    }),
  },
})
