// Python's itertools and zip as filters. All are lazy and can be gone through only once.
import { iterate, PyError, Tuple, truthy, typeError, typeName, type Value, valueError } from '../../../data/mod.ts'
import { PyIterator } from '../../runtime/generator.ts'
import { type NativeFunction, type NativeTable, native } from '../../runtime/native.ts'
import type { Kwargs } from '../../runtime/runtime.ts'
import { strict } from '../strict-undefined.ts'

/** Arguments of a C function with named parameters: all may be given by position or by name. */
function parseArguments(name: string, params: readonly string[], required: number, args: Value[], kwargs: Kwargs) {
  const given = args.length + kwargs.size
  if (given > params.length) {
    throw typeError(`${name}() takes at most ${params.length} arguments (${given} given)`)
  }
  const bound = params.map((param, i) => (i < args.length ? args[i] : kwargs.get(param)))
  const missing = params.findIndex((_, i) => i < required && bound[i] === undefined)
  if (missing >= 0) throw typeError(`${name}() missing required argument '${params[missing]}' (pos ${missing + 1})`)
  for (const key of kwargs.keys()) if (!params.includes(key)) throw invalidKeyword(name, key)
  return bound
}

const invalidKeyword = (name: string, key: string): PyError =>
  typeError(`'${key}' is an invalid keyword argument for ${name}()`)

function count(value: Value): number {
  if (typeof value === 'bigint') throw new PyError('OverflowError', 'Python int too large to convert to C ssize_t')
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isInteger(value))) return Number(value)
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}

function length(value: Value): number {
  const r = count(value)
  if (r < 0) throw valueError('r must be non-negative')
  return r
}

const pick = (pool: readonly Value[], places: readonly number[]): Tuple => Tuple.from(places.map((at) => pool[at]!))

/** Ascending selections of `r` places; with repetition a place may be taken again. */
function* selections(pool: readonly Value[], r: number, repeat: boolean): Generator<Value> {
  const n = pool.length
  if (repeat ? n === 0 && r > 0 : r > n) return
  const places = Array.from({ length: r }, (_, i) => (repeat ? 0 : i))
  for (;;) {
    yield pick(pool, places)
    let at = r - 1
    while (at >= 0 && places[at] === (repeat ? n - 1 : n - r + at)) at--
    if (at < 0) return
    const next = places[at]! + 1
    for (let i = at; i < r; i++) places[i] = repeat ? next : next + i - at
  }
}

function* permutations(pool: readonly Value[], r: number, taken: number[] = []): Generator<Value> {
  if (r > pool.length) return
  if (taken.length === r) {
    yield pick(pool, taken)
    return
  }
  for (let at = 0; at < pool.length; at++) if (!taken.includes(at)) yield* permutations(pool, r, [...taken, at])
}

function* product(pools: readonly Value[][]): Generator<Value> {
  if (pools.some((pool) => pool.length === 0)) return
  const places = pools.map(() => 0)
  for (;;) {
    yield Tuple.from(pools.map((pool, i) => pool[places[i]!]!))
    let at = pools.length - 1
    while (at >= 0 && places[at] === pools[at]!.length - 1) places[at--] = 0
    if (at < 0) return
    places[at]!++
  }
}

function* compress(data: Iterable<Value>, selectors: Iterable<Value>): Generator<Value> {
  const wanted = selectors[Symbol.iterator]()
  for (const item of data) {
    const selector = wanted.next()
    if (selector.done) return
    if (truthy(selector.value)) yield item
  }
}

const iteratorsOf = (iterables: readonly Value[]): Iterator<Value>[] =>
  iterables.map((iterable) => iterate(iterable)[Symbol.iterator]())

/** Return how `zip(strict=True)` names the preceding arguments. */
const before = (place: number): string => (place === 1 ? 'argument 1' : `arguments 1-${place}`)

