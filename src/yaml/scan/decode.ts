// Decodes bytes with libyaml's detection of the encoding: UTF-16 by its byte order mark, else UTF-8. Decoding stops at
// the first error and reports it in libyaml's words.

export interface Fault {
  /** From 1, if it is known. */
  line?: number
  /** In bytes. */
  offset: number
  /** The offending octet or character, -1 for none. */
  value: number
  reason: string
  /** Found only when the end is reached, since more bytes might have come. */
  atEnd?: boolean
}

export interface Decoded {
  text: string
  /** Bytes per UTF-16 unit: 2, or undefined for UTF-8 where it depends. */
  unitBytes?: 2
  fault?: Fault
}

export function decodeSource(bytes: Uint8Array): Decoded {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 1)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 0)
  const fault = utf8Fault(bytes)
  const good = fault ? bytes.subarray(0, fault.offset) : bytes
  return { text: Buffer.from(good.buffer, good.byteOffset, good.length).toString('utf8'), ...(fault && { fault }) }
}

function utf8Fault(bytes: Uint8Array): Fault | undefined {
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i]!
    if (first < 0x80) {
      i++
      continue
    }
    const width = (first & 0xe0) === 0xc0 ? 2 : (first & 0xf0) === 0xe0 ? 3 : (first & 0xf8) === 0xf0 ? 4 : 0
    if (width === 0) return { offset: i, value: first, reason: 'invalid leading UTF-8 octet' }
    if (i + width > bytes.length)
      return { offset: i, value: -1, reason: 'incomplete UTF-8 octet sequence', atEnd: true }
    let value = first & (0xff >> (width + 1))
    for (let k = 1; k < width; k++) {
      const octet = bytes[i + k]!
      if ((octet & 0xc0) !== 0x80) return { offset: i + k, value: octet, reason: 'invalid trailing UTF-8 octet' }
      value = value * 64 + (octet & 0x3f)
    }
    const least = width === 2 ? 0x80 : width === 3 ? 0x800 : 0x10000
    if (value < least) return { offset: i, value: -1, reason: 'invalid length of a UTF-8 sequence' }
    if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) {
      return { offset: i, value, reason: 'invalid Unicode character' }
    }
    i += width
  }
  return undefined
}

/** `high`: the index of the high byte in a unit. */
function decodeUtf16(bytes: Uint8Array, high: 0 | 1): Decoded {
  const unitAt = (i: number): number => bytes[i + (high ^ 1)]! + bytes[i + high]! * 256
  let text = ''
  const stop = (offset: number, value: number, reason: string): Decoded => ({
    text,
    unitBytes: 2,
    fault: { offset, value, reason, atEnd: value < 0 },
  })
  for (let i = 2; i < bytes.length; i += 2) {
    if (i + 1 === bytes.length) return stop(i, -1, 'incomplete UTF-16 character')
    const unit = unitAt(i)
    if ((unit & 0xfc00) === 0xdc00) return stop(i, unit, 'unexpected low surrogate area')
    if ((unit & 0xfc00) === 0xd800) {
      if (i + 3 >= bytes.length) return stop(i, -1, 'incomplete UTF-16 surrogate pair')
      const low = unitAt(i + 2)
      if ((low & 0xfc00) !== 0xdc00) return stop(i + 2, low, 'expected low surrogate area')
      text += String.fromCharCode(unit, low)
      i += 2
    } else text += String.fromCharCode(unit)
  }
  return { text, unitBytes: 2 }
}
