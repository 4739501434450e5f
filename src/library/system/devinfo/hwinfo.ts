// Reports of the program hwinfo as nested dicts.
import { type Dict, dictFrom, splitLines, type Value } from '../../../data/mod.ts'

/** Return a short report: names and devices below the title of each kind. Lines without a device are numbered. */
export function shortReport(report: string): Dict {
  const found: Dict = new Map()
  let part: Dict = new Map()
  let count = 0
  for (const line of splitLines(report.trim())) {
    if (line.startsWith('    ')) part.set(count++, line.trim())
    else if (line.startsWith('  ')) {
      const [, name = '', value = ''] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? []
      part.set(name, value)
    } else if (line.endsWith(':')) {
      part = new Map()
      found.set(line.slice(0, -1), part)
      count = 0
    }
  }
  return found
}

/** Return the value of a line by its name. */
function meaningOf(name: string, text: string): Value {
  if (name === 'Config Status') {
    return new Map(text.split(', ').map((item) => [item.split('=')[0]!, item.split('=')[1] ?? '']))
  }
  if (name === 'Driver' || name === 'Driver Modules') return text.replaceAll('"', '').split(', ')
  if (['Tags', 'Device Files', 'Features'].includes(name)) return text.split(',').map((item) => item.trim())
  return text.startsWith('"') ? text.slice(1, -1) : text
}

/** Return the beginning of a dict for a line that has lines below it. */
function beginning(name: string, text: string): Dict {
  if (text.startsWith('#')) return new Map([['Handle', text]])
  if (name !== 'El Torito info') return new Map()
  const [platform = '', bootable = ''] = text.split(', ')
  return dictFrom({ platform: platform.split(/\s+/).at(-1)!, bootable: bootable.includes('not') ? 'no' : 'yes' })
}

const textOfValue = (value: Value): string => JSON.stringify(value instanceof Map ? [...value] : value)

/** Add a value; several values of one name become a list. */
function add(into: Dict, name: string, value: Value): void {
  const known = into.get(name)
  if (known === undefined) {
    into.set(name, value)
    return
  }
  const all: Value[] = Array.isArray(known) ? [...(known as Value[])] : [known]
  if (!all.some((other) => textOfValue(other) === textOfValue(value))) all.push(value)
  into.set(name, all.length === 1 ? all[0]! : all)
}

/** Return a full report. The depth of a line is the number of its double spaces, as in Salt. */
export function fullReport(report: string): Dict {
  const found: Dict = new Map()
  let stack: Dict[] = []
  for (const whole of splitLines(report.trim())) {
    const depth = whole.match(/ {2}/g)?.length ?? 0
    stack = stack.slice(0, depth)
    const line = whole.trim()
    if (line === '') continue
    const cut = line.indexOf(':')
    const [name, text] = [line.slice(0, cut).trim(), line.slice(cut + 1).trim()]
    if (depth === 0) {
      const [first = '', ...rest] = text.split(': ')
      stack = [new Map([[first, rest.join(': ')]])]
      found.set(name, stack[0]!)
      continue
    }
    const part = stack.at(-1)
    if (part === undefined) continue
    if (line.startsWith('[') || cut < 0) part.set('Note', line.startsWith('[') ? line.slice(1, -1) : line)
    else if (text !== '' && !text.startsWith('#') && name !== 'El Torito info') {
      add(part, name === 'I/O Port' ? 'I/O Ports' : name, meaningOf(name, text))
    } else {
      const inner = beginning(name, text)
      part.set(name, inner)
      stack.push(inner)
    }
  }
  return found
}
