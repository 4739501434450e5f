// Formats a report as nested HTML tables. Styles are in the elements, because most mail programs ignore style sheets.
import { lookup } from '../../../../base/mod.ts'
import { escapeHtml, isDict, isList, str, type Value } from '../../../../data/mod.ts'

const ELEMENTS: Readonly<Record<string, string>> = lookup({
  table: 'border-collapse:collapse;width:100%;',
  td: 'vertical-align:top;font-family:Helvetica,Arial,sans-serif;font-size:9pt;',
})

const STYLES: Readonly<Record<string, string>> = lookup({
  unchanged: 'color:blue;',
  changed: 'color:green',
  failed: 'color:red;',
  first: 'border-top:0;border-left:1px solid #9e9e9e;',
  first_first: 'border-top:0;border-left:0;',
  notfirst_first: 'border-left:0;border-top:1px solid #9e9e9e;',
  other: 'border-top:1px solid #9e9e9e;border-left:1px solid #9e9e9e;',
  name: 'width:70pt;',
  container: 'padding:0;',
})

const opening = (element: string, ...classes: string[]): string =>
  `<${element} style="${ELEMENTS[element] ?? ''}${classes.map((name) => STYLES[name] ?? '').join('')}">`

/** Return the lines of a cell: a value, or a nested table. */
function cell(value: Value, first: string, style: string): string[] {
  if (!isList(value)) return [`${opening('td', first, 'value', style)}${escapeHtml(str(value))}</td>`]
  return [opening('td', first, 'container', style), ...table([...value], style), '</td>']
}

function row(data: Value, isFirst: boolean, style: string): string[] {
  const first = isFirst ? 'first_first' : 'notfirst_first'
  if (!isDict(data)) return [opening('tr'), ...cell(data, first, style), '</tr>']
  const own = data.has('__style__') ? str(data.get('__style__')!) : style
  const entries = [...data].filter(([name]) => name !== '__style__')
  if (entries.length !== 1) return []
  const [name, value] = entries[0]!
  const title = `${opening('td', first, 'name', own)}${str(name)}</td>`
  return [opening('tr'), title, ...cell(value, isFirst ? 'first' : 'other', own), '</tr>']
}

function table(rows: readonly Value[], style: string): string[] {
  return [opening('table'), ...rows.flatMap((data, index) => row(data, index === 0, style)), '</table>']
}

export const htmlOf = (report: readonly Value[]): string =>
  [...['<html>', '<body>'], ...table(report, ''), ...['</body>', '</html>'], ''].join('\n')
