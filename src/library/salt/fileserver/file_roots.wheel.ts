// Files of the file server's roots.
import { defineWheel } from '../../../sdk/mod.ts'
import { rootFunctions } from './roots/functions.ts'

export default defineWheel({
  name: 'file_roots',
  doc: "Reads and writes files of the file server's roots.",
  functions: rootFunctions('file_roots'),
})
