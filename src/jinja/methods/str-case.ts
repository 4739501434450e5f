// swapcase and casefold, which JavaScript does not have.

export function swapcase(text: string): string {
  const lowered = text.toLowerCase()
  let out = ''
  let at = 0
  for (const char of text) {
    const length = char.toLowerCase().length
    if (/\p{Uppercase}/u.test(char)) out += lowered.slice(at, at + length)
    else out += /\p{Lowercase}/u.test(char) ? char.toUpperCase() : char
    at += length
  }
  return out
}

/** `str.casefold`: upper, then lower, save where Unicode folds otherwise. */
export function casefold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let out = ''
  for (const char of text) out += foldChar(char)
  return out
}

function foldChar(char: string): string {
  if (char === 'ı') return char
  if (char === 'ẞ') return 'ss'
  // Cherokee folds to its capitals
  if (/[\u13a0-\u13fd\uab70-\uabbf]/.test(char)) return char.toUpperCase()
  return char.toUpperCase().toLowerCase()
}
