// Archives that are unpacked to a directory.
import { defineState, state } from '../../../sdk/mod.ts'
import { extracted } from './state/extracted.ts'
import { extractedArgs } from './state/request.ts'

export default defineState({
  name: 'archive',
  doc: 'Unpack archives.',
  functions: {
    extracted: state({
      doc: 'Ensure that an archive is unpacked to a directory.',
      args: extractedArgs,
      run: extracted,
    }),
  },
})
