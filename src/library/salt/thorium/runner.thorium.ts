// Runner functions as what is done about events.
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { beginCall } from './reach.ts'

export default defineState({
  name: 'runner',
  doc: 'Calls runner functions.',
  functions: {
    cmd: state({
      doc: 'Begins a runner function. Keywords that are not its own go to that function.',
      args: {
        name: arg.string('The function, unless `func` says another'),
        func: arg.any('The function', { optional: true }),
        arg: arg.any('Its arguments', { default: [] }),
        kwargs: arg.open('Its keywords'),
      },
      run: (ctx, { name, func, arg: given, kwargs }) => {
        beginCall(ctx, 'runner', { fun: typeof func === 'string' ? func : name, arg: given, kwargs })
        return reportOn(name)(true, '')
      },
    }),
  },
})
