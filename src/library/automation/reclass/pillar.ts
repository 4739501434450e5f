// `reclass`: the parameters of a node.
import { defineExtPillar } from '../../../sdk/mod.ts'
import { askReclass, RECLASS_ARGS } from './adapter.ts'

export default defineExtPillar({
  name: 'reclass',
  doc: 'The parameters that reclass has for a node. The Python library `reclass` must be installed.',
  args: RECLASS_ARGS,
  run: (ctx, { options }) => askReclass(ctx, { what: 'ext_pillar', minionId: ctx.minionId, options }),
})
