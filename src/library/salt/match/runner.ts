// Matches minions by the data that the master has cached.
import { arg, defineRunner, masterFn, option } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'match',
  doc: 'Match minions on the master.',
  functions: {
    compound_matches: masterFn({
      doc: 'Return the minion id if a compound target matches it, or False. Pillar values are compared exactly.',
      args: { expr: arg.text('Compound target'), minion_id: arg.text('Minion id') },
      examples: ["salt-run match.compound_matches 'I@foo:bar and G@os:Deb* and not db*' myminion"],
      run: (ctx, { expr, minion_id }) => {
        if (!option(ctx.opts, 'minion_data_cache')) {
          ctx.log('warning', 'Minion data cache is disabled. Cannot evaluate compound matcher expression.')
          return { res: false }
        }
        const exact = expr.replaceAll(/(^|[\s(])J@/g, '$1I@')
        return { res: ctx.targets(exact, 'compound').minions.includes(minion_id) ? minion_id : false }
      },
    }),
  },
})
