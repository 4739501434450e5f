// One table: cells broken into lines, columns as wide as their widest cell, rules between the rows.
import { iterate, keyError, textLength, textOf, typeError, type Value } from '../../data/mod.ts'
import { attributeError, type Screen } from '../outputter.ts'
import { margin } from '../text.ts'
import { JUSTIFY, type Layout } from './layout.ts'

export function tableLines(rows: Value[], indent: number, header: boolean, layout: Layout, screen: Screen): string[] {
  const { colors } = screen
  const logical = rows.map((row) => physicalRows(row, layout))
  const widths = columnWidths(logical.flat())
  const justify = JUSTIFY.get(layout.justify.toLowerCase())
  if (justify === undefined) throw keyError(layout.justify.toLowerCase())
  const line = (color: string, text: string): string => margin(indent) + color + text + colors.ENDC
  const ruler = line(colors.LIGHT_GRAY, layout.rowDelimiter.repeat(totalWidth(widths, layout)))
  const out = layout.separateRows ? [ruler] : []
  let underline = header
  for (const physical of logical) {
    for (const cells of physical) {
      const filled = cells.slice(0, widths.length).map((cell, i) => justify(cell, widths[i]!))
      out.push(line(colors.WHITE, layout.prefix + filled.join(layout.delim) + layout.suffix))
    }
    if (layout.separateRows || underline) out.push(ruler)
    underline = false
  }
  return out
}

/** Return the lines of a row. As in Salt, their number is that of the cell with the fewest lines. */
function physicalRows(row: Value, layout: Layout): string[][] {
  const cells = Array.from(iterate(row), (cell) => wrapped(cell, layout.width).split('\n'))
  if (cells.length === 0) throw typeError('map() must have at least two arguments.')
  const height = cells.reduce((least, lines) => Math.min(least, lines.length), Number.POSITIVE_INFINITY)
  return Array.from({ length: height }, (_, i) => cells.map((lines) => lines[i]!))
}

function wrapped(cell: Value, width: number): string {
  const text = textOf(cell)
  if (text === undefined) throw attributeError(cell, 'split')
  return text.split(' ').reduce((line, word) => {
    const last = line.slice(line.lastIndexOf('\n') + 1)
    const full = textLength(last) + textLength(word.split('\n', 1)[0]!) >= width
    return `${line}${full ? '\n' : ' '}${word}`
  })
}

/** A row that is too short cuts the columns off for all. */
function columnWidths(rows: string[][]): number[] {
  const count = rows.reduce((least, row) => Math.min(least, row.length), Number.POSITIVE_INFINITY)
  const widths = new Array<number>(count).fill(0)
  for (const row of rows) {
    for (let i = 0; i < count; i++) widths[i] = Math.max(widths[i]!, textLength(row[i]!))
  }
  return widths
}

function totalWidth(widths: number[], { prefix, suffix, delim }: Layout): number {
  const cells = widths.reduce((sum, width) => sum + width, 0)
  return textLength(prefix) + textLength(suffix) + cells + textLength(delim) * (widths.length - 1)
}
