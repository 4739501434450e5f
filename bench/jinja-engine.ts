// Our side of the jinja bench: an environment with Jinja's and Salt's functions, and values from plain JSON.
import type { Value } from '../src/data/mod.ts'
import { builtinFilters, builtinTests, type Dialect, Environment, type Variables } from '../src/jinja/mod.ts'

export const dialect: Dialect = { filters: builtinFilters, tests: builtinTests, waiting: new Set() }

export function toValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(toValue)
  if (typeof json !== 'object' || json === null) return json as Value
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]))
}

export function variables(json: Record<string, unknown>): Variables {
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]))
}

export function environment(files: Record<string, string> = {}): Environment {
  return new Environment({
    dialect,
    loader: {
      load: (name) => (files[name] === undefined ? undefined : { source: files[name] }),
    },
  })
}
