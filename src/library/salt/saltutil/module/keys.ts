// The keys of this minion: given back to the master, or made anew.
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
    doc: 'Remove the keys of this minion; new ones are made at its next start.',
    args: {},
    returns: ret.any('Nothing'),
    example: 'saltutil.regen_keys',
    run: (ctx) => removeKeys(ctx),
  }),
  revoke_auth: changes({
    doc: 'Ask the master to forget the key of this minion, which it then no longer listens to.',
    args: { preserve_minion_cache: arg.flag("Keep the master's data of this minion", { default: false }) },
    returns: ret.boolean('Whether the master was asked'),
    example: 'saltutil.revoke_auth',
    run: async (ctx, { preserve_minion_cache: keep }) => {
      if (!ctx.daemon) return false
      const load = { cmd: 'revoke_auth', id: option(ctx.opts, 'id'), preserve_minion_cache: keep }
      await ctx.daemon.askMaster(new Map(Object.entries(load)))
      return true
    },
  }),
  mmodule: changes({
    doc: 'Call a function of this minion, as pillar files of an environment would.',
    args: {
      saltenv: arg.any('The environment'),
      fun: arg.string('The function'),
      args: arg.rest('Its arguments'),
      kwargs: arg.open('By keyword'),
    },
    example: 'saltutil.mmodule base test.ping',
    run: async (ctx, { fun, args, kwargs }) =>
      ctx.call(fun, args, new Map([...kwargs].filter(([name]) => !name.startsWith('__')))),
  }),
}
