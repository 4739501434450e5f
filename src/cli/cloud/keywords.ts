// Words of a command line after an action or a function: names, and `key=value`.
import type { Dict } from '../../data/mod.ts'
import { parseInput, publishedArguments } from '../../sdk/mod.ts'
import { UsageError } from '../optparse/exit.ts'

/** Values are read as YAML, as everywhere on command lines. */
export function keywordsIn(words: readonly string[]): { names: string[]; kwargs: Dict } {
  const names = words.filter((word) => !word.includes('='))
  const kwargs: Dict = new Map()
  for (const word of words.filter((one) => one.includes('='))) {
    const key = word.slice(0, word.indexOf('='))
    if (!/^[\w.-]+$/.test(key)) throw new UsageError(`'${word}' is not key=value`)
    const [value = null] = publishedArguments(parseInput([word.slice(key.length + 1)], new Set()))
    kwargs.set(key, value)
  }
  return { names, kwargs }
}
