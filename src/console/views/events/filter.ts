// The filter of events: a part of a tag, a glob, or a regular expression between slashes.
import { globMatcher } from '../../glob.ts'

export interface TagFilter {
  fits(tag: string): boolean
  /** The glob for filtering on the server; undefined if only this page can filter. */
  glob: string | undefined
  /** Why the text is no filter. */
  problem: string | undefined
}

/** The server's limit of stars. */
const MOST_STARS = 3
const LONGEST = 200
/** Limit of a tag's length for regular expressions, which may be slow. */
const LONGEST_TAG = 1000

const ALL: TagFilter = { fits: () => true, glob: undefined, problem: undefined }

const isGlob = (text: string): boolean => /[*?]|\[.+\]/.test(text)

/** Parse the typed filter of tags. */
export function readTagFilter(typed: string): TagFilter {
  const text = typed.trim()
  if (text === '') return ALL
  const [, expression] = /^\/(.+?)\/?$/s.exec(text) ?? []
  if (expression !== undefined) return readExpression(expression)
  const glob = isGlob(text) ? text : `*${text}*`
  const isServed = glob.length <= LONGEST && glob.split('*').length - 1 <= MOST_STARS
  return { fits: globMatcher(glob), glob: isServed ? glob : undefined, problem: undefined }
}

function readExpression(text: string): TagFilter {
  try {
    const pattern = new RegExp(text)
    return { fits: (tag) => pattern.test(tag.slice(0, LONGEST_TAG)), glob: undefined, problem: undefined }
  } catch (error) {
    return { ...ALL, problem: error instanceof Error ? error.message : 'This is no regular expression' }
  }
}

/** A kind of sender, or a glob of `kind:name`. */
export function readOriginFilter(typed: string): { glob: string | undefined; fits(origin: string): boolean } {
  const text = typed.trim()
  if (text === '') return { glob: undefined, fits: () => true }
  const glob = isGlob(text) ? text : `${text}*`
  return { glob: glob.length <= LONGEST ? glob : undefined, fits: globMatcher(glob) }
}
