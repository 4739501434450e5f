// Databases of RDS by Salt's names.
import { defineModule } from '../../../sdk/mod.ts'
import { GROUPS } from './group-functions.ts'
import { INSTANCE_CHANGES } from './instance-changes.ts'
import { INSTANCES } from './instance-functions.ts'
import { PARAMETERS } from './parameter-functions.ts'

export default defineModule({
  name: 'boto_rds',
  doc: 'Manage databases of RDS, with their subnet groups, parameter groups and option groups.',
  functions: { ...INSTANCES, ...INSTANCE_CHANGES, ...GROUPS, ...PARAMETERS },
})