function* zip(iterators: Iterator<Value>[], exact: boolean): Generator<Value> {
  if (iterators.length === 0) return
  for (;;) {
    const row = new Tuple()
    for (const [i, iterator] of iterators.entries()) {
      const next = iterator.next()
      if (!next.done) row.push(next.value)
      else if (!exact) return
      else if (i > 0) throw valueError(`zip() argument ${i + 1} is shorter than ${before(i)}`)
      else {
        const longer = iterators.findIndex((other, at) => at > 0 && !other.next().done)
        if (longer < 0) return
        throw valueError(`zip() argument ${longer + 1} is longer than ${before(longer)}`)
      }
    }
    yield row
  }
}

function* zipLongest(iterators: Iterator<Value>[], fill: Value): Generator<Value> {
  const running = new Set(iterators)
  while (running.size > 0) {
    const row = new Tuple()
    for (const iterator of iterators) {
      const next = running.has(iterator) ? iterator.next() : undefined
      if (next && !next.done) row.push(next.value)
      else {
        running.delete(iterator)
        row.push(fill)
      }
    }
    if (running.size > 0) yield row
  }
}

function keyword(name: string, key: string, kwargs: Kwargs): Value | undefined {
  if (kwargs.size > 1) throw typeError(`${name}() takes at most 1 keyword argument (${kwargs.size} given)`)
  for (const given of kwargs.keys()) if (given !== key) throw invalidKeyword(name, given)
  return kwargs.get(key)
}

type Maker = (args: Value[], kwargs: Kwargs) => Iterable<Value>

function lazily(name: string, typeName: string, make: Maker): NativeFunction {
  const filter = native(
    name,
    ['*args', '**kwargs'],
    (_rt, args, kwargs) => new PyIterator(typeName, make(args, kwargs)),
  )
  return strict(filter)
}

function selectionFilter(name: string, repeat: boolean): NativeFunction {
  return lazily(name, `itertools.${name}`, (args, kwargs) => {
    const [iterable, r] = parseArguments(name, ['iterable', 'r'], 2, args, kwargs)
    const size = count(r!)
    const pool = [...iterate(iterable!)]
    return selections(pool, length(size), repeat)
  })
}

export const iterationFilters: NativeTable = {
  combinations: selectionFilter('combinations', false),
  combinations_with_replacement: selectionFilter('combinations_with_replacement', true),
  permutations: lazily('permutations', 'itertools.permutations', (args, kwargs) => {
    const [iterable, r = null] = parseArguments('permutations', ['iterable', 'r'], 1, args, kwargs)
    const pool = [...iterate(iterable!)]
    if (r === null) return permutations(pool, pool.length)
    if (typeof r === 'object' || typeof r === 'string' || (typeof r === 'number' && !Number.isInteger(r))) {
      throw typeError('Expected int as r')
    }
    return permutations(pool, length(r))
  }),
  product: lazily('product', 'itertools.product', (args, kwargs) => {
    const repeat = count(keyword('product', 'repeat', kwargs) ?? 1)
    if (repeat < 0) throw valueError('repeat argument cannot be negative')
    const pools = args.map((iterable) => [...iterate(iterable)])
    if (pools.length * repeat > 1000) throw new PyError('MemoryError', '')
    return product(Array.from({ length: repeat }, () => pools).flat())
  }),
  compress: lazily('compress', 'itertools.compress', (args, kwargs) => {
    const [data, selectors] = parseArguments('compress', ['data', 'selectors'], 2, args, kwargs)
    const items = iterate(data!)
    return compress(items, iterate(selectors!))
  }),
  zip: lazily('zip', 'zip', (args, kwargs) => {
    const exact = keyword('zip', 'strict', kwargs) ?? false
    return zip(iteratorsOf(args), truthy(exact))
  }),
  zip_longest: lazily('zip_longest', 'itertools.zip_longest', (args, kwargs) => {
    for (const key of kwargs.keys()) {
      if (key !== 'fillvalue') throw typeError('zip_longest() got an unexpected keyword argument')
    }
    return zipLongest(iteratorsOf(args), kwargs.get('fillvalue') ?? null)
  }),
}
