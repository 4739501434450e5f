// Raises exceptions for tests, of runners and of the wheel.
import { PyError, type PyErrorType } from '../../../data/mod.ts'
import { arg, type MasterFunction, masterFn } from '../../../sdk/mod.ts'

export const raising = (...examples: string[]): MasterFunction =>
  masterFn({
    doc: 'Raise an exception. Without a name, do nothing.',
    args: {
      name: arg.text('Class of the exception', { optional: true }),
      message: arg.text('Text of the exception', { default: '' }),
    },
    examples,
    run: (_ctx, { name, message }) => {
      if (name !== null) throw new PyError(name.split('.').at(-1) as PyErrorType, message)
      return {}
    },
  })
