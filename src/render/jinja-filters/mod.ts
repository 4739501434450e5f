// Salt's filters that need a machine: its files, users, clock, randomness and network.
import type { NativeFunction } from '../../jinja/mod.ts'
import { dateFilters } from './dates.ts'
import { dnsFilters } from './dns.ts'
import { fileFilters } from './files.ts'
import { type FilterHost, localHost } from './host.ts'
import { httpFilters } from './http.ts'
import { randomFilters } from './random.ts'

export type { FilterHost } from './host.ts'

/** The filters, working on that host. */
export function hostFilters(host: FilterHost = localHost): ReadonlyMap<string, NativeFunction> {
  return new Map(
    Object.entries({
      ...fileFilters(host),
      ...randomFilters(host),
      ...dateFilters(host),
      ...dnsFilters(host),
      ...httpFilters(host),
    }),
  )
}

/** Filters that return a promise. */
export const waitingHostFilters: ReadonlySet<string> = new Set(['dns_check', 'http_query'])
