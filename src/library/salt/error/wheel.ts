// Failures on purpose, to see what becomes of them.
import { PyError, type PyErrorType, str } from '../../../data/mod.ts'
import { arg, defineWheel, masterFn } from '../../../sdk/mod.ts'

export default defineWheel({
  name: 'error',
  doc: 'Failures on purpose.',
  functions: {
    error: masterFn({
      doc: 'Raises the exception of that name; without a name, nothing happens.',
      args: {
        name: arg.any('The class of the exception', { optional: true }),
        message: arg.any('What it says', { default: '' }),
      },
      run: (_ctx, { name, message }) => {
        if (name !== null) throw new PyError(str(name).split('.').at(-1) as PyErrorType, str(message))
        return {}
      },
    }),
  },
})
