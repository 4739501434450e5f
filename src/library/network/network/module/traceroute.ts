// The path to a host as traceroute shows it; the columns depend on its version.
import { float, SaltError, splitLines, splitWords, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, type Result } from '../../../../sdk/mod.ts'
import { sanitizeHost } from './connection.ts'

type Hop = Record<string, Value>

/** Parse `1  gw (10.0.0.1)  0.1 ms  0.2 ms  0.3 ms`, with two spaces between columns. */
function modern(line: string): Hop {
  const columns = line.split('  ')
  const [count = '', host = '', ...delays] = columns
  if (columns.length >= 2 && host === '* * *') return { count: Number(count), hostname: '*' }
  if (columns.length < 5) return {}
  const [hostname = '', address = ''] = splitWords(host)
  const [ms1, ms2, ms3] = delays.map((delay) => float(Number(splitWords(delay)[0])))
  return { count: Number(count), hostname, ip: address.replaceAll(/[()]/g, ''), ms1: ms1!, ms2: ms2!, ms3: ms3! }
}

function old(line: string): Hop {
  const [count, hostname, ip, ping1, ms1, ping2, ms2, ping3, ms3] = splitWords(line)
  if (ms3 === undefined) return {}
  return {
    count: count!,
    hostname: hostname!,
    ip: ip!,
    ms1: ms1!,
    ms2: ms2!,
    ms3,
    ping1: ping1!,
    ping2: ping2!,
    ping3: ping3!,
  }
}

function bsd(line: string): Hop {
  const [, count, hostname, ip, rest = ''] = /^\s*(\d*)\s+(.*)\s+\((.*)\)\s+(.*)$/.exec(line) ?? []
  if (count === undefined) {
    const [, silent] = /^\s*(\d*)\s+\*\s+\*\s+\*/.exec(line) ?? []
    return silent === undefined ? {} : { count: silent, hostname: '*' }
  }
  const delays = [...rest.matchAll(/(\d+\.\d+)\s*ms/g)].map(([, delay], at): [string, Value] => [`ms${at + 1}`, delay!])
  return { count, hostname: hostname!, ip: ip!, ...Object.fromEntries(delays) }
}

async function reader(ctx: FunctionContext): Promise<(line: string) => Hop> {
  if (ctx.grains.get('kernel') === 'SunOS') return bsd
  const text = await outputOf(ctx, 'traceroute --version')
  const [, major = '0', minor = '0', patch = '0'] = /[Vv]ersion (\d+)\.([\w+]+)\.*(\w*)/.exec(text) ?? []
  if (/Darwin|FreeBSD/.test(minor)) return bsd
  return Number(major) >= 2 && (Number(patch) >= 14 || Number(minor) > 0) ? modern : old
}

export async function traceroute(ctx: FunctionContext, host: string): Promise<Result> {
  if ((await ctx.host.which('traceroute')) === undefined) {
    throw new SaltError('SaltException', "The 'traceroute' binary was not found in $PATH.")
  }
  const text = await outputOf(ctx, `traceroute ${sanitizeHost(host)}`, { timeout: 120 })
  if (text.includes('Timed out after')) return []
  const read = await reader(ctx)
  const lines = splitLines(text).filter((line) => line.includes(' ') && !line.startsWith('traceroute'))
  return lines.map((line) => read(line))
}
