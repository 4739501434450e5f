// States of locales.
import { isFailure, truthy } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

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
    if (!isFailure(error)) throw error
    return ret(false, `Failed to set system locale: ${error.message}`)
  }
}

function present(ctx: StateContext, name: string): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () =>
      truthy(await ctx.call('locale.avail', [name])) ? settled(`Locale ${name} is already present`) : 'missing',
    foresee: () => `Locale ${name} needs to be generated`,
    act: async () => {
      if (!truthy(await ctx.call('locale.gen_locale', [name]))) return failed(`Failed to generate locale ${name}`)
      return changed(`Generated locale ${name}`, { locale: name })
    },
  })
}

const name = arg.string('Locale, such as en_US.UTF-8')

export default defineState({
  name: 'locale',
  doc: 'Manage locales.',
  functions: {
    system: state({ doc: 'Ensure the system locale.', args: { name }, run: (ctx, { name }) => system(ctx, name) }),
    present: state({
      doc: 'Ensure that a locale is available.',
      args: { name },
      run: (ctx, { name }) => present(ctx, name),
    }),
  },
})
