// Shows lists of rows as tables, anywhere in the data: rows are lists, dicts (whose keys are the labels) or text.
// `rows_key` selects one key only, and `labels_key` the labels beside it.
import {
  type Dict,
  decodeData,
  dictGet,
  dictHas,
  getItem,
  isDict,
  replaceText,
  sorted,
  str,
  textOf,
  title,
  truthy,
  typeName,
  type Value,
} from '../../data/mod.ts'
import type { Outputter, Screen } from '../outputter.ts'
import { margin, needSpaces } from '../text.ts'
import { type Layout, layoutOf, tableSetting } from './layout.ts'
import { tableLines } from './rows.ts'

export const table: Outputter = (data, screen) => {
  const writer = new TableWriter(screen)
  const indent = needSpaces(tableSetting(screen, 'nested_indent') ?? 0)
  writer.heading(indent)
  writer.write(decodeData(data), indent)
  return writer.lines.join('\n')
}

class TableWriter {
  readonly lines: string[] = []
  private readonly screen: Screen
  private readonly layout: Layout
  private readonly rowsKey: Value
  private readonly labelsKey: Value

  constructor(screen: Screen) {
    this.screen = screen
    this.layout = layoutOf(screen)
    this.rowsKey = setting(screen, 'rows_key')
    this.labelsKey = setting(screen, 'labels_key')
  }

  /** As in Salt, the title has no colour, and the colour code follows it. */
  heading(indent: number): void {
    const text = setting(this.screen, 'title')
    if (text === null || this.rowsKey === null) return
    const { WHITE, ENDC } = this.screen.colors
    this.lines.push(`${margin(indent)}${str(text)}${WHITE}${ENDC}\n`)
  }

  write(data: Value, indent: number): void {
    if (isDict(data)) this.dict(data, indent)
    else if (Array.isArray(data) && this.rowsKey === null) this.rows(data, null, indent)
  }

  private dict(dict: Dict, indent: number): void {
    const { rowsKey } = this
    if (rowsKey === null) {
      for (const key of sorted(dict)) {
        this.name(indent, str(key))
        this.name(indent, '----------', '')
        this.value(dict, key, indent)
      }
    } else if (dictHas(dict, rowsKey)) {
      // keys that cannot be sorted are refused here as elsewhere
      sorted(dict)
      this.value(dict, rowsKey, indent)
    } else for (const key of sorted(dict)) this.write(getItem(dict, key), indent)
  }

  private name(indent: number, text: string, suffix = ':'): void {
    const { DARK_GRAY, ENDC } = this.screen.colors
    this.lines.push(margin(indent) + DARK_GRAY + text + ENDC + suffix)
  }

  private value(dict: Dict, key: Value, indent: number): void {
    const value = getItem(dict, key)
    if (!Array.isArray(value)) this.write(value, indent + 4)
    else this.rows(value, this.labelsKey === null ? null : (dictGet(dict, this.labelsKey) ?? null), indent)
  }

  private rows(rows: Value[], labels: Value, indent: number): void {
    const first = rows[0]
    if (first === undefined || rows.some((row) => typeName(row) !== typeName(first))) return
    const heads = isDict(labels) ? sorted(labels).map((key) => getItem(labels, key)) : labels
    const cells = cellsOf(rows, first)
    const header = truthy(heads) ? heads : isDict(first) ? labelsFrom(first) : null
    const all = truthy(header) ? [header, ...cells] : cells
    const underlined = this.layout.hasHeader && truthy(header)
    this.lines.push(...tableLines(all, indent + 4, underlined, this.layout, this.screen))
  }
}

/** A setting that counts only when it is not empty. */
function setting(screen: Screen, name: string): Value {
  const value = tableSetting(screen, name)
  return value !== undefined && truthy(value) ? value : null
}

function labelsFrom(row: Dict): Value {
  return sorted(row).map((key) => title(replaceText(str(key), '_', ' ')))
}

function cellsOf(rows: Value[], first: Value): Value[] {
  if (isDict(first)) return rows.map((row) => sorted(row).map((key) => str(getItem(row, key))))
  return textOf(first) === undefined ? rows : rows.map((row) => [row])
}
