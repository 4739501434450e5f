// Holding packages of apt, under the name that earlier versions of Salt had for it; `pkg.held` is its successor.
import { type Dict, truthy } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function held(ctx: StateContext, name: string): Promise<StateReturn> {
  const done = (result: boolean | null, comment: string, changes: Dict = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment: `Package ${name} ${comment}`,
  })
  const selections = await ctx.call('pkg.get_selections', [], { pattern: name })
  if (selections.size === 0) return done(false, 'does not have a state')
  if (truthy(selections.get('hold') ?? null)) return done(true, 'is already held')
  if (ctx.test) return done(null, 'is set to be held')
  const changes = await ctx.call('pkg.set_selections', [], { selection: new Map([['hold', [name]]]) })
  return done(true, 'is now being held', (changes.get(name) ?? new Map()) as Dict)
}

export default defineState({
  name: 'aptpkg',
  virtual: 'apt',
  doc: 'Keep packages of apt at their versions.',
  when: ({ grains }) => grains.get('os_family') === 'Debian' || 'apt module could not be loaded',
  functions: {
    held: state({
      doc: 'A package is kept at its version.',
      args: { name: arg.string('The package') },
      run: (ctx, { name }) => held(ctx, name),
    }),
  },
})
