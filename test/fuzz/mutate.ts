// Values and bytes that no peer sends by mistake, and valid messages with some changed fields.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chance } from '../faults/chance.ts'
import { COSTLY_KEYS, date, emptyMaps, listOf, mapOf, nestedLists, pack, Raw } from '../security/proofs/msgpack.ts'

/** A marker in data of hostile minions, which must not appear under a tag of the master. */
export const EVIL_WORD = 'evil-9f31c2'

/** Stands in files that are not served, in pillar of others and in keys: it must come back from nowhere. */
export const CANARY = 'canary-d41b7c5e'

/** A file outside of everything that is served; it must stay as it is. */
export const SECRET_FILE = join(mkdtempSync(join(tmpdir(), 'brine-fuzz-secret-')), 'secret')

/** A way from any folder to a path. */
export const upTo = (path: string): string => `${'../'.repeat(20)}${path.slice(1)}`

/** A directory in which every command of the fuzzer leaves a file if it is ever run. */
export const MARKS = mkdtempSync(join(tmpdir(), 'brine-fuzz-marks-'))

/** Text that has opened something somewhere. */
const NASTY = [
  '',
  '*',
  '.',
  '..',
  '/',
  upTo(SECRET_FILE),
  SECRET_FILE,
  'salt://../../secret',
  '|../secret',
  'a\0b',
  '\n\n',
  '__proto__',
  'constructor',
  'prototype',
  `$(touch ${MARKS}/shell)`,
  `\`touch ${MARKS}/shell\``,
  `; touch ${MARKS}/shell #`,
  `{{ salt['cmd.run']('touch ${MARKS}/jinja') }}`,
  "'; DROP TABLE ret; --",
  '%s%n',
  '\ud800',
  'ü'.repeat(300),
  'A'.repeat(70_000),
  `x\n[CRITICAL] forged line \u001b[31m`,
]

const JIDS = [
  '20990101000000000001',
  '20990101000000000001_1',
  '../../../../x',
  upTo(`${MARKS}/jid`),
  'x'.repeat(300),
  '',
  'req',
  'nocache',
  '__proto__',
  '2099010100000000000\n',
  '\u0661'.repeat(20),
]

const IDS = ['db1', 'web1', 'app1', 'root', '..', 'a/b', 'a\0', '*', 'x'.repeat(300), '__proto__', 'syndic/x']

const TAGS = [
  'salt/key',
  'salt/auth',
  'key',
  'salt/run/20990101000000000001/new',
  'salt/wheel/20990101000000000001/new',
  'salt/job/20990101000000000001/ret/db1',
  'salt/job/20990101000000000001/new',
  'salt/minion/db1/start',
  'salt/beacon/db1/x/',
  'salt/presence/present',
  'salt/batch/20990101000000000001/stop',
  'minion/refresh/db1',
  'salt/reactors/manage/add',
  'a'.repeat(2000),
  'a\n\nb',
  'mine/own',
]

const BOMB = '([a-z0-9.-]+)+!'
const many = (what: string, times = 20_000): string => what.repeat(times)

/** Targets, each with its type. */
const TARGETS: readonly (readonly [unknown, string])[] = [
  ['*', 'glob'],
  ['[!,x,]*', 'glob'],
  ['[!,app1,]*', 'glob'],
  [many('[a'), 'glob'],
  [many('*a'), 'glob'],
  [BOMB, 'pcre'],
  ['(a|a)*b', 'pcre'],
  [`${many('(')}${many(')')}`, 'pcre'],
  ['(a{1,1000}){1,1000}', 'pcre'],
  [many('a:'), 'grain'],
  [`${many('a:', 8000)}*`, 'grain'],
  [`id:${BOMB}`, 'grain_pcre'],
  [`a:${BOMB}`, 'pillar_pcre'],
  [`E@${BOMB}`, 'compound'],
  [`G@${many('a:')}x`, 'compound'],
  [many('( '), 'compound'],
  [`${many('not ')}x`, 'compound'],
  [many('db1 or '), 'compound'],
  ['L@app1,db1 and not T@x:db1', 'compound'],
  ['N@x and (((', 'compound'],
  [many('db1,'), 'list'],
  [nestedLists(400), 'list'],
  ['::/0', 'ipcidr'],
  [many('1.'), 'ipcidr'],
  ['%x', 'range'],
  ['x', '__proto__'],
]

/** The same bytes, read as text by the decoder. */
const text = (bytes: Buffer): Raw =>
  new Raw(Buffer.concat([Buffer.of(0xda, bytes.length >> 8, bytes.length & 255), bytes]))

const BYTES_OF_VALUES = [
  Buffer.from('c1', 'hex'),
  Buffer.from('cb7ff8000000000000', 'hex'),
  Buffer.from('cbfff0000000000000', 'hex'),
  Buffer.from('cfffffffffffffffff', 'hex'),
  Buffer.from('d38000000000000000', 'hex'),
  Buffer.from('c7184e414141', 'hex'),
  Buffer.from('c7004e', 'hex'),
  Buffer.from('c7014fc0', 'hex'),
  Buffer.from('d47f00', 'hex'),
  Buffer.from('ddffffffff', 'hex'),
  Buffer.from('dfffffffff', 'hex'),
  Buffer.from('c6ffffffff', 'hex'),
  Buffer.from('dbffffffff', 'hex'),
]

