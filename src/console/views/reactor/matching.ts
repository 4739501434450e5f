// Which rules of the reactor an event meets.
import { globExpression } from '../events/filter.ts'

const known = new Map<string, RegExp>()

function expressionOf(glob: string): RegExp {
  let expression = known.get(glob)
  if (!expression) {
    if (known.size > 1000) known.clear()
    try {
      expression = globExpression(glob)
    } catch {
      // a set of characters that only Python reads: no event is shown to meet it
      expression = /(?!)/
    }
    known.set(glob, expression)
  }
  return expression
}

/** Whether the tag of an event meets a rule. */
export const matches = (rules: ReadonlyArray<{ tag: string }>, tag: string): boolean =>
  rules.some((rule) => expressionOf(rule.tag).test(tag))
