// Values and bytes that nobody sends by mistake.
import type { Chance } from '../faults/chance.ts'

/** Text that has opened something somewhere. */
const NASTY = [
  '',
  '*',
  '.',
  '..',
  '/',
  '../../../../etc/passwd',
  '/etc/shadow',
  'salt://../../secret',
  '|../secret',
  'a\0b',
  '\n\n',
  '__proto__',
  'constructor',
  'prototype',
  '$(touch FUZZED)',
  '`touch FUZZED`',
  '; touch FUZZED #',
  "'; DROP TABLE ret; --",
  '{{ 7 * 7 }}',
  '%s%n',
  '\ud800',
  'ü'.repeat(300),
  'A'.repeat(70_000),
]

const NUMBERS = [0, 1, -1, 255, 65_536, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -(2 ** 53), 1e308, 0.5, Number.NaN, Infinity]

function anyText(chance: Chance): string {
  if (chance.next() < 0.7) return chance.of(NASTY)
  return anyBytes(chance, 40).toString('latin1')
}

export function anyBytes(chance: Chance, most: number): Buffer {
  return Buffer.from(Array.from({ length: chance.whole(0, most) }, () => chance.whole(0, 255)))
}

export function anyValue(chance: Chance, depth = 0): unknown {
  const kinds = depth > 4 ? 6 : 8
  switch (chance.whole(0, kinds)) {
    case 0:
      return null
    case 1:
      return chance.next() < 0.5
    case 2:
      return chance.of(NUMBERS)
    case 3:
    case 4:
      return anyText(chance)
    case 5:
      return anyBytes(chance, 300)
    case 6:
      return 2n ** 64n - 1n
    case 7:
      return Array.from({ length: chance.whole(0, 5) }, () => anyValue(chance, depth + 1))
    default:
      return anyMap(chance, depth + 1)
  }
}

function anyMap(chance: Chance, depth: number): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>()
  for (let i = chance.whole(0, 5); i > 0; i--) map.set(anyText(chance), anyValue(chance, depth))
  return map
}

/** The same bytes with a few changed, cut off, doubled or put in. */
export function damaged(chance: Chance, bytes: Uint8Array): Buffer {
  let result = Buffer.from(bytes)
  for (let i = chance.whole(1, 4); i > 0; i--) {
    const at = chance.whole(0, result.length)
    const way = chance.whole(0, 3)
    if (way === 0 && at < result.length) result[at] = chance.whole(0, 255)
    else if (way === 1) result = Buffer.from(result.subarray(0, at))
    else if (way === 2) result = Buffer.concat([result.subarray(0, at), anyBytes(chance, 20), result.subarray(at)])
    else result = Buffer.concat([result, result.subarray(at)])
  }
  return result
}

/** The same fields, some with other values, some gone. */
export function bent(chance: Chance, load: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
  const result = new Map(load)
  for (const name of load.keys()) {
    const luck = chance.next()
    if (luck < 0.1) result.delete(name)
    else if (luck < 0.4) result.set(name, anyValue(chance))
  }
  if (chance.next() < 0.2) result.set(anyText(chance), anyValue(chance))
  return result
}
