// The character classes of YAML 1.1 in libyaml's definition. The text ends with NUL, which no document may contain, so
// NUL marks the end everywhere.

/** Bits of CLASS. */
const BLANKZ = 1
export const BLOCK_PLAIN_STOP = 2
export const FLOW_PLAIN_STOP = 4
const BREAKZ = 8
const WORD = 16
export const URI = 32

/** Classes of the ASCII characters. */
export const CLASS = new Uint8Array(128)

function mark(chars: string, bits: number): void {
  for (let i = 0; i < chars.length; i++) CLASS[chars.charCodeAt(i)]! |= bits
}

const WORD_CHARS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'
mark('\0 \t\r\n', BLANKZ | BLOCK_PLAIN_STOP | FLOW_PLAIN_STOP)
mark('\0\r\n', BREAKZ)
mark(':', BLOCK_PLAIN_STOP | FLOW_PLAIN_STOP)
mark(',[]{}', FLOW_PLAIN_STOP)
mark(WORD_CHARS, WORD | URI)
mark(";/?:@&=+$.%!~*'()", URI)

/** NEL, LS and PS: the line breaks beyond ASCII. */
export const isWideBreak = (c: number): boolean => c === 0x85 || c === 0x2028 || c === 0x2029

export const isBreak = (c: number): boolean => c === 10 || c === 13 || isWideBreak(c)

export const isBreakz = (c: number): boolean => (c < 128 ? (CLASS[c]! & BREAKZ) !== 0 : isWideBreak(c))

export const isBlank = (c: number): boolean => c === 32 || c === 9

export const isBlankz = (c: number): boolean => (c < 128 ? (CLASS[c]! & BLANKZ) !== 0 : isWideBreak(c))

/** Characters of anchors, directive names and tag handles. */
export const isWord = (c: number): boolean => c < 128 && (CLASS[c]! & WORD) !== 0

export const isDigit = (c: number): boolean => c >= 48 && c <= 57

export const isHex = (c: number): boolean => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102)
