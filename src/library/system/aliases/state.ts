// Mail aliases.
import { truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function present(ctx: StateContext, name: string, target: string): Promise<StateReturn> {
  const ret = reportOn(name)
  if (truthy(await ctx.call('aliases.has_target', [name, target]))) return ret(true, `Alias ${name} already present`)
  const arrow = `${name} -> ${target}`
  if (ctx.test) return ret(null, `Alias ${arrow} is set to be added`)
  if (!truthy(await ctx.call('aliases.set_target', [name, target]))) return ret(false, `Failed to set alias ${arrow}`)
  return ret(true, `Set email alias ${arrow}`, { alias: name })
}

async function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  const ret = reportOn(name)
  if (!truthy(await ctx.call('aliases.get_target', [name]))) return ret(true, `Alias ${name} already absent`)
  if (ctx.test) return ret(null, `Alias ${name} is set to be removed`)
  if (!truthy(await ctx.call('aliases.rm_alias', [name]))) return ret(false, `Failed to remove alias ${name}`)
  return ret(true, `Removed alias ${name}`, { alias: name })
}

const name = arg.string('The alias')

export default defineState({
  name: 'alias',
  doc: 'Keep mail aliases.',
  functions: {
    present: state({
      doc: 'An alias goes to a target.',
      args: { name, target: arg.text('Where its mail goes; a list for several') },
      run: (ctx, { name, target }) => present(ctx, name, target),
    }),
    absent: state({ doc: 'There is no such alias.', args: { name }, run: (ctx, { name }) => absent(ctx, name) }),
  },
})
