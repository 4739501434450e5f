// The configured remotes of gitfs, with the environments of each.
import type { Log } from '../../base/mod.ts'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, exprMatch, str, type Value } from '../../data/mod.ts'
import {
  type ConfiguredRemote,
  configuredRemotes,
  packedEnvironments,
  type RefType,
  type RoleRules,
} from '../../git/mod.ts'

/** The location of the files of one environment: the ref, its folder, and the mountpoint. */
export interface EnvironmentPlace {
  ref: string
  root: string
  mountpoint: string
}

const OLD_NAMES = [
  ['gitfs_env_whitelist', 'gitfs_saltenv_whitelist'],
  ['gitfs_env_blacklist', 'gitfs_saltenv_blacklist'],
] as const

const ONLY = ['all_saltenvs', 'name', 'saltenv']

/** Seconds between updates where nothing that can be read is set. */
const USUAL_INTERVAL = 60

function rulesOf(opts: Dict): RoleRules {
  const globals: Array<[string, Value]> = [
    ['base', rawOption(opts, 'gitfs_base')],
    ['fallback', rawOption(opts, 'gitfs_fallback')],
    ['mountpoint', rawOption(opts, 'gitfs_mountpoint')],
    ['root', rawOption(opts, 'gitfs_root')],
    ['ssl_verify', rawOption(opts, 'gitfs_ssl_verify')],
    ['saltenv_whitelist', rawOption(opts, 'gitfs_saltenv_whitelist')],
    ['saltenv_blacklist', rawOption(opts, 'gitfs_saltenv_blacklist')],
    ['refspecs', rawOption(opts, 'gitfs_refspecs')],
    ['disable_saltenv_mapping', rawOption(opts, 'gitfs_disable_saltenv_mapping')],
    ['ref_types', rawOption(opts, 'gitfs_ref_types')],
    ['update_interval', rawOption(opts, 'gitfs_update_interval')],
    ['proxy', rawOption(opts, 'gitfs_proxy')],
    ['depth', rawOption(opts, 'gitfs_depth')],
    ['user', rawOption(opts, 'gitfs_user')],
    ['password', rawOption(opts, 'gitfs_password')],
    ['pubkey', rawOption(opts, 'gitfs_pubkey')],
    ['privkey', rawOption(opts, 'gitfs_privkey')],
    ['passphrase', rawOption(opts, 'gitfs_passphrase')],
    ['insecure_auth', rawOption(opts, 'gitfs_insecure_auth')],
  ]
  return {
    role: 'gitfs',
    globals: new Map(globals),
    only: ONLY,
    provider: providerOf(opts),
    hashType: option(opts, 'hash_type'),
  }
}

/**
 * Return the configured provider of Salt, which determines the permitted settings of a remote; git itself does the work
 * in any case.
 */
export const providerOf = (opts: Dict): string => str(rawOption(opts, 'gitfs_provider') ?? '').toLowerCase()

export function gitfsRemotes(opts: Dict, log: Log): GitfsRemote[] {
  for (const [old, name] of OLD_NAMES)
    if (opts.has(old)) log('warning', `Option '${old}' has no effect, as in Salt: it is now called '${name}'`)
  const shared = packedEnvironments(rawOption(opts, 'gitfs_saltenv'))
  return configuredRemotes(rawOption(opts, 'gitfs_remotes'), rulesOf(opts), log).map(
    (remote) => new GitfsRemote(remote, shared, log),
  )
}

