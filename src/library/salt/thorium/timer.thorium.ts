// Time that must pass before what requires it may happen.
import { type Dict, float, numberOf } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'

export default defineState({
  name: 'timer',
  doc: 'Lets time pass before what requires it.',
  functions: {
    hold: state({
      doc: 'Fails until so many seconds have passed since it was first tried, succeeds once, and begins anew.',
      args: { name: arg.string('The name of the timer'), seconds: arg.number('How long') },
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
