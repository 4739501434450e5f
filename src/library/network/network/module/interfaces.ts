// Network interfaces of this machine, from `ip` or `ifconfig`, in the shape that Salt returns.
import {
  type Dict,
  decodeBytes,
  dictFrom,
  fnmatch,
  type IpAddress,
  ipAddress,
  splitLines,
  splitWords,
  str,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'

export type Family = 'inet' | 'inet6'

export async function interfaces(ctx: FunctionContext): Promise<Dict> {
  const ip = await ctx.host.which('ip')
  if (ip !== undefined) {
    return parseIp(`${await output(ctx, [ip, 'link', 'show'])}\n${await output(ctx, [ip, 'addr', 'show'])}`)
  }
  const ifconfig = await ctx.host.which('ifconfig')
  return ifconfig === undefined ? new Map() : parseIfconfig(await output(ctx, [ifconfig, '-a']))
}

async function output(ctx: FunctionContext, argv: string[]): Promise<string> {
  try {
    return decodeBytes((await ctx.host.run({ argv, mergeStderr: true })).stdout)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('debug', error.message)
    return ''
  }
}

/** Return the mask of a prefix length; an empty text for 0, as in Salt. */
function netmask(bits: number): string {
  if (!(bits >= 1 && bits <= 32)) return ''
  const mask = (0xffffffff << (32 - bits)) >>> 0
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 255).join('.')
}

export function parseIp(text: string): Dict {
  const found: Dict = new Map()
  for (const group of text.split(/\r?\n\d/)) {
    let name: string | undefined
    const data: Dict = new Map()
    for (const line of splitLines(group)) {
      const head = /^\d*:\s+([\w.-]+)@?([\w.-]+)?:\s+<(.+)>/.exec(line)
      if (head) {
        name = head[1]!
        data.set('up', head[3]!.split(',').includes('UP'))
        if (head[2]) data.set('parent', head[2])
      } else readAddress(data, splitWords(line))
    }
    if (name !== undefined) found.set(name, data)
  }
  return found
}

function readAddress(data: Dict, words: string[]): void {
  const [type, value] = words
  if (type === undefined || value === undefined) return
  if (type.startsWith('link')) data.set('hwaddr', value)
  if (type !== 'inet' && type !== 'inet6') return
  const [address, prefix] = value.split('/')
  const after = (word: string): Value => (words.includes(word) ? (words[words.indexOf(word) + 1] ?? null) : null)
  const facts: [Value, Value][] =
    type === 'inet'
      ? [
          ['address', address!],
          ['netmask', netmask(Number(prefix ?? 32))],
          ['broadcast', after('brd')],
          ['label', words.at(-1)!],
        ]
      : [
          ['address', address!],
          ['prefixlen', prefix ?? 32],
          ['scope', after('scope')],
        ]
  if (words.includes('secondary')) listIn(data, 'secondary').push(new Map([['type', type], ...facts]))
  else listIn(data, type).push(new Map(facts))
}

function listIn(data: Dict, key: string): Value[] {
  const known = data.get(key)
  if (Array.isArray(known)) return known
  const list: Value[] = []
  data.set(key, list)
  return list
}

const IFCONFIG = {
  name: /^([^\s:]+)/,
  mac: /(?:HWaddr|ether|address:|lladdr)\s+([0-9a-fA-F:]+)/,
  inet: /inet (?:addr:)?([0-9.]+)/,
  inet6: /inet6 (?:addr:\s*)?([0-9a-fA-F:]+)/,
  mask: /(?:Mask:|netmask )([0-9a-fx.]+)/,
  prefix: /(?:prefixlen |\/)(\d+)/,
  broadcast: /(?:Bcast:|broadcast )([0-9.]+)/,
}

function parseIfconfig(text: string): Dict {
  const found: Dict = new Map()
  for (const group of text.split(/\r?\n(?=\S)/)) {
    const name = IFCONFIG.name.exec(group)?.[1]
    if (name === undefined) continue
    const data: Dict = new Map<Value, Value>([['up', /\bUP\b/.test(group)]])
    const mac = IFCONFIG.mac.exec(group)?.[1]
    if (mac !== undefined) data.set('hwaddr', mac)
    for (const line of splitLines(group)) {
      const v4 = IFCONFIG.inet.exec(line)?.[1]
      if (v4 !== undefined) {
        const facts = new Map<Value, Value>([['address', v4]])
        const mask = IFCONFIG.mask.exec(line)?.[1]
        if (mask !== undefined) facts.set('netmask', mask.startsWith('0x') ? dotted(mask) : mask)
        const broadcast = IFCONFIG.broadcast.exec(line)?.[1]
        if (broadcast !== undefined) facts.set('broadcast', broadcast)
        listIn(data, 'inet').push(facts)
      }
      const v6 = IFCONFIG.inet6.exec(line)?.[1]
      if (v6 !== undefined) {
        const prefix = IFCONFIG.prefix.exec(line)?.[1] ?? null
        listIn(data, 'inet6').push(dictFrom({ address: v6, prefixlen: prefix }))
      }
    }
    found.set(name, data)
  }
  return found
}

const dotted = (mask: string): string => [24, 16, 8, 0].map((shift) => (Number(mask) >>> shift) & 255).join('.')

export const addressesOf = (entry: Value, family: Family): Dict[] => {
  if (!(entry instanceof Map)) return []
  const list = (key: string): Dict[] => (entry.get(key) ?? []) as Dict[]
  return [...list(family), ...list('secondary').filter((fact) => fact.get('type') === family)]
}

/** Return the interfaces whose names match one of the globs. */
export function chosen(all: Dict, globs: string[] | null): Dict {
  if (globs === null) return all
  return new Map([...all].filter(([name]) => globs.some((glob) => fnmatch(str(name), glob.trim()))))
}

/** Sort by value, and remove duplicates. */
function sortedAddresses(all: Iterable<IpAddress>): IpAddress[] {
  const unique = new Map(Array.from(all, (address) => [address.toString(), address]))
  return [...unique.values()].sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
}

export function ipAddresses(all: Dict, family: Family, loopback: boolean): string[] {
  const found: IpAddress[] = []
  for (const entry of all.values()) {
    for (const fact of addressesOf(entry, family)) {
      const address = ipAddress(fact.get('address') ?? null)
      if (loopback || !address.isLoopback) found.push(address)
    }
  }
  return sortedAddresses(found).map((address) => address.toString())
}
