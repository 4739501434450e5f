// Raises exceptions for tests.
import { PyError, type PyErrorType } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'error',
  doc: 'Raise exceptions for tests.',
  functions: {
    error: masterFn({
      doc: 'Raise an exception. Without a name, do nothing.',
      args: {
        name: arg.text('Class of the exception', { optional: true }),
        message: arg.text('Text of the exception', { default: '' }),
      },
      examples: ['salt-run error.error name=ValueError message="This is an error."'],
      run: (_ctx, { name, message }) => {
        if (name !== null) throw new PyError(name.split('.').at(-1) as PyErrorType, message)
        return {}
      },
    }),
  },
})
