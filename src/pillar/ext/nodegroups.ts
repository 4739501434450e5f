// `nodegroups`: the names of the nodegroups that a minion is in, as the master sees it.
import { type Dict, truthy, type Value } from '../../data/mod.ts'
import type { ExtPillar } from '../ext-pillar.ts'

export const nodegroups: ExtPillar = {
  parameters: ['pillar_name'],
  required: 0,
  run: async (ctx, { named }) => {
    const groups = ctx.opts.get('nodegroups')
    const member: Value[] = []
    for (const [name, target] of groups instanceof Map ? (groups as Dict) : []) {
      if (await ctx.isMember(target)) member.push(name)
    }
    const given = named.get('pillar_name') ?? null
    return new Map([[truthy(given) ? given : 'nodegroups', member]])
  },
}
