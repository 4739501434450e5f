// Calls runner functions in reaction to events.
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { beginCall } from './reach.ts'

export default defineState({
  name: 'runner',
  doc: 'Call runner functions.',
  functions: {
    cmd: state({
      doc: 'Start a runner function without waiting for it.',
      args: {
        name: arg.string('Function, unless `func` is given'),
        func: arg.text('Function', { optional: true }),
        arg: arg.any('Arguments of the function: a list, or one value', { default: [] }),
        kwargs: arg.open('Keyword arguments of the function'),
      },
      run: (ctx, { name, func, arg: given, kwargs }) => {
        beginCall(ctx, 'runner', { fun: func ?? name, arg: given, kwargs })
        return reportOn(name)(true, '')
      },
    }),
  },
})
