// Routes of a Linux machine, as `ip` shows them.
import { decodeBytes, failure, ipNetwork, type SaltError, splitLines, splitWords } from '../../../../data/mod.ts'
import type { FunctionContext, Result } from '../../../../sdk/mod.ts'
import { convertCidr } from './networks.ts'

const SPECIAL = new Set('unicast broadcast throw unreachable prohibit blackhole nat anycast multicast'.split(' '))

type Route = {
  addr_family: string
  destination: string
  gateway: string
  netmask: string
  flags: string
  interface: string
}

const unsupported = (): SaltError => failure('Not yet supported on this platform')

async function lines(ctx: FunctionContext, argv: string[]): Promise<string[][]> {
  const { stdout } = await ctx.host.run({ argv })
  return splitLines(decodeBytes(stdout)).map(splitWords)
}

/** Return the device, if it is named at that position. */
const device = (words: string[], at: number): string => (words[at] === 'dev' ? (words[at + 1] ?? '') : '')

function route4(words: string[]): Route | undefined {
  const [first = ''] = words
  if (first === 'unreachable') return undefined
  const shared = { addr_family: 'inet' }
  if (first === 'default') {
    const gateway = words[2] ?? ''
    return { ...shared, destination: '0.0.0.0', gateway, netmask: '0.0.0.0', flags: 'UG', interface: device(words, 3) }
  }
  const { network, netmask } = convertCidr(first)
  return { ...shared, destination: network, gateway: '0.0.0.0', netmask, flags: 'U', interface: device(words, 1) }
}

function route6(words: string[]): Route | undefined {
  const [first = ''] = words
  if (SPECIAL.has(first)) return undefined
  const shared = { addr_family: 'inet6', netmask: '' }
  if (first === 'default') {
    return { ...shared, destination: '::/0', gateway: words[2] ?? '', flags: 'UG', interface: device(words, 3) }
  }
  const local = { ...shared, gateway: '::', flags: 'U' }
  if (first === 'local') return { ...local, destination: `${words[1]}/128`, interface: device(words, 2) }
  ipNetwork(first, false) // throws for an invalid network
  return { ...local, destination: first, interface: device(words, 1) }
}

function checkFamily(family: string | null): void {
  if (family === null || family === 'inet' || family === 'inet6') return
  throw failure(`Invalid address family ${family}`)
}

export async function routes(ctx: FunctionContext, family: string | null): Promise<Route[]> {
  checkFamily(family)
  if (ctx.grains.get('kernel') !== 'Linux') throw unsupported()
  const four = (await lines(ctx, ['ip', '-4', 'route', 'show', 'table', 'main'])).map(route4)
  const six = (await lines(ctx, ['ip', '-6', 'route', 'show', 'table', 'all'])).map(route6)
  return [...four, ...six].filter(
    (route): route is Route => route !== undefined && (family === null || route.addr_family === family),
  )
}

export async function defaultRoutes(ctx: FunctionContext, family: string | null): Promise<Route[]> {
  const defaults = ['0.0.0.0', '::/0', 'default']
  return (await routes(ctx, family)).filter(({ destination }) => defaults.includes(destination))
}

const ROUTE = /(?:via\s+([\w.:]+))?\s+dev\s+([\w.:-]+)\s+.*src\s+([\w.:]+)/

export async function routeTo(ctx: FunctionContext, ip: string): Promise<Result> {
  if (ctx.grains.get('kernel') !== 'Linux') throw unsupported()
  const { stdout } = await ctx.host.run({ argv: ['ip', 'route', 'get', ip], mergeStderr: true })
  const [, gateway, device, source] = ROUTE.exec(splitLines(decodeBytes(stdout))[0] ?? '') ?? []
  return { destination: ip, gateway: gateway ?? null, interface: device ?? null, source: source ?? null }
}
