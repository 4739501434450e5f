// `cobbler`: the management classes of the system, for the environment that its status names.
import { isList } from '../../../data/mod.ts'
import { defineTops } from '../../../sdk/mod.ts'
import { systemData } from './system.ts'

export default defineTops({
  name: 'cobbler',
  doc: 'The `mgmt_classes` that Cobbler has for the system with the id of the minion; its `status` is the environment.',
  args: {},
  run: async (ctx) => {
    const data = await systemData(ctx, ctx.minionId)
    const classes = data.get('mgmt_classes') ?? []
    return new Map([[data.get('status') ?? 'base', isList(classes) ? [...classes] : []]])
  },
})
