// The `http_query` filter; everything behind it is loaded at the first query.
import { type NativeTable, native } from '../../../jinja/mod.ts'
import type { FilterHost } from '../host.ts'
import { PARAMETERS } from './parameters.ts'

export function httpFilters(host: FilterHost): NativeTable {
  return {
    http_query: native('query', [...PARAMETERS, '**kwargs'], async (rt, ...args) => {
      const { httpQuery } = await import('./query.ts')
      return httpQuery(host, rt, args.slice(0, PARAMETERS.length))
    }),
  }
}
