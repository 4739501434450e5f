// Our side of the jinja bench: an environment with Jinja's and Salt's functions, and values from plain JSON.
import type { Dict, Value } from '../src/data/mod.ts'
import {
  builtinFilters,
  builtinTests,
  Environment,
  HostFunction,
  type JinjaDialect,
  saltFilters,
  saltTests,
  type Variables,
} from '../src/jinja/mod.ts'
import { moduleTable, Registry } from '../src/loader/mod.ts'

const dialect: JinjaDialect = {
  filters: new Map([...builtinFilters, ...saltFilters]),
  tests: new Map([...builtinTests, ...saltTests]),
  waiting: new Set(),
}

function toValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(toValue)
  if (typeof json !== 'object' || json === null) return json as Value
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]))
}

export function variables(json: Record<string, unknown>): Variables {
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]))
}

export interface Surroundings {
  files?: Record<string, string>
  grains?: Record<string, unknown>
  pillar?: Record<string, unknown>
}

export function environment({ files = {}, grains = {}, pillar = {} }: Surroundings = {}): Environment {
  const context = { opts: new Map(), grains: toValue(grains) as Dict, pillar: toValue(pillar) as Dict, masked: false }
  const registry = new Registry(moduleTable, context)
  const salt = new Map<Value, Value>()
  for (const name of registry.names()) {
    salt.set(name, new HostFunction(name, (args, kwargs) => registry.call(name, args, kwargs)))
  }
  return new Environment({
    dialect,
    globals: [['salt', salt]],
    loader: { load: (name) => (files[name] === undefined ? undefined : { source: files[name] }) },
  })
}
