// Calls wheel functions in reaction to events.
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { beginCall } from './reach.ts'

export default defineState({
  name: 'wheel',
  doc: 'Call wheel functions.',
  functions: {
    cmd: state({
      doc: 'Start a wheel function without waiting for it.',
      args: {
        name: arg.string('Function, unless `fun` is given'),
        fun: arg.text('Function', { optional: true }),
        arg: arg.any('Arguments of the function: a list, or one value', { default: [] }),
        kwargs: arg.open('Keyword arguments of the function'),
      },
      run: (ctx, { name, fun, arg: given, kwargs }) => {
        beginCall(ctx, 'wheel', { fun: fun ?? name, arg: given, kwargs })
        return reportOn(name)(true, '')
      },
    }),
  },
})
