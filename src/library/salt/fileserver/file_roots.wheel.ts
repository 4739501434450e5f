// Wheel functions for files in the file roots.
import { defineWheel } from '../../../sdk/mod.ts'
import { rootFunctions } from './roots/functions.ts'

export default defineWheel({
  name: 'file_roots',
  doc: 'Read and write files in the file roots.',
  functions: rootFunctions('file_roots'),
})
