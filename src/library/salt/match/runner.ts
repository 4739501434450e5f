// Which minions a target means, judged from what the master knows.
import { arg, defineRunner, masterFn, option } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'match',
  doc: 'Matching minions on the master.',
  functions: {
    compound_matches: masterFn({
      doc: 'Whether a compound target means a minion: its id, or False. Pillar values are compared to the letter.',
      args: { expr: arg.text('The target'), minion_id: arg.text('The id of the minion') },
      examples: ["salt-run match.compound_matches 'I@foo:bar and G@os:Deb* and not db*' myminion"],
      run: (ctx, { expr, minion_id }) => {
        const id = minion_id
        if (!option(ctx.opts, 'minion_data_cache')) {
          ctx.log('warning', 'Minion data cache is disabled. Cannot evaluate compound matcher expression.')
          return { res: false }
        }
        const exact = expr.replaceAll(/(^|[\s(])J@/g, '$1I@')
        return { res: ctx.targets(exact, 'compound').minions.includes(id) ? id : false }
      },
    }),
  },
})
