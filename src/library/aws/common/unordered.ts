// Comparison of AWS policies and settings, ignoring the order of lists.
import { dumpJson, isDict, isList, str, type Value } from '../../../data/mod.ts'

/** Return a value as a text that is the same where only the order of lists and names differs. */
export function unordered(value: Value): string {
  if (isList(value)) return `[${value.map(unordered).sort().join(',')}]`
  if (!isDict(value)) return dumpJson(value)
  const entries = [...value].map(([key, entry]) => `${dumpJson(str(key))}:${unordered(entry)}`)
  return `{${entries.sort().join(',')}}`
}
