// Raises exceptions for tests.
import { defineWheel } from '../../../sdk/mod.ts'
import { raising } from './raising.ts'

export default defineWheel({ name: 'error', doc: 'Raise exceptions for tests.', functions: { error: raising() } })
