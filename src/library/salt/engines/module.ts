// The engines beside the minion.
import { defineModule, engineStates, fn } from '../../../sdk/mod.ts'

export default defineModule({
  name: 'engine',
  doc: 'The engines beside the minion.',
  functions: {
    list: fn({
      doc: 'What each configured engine does: whether it is running, since when, how often it was started, and why it last failed.',
      args: {},
      examples: ["salt '*' engine.list"],
      effect: 'read',
      run: (ctx) => engineStates(ctx.host, ctx.opts),
    }),
  },
})
