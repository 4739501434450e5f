// Failures on purpose, to see what becomes of them.
import { PyError, type PyErrorType } from '../../../data/mod.ts'
import { arg, defineWheel, masterFn } from '../../../sdk/mod.ts'

export default defineWheel({
  name: 'error',
  doc: 'Failures on purpose.',
  functions: {
    error: masterFn({
      doc: 'Raises the exception of that name; without a name, nothing happens.',
      args: {
        name: arg.text('The class of the exception', { optional: true }),
        message: arg.text('What it says', { default: '' }),
      },
      run: (_ctx, { name, message }) => {
        if (name !== null) throw new PyError(name.split('.').at(-1) as PyErrorType, message)
        return {}
      },
    }),
  },
})
