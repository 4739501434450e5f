// Inventories in Ansible's INI form: `[group]` with hosts and their variables, `[group:children]` and `[group:vars]`.
import { BrineError, isA, recover } from '../../../base/mod.ts'
import { type Dict, quote, shlexSplit, strip, type Value } from '../../../data/mod.ts'
import { load } from '../../../yaml/mod.ts'
import { RosterError } from '../errors.ts'
import { Inventory, UNGROUPED } from './inventory.ts'
import { hostNames } from './names.ts'

const SECTION = /^\[([^\]:\s]+)(?::(\w+))?\]$/

export function readIniInventory(text: string, file: string): Inventory {
  const inventory = new Inventory()
  let group = UNGROUPED
  let kind = 'hosts'
  for (const [index, raw] of text.split('\n').entries()) {
    const line = withoutComment(raw)
    if (line === '') continue
    const section = SECTION.exec(line)
    if (section) {
      group = section[1]!
      kind = section[2] ?? 'hosts'
      inventory.group(group)
      continue
    }
    try {
      addLine(inventory, { group, kind, line })
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      throw new RosterError('RosterBroken', `${file}:${index + 1}: ${error.message}`, { cause: error })
    }
  }
  return inventory
}

function addLine(inventory: Inventory, { group, kind, line }: { group: string; kind: string; line: string }): void {
  if (kind === 'children') inventory.group(group).children.add(line)
  else if (kind === 'vars') {
    const [key, value] = assignment(line)
    inventory.group(group).vars.set(key, value)
  } else if (kind === 'hosts') {
    const [name = '', ...words] = shlexSplit(line)
    const { hosts, port } = hostNames(name)
    const vars: Dict = new Map(port === undefined ? [] : [['ansible_port', port]])
    for (const word of words) vars.set(...assignment(word))
    for (const host of hosts) inventory.addHost(host, group, vars)
  } else throw new RosterError('RosterBroken', `section [${group}:${kind}] is neither of hosts, children nor vars`)
}

function assignment(text: string): [string, Value] {
  const equals = text.indexOf('=')
  if (equals <= 0) throw new RosterError('RosterBroken', `${quote(text.slice(0, 40))} is no variable with a value`)
  return [strip(text.slice(0, equals)), literal(strip(text.slice(equals + 1)))]
}

/** Python's literals are values; all else is a text. */
function literal(text: string): Value {
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  if (text === 'True' || text === 'False') return text === 'True'
  if (text === 'None') return null
  if (/^(['"]).*\1$/.test(text) && text.length > 1) return text.slice(1, -1)
  if (!/^[[{].*[\]}]$/.test(text)) return text
  return recover(isA(BrineError), text, () => load(text) as Value)
}

/** Comments begin with `#`, or with `;` at the start of a line, outside of quotes. */
function withoutComment(raw: string): string {
  const line = strip(raw)
  if (line.startsWith(';')) return ''
  let quoted = ''
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (quoted !== '') quoted = char === quoted ? '' : quoted
    else if (char === '"' || char === "'") quoted = char
    else if (char === '#' && (at === 0 || /\s/.test(line[at - 1]!))) return strip(line.slice(0, at))
  }
  return line
}
