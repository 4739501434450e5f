// A state's warnings, filled into lines of eighty columns below each other.
import { iterate, type Value, wrapText } from '../../data/mod.ts'
import { needText } from '../text.ts'

const INDENT = ' '.repeat(14)
const TAB = 8

/** `'\n'.join(warnings)`. */
export function joinedWarnings(warnings: Value): string {
  return Array.from(iterate(warnings), needText).join('\n')
}

/** Return the warnings as one paragraph; the first line follows the label without an indent. */
export function filledWarnings(warnings: Value): string {
  const text = tabsAsSpaces(joinedWarnings(warnings)).replace(/[\t\n\v\f\r]/g, ' ')
  const lines = wrapText(text, { width: 80 - INDENT.length, breakLongWords: true, breakOnHyphens: true })
  return lines.join(`\n${INDENT}`).trimStart()
}

function tabsAsSpaces(text: string): string {
  let column = 0
  return text.replace(/./gsu, (char) => {
    if (char === '\t') {
      const width = TAB - (column % TAB)
      column += width
      return ' '.repeat(width)
    }
    column = char === '\n' || char === '\r' ? 0 : column + 1
    return char
  })
}
