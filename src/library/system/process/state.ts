// Processes that must not run.
import { truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

const IDLE = 'No matching processes running'

export default defineState({
  name: 'process',
  doc: 'End processes.',
  functions: {
    absent: state({
      doc: 'No process matches.',
      args: {
        name: arg.text('A part of the command line'),
        user: arg.any('Whose process it must be', { optional: true }),
        signal: arg.any('The number of the signal', { optional: true }),
      },
      run: async (ctx, { name, user, signal }) => {
        const ret = reportOn(name)
        if (ctx.test) {
          const running = await ctx.call('ps.pgrep', [name], { user })
          return ret(null, running ? `${running.length} processes will be killed` : IDLE)
        }
        const options = truthy(signal) ? { user, signal, full: true } : { user, full: true }
        const status = await ctx.call('ps.pkill', [name], options)
        if (!status) return ret(true, IDLE)
        return ret(true, `Killed ${(status.get('killed') as Value[]).length} processes`, status)
      },
    }),
  },
})
