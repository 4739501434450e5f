// `reclass`: the applications of a node.
import { defineTops } from '../../../sdk/mod.ts'
import { askReclass, RECLASS_ARGS } from './adapter.ts'

export default defineTops({
  name: 'reclass',
  doc: 'The applications that reclass has for a node, as SLS names. The Python library `reclass` must be installed.',
  args: RECLASS_ARGS,
  run: (ctx, { options }) => askReclass(ctx, { what: 'top', minionId: ctx.minionId, options }),
})
