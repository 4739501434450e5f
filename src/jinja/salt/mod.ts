// Salt's additions to Jinja that need no machine: filters, tests and globals by name.
import type { NativeFunction } from '../runtime/native.ts'
import { ansibleFilters } from './filters/ansible.ts'
import { dictFilters } from './filters/dicts.ts'
import { hashFilters } from './filters/hashes.ts'
import { iterationFilters } from './filters/itertools.ts'
import { saltListFilters } from './filters/lists.ts'
import { methodCallFilters } from './filters/method-call.ts'
import { networkFilters } from './filters/network.ts'
import { saltNumberFilters } from './filters/numbers.ts'
import { patternFilters } from './filters/patterns.ts'
import { queryFilters } from './filters/query.ts'
import { serializeFilters } from './filters/serialize.ts'
import { setFilters } from './filters/sets.ts'
import { saltTextFilters } from './filters/text.ts'

export { bracketed } from './filters/network.ts'
export { joinPath } from './filters/text.ts'
export { saltGlobals, saltTests } from './globals.ts'
export { makeIfelse, type TargetMatcher } from './ifelse.ts'
export { isSequence } from './python-type.ts'
export { toBytes, toText } from './text-bytes.ts'

export const saltFilters: ReadonlyMap<string, NativeFunction> = new Map(
  Object.entries({
    ...saltListFilters,
    ...setFilters,
    ...dictFilters,
    ...saltNumberFilters,
    ...saltTextFilters,
    ...patternFilters,
    ...hashFilters,
    ...networkFilters,
    ...iterationFilters,
    ...queryFilters,
    ...methodCallFilters,
    ...serializeFilters,
    ...ansibleFilters,
  }),
)
