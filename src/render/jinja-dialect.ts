// The filters and tests of Salt's templates: Jinja's own, Salt's additions, and those that use the machine.
import { builtinFilters, builtinTests, type JinjaDialect, saltFilters, saltTests } from '../jinja/mod.ts'
import { hostFilters, waitingHostFilters } from './jinja-filters/mod.ts'

export const saltDialect: JinjaDialect = {
  filters: new Map([...builtinFilters, ...saltFilters, ...hostFilters()]),
  tests: new Map([...builtinTests, ...saltTests]),
  waiting: waitingHostFilters,
}
