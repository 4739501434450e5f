// The stages of an overstate: each stage's name, and its settings below.
import { getItem, iterate, sorted, str } from '../data/mod.ts'
import { dictFor, type Outputter } from './outputter.ts'

export const overstatestage: Outputter = (data, { colors }) => {
  let out = ''
  for (const stages of iterate(data)) {
    for (const [name, stage] of dictFor(stages, 'items')) {
      out += `${colors.LIGHT_BLUE}${str(name)}: ${colors.ENDC}\n`
      for (const key of sorted(stage)) {
        out += `    ${colors.LIGHT_BLUE}${str(key)}: ${str(getItem(stage, key))}${colors.ENDC}\n`
      }
    }
  }
  return out
}
