// The minions' answers without their names, one a line; an answer that is a list gives a line per item.
import { isList, str } from '../data/mod.ts'
import { dictFor, type Outputter } from './outputter.ts'

export const newlineValuesOnly: Outputter = (data) =>
  [...dictFor(data, 'items').values()]
    .flatMap((value) => (isList(value) ? value : [value]))
    .map(str)
    .join('\n')
