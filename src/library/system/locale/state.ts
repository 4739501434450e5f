// Locales: which exist, and which one is the system's.
import { SaltError, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function system(ctx: StateContext, name: string): Promise<StateReturn> {
  const ret = reportOn(name)
  try {
    if ((await ctx.call('locale.get_locale')) === name) return ret(true, `System locale ${name} already set`)
    if (ctx.test) return ret(null, `System locale ${name} needs to be set`)
    if (!truthy(await ctx.call('locale.set_locale', [name]))) {
      return ret(false, `Failed to set system locale to ${name}`)
    }
    return ret(true, `Set system locale ${name}`, { locale: name })
  } catch (error) {
    if (!(error instanceof SaltError && error.code === 'CommandExecutionError')) throw error
    return ret(false, `Failed to set system locale: ${error.message}`)
  }
}

async function present(ctx: StateContext, name: string): Promise<StateReturn> {
  const ret = reportOn(name)
  if (truthy(await ctx.call('locale.avail', [name]))) return ret(true, `Locale ${name} is already present`)
  if (ctx.test) return ret(null, `Locale ${name} needs to be generated`)
  if (!truthy(await ctx.call('locale.gen_locale', [name]))) return ret(false, `Failed to generate locale ${name}`)
  return ret(true, `Generated locale ${name}`, { locale: name })
}

const name = arg.string('The locale')

export default defineState({
  name: 'locale',
  doc: 'Keep locales.',
  functions: {
    system: state({ doc: 'The system has a locale.', args: { name }, run: (ctx, { name }) => system(ctx, name) }),
    present: state({ doc: 'There is a locale.', args: { name }, run: (ctx, { name }) => present(ctx, name) }),
  },
})
