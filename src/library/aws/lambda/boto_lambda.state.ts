// Functions of Lambda as states, with their aliases and event source mappings.
import { defineState } from '../../../sdk/mod.ts'
import { alias_absent, alias_present } from './alias-state.ts'
import { function_absent, function_present } from './function-state.ts'
import { event_source_mapping_absent, event_source_mapping_present } from './mapping-state.ts'

export default defineState({
  name: 'boto_lambda',
  doc: 'Manage functions of Lambda, with their permissions, aliases and event source mappings.',
  functions: {
    function_present,
    function_absent,
    alias_present,
    alias_absent,
    event_source_mapping_present,
    event_source_mapping_absent,
  },
})
