// Removes the tags of markup.
import { splitWords, unescapeHtml } from '../../data/mod.ts'

/** Without comments, tags and character references, and with single spaces. */
export function stripTags(markup: string): string {
  const text = without(without(markup, '<!--', '-->'), '<', '>')
  return unescapeHtml(splitWords(text).join(' '))
}

/** Return the text without everything between the two marks, and without the marks; an open end stays. */
function without(text: string, open: string, close: string): string {
  let kept = ''
  let from = 0
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length)
    if (end < 0) break
    kept += text.slice(from, start)
    from = end + close.length
  }
  return kept + text.slice(from)
}
