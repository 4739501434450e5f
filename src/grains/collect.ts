// Collects all grains of a machine: from the cache while it is fresh, else in parallel, with the user's own grains
// last.
import { type Log, silentLog, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, truthy, update, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { ProxyAccess } from '../sdk/mod.ts'
import {
  BLOCK_DEVICES,
  efiGrains,
  kernelParamsGrain,
  linuxDiskGrains,
  lvmGrain,
  mdadmGrain,
  VOLUME_GROUPS,
} from './boot.ts'
import { cachedGrains, storeGrains } from './cache.ts'
import { dnsGrain } from './dns.ts'
import { lookFirst } from './first-look.ts'
import { FIRMWARE_QUESTIONS } from './hardware.ts'
import { fqdnsGrain, hostNameGrains } from './host-names.ts'
import { localeGrain, machineIdGrain, optionGrains, processGrains, softwareGrains } from './identity.ts'
import { Machine } from './machine.ts'
import { gatewayGrains, interfaceGrains, interfacesOf } from './network.ts'
import { osGrains, unameOf } from './os-data.ts'
import type { Probe } from './probe.ts'
import { deviceGrains, isProxyMinion, ofProxyMinion } from './proxy.ts'
import { fileGrains, withoutBlacklisted } from './static-grains.ts'

export interface GrainsInput {
  opts: Dict
  host: Host
  /** Look again even when cached grains are fresh. */
  refresh?: boolean
  isWindows?: boolean
  log?: Log
  /** The device behind a proxy minion. */
  proxy?: ProxyAccess | undefined
}

export async function collectGrains(input: GrainsInput): Promise<Dict> {
  const { opts, host, log = silentLog } = input
  const cached = input.refresh ? undefined : await cachedGrains(host, opts)
  if (cached) return cached
  if (truthy(opts.get('skip_grains') ?? false)) return new Map()
  const machine = new Machine(host)
  if (host.expect && input.isWindows !== true) lookFirst(machine, opts)
  const blacklist = option(opts, 'grains_blacklist')
  const deep = opts.get('grains_deep_merge') === true
  const grains: Dict = new Map()
  const add = (part: Dict): void => void update(grains, withoutBlacklisted(part, blacklist), { recursive: deep })
  const isProxy = isProxyMinion(opts)
  for (const part of await machineGrains(input, machine)) add(isProxy ? ofProxyMinion(part) : part)
  for (const part of await usersOwn(input, grains, log)) add(part)
  add(await fileGrains(machine, opts, log))
  if (input.proxy) add(await deviceGrains(input.proxy, opts, log))
  const configured = configuredGrains(opts)
  if (isDict(configured)) update(grains, configured, { recursive: deep })
  await storeGrains(host, opts, grains, log)
  return grains
}

const configured = new WeakMap<Dict, Value>()

/** Return the grains in the configuration: after the collection, the option contains all grains. */
function configuredGrains(opts: Dict): Value {
  const known = configured.get(opts)
  if (known !== undefined) return known
  const value = option(opts, 'grains')
  configured.set(opts, value)
  return value
}

/** Return the grains of users' own modules; an error there affects only these grains. */
async function usersOwn({ opts, host, proxy }: GrainsInput, known: Dict, log: Log): Promise<Dict[]> {
  const { userGrains } = await import('../pybridge/mod.ts')
  try {
    return await userGrains({ opts, host, log, proxy }, known)
  } catch (error) {
    log('critical', `Failed to load users' own grains: ${toError(error).message}`)
    return []
  }
}

/** Return the commands that nearly every machine needs. */
function probeFor(hostname: string, { isFar }: Machine): Probe {
  return {
    programs: [
      ...[
        'dmidecode',
        'dpkg',
        'fw_printenv',
        'getenforce',
        'ifconfig',
        'ip',
        'localectl',
        'lsb_release',
        'lspci',
        'lvm',
      ],
      ...['python3', 'rpm', 'selinuxenabled', 'systemctl', 'systemd-detect-virt', 'transactional-update', 'virt-what'],
      ...['dumb-init', 'supervisord', 'tini'],
    ],
    commands: [
      ['ip', 'addr', 'show'],
      ['ip', '-4', 'route', 'show'],
      ['ip', '-6', 'route', 'show'],
      ['getent', 'ahosts', hostname],
      ['dpkg', '--print-architecture'],
      ['systemctl', '--version'],
      ['systemd-detect-virt'],
      ['uname', '-m'],
      ['date', '+%Z'],
      ...(isFar ? [BLOCK_DEVICES] : []),
    ],
    without: FIRMWARE_QUESTIONS,
    slow: [['lvm', ...VOLUME_GROUPS]],
  }
}

/** In merge order; all are collected at the same time. */
async function machineGrains(input: GrainsInput, machine: Machine): Promise<Dict[]> {
  const { opts, isWindows = false } = input
  if (!isWindows) machine.probe(probeFor(await machine.host.hostname(), machine))
  const { kernel } = isWindows ? { kernel: 'Windows' } : await unameOf(machine)
  const isLinux = kernel === 'Linux'
  const interfaces = interfacesOf(machine)
  const fqdns = opts.get('enable_fqdns_grains') ?? !['Windows', 'SunOS', 'AIX', 'Darwin'].includes(kernel)
  const parts: Array<Dict | Promise<Dict>> = [
    optionGrains(opts),
    osGrains(machine, opts, isWindows),
    localeGrain(machine),
    hostNameGrains(machine),
    interfaces.then((faces) => fqdnsGrain(machine, faces, truthy(fqdns as Value))),
    interfaces.then(interfaceGrains),
    isWindows ? new Map() : dnsGrain(machine),
    machineIdGrain(machine),
    processGrains(machine),
    softwareGrains(machine, opts),
    gatewayGrains(machine),
    kernelParamsGrain(machine),
    machine.isDirectory('/sys/class/fc_host').then((present) => new Map([['fibre_channel_host', present]])),
    isLinux ? linuxDiskGrains(machine) : new Map(),
    isLinux ? lvmGrain(machine) : new Map(),
    mdadmGrain(machine),
    efiGrains(machine, kernel),
    machine.which('transactional-update').then((path) => new Map([['transactional', path !== undefined]])),
  ]
  return Promise.all(parts)
}
