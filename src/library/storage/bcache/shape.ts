// The form of the result of `bcache.device`: names without the parts that repeat their kind, related attributes in one
// dict.
import { type Dict, isDict, str, type Value } from '../../../data/mod.ts'

const short = (name: string): string => name.replace(/(stats|cache)_/g, '')

function inner(into: Dict, key: string): Dict {
  const known = into.get(key)
  const dict: Dict = known !== undefined && isDict(known) ? known : new Map()
  into.set(key, dict)
  return dict
}

/** Return statistics, with those of each period in a separate dict. */
export function statistics(given: Dict): Dict {
  const found: Dict = new Map()
  for (const [name, value] of given) {
    const [period, ...rest] = str(name).split('/')
    if (rest.length === 0) found.set(short(str(name)), value)
    else inner(found, short(period!)).set(short(rest.join('/')), value)
  }
  return found
}

/** Return attributes; those with one of the prefixes are in a dict under that word. */
export function grouped(given: Dict, words: readonly string[]): Dict {
  const found: Dict = new Map()
  for (const [name, value] of given) {
    const key = str(name).replace(/^internal[s/]*/, '')
    const cut = key.indexOf('_')
    if (cut > 0 && words.some((word) => key.startsWith(word)))
      inner(found, key.slice(0, cut)).set(key.slice(cut + 1), value)
    else found.set(key, value)
  }
  return found
}

/** Merge dicts; later ones override. */
export const merged = (...dicts: ReadonlyArray<Dict | undefined>): Dict =>
  new Map<Value, Value>(dicts.flatMap((dict) => [...(dict ?? [])]))
