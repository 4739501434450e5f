// Failures on purpose, to see what becomes of them.
import { PyError, type PyErrorType } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'error',
  doc: 'Failures on purpose.',
  functions: {
    error: masterFn({
      doc: 'Raises the exception of that name; without a name, nothing happens.',
      args: {
        name: arg.text('The class of the exception', { optional: true }),
        message: arg.text('What it says', { default: '' }),
      },
      examples: ['salt-run error.error name=ValueError message="This is an error."'],
      run: (_ctx, { name, message }) => {
        if (name !== null) throw new PyError(name.split('.').at(-1) as PyErrorType, message)
        return {}
      },
    }),
  },
})
