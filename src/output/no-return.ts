// Notices about minions that did not answer: all in red below their names.
import { isDict, sorted, str, textOf, type Value } from '../data/mod.ts'
import type { Outputter, Screen } from './outputter.ts'

export const noReturn: Outputter = (data, { colors }) => notices(data, 0, colors)

function notices(data: Value, indent: number, colors: Screen['colors']): string {
  const margin = ' '.repeat(indent)
  const text = textOf(data)
  if (text !== undefined) {
    const lines = text.split('\n').map((line) => `${colors.RED}${margin}${line}${colors.ENDC}\n`)
    return lines.join('')
  }
  if (!isDict(data)) return ''
  let out = ''
  for (const key of sorted(data)) {
    out += `${colors.CYAN}${margin}${str(key)}${colors.ENDC}:\n${notices(data.get(key)!, indent + 4, colors)}`
  }
  return out
}
