// Files of the roots of pillar.
import { defineWheel } from '../../../sdk/mod.ts'
import { rootFunctions } from './roots/functions.ts'

export default defineWheel({
  name: 'pillar_roots',
  doc: 'Reads and writes files of the roots of pillar.',
  functions: rootFunctions('pillar_roots'),
})
