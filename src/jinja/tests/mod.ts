// Jinja's builtin tests, under the names that templates use after `is`.
import type { NativeFunction } from '../runtime/native.ts'
import { comparisonTests } from './comparison.ts'
import { typeTests } from './types.ts'

export const builtinTests: ReadonlyMap<string, NativeFunction> = new Map(
  Object.entries({ ...typeTests, ...comparisonTests }),
)
