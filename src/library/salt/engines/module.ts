// Lists the engines of the minion.
import { defineModule, engineStates, reads } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'engine',
  doc: 'List the engines of the minion.',
  functions: {
    list: reads({
      doc: 'Return the state of each configured engine: whether it runs, since when, its number of starts, and its last failure.',
      run: (ctx) => engineStates(ctx.host, ctx.opts),
    }),
  },
})
