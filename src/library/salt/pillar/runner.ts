// Pillar as the master compiles it for minions.
import { type Dict, dictFrom, failure, isDict, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, shownOrigin } from '../../../sdk/mod.ts'

/** Return the cached grains of a minion. */
function grainsOf(ctx: MasterContext, id: string): Dict | undefined {
  const grains = ctx.cache.bank('grains').fetch(id)
  return grains !== undefined && isDict(grains) ? new Map(grains) : undefined
}

function isCached({ opts, log }: MasterContext): boolean {
  if (option(opts, 'pillar_cache') || option(opts, 'minion_data_cache')) return true
  log('info', 'The pillar_cache is set to False or not enabled.')
  return false
}

async function showTop(ctx: MasterContext, minion: string | null, saltenv: string): Promise<Value> {
  const id = minion ?? ctx.cache.bank('grains').list()[0] ?? ''
  const { top, errors } = await ctx.pillarTop(id, grainsOf(ctx, id) ?? new Map(), saltenv)
  if (errors.length === 0) return top
  await ctx.progress(dictFrom({ data: errors, outputter: 'nested' }))
  return errors
}

const minions = arg.text('Target: a glob of minion ids', { default: '*' })
const saltenv = arg.text('Environment', { default: 'base' })
const further = arg.open('`saltenv`, `pillarenv`, and grains in place of those of the minion')

export default defineRunner({
  name: 'pillar',
  doc: 'Show and clear the pillar of minions.',
  functions: {
    show_top: masterFn({
      doc: 'Return the top data of the pillar for a minion.',
      args: {
        minion: arg.text('Minion id. Default: the first minion with cached grains', { optional: true }),
        saltenv,
      },
      examples: ['salt-run pillar.show_top'],
      run: (ctx, { minion, saltenv }) => showTop(ctx, minion, saltenv),
    }),
    show_pillar: masterFn({
      doc: 'Compile the pillar of a minion and return it. Given grains replace those of the minion.',
      args: { minion: arg.text('Minion id', { default: '*' }), kwargs: further },
      examples: ['salt-run pillar.show_pillar www.example.com', 'salt-run pillar.show_pillar os=Debian'],
      run: async (ctx, { minion, kwargs }) => {
        const grains = grainsOf(ctx, minion) ?? new Map<Value, Value>([['fqdn', minion]])
        const { saltenv = 'base', pillarenv = null, ...others } = Object.fromEntries(kwargs)
        for (const [name, value] of Object.entries(others)) grains.set(name, value)
        return ctx.pillarOf(minion, grains, { saltenv, pillarenv })
      },
    }),
    explain: masterFn({
      doc: 'Return the origins of a pillar value of a minion: each file and line, or other source, in the order of merging. Of values that cannot be merged, the last one wins.',
      args: {
        minion: arg.string('Minion id'),
        key: arg.string('Path of the value'),
        delimiter: arg.string('Delimiter of the path', { default: ':' }),
        saltenv,
        pillarenv: arg.text('Environment of the pillar', { optional: true }),
      },
      examples: ['salt-run pillar.explain www.example.com web:port'],
      run: async (ctx, { minion, key, delimiter, saltenv, pillarenv }) => {
        const grains = grainsOf(ctx, minion)
        if (!grains) throw failure(`The master knows no grains of a minion '${minion}'`)
        const origins = await ctx.pillarOrigins(minion, grains, key.split(delimiter), { saltenv, pillarenv })
        return origins.map((origin) => shownOrigin(origin, origin.value))
      },
    }),
    clear_pillar_cache: masterFn({
      doc: 'Remove the cached pillar of minions.',
      args: { minion: minions, kwargs: further },
      examples: ["salt-run pillar.clear_pillar_cache 'minion'"],
      run: (ctx, { minion }) => {
        if (!isCached(ctx)) return false
        for (const id of ctx.targets(minion, 'glob').minions) {
          ctx.cache.bank('pillar').flush(id)
          ctx.cache.bank('pillar_cache').flush(id)
        }
        return true
      },
    }),
    show_pillar_cache: masterFn({
      doc: 'Return the cached pillar of minions.',
      args: { minion: minions, kwargs: further },
      examples: ['salt-run pillar.show_pillar_cache'],
      run: (ctx, { minion }) => {
        if (!isCached(ctx)) return false
        const found: Dict = new Map()
        for (const id of ctx.targets(minion, 'glob').minions) {
          const pillar = ctx.cache.bank('pillar').fetch(id)
          if (pillar !== undefined && truthy(pillar)) found.set(id, pillar)
        }
        return found
      },
    }),
  },
})
