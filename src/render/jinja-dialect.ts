// The filters and tests of Salt's templates: Jinja's own and what Salt adds.
import { builtinFilters, builtinTests, type Dialect, saltFilters, saltTests } from '../jinja/mod.ts'

export const saltDialect: Dialect = {
  filters: new Map([...builtinFilters, ...saltFilters]),
  tests: new Map([...builtinTests, ...saltTests]),
  waiting: new Set(),
}
