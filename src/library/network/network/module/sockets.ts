// Open sockets of a Linux machine, from netstat or ss, and its connections from the tables of the kernel.
import { type Dict, failure, ipAddress, splitLines, splitWords, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result, textAt } from '../../../../sdk/mod.ts'

const TCP = ['proto', 'recv-q', 'send-q', 'local-address', 'remote-address', 'state', 'user', 'inode', 'program']
const UDP = TCP.filter((column) => column !== 'state')

const row = (titles: readonly string[], words: readonly Value[]): Result =>
  Object.fromEntries(titles.map((title, at) => [title, words[at] ?? '']))

const kindOf = (line: string): readonly string[] | undefined =>
  line.startsWith('tcp') ? TCP : line.startsWith('udp') ? UDP : undefined

async function fromNetstat(ctx: FunctionContext): Promise<Result> {
  const lines = splitLines(await outputOf(ctx, 'netstat -tulpnea'))
  return lines.flatMap((line) => {
    const titles = kindOf(line)
    return titles ? [row(titles, splitWords(line))] : []
  })
}

async function fromSs(ctx: FunctionContext): Promise<Result> {
  return splitLines(await outputOf(ctx, 'ss -tulpnea')).flatMap((line) => {
    const titles = kindOf(line)
    if (!titles) return []
    const [proto = '', state = '', received = '', sent = '', local = '', remote = '', ...notes] = splitWords(line)
    const noted = new Map(
      notes.slice(0, -1).map((note): [string, string] => [note.split(':')[0]!, note.split(':')[1] ?? '']),
    )
    const program = noted.get('users')?.split(',')[0]?.split('"')[1] ?? ''
    const facts: Value[] = [proto, received, sent, local, remote]
    if (titles === TCP) facts.push(state === 'ESTAB' ? 'ESTABLISHED' : state)
    return [row(titles, [...facts, noted.get('uid') ?? 0, noted.get('ino') ?? 0, program])]
  })
}

export async function sockets(ctx: FunctionContext): Promise<Result> {
  if (ctx.grains.get('kernel') !== 'Linux') {
    throw failure('Not yet supported on this platform')
  }
  return (await ctx.host.which('netstat')) === undefined ? fromSs(ctx) : fromNetstat(ctx)
}

/** Parse an address of the kernel: the bytes of every group of four are reversed. */
function kernelAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).map((group) => (group.match(/../g) ?? []).reverse().join(''))
  const text = bytes.join('')
  if (text.length === 8) return (text.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  const address = ipAddress((text.match(/.{4}/g) ?? []).join(':')).toString()
  return address.replace(/^::ffff:([0-9a-f]+):([0-9a-f]+)$/, (_, high: string, low: string) => {
    const value = high.padStart(4, '0') + low.padStart(4, '0')
    return (value.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  })
}

const ESTABLISHED = '01'

/** Return the connections by number, from 0. */
export async function connections(ctx: FunctionContext): Promise<Dict> {
  const found: Dict = new Map()
  if (ctx.grains.get('kernel') !== 'Linux') return found
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of splitLines((await textAt(ctx.host, path)) ?? '').slice(1)) {
      const [, local = '', remote = '', state] = splitWords(line)
      if (state !== ESTABLISHED) continue
      const [localAddress = '', localPort = ''] = local.split(':')
      const [remoteAddress = '', remotePort = ''] = remote.split(':')
      const facts = {
        local_addr: kernelAddress(localAddress),
        local_port: Number.parseInt(localPort, 16),
        remote_addr: kernelAddress(remoteAddress),
        remote_port: Number.parseInt(remotePort, 16),
      }
      found.set(found.size, new Map(Object.entries(facts)))
    }
  }
  return found
}
