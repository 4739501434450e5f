// Case-insensitive comparison. Python compares simple lower cases, and also equates lower-case letters with a common
// upper case (σ and ς, µ and μ). So texts are compared by the upper case of the lower case.

export function lower(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
  return String.fromCodePoint(code).toLowerCase().codePointAt(0)!
}

export function lowerAscii(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
}

/** The blocks that hold letters with case. */
const CASED_BLOCKS = [0, 0x2fff, 0xa640, 0xabff, 0xfb00, 0xff5a, 0x10400, 0x1e943]
const CASED = /[\p{Changes_When_Lowercased}\p{Changes_When_Uppercased}]/gu

const measure = (char: string): string => String.fromCodePoint(lower(char.codePointAt(0)!)).toUpperCase()

let families: number[][] | undefined

/** All characters that are the same without case, together; Unicode is walked once, when it is needed. */
function allFamilies(): number[][] {
  if (families !== undefined) return families
  const byMeasure = new Map<string, number[]>()
  for (let i = 0; i < CASED_BLOCKS.length; i += 2) {
    const length = CASED_BLOCKS[i + 1]! - CASED_BLOCKS[i]! + 1
    const block = Array.from({ length }, (_, offset) => String.fromCodePoint(CASED_BLOCKS[i]! + offset)).join('')
    for (const char of block.match(CASED) ?? []) {
      const key = measure(char)
      const family = byMeasure.get(key)
      if (family === undefined) byMeasure.set(key, [char.codePointAt(0)!])
      else family.push(char.codePointAt(0)!)
    }
  }
  families = [...byMeasure.values()]
  return families
}

/** Letters outside ASCII that have an ASCII case: dotted and dotless i, Kelvin, long s. */
const STRANGERS: Record<number, number[]> = { 105: [0x130, 0x131], 107: [0x212a], 115: [0x17f] }

/** Return the ranges (pairs of first and last) with all other cases of their characters. */
export function foldRanges(ranges: readonly number[], ascii: boolean): number[] {
  const folded = [...ranges]
  const add = (code: number): void => {
    folded.push(code, code)
  }
  let beyond = false
  for (let i = 0; i < ranges.length; i += 2) {
    const last = ranges[i + 1]!
    if (last > 0x7f) beyond = true
    for (let code = Math.max(ranges[i]!, 0x41); code <= Math.min(last, 0x7a); code++) {
      const small = code | 0x20
      if (small < 0x61 || small > 0x7a || (code > 0x5a && code < 0x61)) continue
      add(code ^ 0x20)
      if (!ascii) STRANGERS[small]?.forEach(add)
    }
  }
  if (!ascii && beyond) foldBeyondAscii(ranges, add)
  return folded
}

function foldBeyondAscii(ranges: readonly number[], add: (code: number) => void): void {
  for (const family of allFamilies()) {
    if (!family.some((code) => inRanges(ranges, code))) continue
    for (const code of family) if (!inRanges(ranges, code)) add(code)
  }
}

export function inRanges(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) if (code >= ranges[i]! && code <= ranges[i + 1]!) return true
  return false
}