const NUMBERS = [0, 1, -1, 255, 65_536, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -(2 ** 53), 1e308, 0.5, 2n ** 64n - 1n]

/** Values that are short in a message and long to read: many of a kind, made once. */
const COSTLY: readonly Raw[] = [
  ...Object.values(COSTLY_KEYS).flatMap((key) => [mapOf(500, key), mapOf(8000, key)]),
  listOf(30_000, date),
  listOf(100_000, (index) => pack(`text ${index}`)),
  listOf(100_000, () => Buffer.of(0xc4, 2, 0xff, 0x41)),
  mapOf(60_000, (index) => pack(`key ${index}`)),
]

export function anyBytes(chance: Chance, most: number): Buffer {
  return Buffer.from(Array.from({ length: chance.whole(0, most) }, () => chance.whole(0, 255)))
}

function anyText(chance: Chance): unknown {
  const luck = chance.next()
  if (luck < 0.6) return chance.of(NASTY)
  if (luck < 0.8) return chance.of([...IDS, ...JIDS, ...TAGS])
  return luck < 0.9 ? text(anyBytes(chance, 60)) : 'A'.repeat(chance.whole(1, 400_000))
}

export function anyValue(chance: Chance, depth = 0): unknown {
  switch (chance.whole(0, depth > 3 ? 7 : 10)) {
    case 0:
      return chance.of([null, true, false])
    case 1:
      return chance.of(NUMBERS)
    case 2:
    case 3:
      return anyText(chance)
    case 4:
      return anyBytes(chance, 300)
    case 5:
      return new Raw(chance.of(BYTES_OF_VALUES))
    case 6:
      return nestedLists(chance.of([50, 120, 400, 505, 511, 600, 1000, 1020, 1100]))
    case 7:
      return chance.next() < 0.5 ? emptyMaps(chance.of([10, 1000, 60_000, 240_000, 1_000_000])) : chance.of(COSTLY)
    case 8:
      return Array.from({ length: chance.whole(0, 5) }, () => anyValue(chance, depth + 1))
    default:
      return new Map(Array.from({ length: chance.whole(0, 5) }, () => [anyText(chance), anyValue(chance, depth + 1)]))
  }
}

/** A value of the kind that a field with this name has, and hostile. */
function anyFor(name: string, chance: Chance): unknown {
  if (name === 'jid') return chance.of(JIDS)
  if (name === 'id' || name.endsWith('_id')) return chance.of(IDS)
  if (name === 'tag') return chance.of(TAGS)
  if (name === 'tgt') return chance.of(TARGETS)[0]
  if (name === 'tgt_type') return chance.of(TARGETS)[1]
  return anyValue(chance)
}

export type Fields = Record<string, unknown>

/** The same fields, some with other values, some gone. */
export function bent(chance: Chance, load: Fields, rate = 0.25): Fields {
  const result: Fields = { ...load }
  if ('tgt' in load && chance.next() < 0.4) [result['tgt'], result['tgt_type']] = chance.of(TARGETS)
  for (const name of Object.keys(load)) {
    const luck = chance.next()
    if (name === 'cmd' && luck > 0.03) continue
    if (luck < rate / 4) delete result[name]
    else if (luck < rate) result[name] = anyFor(name, chance)
    else if (luck > 0.95 && isFields(load[name])) result[name] = bent(chance, load[name])
  }
  if (chance.next() < 0.1) {
    // `__proto__` is a name like any other
    const whole = { value: anyValue(chance), enumerable: true, configurable: true, writable: true }
    Object.defineProperty(result, chance.of(NASTY), whole)
  }
  return result
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The same bytes with a few changed, cut off, doubled or put in. */
export function damaged(chance: Chance, bytes: Uint8Array): Buffer {
  let result = Buffer.from(bytes)
  for (let i = chance.whole(1, 4); i > 0; i--) {
    const at = chance.whole(0, result.length)
    const way = chance.whole(0, 4)
    if (way === 0 && at < result.length) result[at] = chance.whole(0, 255)
    else if (way === 1 && at < result.length) result[at]! ^= 1 << chance.whole(0, 7)
    else if (way === 2) result = Buffer.from(result.subarray(0, at))
    else if (way === 3) result = Buffer.concat([result.subarray(0, at), anyBytes(chance, 20), result.subarray(at)])
    else result = Buffer.concat([result, result.subarray(Math.max(at, result.length - 5000))])
  }
  return result
}

/** A few words about a message, for reports. */
export function described(load: unknown): string {
  const short = (value: unknown): unknown => {
    if (value instanceof Raw) return `<${value.bytes.length} raw bytes ${value.bytes.subarray(0, 4).toString('hex')}>`
    if (value instanceof Uint8Array) return `<${value.length} bytes>`
    if (typeof value === 'string') return value.length > 40 ? `${value.slice(0, 30)}… (${value.length})` : value
    if (typeof value === 'bigint') return String(value)
    if (Array.isArray(value)) return value.slice(0, 3).map(short)
    if (value instanceof Map) return `<${value.size} entries>`
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.slice(0, 30), short(each)]))
  }
  return JSON.stringify(short(load)).slice(0, 300)
}
