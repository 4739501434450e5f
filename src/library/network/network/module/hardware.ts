// Wake on LAN, the ARP table, and the ring buffers of an interface.
import { createSocket } from 'node:dgram'
import { type Dict, SaltError, splitLines, splitWords, str, type Value, valueError } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result } from '../../../../sdk/mod.ts'

function macBytes(mac: string): number[] {
  const digits = mac.length === 17 ? mac.replaceAll(mac[2]!, '') : mac
  if (!/^[0-9a-f]{12}$/i.test(digits)) throw valueError('Invalid MAC address')
  return (digits.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))
}

/** Send the packet that wakes a machine: its hardware address, sixteen times. */
export function wake(mac: string, broadcast: string, port: number): Promise<true> {
  const bytes = macBytes(mac)
  const packet = Buffer.from([...Array<number>(6).fill(0xff), ...Array.from({ length: 16 }, () => bytes).flat()])
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    socket.once('error', (error) => {
      socket.close()
      reject(new SaltError('CommandExecutionError', error.message, { cause: error }))
    })
    socket.bind(() => {
      socket.setBroadcast(true)
      socket.send(packet, port, broadcast, (error) => {
        socket.close()
        if (error) reject(new SaltError('CommandExecutionError', error.message, { cause: error }))
        else resolve(true)
      })
    })
  })
}

/** Return IP addresses by hardware address. */
export async function arpTable(ctx: FunctionContext): Promise<Dict> {
  if ((await ctx.host.which('arp')) === undefined) {
    throw new SaltError('SaltException', "The 'arp' binary was not found in $PATH.")
  }
  const kernel = ctx.grains.get('kernel')
  const found: Dict = new Map()
  for (const line of splitLines(await outputOf(ctx, 'arp -an'))) {
    const words = splitWords(line)
    if (words.length < 4) continue
    const [first = '', second = '', , fourth = ''] = words
    if (kernel === 'SunOS') {
      if (words.at(-1)!.includes(':')) found.set(words.at(-1)!, second)
    } else if (kernel === 'OpenBSD') {
      if (first !== 'Host' && second !== '(incomplete)') found.set(second, first)
    } else found.set(fourth, second.replaceAll(/^\(+|\)+$/g, ''))
  }
  return found
}

const ETHTOOL = '/sbin/ethtool'

const canTune = async (ctx: FunctionContext): Promise<boolean> =>
  ctx.grains.get('kernel') === 'Linux' && (await ctx.host.stat(ETHTOOL)) !== undefined

/** Return the sizes of the buffers, and their maximums under names that end in `-max`. */
export async function bufferSizes(ctx: FunctionContext, iface: string): Promise<Result> {
  if (!(await canTune(ctx))) return {}
  const text = await outputOf(ctx, `${ETHTOOL} -g ${iface}`)
  const found: Record<string, Result> = { result: false }
  let suffix = 'max-'
  for (const line of splitLines(text)) {
    const [, name, size] = /^(.+):\s+(\d+)$/.exec(line) ?? []
    if (name !== undefined) {
      found[name.toLowerCase().replaceAll(' ', '-') + suffix] = Number(size)
      found['result'] = true
    } else if (line.endsWith('maximums:')) suffix = '-max'
    else if (line.endsWith('settings:')) suffix = ''
  }
  if (found['result'] === false) {
    const [head = '', ...rest] = splitWords(text)
    found['comment'] = head.endsWith('sh:') ? rest.join(' ') : text
  }
  return found
}

export async function setBuffers(
  ctx: FunctionContext,
  iface: string,
  unknown: Value[],
  given: ReadonlyMap<string, Value>,
): Promise<Result> {
  if (!(await canTune(ctx))) return false
  const usage = { result: false, comment: 'Requires rx=<val> tx==<val> rx-mini=<val> and/or rx-jumbo=<val>' }
  if (given.size === 0) return usage
  if (unknown.length > 0) return { result: false, comment: `Unknown arguments: ${unknown.map(str).join(' ')}` }
  const words = ['rx', 'tx', 'rx-mini', 'rx-jumbo'].flatMap((name) => {
    const value = given.get(name) ?? null
    return value === null ? [] : [`${name} ${str(value)}`]
  })
  if (words.length === 0) return usage
  const output = await outputOf(ctx, `${ETHTOOL} -G ${iface} ${words.join(' ')}`)
  return output === '' ? { result: true, comment: words.join(' ') } : { result: false, comment: output }
}
