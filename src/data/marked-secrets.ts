// Secrets that this process has read, such as those of Vault: templates and functions get the values, and logs and
// results of states mask them.
import { HiddenTexts } from './hidden-texts.ts'
import { secretTexts } from './secret-texts.ts'
import { isDict, isList, type Value } from './value.ts'

const marked = new HiddenTexts()

/**
 * Mark all texts of a value as secrets. Short ones stay visible, because masking them would hide too much other text.
 */
export function markSecret(value: Value): void {
  marked.add(secretTexts(value))
}

/** Return a text with asterisks in the place of marked secrets. */
export const hideMarked = (text: string): string => marked.mask(text)

/** Return the marked texts in a value, to send them to another process. */
export function markedIn(value: Value, found: Set<string> = new Set()): Set<string> {
  if (marked.size === 0) return found
  if (typeof value === 'string') for (const text of marked.within(value)) found.add(text)
  else if (isDict(value)) for (const item of value.values()) markedIn(item, found)
  else if (isList(value)) for (const item of value) markedIn(item, found)
  return found
}

/** Mark texts that another process has marked. */
export const markTexts = (texts: Iterable<string>): void => marked.add(texts)

/** Return a value with marked secrets replaced by asterisks, also in keys; the same value if there are none. */
export function maskMarked(value: Value): Value {
  if (marked.size === 0) return value
  if (typeof value === 'string') return marked.mask(value)
  if (isList(value)) {
    const items = value.map(maskMarked)
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isDict(value)) return value
  let isSame = true
  const masked = new Map<Value, Value>()
  for (const [key, item] of value) {
    const shown = maskMarked(item)
    const name = typeof key === 'string' ? marked.mask(key) : key
    isSame &&= shown === item && name === key
    masked.set(name, shown)
  }
  return isSame ? value : masked
}
