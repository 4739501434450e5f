// Events as they come, printed as a tag, a tab and the data in JSON, for eyes and for shell scripts.
import { dumpJson, fnmatch, str, truthy, type Value } from '../../data/mod.ts'
import type { MasterContext } from '../../sdk/mod.ts'

export interface EventWish {
  tagmatch: string
  count: number
  quiet: Value
  pretty: Value
}

/** A glob, else a regular expression from the beginning to the end of the tag. */
function matcher(expression: string): (tag: string) => boolean {
  let regular: RegExp | undefined
  try {
    regular = new RegExp(`^(?:${expression})$`)
  } catch {
    // a glob that is no expression, as `*` is
  }
  return (tag) => tag === expression || fnmatch(tag, expression) || (regular?.test(tag) ?? false)
}

export async function watchEvents(ctx: MasterContext, { tagmatch, count, quiet, pretty }: EventWish): Promise<null> {
  let left = count
  const options = { ensureAscii: false, default: str, ...(truthy(pretty) && { sortKeys: true, indent: 4 }) }
  if (left === 0) return null
  for await (const { tag, data } of ctx.events(matcher(tagmatch))) {
    if (!truthy(quiet)) ctx.print(`${tag}\t${dumpJson(data, options)}\n`)
    if (left > 0) left--
    if (left === 0) break
  }
  return null
}
