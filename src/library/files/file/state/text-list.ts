// Input that users give as one text or as a list.
import { decodeBytes, isIterable, iterate, str, textOf, type Value } from '../../../../data/mod.ts'

/** Return a value as a list of texts. */
export function textList(value: Value, encoding: Value = null): string[] {
  const text = textOf(value)
  if (text !== undefined) return [text]
  if (value instanceof Uint8Array) return [decodeBytes(value, textOf(encoding) ?? 'utf-8')]
  if (isIterable(value) && !(value instanceof Map))
    return Array.from(iterate(value), (item) => textOf(item) ?? str(item))
  return [str(value)]
}
