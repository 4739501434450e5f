// The layout of a table: arguments of the call override the options `out.table.<name>`, which override the defaults.
import { center, numberOf, textLength, truthy, typeError, typeName, type Value } from '../../data/mod.ts'
import type { Screen } from '../outputter.ts'
import { needText } from '../text.ts'

export interface Layout {
  hasHeader: boolean
  rowDelimiter: string
  delim: string
  justify: string
  separateRows: boolean
  prefix: string
  suffix: string
  /** The width at which cells are wrapped at spaces. */
  width: number
}

/** A setting of the call, or the option; undefined where neither says anything. */
export function tableSetting({ kwargs, opts }: Screen, name: string): Value | undefined {
  const asked = kwargs.get(name)
  const value = asked !== undefined && truthy(asked) ? asked : opts.get(`out.table.${name}`)
  return value ?? undefined
}

export function layoutOf(screen: Screen): Layout {
  const text = (name: string, fallback: string) => needText(tableSetting(screen, name) ?? fallback)
  const flag = (name: string) => truthy(tableSetting(screen, name) ?? true)
  return {
    hasHeader: flag('has_header'),
    rowDelimiter: text('row_delimiter', '-'),
    delim: text('delim', ' | '),
    justify: text('justify', 'center'),
    separateRows: flag('separate_rows'),
    prefix: text('prefix', '| '),
    suffix: text('suffix', ' |'),
    width: widthOf(tableSetting(screen, 'width') ?? 50),
  }
}

function widthOf(value: Value): number {
  const width = numberOf(value)
  if (width === undefined) throw typeError(`'>=' not supported between instances of 'int' and '${typeName(value)}'`)
  return width
}

type Justify = (text: string, width: number) => string

const room = (text: string, width: number): string => ' '.repeat(Math.max(0, width - textLength(text)))

/** Justifications of cells by name in lower case. */
export const JUSTIFY: ReadonlyMap<string, Justify> = new Map<string, Justify>([
  ['center', center],
  ['right', (text, width) => room(text, width) + text],
  ['left', (text, width) => text + room(text, width)],
])
