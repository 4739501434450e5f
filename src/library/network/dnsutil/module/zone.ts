// Parser of zone files. The result has the shape that Salt returns.
import { type Dict, dictFrom, splitLines, splitWords, type Value } from '../../../../data/mod.ts'

const WEEK = 604_800
const UNITS: Readonly<Record<string, number>> = { H: 3600, D: 86_400 }

/** Return a time such as `1H` or `2D` in seconds. The maximum is a week, which is also the result for unreadable text. */
function seconds(text: string): number {
  const [, digits, unit = ''] = /^(\d+)([HD])?$/.exec(text.toUpperCase()) ?? []
  return digits === undefined ? WEEK : Math.min(WEEK, Number(digits) * (UNITS[unit] ?? 1))
}

/** Yield the lines without comments; parentheses join lines. */
function* entries(text: string): Generator<string> {
  let open: string | undefined
  for (const raw of splitLines(text)) {
    const line = raw.split(';')[0]!.trim()
    if (line === '') continue
    if (open === undefined && !(line.includes('(') && !line.includes(')'))) yield line
    else {
      open = `${open ?? ''} ${line}`
      if (!line.includes(')')) continue
      yield open.replaceAll(/[()]/g, '')
      open = undefined
    }
  }
}

function readAuthority(zone: Dict, words: string[]): void {
  if (words[1] !== 'IN') words.splice(1, 1)
  const [origin = '', network = '', , source = '', contact = '', serial = '', ...times] = words
  const facts = {
    ORIGIN: origin,
    NETWORK: network,
    SOURCE: source,
    CONTACT: contact.replace('.', '@'),
    SERIAL: serial,
  }
  for (const [key, value] of Object.entries(facts)) zone.set(key, value)
  for (const [at, key] of ['REFRESH', 'RETRY', 'EXPIRE', 'MINTTL'].entries()) zone.set(key, seconds(times[at] ?? ''))
}

function within<T extends Value>(zone: Dict, key: string, fresh: T): T {
  const known = zone.get(key)
  if (known !== undefined) return known as T
  zone.set(key, fresh)
  return fresh
}

function readRecord(zone: Dict, words: string[], line: string): void {
  const origin = String(zone.get('ORIGIN') ?? '')
  if (words[0] === 'IN') words.unshift(origin)
  if (!words[0]!.endsWith('.') && !line.includes('NS')) words[0] = `${words[0]}.${origin}`
  const [name = '', ttl = '', type = '', value = '', further = ''] = words
  if (type === 'NS') within<Value[]>(zone, 'NS', []).push(value)
  else if (type === 'MX') {
    const first = dictFrom({ priority: value, host: further })
    within<Value[]>(zone, 'MX', [first])
  } else if (value === 'A' || value === 'AAAA') {
    within<Dict>(zone, value, new Map()).set(name, dictFrom({ TARGET: further, TTL: ttl }))
  } else within<Dict>(zone, type, new Map()).set(name, value)
}

export function parseZone(text: string): Dict {
  const zone: Dict = new Map()
  for (const line of entries(text)) {
    if (line.startsWith('$')) {
      const [key = '', value = ''] = splitWords(line)
      zone.set(key.replaceAll('$', ''), value)
      continue
    }
    const origin = zone.get('ORIGIN')
    const words = splitWords(origin === undefined ? line : line.replaceAll('@', String(origin)))
    if (line.includes('SOA')) readAuthority(zone, words)
    else readRecord(zone, words, line)
  }
  return zone
}
