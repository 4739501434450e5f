// States of mail aliases.
import { truthy } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

function present(ctx: StateContext, name: string, target: string): Promise<StateReturn> {
  const arrow = `${name} -> ${target}`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = truthy(await ctx.call('aliases.has_target', [name, target]))
      return exists ? settled(`Alias ${name} already present`) : 'different'
    },
    foresee: () => `Alias ${arrow} is set to be added`,
    act: async () => {
      if (!truthy(await ctx.call('aliases.set_target', [name, target]))) return failed(`Failed to set alias ${arrow}`)
      return changed(`Set email alias ${arrow}`, { alias: name })
    },
  })
}

function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = truthy(await ctx.call('aliases.get_target', [name]))
      return exists ? 'present' : settled(`Alias ${name} already absent`)
    },
    foresee: () => `Alias ${name} is set to be removed`,
    act: async () => {
      if (!truthy(await ctx.call('aliases.rm_alias', [name]))) return failed(`Failed to remove alias ${name}`)
      return changed(`Removed alias ${name}`, { alias: name })
    },
  })
}

const name = arg.string('Alias')

export default defineState({
  name: 'alias',
  doc: 'Manage mail aliases.',
  functions: {
    present: state({
      doc: 'Ensure that an alias has a target.',
      args: { name, target: arg.text('Target address, or a list of addresses') },
      run: (ctx, { name, target }) => present(ctx, name, target),
    }),
    absent: state({
      doc: 'Ensure that an alias is absent.',
      args: { name },
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
})
