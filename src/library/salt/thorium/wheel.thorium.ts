// Wheel functions as what is done about events.
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'
import { beginCall } from './reach.ts'

export default defineState({
  name: 'wheel',
  doc: 'Calls wheel functions.',
  functions: {
    cmd: state({
      doc: 'Begins a wheel function. Keywords that are not its own go to that function.',
      args: {
        name: arg.string('The function, unless `fun` says another'),
        fun: arg.any('The function', { optional: true }),
        arg: arg.any('Its arguments', { default: [] }),
        kwargs: arg.open('Its keywords'),
      },
      run: (ctx, { name, fun, arg: given, kwargs }) => {
        beginCall(ctx, 'wheel', { fun: typeof fun === 'string' ? fun : name, arg: given, kwargs })
        return reportOn(name)(true, '')
      },
    }),
  },
})
