// The SSH login of a machine: from settings of salt-cloud to an open connection. A new machine is tried until it lets us in.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, quote, str, type Value } from '../data/mod.ts'
import { isSshError, SshHost, sshRuntimeFolder } from '../host/mod.ts'
import type { CloudNode } from '../sdk/mod.ts'
import { sshTarget } from '../ssh/mod.ts'
import type { OpenAccount } from './accounts.ts'
import { configError, executionFailure } from './errors.ts'
import type { DeploySettings } from './settings.ts'

export interface Login {
  name: string
  address: string
  settings: DeploySettings
  /** Whether the machine existed before, so that a refusal is permanent. */
  isOld: boolean
  opts: Dict
  log: Log
  signal: AbortSignal
}

/** Return the address that a machine is reached by. */
export function addressOf({ name, public_ips, private_ips }: CloudNode, settings: DeploySettings): string {
  if (settings.ssh_host) return settings.ssh_host
  const setting = settings.bootstrap_interface === null ? 'ssh_interface' : 'bootstrap_interface'
  const written = settings.bootstrap_interface ?? settings.ssh_interface
  const wanted = /^(public|private)(_ips)?$/.exec(written)?.[1]
  if (wanted === undefined) {
    throw configError(`${setting} of ${name} is ${quote(written)}, not public_ips or private_ips`)
  }
  const found = wanted === 'private' ? (private_ips[0] ?? public_ips[0]) : (public_ips[0] ?? private_ips[0])
  if (found === undefined) throw executionFailure(`${name} has no address`)
  return found
}

/**
 * Return the address in a driver-specific list that `ssh_interface` names, such as `floating_ips`; undefined if there
 * is none.
 */
export function listedAddress({ details }: CloudNode, settings: DeploySettings): string | undefined {
  const isOwn = !settings.ssh_host && /^(?!public|private)\w+_ips$/.test(settings.ssh_interface)
  const list = isOwn ? details?.get(settings.ssh_interface) : undefined
  return list !== undefined && isList(list) && list.length > 0 ? str(list[0]!) : undefined
}

/**
 * Return settings without the passwords of a provider: they are also those of its machines only if the driver declares
 * them for both.
 */
export function withoutProviderLogin(
  { driver, settings: ofProvider }: Pick<OpenAccount, 'driver' | 'settings'>,
  settings: Dict,
) {
  const isLogin = (name: string): boolean =>
    Object.hasOwn(driver.provider, name) &&
    driver.provider[name]?.secret === true &&
    !Object.hasOwn(driver.machine, name)
  return new Map([...settings].filter(([key, value]) => !isLogin(str(key)) || value !== ofProvider.get(key)))
}

/** Log in, trying each possible user. */
export async function logInToMachine(login: Login): Promise<SshHost> {
  const { settings, signal, isOld, log, name, address } = login
  const users = isList(settings.ssh_username) ? settings.ssh_username.map(str) : [str(settings.ssh_username)]
  const end = performance.now() + settings.ssh_connect_timeout * 1000
  for (;;) {
    let last: Error | undefined
    for (const user of users) {
      try {
        return await open(login, user)
      } catch (error) {
        if (!isSshError(error)) throw error
        if (error.code === 'HostKeyChanged' || error.code === 'HostKeyUnknown') throw error
        last = toError(error)
        log('debug', `${name} does not let ${user} in at ${address} yet: ${last.message}`)
      }
    }
    if (isOld && isSshError(last, 'LoginRefused', 'BecomeRefused')) throw last
    if (signal.aborted) throw executionFailure('interrupted')
    if (performance.now() >= end) {
      throw executionFailure(`${name} lets nobody in after ${settings.ssh_connect_timeout} s: ${last!.message}`, last)
    }
    await sleep(1000, undefined, { signal })
  }
}

function open(login: Login, user: string): Promise<SshHost> {
  const { name, address, settings, opts, log } = login
  const { password, ssh_password, private_key, ssh_keyfile, ssh_key_file, key_filename } = settings
  const entry: Dict = new Map<Value, Value>([
    ['host', address],
    ['user', user],
    ['port', settings.ssh_port],
    ['tty', settings.tty],
    ['timeout', 15],
    ['sudo', settings.sudo ?? user !== 'root'],
  ])
  const given: readonly (readonly [string, string | null])[] = [
    ['passwd', password ?? ssh_password],
    ['priv', private_key ?? ssh_keyfile ?? ssh_key_file ?? key_filename],
    ['sudo_passwd', settings.sudo_password],
  ]
  for (const [key, value] of given) if (value) entry.set(key, value)
  entry.set('ssh_options', [...settings.ssh_options, ...trustOf(login), ...gatewayOf(settings)])
  const target = sshTarget({ id: name, settings: entry, from: 'the settings of salt-cloud' }, opts)
  return SshHost.open(target, { log, runtimeDir: sshRuntimeFolder(option(opts, 'sock_dir')) })
}

/** The key of a machine that was just made cannot be known; that of an old one is noted at the first login, and must stay. */
function trustOf({ settings, isOld }: Login): string[] {
  if (settings.known_hosts_file) return [`UserKnownHostsFile=${settings.known_hosts_file}`, 'StrictHostKeyChecking=yes']
  if (isOld) return ['StrictHostKeyChecking=accept-new']
  return ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no']
}

function gatewayOf({ ssh_gateway: gateway }: DeploySettings): string[] {
  if (!gateway) return []
  if (!/^[\w.@:[\]-]+$/.test(gateway) || gateway.startsWith('-')) {
    throw configError(`ssh_gateway '${gateway}' is not user@host:port`)
  }
  return [`ProxyJump=${gateway}`]
}
