// Wheel functions for files in the pillar roots.
import { defineWheel } from '../../../sdk/mod.ts'
import { rootFunctions } from './roots/functions.ts'

export default defineWheel({
  name: 'pillar_roots',
  doc: 'Read and write files in the pillar roots.',
  functions: rootFunctions('pillar_roots'),
})
