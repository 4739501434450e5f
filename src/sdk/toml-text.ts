// TOML as Python's `toml` writes it: plain keys first, then tables, breadth first.
import { type Dict, isDict, isFloat, isInt, PyDate, PyError, str, textOf, typeName, type Value } from '../data/mod.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

function quoted(text: string): string {
  // escape control characters, quotes and backslashes only
  const escaped = text.replace(/[\p{Cc}"\\]/gu, (char) => {
    const code = char.charCodeAt(0)
    return ESCAPES[char] ?? `\\u00${code.toString(16).padStart(2, '0')}`
  })
  return `"${escaped}"`
}

const keyText = (key: Value): string => (/^[A-Za-z0-9_-]+$/.test(str(key)) ? str(key) : quoted(str(key)))

function valueText(value: Value): string {
  const text = textOf(value)
  if (text !== undefined) return quoted(text)
  if (typeof value === 'boolean') return String(value)
  if (isInt(value)) return str(value)
  if (isFloat(value)) return str(value).replace('e+0', 'e+').replace('e-0', 'e-')
  if (Array.isArray(value)) return `[${(value as Value[]).map((item) => ` ${valueText(item)},`).join('')}]`
  if (value instanceof PyDate) return value.isoformat()
  return quoted(str(value))
}

interface Part {
  text: string
  tables: Map<string, Dict>
}

const isTables = (value: Value): value is Value[] => Array.isArray(value) && (value as Value[]).some(isDict)

/** The keys of one table, and the tables in it. */
function tableText(table: Dict, above: string): Part {
  const prefix = above === '' ? '' : `${above}.`
  const tables = new Map<string, Dict>()
  let text = ''
  let arrays = ''
  for (const [key, value] of table) {
    const name = keyText(key)
    if (isDict(value)) tables.set(name, value)
    else if (isTables(value)) for (const item of value) arrays += arrayItem(item as Dict, `${prefix}${name}`)
    else if (value !== null) text += `${name} = ${valueText(value)}\n`
  }
  return { text: text + arrays, tables }
}

function arrayItem(item: Dict, path: string): string {
  const own = tableText(item, path)
  const isNested = own.text.startsWith('[')
  let inner = isNested ? `\n${own.text}` : '\n'
  for (let tables = own.tables; tables.size > 0; ) {
    const below = new Map<string, Dict>()
    for (const [name, table] of tables) {
      const part = tableText(table, `${path}.${name}`)
      if (part.text !== '') inner += `[${path}.${name}]\n${part.text}`
      for (const [each, deeper] of part.tables) below.set(`${name}.${each}`, deeper)
    }
    tables = below
  }
  return `[[${path}]]\n${isNested ? '' : own.text}${inner}`
}

/** Return Python's error for reading keys of a value that is not a table. */
function noTable(value: Value): string {
  if (Array.isArray(value)) return 'list indices must be integers or slices, not str'
  if (textOf(value) !== undefined) return "string indices must be integers, not 'str'"
  return `'${typeName(value)}' object is not iterable`
}

export function writeToml(value: Value): string {
  if (!isDict(value)) throw new PyError('TypeError', noTable(value))
  const top = tableText(value, '')
  let out = top.text
  for (let tables = top.tables; tables.size > 0; ) {
    const below = new Map<string, Dict>()
    for (const [path, table] of tables) {
      const part = tableText(table, path)
      if (part.text !== '' || part.tables.size === 0) {
        if (out !== '' && !out.endsWith('\n\n')) out += '\n'
        out += `[${path}]\n${part.text}`
      }
      for (const [name, inner] of part.tables) below.set(`${path}.${name}`, inner)
    }
    tables = below
  }
  return out
}
