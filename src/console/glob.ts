// Globs with `*`, `?` and `[…]`, matched in a time proportional to the product of both lengths, because globs come from
// links and texts from minions.

/** One part of a glob: the test of a character, or a star. */
type Part = '*' | ((char: string) => boolean)

const anyone = (): boolean => true

/** Parse the characters and ranges between brackets. As in Python, a reversed range matches nothing. */
function setOf(text: string): (char: string) => boolean {
  const isNot = /^[!^]/.test(text)
  const chars = [...(isNot ? text.slice(1) : text)]
  const ranges: Array<readonly [first: string, last: string]> = []
  for (let at = 0; at < chars.length; at++) {
    const isRange = chars[at + 1] === '-' && at + 2 < chars.length
    ranges.push([chars[at]!, isRange ? chars[at + 2]! : chars[at]!])
    if (isRange) at += 2
  }
  return (char) => ranges.some(([first, last]) => first <= char && char <= last) !== isNot
}

function partsOf(glob: string): Part[] {
  // an unclosed bracket is literal
  const pieces = glob.match(/\[[!^]?[^\]]+\]|\*+|./gsu) ?? []
  return pieces.map((piece): Part => {
    if (piece.startsWith('*')) return '*'
    if (piece === '?') return anyone
    if (piece.length > 2 && piece.startsWith('[')) return setOf(piece.slice(1, -1))
    return (char) => char === piece
  })
}

/** Return a test whether a glob matches a whole text. */
export function globMatcher(glob: string): (text: string) => boolean {
  const parts = partsOf(glob)
  return (text) => {
    const chars = [...text]
    let [part, at] = [0, 0]
    // the last star, and the end of the text that it matched; an earlier star never has to match more
    let [star, taken] = [-1, 0]
    while (at < chars.length) {
      const wanted = parts[part]
      if (wanted === '*') [star, taken] = [part++, at]
      else if (wanted?.(chars[at]!)) [part, at] = [part + 1, at + 1]
      else if (star >= 0) [part, at] = [star + 1, ++taken]
      else return false
    }
    return parts.slice(part).every((rest) => rest === '*')
  }
}
