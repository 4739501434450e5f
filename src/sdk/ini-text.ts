// Sections and keys in the format of Python's configparser.
import { type Dict, isDict, PyError, qualifiedTypeName, repr, str, type Value } from '../data/mod.ts'

/** Write INI text like Python's configparser: keys in lower case, values unchanged. */
export function writeIni(value: Value): string {
  if (!isDict(value)) {
    throw new PyError(
      'TypeError',
      `configparser can only serialize dictionaries, not <class '${qualifiedTypeName(value)}'>`,
    )
  }
  const sections = [...(value as Dict)].sort(([a], [b]) => Number(b === 'DEFAULT') - Number(a === 'DEFAULT'))
  let out = ''
  for (const [section, keys] of sections) {
    if (!isDict(keys))
      throw new PyError('AttributeError', `'${qualifiedTypeName(keys)}' object has no attribute 'items'`)
    if (section === 'DEFAULT' && keys.size === 0) continue
    out += `[${str(section)}]\n`
    const lowered = new Map(Array.from(keys, ([key, each]) => [str(key).toLowerCase(), each]))
    for (const [key, each] of lowered) {
      checkInterpolation(each)
      out += `${key} = ${str(each).replaceAll('\n', '\n\t')}\n`
    }
    out += '\n'
  }
  return out
}

function checkInterpolation(value: Value): void {
  if (value === null) {
    throw new PyError('TypeError', 'option values must be strings')
  }
  const shown = str(value)
  const left = shown.replaceAll('%%', '').replace(/%\([^)]+\)s/g, '')
  if (left.includes('%')) {
    throw new PyError(
      'ValueError',
      `invalid interpolation syntax in ${JSON.stringify(shown)} at position ${left.indexOf('%')}`,
    )
  }
}

/** Return sections with their keys; keys of DEFAULT are in each section. */
export function readIni(source: string): Dict {
  const sections: Dict = new Map()
  const defaults: Dict = new Map()
  const unread: string[] = []
  let at: { name: string; keys: Dict } | undefined
  let last: Value = null
  for (const [index, line] of linesOf(source)) {
    if (/^\s*[#;]/.test(line)) continue
    if (line.trim() === '') {
      if (at && last !== null) at.keys.set(last, `${str(at.keys.get(last)!)}\n`)
      continue
    }
    const section = /^\[(.+)\]/.exec(line)?.[1]
    const pair = /^([^\s=:][^=:]*?)\s*[=:]\s*(.*?)\s*$/.exec(line)
    const place = `While reading from '<???>' [line ${String(index).padStart(2)}]:`
    if (/^\s/.test(line) && at && last !== null) {
      at.keys.set(last, `${str(at.keys.get(last)!)}\n${line.trim()}`)
    } else if (section !== undefined) {
      if (sections.has(section)) throw new PyError('ValueError', `${place} section ${repr(section)} already exists`)
      at = { name: section, keys: section === 'DEFAULT' ? defaults : new Map() }
      if (at.keys !== defaults) sections.set(section, at.keys)
      last = null
    } else if (!at) {
      const text = `File contains no section headers.\nfile: '<???>', line: ${index}\n${repr(line)}`
      throw new PyError('ValueError', text)
    } else if (pair) {
      last = pair[1]!.toLowerCase()
      if (at.keys.has(last)) {
        const what = `option ${repr(last)} in section ${repr(at.name)}`
        throw new PyError('ValueError', `${place} ${what} already exists`)
      }
      at.keys.set(last, pair[2]!)
    } else {
      unread.push(`\n\t[line ${String(index).padStart(2)}]: ${repr(line)}`)
    }
  }
  if (unread.length > 0) {
    throw new PyError('ValueError', `Source contains parsing errors: '<???>'${unread.join('')}`)
  }
  for (const [name, keys] of sections) {
    const all = [...defaults, ...(keys as Dict)]
    sections.set(name, new Map(all.map(([key, value]) => [key, str(value).trimEnd()])))
  }
  return sections
}

/** Lines with their endings, counted from 1. */
function* linesOf(source: string): Generator<[number, string]> {
  let index = 1
  for (const line of source.match(/[^\n]*\n|[^\n]+$/g) ?? []) yield [index++, line]
}
