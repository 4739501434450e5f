// Sections and keys as Python's configparser writes and reads them.
import { type Dict, isDict, PyError, qualifiedTypeName, str, type Value } from '../data/mod.ts'

/** INI as Python's configparser writes it: keys in lower case, values as they are. */
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

/** Sections with their keys; those of DEFAULT are in each. */
export function readIni(source: string): Dict {
  const sections: Dict = new Map()
  const defaults: Dict = new Map()
  let at: Dict | undefined
  let last: Value = null
  for (const line of source.split('\n')) {
    if (/^\s*([#;].*)?$/.test(line)) continue
    const section = /^\[([^\]]+)\]/.exec(line)
    const pair = /^([^\s=:][^=:]*?)\s*(?:[=:]\s*(.*?)\s*)?$/.exec(line)
    if (section) {
      at = section[1] === 'DEFAULT' ? defaults : new Map()
      if (at !== defaults) sections.set(section[1]!, at)
    } else if (/^\s/.test(line) && at && last !== null) {
      at.set(last, `${str(at.get(last)!)}\n${line.trim()}`)
    } else if (pair && at) {
      last = pair[1]!.toLowerCase()
      at.set(last, pair[2] ?? null)
    } else {
      throw new PyError(
        'ValueError',
        `File contains no section headers.\nfile: '<???>', line: 1\n${JSON.stringify(`${line}\n`)}`,
      )
    }
  }
  for (const [name, keys] of sections) sections.set(name, new Map([...defaults, ...(keys as Dict)]))
  return sections
}
