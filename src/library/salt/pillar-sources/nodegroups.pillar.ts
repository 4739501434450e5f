// `nodegroups`: the names of the nodegroups that a minion is in, as the master sees it.
import { type Dict, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'

export default defineExtPillar({
  name: 'nodegroups',
  doc: 'The names of the nodegroups that the minion is in.',
  args: { pillar_name: arg.any('Key of the list; `nodegroups` by default', { default: null }) },
  run: async (ctx, { pillar_name }) => {
    const groups = ctx.opts.get('nodegroups')
    const member: Value[] = []
    for (const [name, target] of groups instanceof Map ? (groups as Dict) : []) {
      if (await ctx.isMember(target)) member.push(name)
    }
    return new Map([[truthy(pillar_name) ? pillar_name : 'nodegroups', member]])
  },
})
