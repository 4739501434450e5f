// Whether a port of another machine can be reached. Nothing is changed.
import { str } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'firewall',
  doc: 'Check that other machines can be reached.',
  functions: {
    check: state({
      doc: 'Ensure that a connection to a port succeeds.',
      args: {
        name: arg.text('Host name or address'),
        port: arg.any('Port, as number or text; required', { optional: true }),
        kwargs: arg.open('`proto`, `family` and `timeout` of `network.connect`'),
      },
      run: async (ctx, { name, port, kwargs }) => {
        const ret = reportOn(name)
        if (ctx.test) return ret(true, 'The connection will be tested')
        const keywords = new Map([...kwargs, ['test', false]])
        const answer = await ctx.call('network.connect', [name, port], keywords)
        return ret(answer.get('result') as boolean | null, str(answer.get('comment') ?? ''))
      },
    }),
  },
})
