// Creates and deletes tokens for users of external authentication.
import { dictFrom, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'auth',
  doc: 'Create and delete tokens for users of external authentication.',
  functions: {
    mk_token: masterFn({
      doc: 'Create a token for credentials. Return an empty text if they are wrong.',
      args: { load: arg.open('`username`, `password`, `eauth` and other credentials; `token_expire` in seconds') },
      examples: ['salt-run auth.mk_token username=saltdev password=saltdev eauth=auto'],
      run: (ctx, { load }) => ctx.ask(new Map<Value, Value>([['cmd', 'mk_token'], ...load])),
    }),
    del_token: masterFn({
      doc: 'Delete a token.',
      args: { token: arg.text('Token') },
      examples: ['salt-run auth.del_token 6556760736e4077daa601baec2b67c24'],
      run: async (ctx, { token }) => {
        const answer = await ctx.ask(dictFrom({ cmd: 'revoke_token', token }))
        return isDict(answer) ? false : answer
      },
    }),
  },
})
