// Resolves a master's name. An unknown name is retried every `retry_dns` seconds, at most `retry_dns_count` times; with
// `retry_dns: 0` it resolves to this machine, unless another master can be tried.
import { lookup } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'

export class MasterUnresolvable extends BrineError {
  constructor(master: string) {
    super(
      'SaltMasterUnresolvableError',
      `Master address: '${master}' could not be resolved. Invalid or unresolveable address. Set 'master' value in minion config.`,
    )
  }
}

export interface Resolving {
  opts: Dict
  log: Log
  /** Whether another master is tried instead of waiting. */
  failover: boolean
  signal: AbortSignal
  find?: (host: string, family: number) => Promise<string>
}

const ask = async (host: string, family: number): Promise<string> => (await lookup(host, { family })).address

export async function resolveMaster(
  host: string,
  { opts, log, failover, signal, find = ask }: Resolving,
): Promise<string> {
  const ipv6 = option(opts, 'ipv6')
  const family = ipv6 === null ? 0 : ipv6 ? 6 : 4
  const seconds = failover ? 0 : option(opts, 'retry_dns')
  let left = option(opts, 'retry_dns_count') ?? Number.POSITIVE_INFINITY
  for (;;) {
    try {
      return await find(host, family)
    } catch (error) {
      log('debug', `${host} is not known: ${String(error)}`)
    }
    if (seconds === 0 && !failover) return '127.0.0.1'
    if (failover || left-- <= 0) throw new MasterUnresolvable(host)
    log('error', `Master hostname: '${host}' not found or not responsive. Retrying in ${seconds} seconds`)
    await sleep(seconds * 1000, undefined, { signal })
  }
}
