// Random values, and hashes of texts. With a seed they are the same on every machine and in real Salt.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { lookup } from '../../../base/mod.ts'
import {
  encodeText,
  int,
  isInt,
  iterate,
  len,
  PyError,
  PyRandom,
  SaltError,
  str,
  textOf,
  truthy,
  typeName,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { shadowHash } from './module/shadow-hash.ts'

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

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
  const unfit = (): SaltError => new SaltError('SaltInvocationError', 'Value must be an encode-able string')
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

interface Wish extends Record<CharacterClass, boolean> {
  length: Value
  chars: Value
  printable: boolean
}

function characters(wish: Wish): string {
  const names = Object.keys(CLASSES) as CharacterClass[]
  if (wish.printable) return names.map((name) => CLASSES[name]).join('')
  if (truthy(wish.chars)) return str(wish.chars)
  return names.map((name) => (wish[name] ? CLASSES[name] : '')).join('')
}

const ALL_BUT_SPACE = { lowercase: true, uppercase: true, digits: true, punctuation: true, whitespace: false }

function randomText(wish: Wish): string {
  const from = [...characters(wish)]
  const length = Number(str(wish.length))
  if (!Number.isInteger(length)) {
    throw failure(`invalid literal for int() with base 10: '${str(wish.length)}'`)
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

const seed = arg.any('Gives the same values each time', { optional: true })
const flag = (what: string, otherwise: boolean) => arg.boolean(`Whether ${what} may occur`, { default: otherwise })

export default defineModule({
  name: 'mod_random',
  virtual: 'random',
  doc: 'Random values and hashes.',
  functions: {
    hash: reads({
      doc: 'The hash of a text.',
      args: { value: arg.any('The text'), algorithm: arg.string('The hash', { default: 'sha512' }) },
      returns: ret.string('In hexadecimal'),
      example: "random.hash 'I am a string' md5",
      run: (_ctx, { value, algorithm }) => hashOf(value, algorithm),
    }),
    str_encode: reads({
      doc: 'A text in another encoding.',
      args: { value: arg.any('The text'), encoder: arg.string('base64', { default: 'base64' }) },
      returns: ret.string('The encoded text'),
      example: "random.str_encode 'I am a new string' base64",
      run: (_ctx, { value, encoder }) => encoded(value, encoder),
    }),
    get_str: reads({
      doc: 'A random text, such as a password.',
      args: {
        length: arg.any('How many characters', { default: 20 }),
        chars: arg.any('The characters to choose from', { optional: true }),
        lowercase: flag('small letters', true),
        uppercase: flag('capitals', true),
        digits: flag('digits', true),
        punctuation: flag('punctuation', true),
        whitespace: flag('white space', false),
        printable: arg.boolean('All of these', { default: false }),
      },
      returns: ret.string('The text'),
      example: 'random.get_str 128',
      run: (_ctx, wish) => randomText(wish),
    }),
    shadow_hash: reads({
      doc: 'A password hash as /etc/shadow has it.',
      args: {
        crypt_salt: arg.any('The salt; a random one when not given', { optional: true }),
        password: arg.any('The password; a random one when not given', { optional: true, secret: true }),
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
      doc: 'A random integer.',
      args: {
        start: arg.integer('The smallest', { default: 1 }),
        end: arg.integer('The largest', { default: 10 }),
        seed,
      },
      returns: ret.any('The integer'),
      example: 'random.rand_int 1 10',
      run: (_ctx, { start, end, seed }) => randomInteger(start, end, seed),
    }),
    seed: reads({
      doc: 'A number that is always the same on this minion, and spread evenly over minions.',
      args: {
        range: arg.integer('Below this', { default: 10 }),
        hash: arg.any('In place of the minion’s id', { optional: true }),
      },
      returns: ret.any('The number'),
      example: 'random.seed 10 hash=None',
      run: (ctx, { range, hash }) => splay(ctx, range, hash),
    }),
    sample: reads({
      doc: 'Some items of a list.',
      args: { value: arg.any('The list'), size: arg.any('How many'), seed },
      returns: ret.list('The items'),
      example: "random.sample '[1, 2, 3]' 2",
      run: (_ctx, { value, size, seed }) => sample(value, size, seed),
    }),
    shuffle: reads({
      doc: 'A list in random order.',
      args: { value: arg.any('The list'), seed },
      returns: ret.list('The items'),
      example: "random.shuffle '[1, 2, 3]'",
      run: (_ctx, { value, seed }) => sample(value, len(value), seed),
    }),
  },
})
