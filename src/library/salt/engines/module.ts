// The engines beside the minion.
import { defineModule, engineStates, reads } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'engine',
  doc: 'The engines beside the minion.',
  functions: {
    list: reads({
      doc: 'What each configured engine does: whether it is running, since when, how often it was started, and why it last failed.',
      args: {},
      example: 'engine.list',
      run: (ctx) => engineStates(ctx.host, ctx.opts),
    }),
  },
})
