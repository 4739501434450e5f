// Holds of apt packages under the name of earlier Salt versions; `pkg.held` is the successor.
import { truthy } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, settled, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'aptpkg',
  virtual: 'apt',
  doc: 'Hold packages of apt at their versions.',
  when: ({ grains }) => grains.get('os_family') === 'Debian' || 'apt module could not be loaded',
  functions: {
    held: state({
      doc: 'Ensure that a package is held at its version.',
      args: { name: arg.string('Package name') },
      run: (ctx, { name }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const selections = await ctx.call('pkg.get_selections', [], { pattern: name })
            if (selections.size === 0) return failed(`Package ${name} does not have a state`)
            return truthy(selections.get('hold') ?? null) ? settled(`Package ${name} is already held`) : null
          },
          foresee: () => `Package ${name} is set to be held`,
          act: async () => {
            const changes = await ctx.call('pkg.set_selections', [], { selection: new Map([['hold', [name]]]) })
            return changed(`Package ${name} is now being held`, changes.get(name) ?? {})
          },
        }),
    }),
  },
})
