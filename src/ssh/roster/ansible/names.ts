// Names of hosts in an inventory: ranges such as `web[01:10].example.com` and `db[a:c]`, and a port after a colon.
import { quote } from '../../../data/mod.ts'
import { RosterError } from '../errors.ts'
import { MOST_TARGETS } from '../scan.ts'

const RANGE = /\[([^\][:]+):([^\][:]+)(?::(\d+))?\]/

/** Return the hosts of a name, and the port after it. */
export function hostNames(text: string): { hosts: string[]; port?: number } {
  const [, address, addressPort] = /^\[([\da-fA-F:.]*:[\da-fA-F:.]*:[\da-fA-F:.]*)\](?::(\d{1,5}))?$/.exec(text) ?? []
  if (address !== undefined) {
    return addressPort === undefined ? { hosts: [address] } : { hosts: [address], port: Number(addressPort) }
  }
  const colon = text.lastIndexOf(':')
  const name = text.slice(0, colon)
  const hasPort = /^\d{1,5}$/.test(text.slice(colon + 1)) && colon > 0 && !name.replace(/\[[^\]]*\]/g, '').includes(':')
  return hasPort && !/\[[^\]]*$/.test(name)
    ? { hosts: expanded(name), port: Number(text.slice(colon + 1)) }
    : { hosts: expanded(text) }
}

function expanded(text: string): string[] {
  let names = [text]
  for (;;) {
    const match = RANGE.exec(names[0]!)
    if (!match) return names
    const choices = rangeOf(match, text)
    if (choices.length * names.length > MOST_TARGETS) {
      throw new RosterError('RosterBroken', `${quote(text)} means more than ${MOST_TARGETS} hosts`)
    }
    names = names.flatMap((name) => choices.map((choice) => name.replace(RANGE, choice)))
  }
}

function rangeOf([range, first = '', last = '', step = '1']: RegExpExecArray, text: string): string[] {
  const isLetters = /^[a-zA-Z]$/.test(first) && /^[a-zA-Z]$/.test(last)
  const [from, to] = isLetters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)]
  const isNumbers = /^\d{1,9}$/.test(first) && /^\d{1,9}$/.test(last)
  if ((!isLetters && !isNumbers) || to < from || Number(step) === 0 || (to - from) / Number(step) >= MOST_TARGETS) {
    throw new RosterError('RosterBroken', `${quote(text)} is no name of hosts: ${range} is no range`)
  }
  const width = first.startsWith('0') ? first.length : 0
  const choices: string[] = []
  for (let at = from; at <= to; at += Number(step)) {
    choices.push(isLetters ? String.fromCharCode(at) : String(at).padStart(width, '0'))
  }
  return choices
}
