// Grains of proxy minions: few grains of the machine, `proxy` in place of the operating system, and the grains of the
// proxy module.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, isDict, truthy, tuple } from '../data/mod.ts'
import type { ProxyAccess } from '../sdk/mod.ts'

export const isProxyMinion = (opts: Dict): boolean => opts.has('proxyid')

/** Grains of the machine that a proxy minion has as well. */
const KEPT: ReadonlySet<unknown> = new Set([
  ...['append_domain', 'brine_version', 'ca_truststore', 'cpuarch', 'cwd', 'dns', 'efi', 'efi-secure-boot'],
  ...['fibre_channel_host', 'hwaddr_interfaces', 'id', 'ip4_gw', 'ip6_gw', 'ip_gw', 'kernelparams', 'machine_id'],
  ...['master', 'nodename', 'opts', 'package', 'path', 'ps', 'pythonexecutable', 'pythonpath', 'pythonversion'],
  ...['salt_resources', 'saltpath', 'saltversion', 'saltversioninfo', 'server_id', 'shell', 'systempath'],
  ...['transactional', 'virtual', 'virtual_subtype', 'zmqversion', 'osarch'],
])

const SYSTEM = ['kernel', 'kernelrelease', 'kernelversion', 'os', 'os_family', 'osfullname', 'osrelease']

/** Return the values of grains that differ on a proxy minion: new ones, because further grains are merged into them. */
const changedGrains = (): Dict =>
  new Map([
    ...dictFrom({ fqdns: [], gpus: [], locale_info: new Map(), mem_total: 0, num_gpus: 0, osfinger: 'proxy-proxy' }),
    ...SYSTEM.map((name) => [name, 'proxy'] as const),
    ['osrelease_info', tuple(['proxy'])] as const,
  ])

/** Return grains of the machine as a proxy minion has them. */
export function ofProxyMinion(grains: Dict): Dict {
  const changed = changedGrains()
  return new Map(
    [...grains].flatMap(([name, value]) =>
      changed.has(name) ? [[name, changed.get(name)!] as const] : KEPT.has(name) ? [[name, value] as const] : [],
    ),
  )
}

/** `proxy_merge_grains_in_module`: return the grains of the proxy module, once its `initialized` returns true. */
export async function deviceGrains(proxy: ProxyAccess, opts: Dict, log: Log): Promise<Dict> {
  if (!option(opts, 'proxy_merge_grains_in_module') || !proxy.has('grains')) return new Map()
  if (!proxy.has('initialized')) {
    log('warning', `Proxymodule ${proxy.type} has grains() and no initialized(): its grains are not used`)
    return new Map()
  }
  try {
    if (!truthy(await proxy.call('initialized'))) return new Map()
    const grains = await proxy.call('grains')
    return isDict(grains) ? grains : new Map()
  } catch (error) {
    log('critical', `Failed to run proxy's grains function! ${toError(error).message}`)
    return new Map()
  }
}
