// Raises exceptions for tests.
import { defineRunner } from '../../../sdk/mod.ts'
import { raising } from './raising.ts'

export default defineRunner({
  name: 'error',
  doc: 'Raise exceptions for tests.',
  functions: { error: raising('salt-run error.error name=ValueError message="This is an error."') },
})
