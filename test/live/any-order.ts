// Normalizes a text whose order depends on the minions: names of minions after certain words are sorted, and the lines
// of an orchestration, which has a part for each minion, may be in any order.
import type { Placeholders } from './placeholders.ts'

const NAMES = /((?:Updating|No changes made to|ran on|on minions:) )([\w-]+(?:, [\w-]+)+)/g

/** Names sorted, and no padding before a time whose length varies. */
export function sortedNames(text: string): string {
  return text
    .replace(NAMES, (_whole, words: string, names: string) => words + names.split(', ').sort().join(', '))
    .replace(/(Total run time:) +/g, '$1 ')
}

/** Whether both texts have the same lines. */
export function sameLines(recorded: string, printed: string, known: Placeholders): boolean {
  const left = printed.split('\n')
  const lines = recorded.split('\n')
  const isCut = recorded.includes('<FRAMES>')
  return (
    (isCut || lines.length === left.length) &&
    lines.every((line) => {
      if (line.trim() === '<FRAMES>') return true
      const at = left.findIndex((other) => known.attempt(() => known.matches(line, other)))
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    })
  )
}
