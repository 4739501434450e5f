// Lists the engines of the master.
import { defineRunner, engineStates, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'engine',
  doc: 'List the engines of the master.',
  functions: {
    list: masterFn({
      doc: 'Return the state of each configured engine: whether it runs, since when, its number of starts, and its last failure.',
      examples: ['salt-run engine.list'],
      run: (ctx) => engineStates(ctx.host, ctx.opts),
    }),
  },
})
