// Columns of the list of minions that callers choose: values of grains and of the pillar, by `grains.<path>` and `pillar.<path>`.
import { z } from '@hono/zod-openapi'
import { briefStr, type Dict, isDict, maskSecrets, traverse, type Value } from '../../data/mod.ts'
import type { MasterStores } from '../../sdk/mod.ts'
import type { V1Call } from './call.ts'
import { toJson } from './json.ts'
import { line } from './shapes.ts'

const MOST_COLUMNS = 12

const BANKS = ['grains', 'pillar'] as const

const isColumn = (text: string): boolean => /^(grains|pillar)\.[^:]+(:[^:]+)*$/.test(text)

export const Columns = line(2000)
  .refine((text) => text.split(',').length <= MOST_COLUMNS, `has more than ${MOST_COLUMNS} columns`)
  .refine((text) => text.split(',').every(isColumn), 'has a column that is no grains.<path> or pillar.<path>')
  .openapi({
    description:
      'Up to 12 columns with commas between them: `grains.<path>` or `pillar.<path>`, with colons in the path',
    example: 'grains.osfullname,pillar.web:port',
  })

export const ColumnValues = z.record(z.string(), z.unknown()).optional().openapi({
  description:
    'The values of the columns that were asked for; null where there is none. Of a value of more than 1000 characters the beginning, as a text',
})

/** Return a function that returns the column values of a minion. Throw if the caller may not see them. */
export async function columnReader(
  call: V1Call,
  { cache }: MasterStores,
  text: string | undefined,
): Promise<(id: string) => { columns?: Record<string, unknown> }> {
  if (text === undefined) return () => ({})
  const columns = [...new Set(text.split(','))]
  const wanted = BANKS.filter((bank) => columns.some((column) => column.startsWith(`${bank}.`)))
  for (const bank of wanted) await call.need('runner', `cache.${bank}`)
  return (id) => {
    const data = new Map(wanted.map((bank) => [bank as string, dictOf(cache.bank(bank).fetch(id))]))
    const values: Record<string, unknown> = Object.create(null)
    for (const column of columns) {
      const [bank, path] = [column.slice(0, column.indexOf('.')), column.slice(column.indexOf('.') + 1)]
      const value = traverse(data.get(bank)!, path)
      values[column] = bounded(bank === 'pillar' ? masked(path, value) : value)
    }
    return { columns: values }
  }
}

/** Length limit of one value: a page has thousands of them. */
const LONGEST_VALUE = 1000

/** Return a value as JSON; of a long one the beginning, as a text. */
function bounded(value: Value): unknown {
  // a value that was cut has more than half of these characters
  const text = briefStr(value, 2 * LONGEST_VALUE)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : toJson(value)
}

const dictOf = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())

/** Mask secrets by name: within the value, and by each key of its path. */
function masked(path: string, value: Value): Value {
  if (value === null) return null
  const hidden = path.split(':').reduceRight<Value>((inner, key) => new Map([[key, inner]]), value)
  let found = maskSecrets(hidden)
  for (const key of path.split(':')) {
    if (!isDict(found)) return found
    found = found.get(key) ?? null
  }
  return found
}
