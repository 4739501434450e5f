// `csv`: the row of a sheet with the minion id in its id column, below a key if one is given.
import { lookup } from '../../../base/mod.ts'
import { type Dict, decodeBytes, PyError, parseCsv, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'

const DELIMITERS: Readonly<Record<string, string>> = lookup({ excel: ',', unix: ',', 'excel-tab': '\t' })

/** Return a row by the names of its columns; missing cells are `restval`, additional ones are under `restkey`. */
function rowOf(names: readonly Value[], cells: readonly string[], restkey: Value, restval: Value): Dict {
  const row: Dict = new Map(names.map((name, index) => [name, cells[index] ?? restval]))
  return cells.length > names.length ? row.set(restkey, cells.slice(names.length)) : row
}

export default defineExtPillar({
  name: 'csv',
  doc: 'The row of a sheet whose column of ids names the minion.',
  args: {
    path: arg.text('Path of the sheet'),
    idkey: arg.text('Column with the ids of minions', { default: 'id' }),
    namespace: arg.text('Key to put the row under', { optional: true }),
    fieldnames: arg.list('Names of the columns; those of the first row by default', { optional: true }),
    restkey: arg.any('Key of the cells beyond the last named column', { default: null }),
    restval: arg.any('Value of columns that a row does not have', { default: null }),
    dialect: arg.text('`excel`, `excel-tab` or `unix`', { default: 'excel' }),
  },
  run: async ({ host, minionId }, { path, idkey, namespace, fieldnames, restkey, restval, dialect }) => {
    const delimiter = DELIMITERS[dialect]
    if (delimiter === undefined) throw new PyError('Exception', `unknown dialect ${dialect}`)
    const sheet = parseCsv(decodeBytes(await host.read(path)), delimiter)
    const rows = sheet.filter((cells) => cells.length > 0)
    const names: Value[] = fieldnames ?? rows.shift() ?? []
    for (const cells of rows) {
      const row = rowOf(names, cells, restkey, restval)
      if (row.get(idkey) !== minionId) continue
      return namespace ? new Map([[namespace, row]]) : row
    }
    return new Map()
  },
})
