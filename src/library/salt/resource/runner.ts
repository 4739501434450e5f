// The cached grains of resources, which minions manage, by `type:id`.
import { type Dict, dictFrom, isDict, str } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const bankOf = (ctx: MasterContext) => ctx.cache.bank('resource_grains')

function summary(ctx: MasterContext): Dict {
  const bank = bankOf(ctx)
  const found: Dict = new Map()
  for (const name of bank.list()) {
    const grains = bank.fetch(name)
    if (grains === undefined || !isDict(grains)) continue
    const keys = [...grains.keys()].map(str).sort()
    found.set(name, dictFrom({ grain_keys: keys, grain_count: grains.size }))
  }
  return found
}

export default defineRunner({
  name: 'resource',
  doc: 'Show the resources that minions manage.',
  functions: {
    show_grains: masterFn({
      doc: 'Return the cached grains of a resource.',
      args: { type: arg.text('Type of the resource'), id: arg.text('Id of the resource') },
      examples: ['salt-run resource.show_grains type=dummy id=dummy-01'],
      run: (ctx, { type, id }) =>
        // Salt returns an empty dict for a resource that is not cached
        type && id ? (bankOf(ctx).fetch(`${type}:${id}`) ?? new Map()) : null,
    }),
    list_grains: masterFn({
      doc: 'Return all resources with cached grains, and the names of the grains.',
      examples: ['salt-run resource.list_grains'],
      run: (ctx) => summary(ctx),
    }),
    refresh: masterFn({
      doc: 'Ask a minion to send its resources again.',
      args: { minion: arg.text('Minion id') },
      examples: ['salt-run resource.refresh minion=web1'],
      run: async (ctx, { minion }) => {
        if (!minion) return false
        await ctx.fire(`minion/${minion}/resource_refresh`, new Map([['minion', minion]]))
        return true
      },
    }),
  },
})
