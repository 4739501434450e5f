// What the module and the runner share: the words for dig and nsupdate, and what dig answers.
import { type Dict, failure, isDict, loadJson, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'

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
  ...[rooted(name), type],
]

export function recordsIn(answer: string): DnsRecord[] {
  return splitLines(answer).flatMap((line) => {
    const [, ttl = '', , type = '', ...value] = splitWords(line)
    return line.startsWith(';') || type === '' ? [] : [{ ttl, type, value: value.join(' ') }]
  })
}

/** Return the input of nsupdate. */
export const updateScript = ({ nameserver, port }: Server, zone: string, lines: readonly string[]): string =>
  [`server ${nameserver} ${port}`, `zone ${rooted(zone)}`, ...lines, 'send', ''].join('\n')

/** Return the TSIG keys in the text of a key file, by name. */
export function keysIn(text: string): Dict {
  const keys = loadJson(text)
  return isDict(keys) ? keys : new Map()
}

/** Return the line that gives nsupdate its key. */
export function keyLine(file: string, keys: Dict, name: Value, algorithm: string): string {
  const secret = keys.get(name)
  if (secret === undefined) throw failure(`${file} has no key ${str(name)}`)
  const short = algorithm.toLowerCase().replace(/\.sig-alg\.reg\.int\.?$/, '')
  return `key ${short.replaceAll('_', '-')}:${str(name)} ${str(secret)}`
}

/** Return the reverse zones that may hold an address, the longest first, and the name of the address in each. */
export function reverseNames(address: string): { name: string; zone: string }[] {
  const parts = address.split('.').reverse()
  return parts.slice(1).map((_, at) => ({
    name: parts.slice(0, at + 1).join('.'),
    zone: `${parts.slice(at + 1).join('.')}.in-addr.arpa.`,
  }))
}
