// The split family: by separator, by runs of spaces, by lines, into three.
import { SPACE, splitWords, Tuple, type Value, valueError } from '../../data/mod.ts'
import { countArgument, textArgument } from './arguments.ts'

const SPACE_CHAR = new RegExp(`[${SPACE}]`)

/** `str.split` (or `rsplit`): separator null means runs of spaces; a negative limit means none. */
export function split(text: string, separator: Value = null, most: Value = -1, fromEnd = false): string[] {
  const limit = countArgument(most)
  if (separator === null) return splitSpaces(text, limit < 0 ? Number.POSITIVE_INFINITY : limit, fromEnd)
  const mark = textArgument(separator, 'must be str or None')
  if (mark === '') throw valueError('empty separator')
  if (fromEnd) return splitFromEnd(text, mark, limit < 0 ? Number.POSITIVE_INFINITY : limit)
  const parts = text.split(mark)
  if (limit < 0 || parts.length - 1 <= limit) return parts
  return [...parts.slice(0, limit), parts.slice(limit).join(mark)]
}

/** Searches backwards, since overlapping separators fall differently from the end. */
function splitFromEnd(text: string, mark: string, limit: number): string[] {
  const parts: string[] = []
  let end = text.length
  while (parts.length < limit) {
    const at = end < mark.length ? -1 : text.lastIndexOf(mark, end - mark.length)
    if (at < 0) break
    parts.push(text.slice(at + mark.length, end))
    end = at
  }
  parts.push(text.slice(0, end))
  return parts.reverse()
}

function splitSpaces(text: string, limit: number, fromEnd: boolean): string[] {
  if (limit === Number.POSITIVE_INFINITY) return splitWords(text)
  const words: string[] = []
  // the word that is not split further keeps its spaces, save on the side where the search came from
  let start = 0
  let end = text.length
  for (;;) {
    if (fromEnd) while (end > 0 && isSpace(text, end - 1)) end--
    else while (start < end && isSpace(text, start)) start++
    if (start >= end) break
    if (words.length === limit) {
      words.push(text.slice(start, end))
      break
    }
    let edge = fromEnd ? end : start
    if (fromEnd) while (edge > 0 && !isSpace(text, edge - 1)) edge--
    else while (edge < end && !isSpace(text, edge)) edge++
    words.push(fromEnd ? text.slice(edge, end) : text.slice(start, edge))
    if (fromEnd) end = edge
    else start = edge
  }
  return fromEnd ? words.reverse() : words
}

const isSpace = (text: string, at: number): boolean => SPACE_CHAR.test(text[at]!)

/** `str.partition` or `rpartition`. */
export function partition(text: string, separator: Value, fromEnd: boolean): Tuple {
  const mark = textArgument(separator, 'must be str')
  if (mark === '') throw valueError('empty separator')
  const at = fromEnd ? text.lastIndexOf(mark) : text.indexOf(mark)
  if (at < 0) return fromEnd ? Tuple.of('', '', text) : Tuple.of(text, '', '')
  return Tuple.of(text.slice(0, at), mark, text.slice(at + mark.length))
}
