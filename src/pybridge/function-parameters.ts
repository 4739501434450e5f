// The parameters of a JavaScript function, read from its text.

export interface Parameter {
  name: string
  isOptional: boolean
  isRest: boolean
}

const OPENING = '([{'
const CLOSING = ')]}'

/** The end of a quoted text that begins here. */
function endOfQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[from]) return at
  }
  return text.length
}

/** The parts between the parentheses that begin here, at the top level. */
function partsOf(text: string, from: number): string[] {
  const parts = ['']
  let depth = 0
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at]!
    if (`'"\``.includes(character)) {
      const end = endOfQuote(text, at)
      parts[parts.length - 1] += text.slice(at, end + 1)
      at = end
      continue
    }
    if (depth === 0 && character === ')') break
    if (OPENING.includes(character)) depth++
    if (CLOSING.includes(character)) depth--
    if (depth === 0 && character === ',') parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

// biome-ignore lint/complexity/noBannedTypes: any function has a text
export function parametersOf(body: Function): Parameter[] {
  const text = String(body).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
  const arrow = /^(?:async\s+)?([\w$]+)\s*=>/.exec(text)
  const parts = arrow ? [arrow[1]!] : partsOf(text, text.indexOf('('))
  return parts.map((part, index) => {
    const isRest = part.startsWith('...')
    const name = /^[\w$]+/.exec(isRest ? part.slice(3) : part)?.[0] ?? `arg${index}`
    return { name, isRest, isOptional: /^[\w$]+\s*=/.test(part) || !/^(?:\.\.\.)?[\w$]/.test(part) }
  })
}