const bareMount = (text: string): string => text.replace(/^salt:\/\//, '').replace(/\/+$/, '')

export class GitfsRemote {
  readonly configured: ConfiguredRemote
  readonly base: string
  readonly fallback: string
  readonly refTypes: readonly RefType[]
  /** Seconds between updates; 0 for updates on request only. */
  readonly interval: number
  /** By ref the environments that are mapped to it; such a ref has no environment with its own name. */
  readonly mapped = new Map<string, string[]>()
  private readonly isMappingOff: boolean
  private readonly allEnvironments: string | undefined
  private readonly own: Map<string, ReadonlyMap<string, string>>
  private readonly shared: ReadonlyMap<string, ReadonlyMap<string, string>>
  private readonly whitelist: readonly string[]
  private readonly blacklist: readonly string[]
  private readonly exposed = new Map<string, boolean>()

  constructor(configured: ConfiguredRemote, shared: ReadonlyMap<string, ReadonlyMap<string, string>>, log: Log) {
    this.configured = configured
    const { settings } = configured
    const words = (name: string): string[] => (settings.get(name) as string[]).filter((word) => word !== '')
    this.fallback = str(settings.get('fallback') ?? '')
    this.refTypes = settings.get('ref_types') as RefType[]
    this.isMappingOff = settings.get('disable_saltenv_mapping') === true
    const all = settings.get('all_saltenvs')
    this.allEnvironments = all === undefined || all === null ? undefined : str(all)
    this.whitelist = words('saltenv_whitelist')
    this.blacklist = words('saltenv_blacklist')
    const interval = settings.get('update_interval')
    this.interval = typeof interval === 'number' ? Math.max(0, interval) : USUAL_INTERVAL
    this.own = packedEnvironments(settings.get('saltenv'))
    this.shared = shared
    this.base = this.baseOf(str(settings.get('base') ?? ''), log)
    const isOwn = new Set<string>()
    for (const [name, parameters] of this.own) {
      const ref = parameters.get('ref')
      if (ref === undefined) continue
      isOwn.add(name)
      this.map(ref, name)
    }
    for (const [name, parameters] of shared) {
      const ref = parameters.get('ref')
      if (ref !== undefined && !isOwn.has(name)) this.map(ref, name)
    }
  }

  private baseOf(usual: string, log: Log): string {
    const mapped = this.own.get('base')?.get('ref')
    if (mapped === undefined || mapped === usual) return usual
    log(
      'warning',
      `The 'base' environment has been defined in the 'saltenv' param for gitfs remote ${this.configured.shownId} and will override the branch/tag specified by gitfs_base (or a per-remote 'base' parameter).`,
    )
    return mapped
  }

  private map(ref: string, name: string): void {
    this.mapped.set(ref, [...(this.mapped.get(ref) ?? []), name])
  }

  /** The environments that a branch or tag of this name makes. */
  environmentsOf(name: string): readonly string[] {
    const mapped = this.mapped.get(name)
    if (mapped) return mapped
    if (name === this.base) return ['base']
    return this.isMappingOff ? [] : [name]
  }

  isExposed(saltenv: string): boolean {
    const known = this.exposed.get(saltenv)
    if (known !== undefined) return known
    const matches = (pattern: string): boolean => exprMatch(saltenv, pattern)
    const isExposed = !this.blacklist.some(matches) && (this.whitelist.length === 0 || this.whitelist.some(matches))
    // minions may ask for any name
    if (this.exposed.size > 10_000) this.exposed.clear()
    this.exposed.set(saltenv, isExposed)
    return isExposed
  }

  /** Return the location of an environment; undefined if this remote cannot have it. */
  placeOf(saltenv: string): EnvironmentPlace | undefined {
    const ref = this.refOf(saltenv)
    if (ref === undefined) return undefined
    const { settings } = this.configured
    const parameter = (name: string): string =>
      this.own.get(saltenv)?.get(name) ?? this.shared.get(saltenv)?.get(name) ?? str(settings.get(name) ?? '')
    // the mountpoint of a remote loses its outer slashes, that of an environment only the trailing ones
    const mountpoint = bareMount(parameter('mountpoint'))
    const isOfRemote = !this.own.get(saltenv)?.has('mountpoint') && !this.shared.get(saltenv)?.has('mountpoint')
    return {
      ref,
      root: parameter('root').replace(/\/+$/, ''),
      mountpoint: isOfRemote ? mountpoint.replace(/^\/+/, '') : mountpoint,
    }
  }

  private refOf(saltenv: string): string | undefined {
    if (this.allEnvironments !== undefined) return this.allEnvironments
    if (saltenv === 'base') return this.base
    const mapped = this.own.get(saltenv)?.get('ref') ?? this.shared.get(saltenv)?.get('ref')
    return mapped || (this.isMappingOff ? undefined : saltenv)
  }
}
