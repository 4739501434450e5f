// `csv`: the row of a sheet whose column of ids names the minion, below a key if one is given.
import { lookup } from '../../base/mod.ts'
import { type Dict, decodeBytes, isList, PyError, parseCsv, str, truthy, type Value } from '../../data/mod.ts'
import type { ExtPillar } from '../ext-pillar.ts'

const DELIMITERS: Readonly<Record<string, string>> = lookup({ excel: ',', unix: ',', 'excel-tab': '\t' })

/** A row by the names of its columns; what is missing is `restval`, what is too much is under `restkey`. */
function rowOf(names: readonly Value[], cells: readonly string[], restkey: Value, restval: Value): Dict {
  const row: Dict = new Map(names.map((name, index) => [name, cells[index] ?? restval]))
  return cells.length > names.length ? row.set(restkey, cells.slice(names.length)) : row
}

export const csv: ExtPillar = {
  parameters: ['path', 'idkey', 'namespace', 'fieldnames', 'restkey', 'restval', 'dialect'],
  required: 1,
  run: async ({ host, minionId }, { named }) => {
    const option = (name: string): Value => named.get(name) ?? null
    const dialect = str(option('dialect') ?? 'excel')
    const delimiter = DELIMITERS[dialect]
    if (delimiter === undefined) throw new PyError('Exception', `unknown dialect ${dialect}`)
    const sheet = parseCsv(decodeBytes(await host.read(str(option('path')))), delimiter)
    const rows = sheet.filter((cells) => cells.length > 0)
    const given = option('fieldnames')
    const names: Value[] = isList(given) ? [...given] : (rows.shift() ?? [])
    const idkey = option('idkey') ?? 'id'
    for (const cells of rows) {
      const row = rowOf(names, cells, option('restkey'), option('restval'))
      if (row.get(idkey) !== minionId) continue
      return truthy(option('namespace')) ? new Map([[option('namespace'), row]]) : row
    }
    return new Map()
  },
}
