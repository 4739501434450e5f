// All outputters by their public names: those of Salt 3008 and of earlier versions.
import { highstate } from './highstate/highstate.ts'
import { json } from './json.ts'
import { key } from './key.ts'
import { nested } from './nested.ts'
import { newlineValuesOnly } from './newline-values-only.ts'
import { noReturn } from './no-return.ts'
import type { Outputter } from './outputter.ts'
import { overstatestage } from './overstatestage.ts'
import { pprint } from './pprint.ts'
import { profile } from './profile.ts'
import { quiet } from './quiet.ts'
import { raw } from './raw.ts'
import { table } from './table/table.ts'
import { trace } from './trace.ts'
import { txt } from './txt.ts'
import { virtQuery } from './virt-query.ts'
import { yaml } from './yaml.ts'

export const outputters: ReadonlyMap<string, Outputter> = new Map<string, Outputter>([
  ['highstate', highstate],
  ['json', json],
  ['key', key],
  ['nested', nested],
  ['no_return', noReturn],
  ['pprint', pprint],
  ['raw', raw],
  ['table', table],
  ['txt', txt],
  ['yaml', yaml],
  // beyond Salt
  ['trace', trace],
  // gone from 3008
  ['newline_values_only', newlineValuesOnly],
  ['no_out', quiet],
  ['no_out_quiet', quiet],
  ['overstatestage', overstatestage],
  ['profile', profile],
  ['quiet', quiet],
  ['virt_query', virtQuery],
])
