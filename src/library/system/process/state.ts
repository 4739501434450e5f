// State of processes that must not run.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

const IDLE = 'No matching processes running'

export default defineState({
  name: 'process',
  doc: 'Manage processes.',
  functions: {
    absent: state({
      doc: 'Ensure that no process matches.',
      args: {
        name: arg.text('Part of the command line'),
        user: arg.text('User of the process', { optional: true }),
        signal: arg.count('Signal number', { optional: true }),
      },
      run: async (ctx, { name, user, signal }) => {
        const ret = reportOn(name)
        if (ctx.test) {
          const running = await ctx.call('ps.pgrep', [name], { user, full: true })
          return ret(null, running ? `${running.length} processes will be killed` : IDLE)
        }
        const options = signal ? { user, signal, full: true } : { user, full: true }
        const status = await ctx.call('ps.pkill', [name], options)
        if (!status) return ret(true, IDLE)
        return ret(true, `Killed ${(status.get('killed') as Value[]).length} processes`, status)
      },
    }),
  },
})
