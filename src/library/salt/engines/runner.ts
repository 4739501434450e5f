// The engines beside the master.
import { defineRunner, engineStates, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'engine',
  doc: 'The engines beside the master.',
  functions: {
    list: masterFn({
      doc: 'What each configured engine does: whether it is running, since when, how often it was started, and why it last failed.',
      args: {},
      examples: ['salt-run engine.list'],
      run: (ctx) => engineStates(ctx.host, ctx.opts),
    }),
  },
})
