// `bytes.hex` and `bytes.fromhex`.
import { len, textOf, typeError, type Value, valueError } from '../../data/mod.ts'
import { countArgument, namedTextArgument } from './arguments.ts'
import { type MethodSpec, method } from './builtin.ts'

function hex(bytes: Uint8Array, separator?: Value, group: Value = 1): string {
  const digits = Buffer.from(bytes).toString('hex')
  const size = countArgument(group)
  if (separator === undefined) return digits
  if (len(separator) !== 1) throw valueError('sep must be length 1.')
  const mark = separator instanceof Uint8Array ? String.fromCharCode(separator[0]!) : textOf(separator)
  if (mark === undefined) throw typeError('sep must be str or bytes.')
  if (!/[\0-\x7f]/.test(mark)) throw valueError('sep must be ASCII.')
  if (size === 0) return digits
  const width = Math.abs(size) * 2
  // a positive size groups from the right
  const first = size > 0 ? digits.length % width || width : width
  const groups = digits === '' ? [] : [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += width) groups.push(digits.slice(at, at + width))
  return groups.join(mark)
}

function fromHex(source: Value): Uint8Array {
  const text = namedTextArgument(source, 'fromhex() argument')
  const bytes: number[] = []
  for (let at = 0; at < text.length; ) {
    if (/[\t-\r ]/.test(text[at]!)) {
      at++
      continue
    }
    const pair = text.slice(at, at + 2)
    if (!/^[\da-f]{2}$/i.test(pair)) {
      const bad = at + (/^[\da-f]/i.test(pair) ? 1 : 0)
      throw valueError(`non-hexadecimal number found in fromhex() arg at position ${bad}`)
    }
    bytes.push(Number.parseInt(pair, 16))
    at += 2
  }
  return Uint8Array.from(bytes)
}

export const BYTES_HEX_METHODS: Record<string, MethodSpec> = {
  fromhex: method('string', (_rt, _bytes, text) => fromHex(text)),
  hex: method('sep? bytes_per_sep?', (_rt, bytes, separator, group) => hex(bytes, separator, group), 'keywords'),
}
