// Functions of Lambda by Salt's names.
import { defineModule } from '../../../sdk/mod.ts'
import { ALIASES } from './alias-functions.ts'
import { FUNCTIONS } from './function-functions.ts'
import { MAPPINGS } from './mapping-functions.ts'
import { PERMISSIONS } from './permission-functions.ts'

export default defineModule({
  name: 'boto_lambda',
  doc: 'Manage functions of Lambda, with their permissions, aliases and event source mappings.',
  functions: { ...FUNCTIONS, ...PERMISSIONS, ...ALIASES, ...MAPPINGS },
})
