// Matchers that use only the minion id.
import { compileRegex, contains, fnmatch, isIterable, textOf, typeError, type Value } from '../data/mod.ts'
import type { Matcher } from './subject.ts'

export const glob: Matcher = (target, subject, options = {}) => {
  const pattern = textOf(target)
  return pattern !== undefined && fnmatch(options.id || subject.id, pattern)
}

/** Anchored at the start only; a pattern that is none throws Python's error. */
export const pcre: Matcher = (target, subject, options = {}) => {
  const pattern = textOf(target)
  if (pattern === undefined) throw typeError('first argument must be string or compiled pattern')
  return compileRegex(pattern).match(options.id || subject.id) !== null
}

/** A comma-separated text (spaces belong to the id), or a list of ids. */
export const list: Matcher = (target, subject, options = {}) => {
  const id = options.id || subject.id
  const text = textOf(target)
  if (text === undefined) return isIterable(target) && contains(target, id)
  return text === id || text.startsWith(`${id},`) || text.endsWith(`,${id}`) || text.includes(`,${id},`)
}

export const managingMinion: Matcher = (target: Value, subject, options = {}) => {
  return textOf(target) === (options.id ?? subject.id)
}
