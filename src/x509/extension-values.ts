// Values of extensions in options: OpenSSL's lines (`critical, CA:TRUE`), lists and dicts.
import { contains, type Dict, str, type Value } from '../data/mod.ts'

export interface Line {
  pairs: [string, string][]
  critical: boolean
}

/** A line of OpenSSL's: words, or names with values. */
export function readLine(line: string): Line {
  const critical = line.startsWith('critical')
  const rest = critical
    ? line
        .slice(8)
        .replace(/^,+|,+$/g, '')
        .trim()
    : line
  return {
    critical,
    pairs: rest.split(',').map((item): [string, string] => {
      const bare = item.trim()
      const colon = bare.indexOf(':')
      return colon < 0 ? [bare, '__present__'] : [bare.slice(0, colon).trim(), bare.slice(colon + 1).trim()]
    }),
  }
}

/** `type:value` as a pair. */
export function pairOf(item: string): [string, Value] {
  const colon = item.indexOf(':')
  return colon < 0 ? [item, ''] : [item.slice(0, colon).trim(), item.slice(colon + 1).trim()]
}

export interface NameList {
  names: [string, Value][]
  critical: boolean
}

/** General names out of a line, a list of `type:value` or dicts, or a dict. */
export function nameList(value: Value): NameList {
  if (typeof value === 'string') {
    const { pairs, critical } = readLine(value)
    return { names: pairs, critical }
  }
  const names: [string, Value][] = []
  const items = Array.isArray(value) ? (value as Value[]) : [value]
  for (const item of items) {
    if (typeof item === 'string' && item.includes(':')) names.push(pairOf(item))
    else if (item instanceof Map) for (const [key, name] of item) if (key !== 'critical') names.push([str(key), name])
  }
  return { names, critical: isCritical(value) }
}

export const isCritical = (value: Value): boolean =>
  typeof value === 'string' || Array.isArray(value) || value instanceof Map ? contains(value, 'critical') : false

export const extensionOption = (value: Dict, name: string): Value => value.get(name) ?? null
