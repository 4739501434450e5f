// Globs with `*`, `?` and `[…]`, matched in time that grows with the length of the glob times that of the text, whatever they are: links
// bring globs, and minions bring texts.

/** One character of a glob: what it takes. A star is `*`. */
type Part = '*' | ((char: string) => boolean)

const anyone = (): boolean => true

/** Read the characters and ranges between brackets. A range whose end lies before its beginning takes nothing, as in Python. */
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
  // a bracket that is not closed stands for itself
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
