// Random values and hashes. With a seed, they are the same on every machine and in real Salt.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { lookup } from '../../../base/mod.ts'
import {
  encodeText,
  failure,
  int,
  isInt,
  iterate,
  len,
  misuse,
  PyError,
  PyRandom,
  SaltError,
  str,
  textOf,
  typeName,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { shadowHash } from './module/shadow-hash.ts'

const HASHES = new Set(
  'md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s'.split(' '),
)
const NODE_NAMES: Readonly<Record<string, string>> = lookup({ blake2b: 'blake2b512', blake2s: 'blake2s256' })

function hashOf(value: Value, algorithm: string): string {
  if (!HASHES.has(algorithm)) throw new SaltError('SaltException', 'You must specify a valid algorithm.')
  const bytes = value instanceof Uint8Array ? value : textOf(value)
  if (bytes === undefined) throw new PyError('TypeError', 'object supporting the buffer API required')
  const name = NODE_NAMES[algorithm] ?? algorithm.replace('_', '-')
  return createHash(name).update(bytes).digest('hex')
}

function encoded(value: Value, encoder: string): string {
  const bytes = textOf(value) === undefined ? value : encodeText(textOf(value)!)
  const unfit = (): SaltError => misuse('Value must be an encode-able string')
  if (encoder !== 'base64' || !(bytes instanceof Uint8Array)) throw unfit()
  return Buffer.from(bytes).toString('base64')
}

const CLASSES = {
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  digits: '0123456789',
  punctuation: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  whitespace: ' \t\n\r\x0b\x0c',
} as const

type CharacterClass = keyof typeof CLASSES

interface TextRequest extends Record<CharacterClass, boolean> {
  length: Value
  chars: string | null
  printable: boolean
}

function characters(request: TextRequest): string {
  const names = Object.keys(CLASSES) as CharacterClass[]
  if (request.printable) return names.map((name) => CLASSES[name]).join('')
  if (request.chars) return request.chars
  return names.map((name) => (request[name] ? CLASSES[name] : '')).join('')
}

const ALL_BUT_SPACE = { lowercase: true, uppercase: true, digits: true, punctuation: true, whitespace: false }

function randomText(request: TextRequest): string {
  const from = [...characters(request)]
  const length = Number(str(request.length))
  if (!Number.isInteger(length)) {
    throw failure(`invalid literal for int() with base 10: '${str(request.length)}'`)
  }
  if (from.length === 0 && length > 0) throw failure('unterminated character set at position 0')
  return Array.from({ length: Math.max(0, length) }, () => from[randomInt(from.length)]).join('')
}

const generator = (seed: Value): PyRandom => (seed === null ? new PyRandom(randomBytes(32)) : seededBy(seed))

function seededBy(seed: Value): PyRandom {
  if (isInt(seed)) return new PyRandom(seed)
  const text = textOf(seed) ?? (seed instanceof Uint8Array ? seed : undefined)
  if (text !== undefined) return new PyRandom(text)
  throw new PyError('TypeError', 'The only supported seed types are: None,\nint, float, str, bytes, and bytearray.')
}

function randomInteger(start: number | bigint, end: number | bigint, seed: Value): number | bigint {
  const random = generator(seed)
  if (BigInt(end) < BigInt(start)) {
    throw valueError(`empty range for randrange() (${start}, ${BigInt(end) + 1n}, ${BigInt(end) - BigInt(start) + 1n})`)
  }
  return int(random.randint(BigInt(start), BigInt(end)))
}

function splay(ctx: FunctionContext, range: number | bigint, hash: Value): number | bigint {
  if (BigInt(range) <= 0n) throw valueError('empty range for randrange()')
  return int(seededBy(hash ?? ctx.grains.get('id') ?? '').randrange(0n, BigInt(range)))
}

function sample(value: Value, size: Value, seed: Value): Value[] {
  const random = seed === null ? generator(null) : new PyRandom(hashOf(seed, 'sha512'))
  if (!Array.isArray(value) && textOf(value) === undefined) {
    throw new PyError('TypeError', 'Population must be a sequence.  For dicts or sets, use sorted(d).')
  }
  if (!isInt(size)) throw new PyError('TypeError', `'${typeName(size)}' object cannot be interpreted as an integer`)
  const items = [...iterate(value)]
  if (size < 0 || size > items.length) throw valueError('Sample larger than population or is negative')
  return random.sample(items, Number(size))
}

const seed = arg.any('Seed for reproducible values: number, text or bytes', { optional: true })
const characterClass = (name: string, isUsed: boolean) => arg.boolean(`Whether to use ${name}`, { default: isUsed })

export default defineModule({
  name: 'mod_random',
  virtual: 'random',
  doc: 'Generate random values and hashes.',
  functions: {
    hash: reads({
      doc: 'Return the hash of a value.',
      args: {
        value: arg.any('Text or bytes; other types raise a TypeError'),
        algorithm: arg.string('Hash algorithm', { default: 'sha512' }),
      },
      returns: ret.string('The hash in hexadecimal'),
      example: "random.hash 'I am a string' md5",
      run: (_ctx, { value, algorithm }) => hashOf(value, algorithm),
    }),
    str_encode: reads({
      doc: 'Return a text in another encoding.',
      args: {
        value: arg.any('Text or bytes; other types are refused'),
        encoder: arg.string('Encoding; only base64', { default: 'base64' }),
      },
      returns: ret.string('The encoded text'),
      example: "random.str_encode 'I am a new string' base64",
      run: (_ctx, { value, encoder }) => encoded(value, encoder),
    }),
    get_str: reads({
      doc: 'Return a random text, such as a password.',
      args: {
        length: arg.any('Length, as number or text', { default: 20 }),
        chars: arg.text('Characters to choose from', { optional: true }),
        lowercase: characterClass('lowercase letters', true),
        uppercase: characterClass('uppercase letters', true),
        digits: characterClass('digits', true),
        punctuation: characterClass('punctuation', true),
        whitespace: characterClass('white space', false),
        printable: arg.boolean('Whether to use all classes', { default: false }),
      },
      returns: ret.string('The text'),
      example: 'random.get_str 128',
      run: (_ctx, request) => randomText(request),
    }),
    shadow_hash: reads({
      doc: 'Return a password hash in the format of /etc/shadow.',
      args: {
        crypt_salt: arg.any('Salt, as text; random if not given', { optional: true }),
        password: arg.any('Password, as text; random if not given', { optional: true, secret: true }),
        algorithm: arg.string('sha512, sha256 or md5', { default: 'sha512' }),
      },
      returns: ret.string('The hash'),
      example: "random.shadow_hash 'My5alT' 'MyP@asswd' md5",
      run: (_ctx, { crypt_salt, password, algorithm }) =>
        shadowHash(
          textOf(password) ?? randomText({ ...ALL_BUT_SPACE, length: 20, chars: null, printable: false }),
          textOf(crypt_salt),
          algorithm,
        ),
    }),
    rand_int: reads({
      doc: 'Return a random integer.',
      args: { start: arg.integer('Minimum', { default: 1 }), end: arg.integer('Maximum', { default: 10 }), seed },
      returns: ret.any('The integer'),
      example: 'random.rand_int 1 10',
      run: (_ctx, { start, end, seed }) => randomInteger(start, end, seed),
    }),
    seed: reads({
      doc: 'Return a number that is constant on this minion, and evenly distributed over minions.',
      args: {
        range: arg.integer('Upper limit, excluded', { default: 10 }),
        hash: arg.any('Number, text or bytes used instead of the minion id', { optional: true }),
      },
      returns: ret.any('The number'),
      example: 'random.seed 10 hash=None',
      run: (ctx, { range, hash }) => splay(ctx, range, hash),
    }),
    sample: reads({
      doc: 'Return some items of a list, at random.',
      args: { value: arg.any('List or text'), size: arg.any('Number of items; other types raise a TypeError'), seed },
      returns: ret.list('The items'),
      example: "random.sample '[1, 2, 3]' 2",
      run: (_ctx, { value, size, seed }) => sample(value, size, seed),
    }),
    shuffle: reads({
      doc: 'Return a list in random order.',
      args: { value: arg.any('List or text'), seed },
      returns: ret.list('The items'),
      example: "random.shuffle '[1, 2, 3]'",
      run: (_ctx, { value, seed }) => sample(value, len(value), seed),
    }),
  },
})
