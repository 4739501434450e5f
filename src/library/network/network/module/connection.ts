// Connection tests.
import { lookup, lookupService } from 'node:dns/promises'
import { connect as open } from 'node:net'
import { str, truthy, type Value } from '../../../../data/mod.ts'
import type { Result } from '../../../../sdk/mod.ts'

/** Remove the characters that are not allowed in a command line or a look-up. */
export const sanitizeHost = (host: string): string => host.replace(/[^0-9a-zA-Z.-]/g, '')

export async function connect(
  name: string,
  port: Value,
  options: ReadonlyMap<string, Value>,
): Promise<Record<string, Result>> {
  if (!name) return { result: false, comment: 'Required argument, host, is missing.' }
  if (!truthy(port)) return { result: false, comment: 'Required argument, port, is missing.' }
  const family = options.get('family') === 'ipv4' ? 4 : options.get('family') === 'ipv6' ? 6 : 0
  let address: string
  try {
    address = (await lookup(/^[\d.]+$|:/.test(name) ? name : sanitizeHost(name), { family })).address
  } catch {
    return { result: false, comment: `Unable to resolve host ${name} on tcp port ${str(port)}` }
  }
  const seconds = Number(str(options.get('timeout') ?? 5))
  const done = await listens(address, Number(str(port)), seconds)
  const verb = done ? 'Successfully connected' : 'Unable to connect'
  return { result: done, comment: `${verb} to ${name} (${address}) on tcp port ${str(port)}` }
}

function listens(host: string, port: number, seconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open({ host, port, timeout: seconds * 1000 })
    const end = (result: boolean) => () => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })
}

/** Return the names of addresses, sorted; skip addresses without a name. */
export async function namesOf(addresses: readonly string[]): Promise<string[]> {
  const found = await Promise.allSettled(addresses.map((address) => lookupService(address, 0)))
  const names = found.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.hostname] : []))
  return [...new Set(names.filter((name) => !addresses.includes(name)))].sort()
}
