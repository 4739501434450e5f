// What the master knows about what minions look after: grains by `type:id`.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const bankOf = (ctx: MasterContext) => ctx.cache.bank('resource_grains')

function summary(ctx: MasterContext): Dict {
  const bank = bankOf(ctx)
  const found: Dict = new Map()
  for (const name of bank.list()) {
    const grains = bank.fetch(name)
    if (grains === undefined || !isDict(grains)) continue
    const keys = [...grains.keys()].map(str).sort()
    found.set(
      name,
      new Map<Value, Value>([
        ['grain_keys', keys],
        ['grain_count', grains.size],
      ]),
    )
  }
  return found
}

export default defineRunner({
  name: 'resource',
  doc: 'What the master knows about what minions look after.',
  functions: {
    show_grains: masterFn({
      doc: 'The grains of one resource, or nothing when none are known.',
      args: { type: arg.text('Its type'), id: arg.text('Its id') },
      examples: ['salt-run resource.show_grains type=dummy id=dummy-01'],
      run: (ctx, { type, id }) =>
        // Salt's empty dict for what its cache does not have
        type && id ? (bankOf(ctx).fetch(`${type}:${id}`) ?? new Map()) : null,
    }),
    list_grains: masterFn({
      doc: 'All resources whose grains are known, with the names of these.',
      args: {},
      examples: ['salt-run resource.list_grains'],
      run: (ctx) => summary(ctx),
    }),
    refresh: masterFn({
      doc: 'Ask a minion to tell its resources again.',
      args: { minion: arg.any('Its id') },
      examples: ['salt-run resource.refresh minion=web1'],
      run: async (ctx, { minion }) => {
        if (!truthy(minion)) return false
        await ctx.fire(`minion/${str(minion)}/resource_refresh`, new Map([['minion', minion]]))
        return true
      },
    }),
  },
})
