// `html.unescape`: convert character references to text, by HTML5's rules also for invalid ones.
import { entityText } from './entities.ts'

const REFERENCE = /&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g

/** The characters for the numbers 128 to 159: those of Windows-1252, which pages used before Unicode. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

export function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (_whole, reference: string) =>
    reference.startsWith('#') ? numbered(reference.slice(1)) : named(reference),
  )
}

function numbered(digits: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10)
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  if (code === 0x0d) return '\r'
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80]!
  return isNoncharacter(code) ? '' : String.fromCodePoint(code)
}

function isNoncharacter(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0c
  return code === 0x7f || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe
}

/** The longest known name that the reference begins with. */
function named(reference: string): string {
  const whole = entityText(reference)
  if (whole !== undefined) return whole
  for (let end = reference.length - 1; end > 1; end--) {
    const text = entityText(reference.slice(0, end))
    if (text !== undefined) return text + reference.slice(end)
  }
  return `&${reference}`
}
