// The least a filter or test needs to run, for tests that call one without a template.
import { getItem, PyError, quote, repr, typeName, type Value } from '../../data/mod.ts'
import { builtinFilters } from '../filters/mod.ts'
import { builtinTests } from '../tests/mod.ts'
import type { NativeFunction } from './native.ts'
import type { Kwargs, Runtime } from './runtime.ts'
import { StrictUndefined, Undefined } from './undefined.ts'

interface Options {
  autoescape?: boolean
  filters?: Record<string, NativeFunction>
}

export function fakeRuntime({ autoescape = false, filters = {} }: Options = {}): Runtime {
  const known = new Map([...builtinFilters, ...Object.entries(filters)])
  const rt: Runtime = {
    filters: known,
    tests: builtinTests,
    policies: new Map([['json.dumps_kwargs', new Map([['sort_keys', true]])]]),
    autoescape,
    opts: new Map(),
    variables: () => new Map(),
    undefined: (message) => new StrictUndefined(message),
    undefinedWith: (message, hint, error) => new StrictUndefined(message, hint, error),
    getAttr: (object, name) => (object instanceof Map && name === 'keys' ? 'a method' : rt.getItem(object, name)),
    getItem: (object, key) => itemOrUndefined(object, key),
    filter: (name, value, args, kwargs) => known.get(name)!.invoke(rt, [value, ...args], kwargs),
    test: (name, value, args, kwargs) => builtinTests.get(name)!.invoke(rt, [value, ...args], kwargs) as boolean,
    call: () => {
      throw new Error('no calls here')
    },
    nested: () => {
      throw new Error('no nested templates here')
    },
  }
  return rt
}

function itemOrUndefined(object: Value, key: Value): Value {
  if (object instanceof Undefined) object.fail()
  try {
    return getItem(object, key)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    const owner = `${typeName(object)} object`
    const text = typeof key === 'string' ? `${quote(owner)} has no attribute ` : `${owner} has no element `
    return new StrictUndefined(text + repr(key))
  }
}

/** Apply a filter to a value and print the result. */
export function filtered(name: string, args: Value[], kwargs: Record<string, Value> = {}, rt = fakeRuntime()): string {
  const result = builtinFilters.get(name)!.invoke(rt, args, new Map(Object.entries(kwargs)) as Kwargs)
  if (result instanceof Promise) throw new Error(`${name} answered with a promise`)
  return result instanceof Undefined ? `undefined: ${result.message}` : repr(result)
}
