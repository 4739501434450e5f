// Pillar as the master makes it for minions.
import { type Dict, isDict, SaltError, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, shownOrigin } from '../../../sdk/mod.ts'

/** The grains that the master has seen of a minion. */
function grainsOf(ctx: MasterContext, id: string): Dict | undefined {
  const grains = ctx.cache.bank('grains').fetch(id)
  return grains !== undefined && isDict(grains) ? new Map(grains) : undefined
}

function isKept({ opts, log }: MasterContext): boolean {
  if (option(opts, 'pillar_cache') || option(opts, 'minion_data_cache')) return true
  log('info', 'The pillar_cache is set to False or not enabled.')
  return false
}

async function showTop(ctx: MasterContext, minion: Value, saltenv: Value): Promise<Value> {
  const id = textOf(minion) ?? ctx.cache.bank('grains').list()[0] ?? ''
  const { top, errors } = await ctx.pillarTop(id, grainsOf(ctx, id) ?? new Map(), saltenv)
  if (errors.length === 0) return top
  await ctx.progress(
    new Map<Value, Value>([
      ['data', errors],
      ['outputter', 'nested'],
    ]),
  )
  return errors
}

const minions = arg.any('Which minions', { default: '*' })
const further = arg.open('`saltenv`, `pillarenv`, and grains in place of those of the minion')

export default defineRunner({
  name: 'pillar',
  doc: 'Pillar as the master makes it.',
  functions: {
    show_top: masterFn({
      doc: 'The top data of pillar, as it is for a minion.',
      args: {
        minion: arg.any('The minion', { optional: true }),
        saltenv: arg.any('The environment', { default: 'base' }),
      },
      examples: ['salt-run pillar.show_top'],
      run: (ctx, { minion, saltenv }) => showTop(ctx, minion, saltenv),
    }),
    show_pillar: masterFn({
      doc: 'The pillar of a minion, made anew; grains can be given to see what would become of it.',
      args: { minion: arg.any('The minion', { default: '*' }), kwargs: further },
      examples: ['salt-run pillar.show_pillar www.example.com', 'salt-run pillar.show_pillar os=Debian'],
      run: async (ctx, { minion, kwargs }) => {
        const id = str(minion)
        const grains = grainsOf(ctx, id) ?? new Map<Value, Value>([['fqdn', minion]])
        const { saltenv = 'base', pillarenv = null, ...others } = Object.fromEntries(kwargs)
        for (const [name, value] of Object.entries(others)) grains.set(name, value)
        return ctx.pillarOf(id, grains, { saltenv, pillarenv })
      },
    }),
    explain: masterFn({
      doc: 'Where a value in the pillar of a minion comes from: every file and line, or other source, that gives it, in the order they are merged. Of values that do not merge the last one counts.',
      args: {
        minion: arg.string('The minion'),
        key: arg.string('The path to the value'),
        delimiter: arg.string('What separates the keys of the path', { default: ':' }),
        saltenv: arg.any('The environment', { default: 'base' }),
        pillarenv: arg.any('The environment of the pillar', { optional: true }),
      },
      examples: ['salt-run pillar.explain www.example.com web:port'],
      run: async (ctx, { minion, key, delimiter, saltenv, pillarenv }) => {
        const grains = grainsOf(ctx, minion)
        if (!grains) throw new SaltError('CommandExecutionError', `The master knows no grains of a minion '${minion}'`)
        const origins = await ctx.pillarOrigins(minion, grains, key.split(delimiter), { saltenv, pillarenv })
        return origins.map((origin) => shownOrigin(origin, origin.value))
      },
    }),
    clear_pillar_cache: masterFn({
      doc: 'Forgets the pillar that minions got last, so that it is made anew.',
      args: { minion: minions, kwargs: further },
      examples: ["salt-run pillar.clear_pillar_cache 'minion'"],
      run: (ctx, { minion }) => {
        if (!isKept(ctx)) return false
        for (const id of ctx.targets(minion, 'glob').minions) {
          ctx.cache.bank('pillar').flush(id)
          ctx.cache.bank('pillar_cache').flush(id)
        }
        return true
      },
    }),
    show_pillar_cache: masterFn({
      doc: 'The pillar that minions got last.',
      args: { minion: minions, kwargs: further },
      examples: ['salt-run pillar.show_pillar_cache'],
      run: (ctx, { minion }) => {
        if (!isKept(ctx)) return false
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
