// Functions for the keys of this minion, and `saltutil.mmodule`.
import { arg, changes, type FunctionContext, isHostError, option, ret } from '../../../../sdk/mod.ts'

async function removeKeys(ctx: FunctionContext): Promise<null> {
  const folder = option(ctx.opts, 'pki_dir')
  for (const name of await ctx.host.list(folder)) {
    try {
      await ctx.host.remove(`${folder}/${name}`)
    } catch (error) {
      if (!isHostError(error)) throw error
    }
  }
  return null
}

export const keyFunctions = {
  regen_keys: changes({
    doc: 'Remove the keys of this minion. The minion creates new keys at its next start.',
    returns: ret.none('None'),
    example: 'saltutil.regen_keys',
    run: (ctx) => removeKeys(ctx),
  }),
  revoke_auth: changes({
    doc: 'Ask the master to delete the key of this minion. The master then refuses the minion.',
    args: {
      preserve_minion_cache: arg.flag('Keep the data that the master has cached about this minion', { default: false }),
    },
    returns: ret.boolean('False if there is no connection to a master'),
    example: 'saltutil.revoke_auth',
    run: async (ctx, { preserve_minion_cache: keep }) => {
      if (!ctx.daemon) return false
      const load = { cmd: 'revoke_auth', id: option(ctx.opts, 'id'), preserve_minion_cache: keep }
      await ctx.daemon.askMaster(new Map(Object.entries(load)))
      return true
    },
  }),
  mmodule: changes({
    doc: 'Call a function of this minion.',
    args: {
      saltenv: arg.text('Ignored'),
      fun: arg.string('Function'),
      args: arg.rest('Arguments'),
      kwargs: arg.open('Keyword arguments'),
    },
    example: 'saltutil.mmodule base test.ping',
    run: async (ctx, { fun, args, kwargs }) =>
      ctx.call(fun, args, new Map([...kwargs].filter(([name]) => !name.startsWith('__')))),
  }),
}
