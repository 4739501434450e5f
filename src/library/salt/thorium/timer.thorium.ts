// Delays states that require a timer.
import { type Dict, float, numberOf } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'

export default defineState({
  name: 'timer',
  doc: 'Delay states that require a timer.',
  functions: {
    hold: state({
      doc: 'Fail until some seconds have passed since the first call, succeed once, and start again.',
      args: { name: arg.string('Name of the timer'), seconds: arg.number('Seconds') },
      run: (ctx, { name, seconds }) => {
        const { kept } = thoriumOf(ctx)
        const timers = (kept.get('timer') ?? new Map()) as Dict
        kept.set('timer', timers)
        const now = ctx.host.now()
        const begun = numberOf(timers.get(name) ?? now) ?? now
        const isOver = now - begun > (numberOf(seconds) ?? 0)
        if (isOver || !timers.has(name)) timers.set(name, float(now))
        return reportOn(name)(isOver, '')
      },
    }),
  },
})
