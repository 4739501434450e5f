// The styles in which a scalar's text can be written. libyaml and PyYAML's own emitter differ only in which characters
// must be escaped, and whether CR is a line break.

export interface Analysis {
  multiline: boolean
  flowPlain: boolean
  blockPlain: boolean
  singleQuoted: boolean
  block: boolean
}

export interface Alphabet {
  isBreak(code: number): boolean
  /** Whether the code point, not ASCII and no line feed, may be written as it is. */
  isPrintable(code: number): boolean
}

/** libyaml takes NEL and all characters beyond the basic plane for unprintable. */
export const LIBYAML: Alphabet = {
  isBreak: (code) => code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029,
  isPrintable: (code) => code >= 0xa0 && code < 0xfffe && code !== 0xfeff && (code < 0xd800 || code > 0xdfff),
}

export const PURE: Alphabet = {
  isBreak: (code) => code === 10 || code === 0x85 || code === 0x2028 || code === 0x2029,
  isPrintable: (code) =>
    code === 0x85 ||
    (code >= 0xa0 && code < 0xfffe && code !== 0xfeff && (code < 0xd800 || code > 0xdfff)) ||
    (code > 0xffff && code < 0x10ffff),
}

const EMPTY: Analysis = { multiline: false, flowPlain: false, blockPlain: true, singleQuoted: true, block: false }
const ANYTHING: Analysis = { multiline: false, flowPlain: true, blockPlain: true, singleQuoted: true, block: true }

/** Text that holds nothing of interest, which is most of it. */
const HARMLESS = /^[A-Za-z0-9_/][A-Za-z0-9_/.+=~@$^();*%<>|&\\!'"-]*$/

const ALWAYS_LEADING = '#,[]{}&*!|>\'"%@`'
const FLOW_INSIDE = ',?[]{}'

export function analyzeScalar(text: string, alphabet: Alphabet, unicode: boolean): Analysis {
  if (text === '') return EMPTY
  if (HARMLESS.test(text)) return ANYTHING
  const indicators = findIndicators(text)
  const spaces = findSpaces(text, alphabet, unicode)
  const outer = spaces.leading || spaces.trailingSpace || spaces.trailingBreak
  const quotable = !(spaces.spaceBreak || spaces.special)
  const plain = !outer && !spaces.breakSpace && quotable && !spaces.breaks
  return {
    multiline: spaces.breaks,
    flowPlain: plain && !indicators.flow,
    blockPlain: plain && !indicators.block,
    singleQuoted: quotable && !spaces.breakSpace,
    block: quotable && !spaces.trailingSpace,
  }
}

/** Whether the text would read as something else than a plain scalar. */
function findIndicators(text: string): { flow: boolean; block: boolean } {
  let block = text.startsWith('---') || text.startsWith('...')
  let flow = block
  const first = text[0]!
  const followed = isBlankAt(text, 1)
  if (ALWAYS_LEADING.includes(first) || (first === '-' && followed)) flow = block = true
  else if (first === '?' || first === ':') {
    flow = true
    if (followed) block = true
  }
  for (let i = 1; i < text.length; i++) {
    const c = text[i]!
    if (FLOW_INSIDE.includes(c)) flow = true
    else if (c === ':') {
      flow = true
      if (isBlankAt(text, i + 1)) block = true
    } else if (c === '#' && isBlankAt(text, i - 1)) flow = block = true
  }
  return { flow, block }
}

/** A blank, a break, NUL or the end. */
function isBlankAt(text: string, i: number): boolean {
  return i >= text.length || '\0 \t\r\n\x85\u2028\u2029'.includes(text[i]!)
}

interface Spaces {
  breaks: boolean
  special: boolean
  leading: boolean
  trailingSpace: boolean
  trailingBreak: boolean
  breakSpace: boolean
  spaceBreak: boolean
}

function findSpaces(text: string, alphabet: Alphabet, unicode: boolean): Spaces {
  const found = { breaks: false, special: false, breakSpace: false, spaceBreak: false }
  let last: 'space' | 'break' | 'other' = 'other'
  let leading = false
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!
    if (!isWritable(code, alphabet, unicode)) found.special = true
    if (code === 32) {
      if (last === 'break') found.breakSpace = true
      last = 'space'
    } else if (alphabet.isBreak(code)) {
      found.breaks = true
      if (last === 'space') found.spaceBreak = true
      last = 'break'
    } else last = 'other'
    if (i === 0) leading = last !== 'other'
    if (code > 0xffff) i++
  }
  return { ...found, leading, trailingSpace: last === 'space', trailingBreak: last === 'break' }
}

function isWritable(code: number, alphabet: Alphabet, unicode: boolean): boolean {
  if (code === 10 || (code >= 0x20 && code <= 0x7e)) return true
  return code > 0x7f && unicode && alphabet.isPrintable(code)
}
