// `saltclass`: the pillars of the classes of a node.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { readNode } from './classes.ts'

export default defineExtPillar({
  name: 'saltclass',
  doc: 'The pillars of the classes that the file of a node lists. `__saltclass__` has its states, classes and environment.',
  args: {
    args: arg.rest('Dicts with `path`, the folder with the folders `nodes` and `classes`'),
    path: arg.text('Folder with the folders `nodes` and `classes`', { default: '/srv/saltclass' }),
  },
  run: async (ctx, { args, path }, pillar) => {
    const given = args.filter(isDict).map((each) => each.get('path') ?? null)
    const { minionId } = ctx
    const node = await readNode({ ctx, minionId, path: str(given.findLast((each) => each !== null) ?? path), pillar })
    const about: Dict = new Map<Value, Value>([
      ['states', node.states],
      ['classes', node.classes],
      ['environment', node.environment],
      ['nodename', minionId],
    ])
    return new Map<Value, Value>([['__saltclass__', about], ...node.pillars])
  },
})
