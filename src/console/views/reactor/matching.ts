// The reactor rules that match an event.
import { globMatcher } from '../../glob.ts'

const MOST_KNOWN = 1000

const known = new Map<string, (tag: string) => boolean>()

function matcherOf(glob: string): (tag: string) => boolean {
  let matcher = known.get(glob)
  if (!matcher) {
    if (known.size >= MOST_KNOWN) known.clear()
    matcher = globMatcher(glob)
    known.set(glob, matcher)
  }
  return matcher
}

/** Whether the tag of an event meets a rule. */
export const matches = (rules: ReadonlyArray<{ tag: string }>, tag: string): boolean =>
  rules.some((rule) => matcherOf(rule.tag)(tag))
