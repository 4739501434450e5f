// Random text, hashes, MAC addresses and samples. With a seed a sample is the same on every machine and in real Salt.
import { createHash } from 'node:crypto'
import {
  add,
  compare,
  isInt,
  iterate,
  len,
  mul,
  numberOf,
  PyError,
  PyRandom,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { isSequence, type NativeFunction, type NativeTable, native, toBytes } from '../../jinja/mod.ts'
import { fileDigest } from './files.ts'
import type { FilterHost } from './host.ts'

const freshRandom = (host: FilterHost): PyRandom => new PyRandom(host.randomBytes(32))

function randomText(host: FilterHost, size: Value): string {
  if (typeof size !== 'boolean' && !isInt(size)) {
    throw typeError(`'${typeName(size)}' object cannot be interpreted as an integer`)
  }
  const count = Number(size)
  if (count < 0) throw valueError('negative argument not allowed')
  return Buffer.from(host.randomBytes(count)).toString('base64').slice(0, count)
}

/** The hash of a number drawn from 0 to `most`. */
function randomHash(host: FilterHost, most: Value, form: Value): string {
  const hash = fileDigest(truthy(form) ? form : 'md5', (name) => {
    return new PyError('AttributeError', `module 'hashlib' has no attribute '${name}'`)
  })
  const end = numberOf(add(most, 1))!
  if (!Number.isInteger(end)) throw valueError('non-integer stop for randrange()')
  if (end <= 0) throw valueError(`empty range for randrange() (0, ${end}, ${end})`)
  return hash.update(str(Number(freshRandom(host).randint(0n, BigInt(end) - 1n)))).digest('hex')
}

function randomMac(host: FilterHost, prefix: Value): string {
  const bytes = Array.from(host.randomBytes(3), (byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
  return [str(prefix), ...bytes].join(':')
}

/** Any text seeds by its hash. */
function seeded(seed: Value): PyRandom {
  if (textOf(seed) === undefined && !(seed instanceof Uint8Array)) {
    throw typeError('object supporting the buffer API required')
  }
  return new PyRandom(createHash('sha512').update(toBytes(seed)).digest('hex'))
}

function sample(host: FilterHost, population: Value, size: Value, seed: Value): Value {
  const random = seed === null ? freshRandom(host) : seeded(seed)
  if (!isSequence(population)) {
    throw typeError('Population must be a sequence.  For dicts or sets, use sorted(d).')
  }
  const items = [...iterate(population)]
  if (!(compare('<=', 0, size) && compare('<=', size, items.length))) {
    throw valueError('Sample larger than population or is negative')
  }
  mul([null], size) // refuses a float as Python does
  return random.sample(items, Number(size))
}

export function randomFilters(host: FilterHost): NativeTable {
  const hashFilter: NativeFunction = native(
    'random_hash',
    ['size?', 'hash_type?'],
    (_rt, size = 9999999999, form = null) => randomHash(host, size, form),
  )
  return {
    random_str: native('random', ['size?'], (_rt, size = 32) => randomText(host, size)),
    random_hash: hashFilter,
    rand_str: hashFilter,
    gen_mac: native('gen_mac', ['prefix?'], (_rt, prefix = 'AC:DE:48') => randomMac(host, prefix)),
    random_sample: native('sample', ['value', 'size', 'seed?'], (_rt, value, size, seed = null) =>
      sample(host, value, size, seed),
    ),
    random_shuffle: native('shuffle', ['value', 'seed?'], (_rt, value, seed = null) =>
      sample(host, value, len(value), seed),
    ),
  }
}
