// `saltclass`: the states of the classes of a node.
import { arg, defineTops } from '../../../sdk/mod.ts'
import { readNode } from './classes.ts'

export default defineTops({
  name: 'saltclass',
  doc: 'The states of the classes that the file of a node lists.',
  args: { path: arg.text('Folder with the folders `nodes` and `classes`', { default: '/srv/saltclass' }) },
  run: async (ctx, { path }) => {
    const { environment, states } = await readNode({ ctx, minionId: ctx.minionId, path, pillar: new Map() })
    return new Map([[environment, states]])
  },
})
