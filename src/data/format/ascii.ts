// `ascii(value)`: repr with everything beyond ASCII escaped.
import { repr } from '../repr.ts'
import type { Value } from '../value.ts'

export function ascii(value: Value): string {
  return repr(value).replace(/[^\0-\x7f]/gu, (char) => {
    const code = char.codePointAt(0)!
    const hex = code.toString(16)
    if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
    return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
}
