// Sets of flags as bit strings: the first flag is the highest bit, and zeros at the end are left out.
import type { Bytes } from './der.ts'

/** The content of a bit string: how many bits of the last byte are unused, then the bytes. */
export function flagBits(flags: readonly boolean[]): Bytes {
  const last = flags.lastIndexOf(true)
  const bytes = new Uint8Array(Math.ceil((last + 1) / 8))
  flags.forEach((flag, index) => {
    if (flag) bytes[index >> 3]! |= 0x80 >> (index & 7)
  })
  return new Uint8Array([last < 0 ? 0 : 7 - (last & 7), ...bytes])
}

/** Whether each of so many flags is set in the content of a bit string. */
export const flagsIn = (content: Bytes, count: number): boolean[] =>
  Array.from({ length: count }, (_, index) => (((content[1 + (index >> 3)] ?? 0) << (index & 7)) & 0x80) !== 0)
