// Selection and output of events: a tag, a tab and the data in JSON, for users and for shell scripts.
import { type Dict, dumpJson, fnmatch, str } from '../../../data/mod.ts'

/** Match tags by a glob, or by a regular expression for the whole tag. */
export function tagMatcher(expression: string): (tag: string) => boolean {
  let regular: RegExp | undefined
  try {
    regular = new RegExp(`^(?:${expression})$`)
  } catch {
    // for example `*`, a glob that is no valid regular expression
  }
  return (tag) => tag === expression || fnmatch(tag, expression) || (regular?.test(tag) ?? false)
}

/** Return the line of an event, with further columns before the tag. */
export function eventLine(tag: string, data: Dict, isPretty: boolean, before: readonly string[] = []): string {
  const options = { ensureAscii: false, default: str, ...(isPretty && { sortKeys: true, indent: 4 }) }
  return `${[...before, tag, dumpJson(data, options)].join('\t')}\n`
}
