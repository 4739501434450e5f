// Shared by the module and the runner: the arguments of dig and nsupdate, and the output of dig.
import { type Dict, failure, isDict, loadJson, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import { oneLine } from '../../../sdk/mod.ts'

export interface Server {
  nameserver: string
  timeout: number
  port: number
}

export interface DnsRecord {
  ttl: string
  type: string
  value: string
}

export const rooted = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

export const digWords = ({ nameserver, timeout, port }: Server, name: string, type: string): string[] => [
  ...['dig', `@${nameserver}`, '-p', `${port}`, `+time=${timeout}`, '+tries=1', '+noall', '+answer'],
  // the options keep a name that begins with a sign from being read as an option
  ...['-q', rooted(name), '-t', type],
]

export function recordsIn(answer: string): DnsRecord[] {
  return splitLines(answer).flatMap((line) => {
    const [, ttl = '', , type = '', ...value] = splitWords(line)
    return line.startsWith(';') || type === '' ? [] : [{ ttl, type, value: value.join(' ') }]
  })
}

/** A command of nsupdate. */
export type UpdateLine = readonly [command: 'key' | 'update add' | 'update delete', ...words: string[]]

/** Return the input of nsupdate. A word that would begin another command is refused: names often come from events. */
export function updateScript({ nameserver, port }: Server, zone: string, lines: readonly UpdateLine[]): string {
  const script = [['server', nameserver, `${port}`], ['zone', rooted(zone)], ...lines, ['send']]
  return script.map((words) => `${oneLine('A DNS record', words.join(' '))}\n`).join('')
}

/** Return the TSIG keys in the text of a key file, by name. */
export function keysIn(text: string): Dict {
  const keys = loadJson(text)
  return isDict(keys) ? keys : new Map()
}

/** Return the line that gives nsupdate its key. */
export function keyLine(file: string, keys: Dict, name: Value, algorithm: string): UpdateLine {
  const secret = keys.get(name)
  if (secret === undefined) throw failure(`${file} has no key ${str(name)}`)
  const short = algorithm.toLowerCase().replace(/\.sig-alg\.reg\.int\.?$/, '')
  return ['key', `${short.replaceAll('_', '-')}:${str(name)}`, str(secret)]
}

/** Return the reverse zones that may hold an address, the longest first, and the name of the address in each. */
export function reverseNames(address: string): { name: string; zone: string }[] {
  const parts = address.split('.').reverse()
  return parts.slice(1).map((_, at) => ({
    name: parts.slice(0, at + 1).join('.'),
    zone: `${parts.slice(at + 1).join('.')}.in-addr.arpa.`,
  }))
}
