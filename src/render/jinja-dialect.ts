// The filters, tests and globals of Salt's templates.
import type { Value } from '../data/mod.ts'
import { builtinFilters, builtinTests, type Dialect } from '../jinja/mod.ts'

export const saltDialect: Dialect = {
  filters: new Map(builtinFilters),
  tests: new Map(builtinTests),
  waiting: new Set(),
}

export const saltGlobals: ReadonlyMap<string, Value> = new Map()
