// Remotes in Salt's options: `gitfs_remotes`, the remotes of the external pillar `git`, and `winrepo_remotes`. All
// errors are found here, in Salt's words, so that later code can rely on a remote.
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { type Log, withoutLogin } from '../base/mod.ts'
import { type Dict, isDict, isList, repr, SaltError, str, textOf, truthy, type Value } from '../data/mod.ts'
import { type GitRemote, plainRemote } from './remote.ts'

export type GitRole = 'gitfs' | 'git_pillar' | 'winrepo'

/** The permitted settings of a single remote for a role. */
export interface RoleRules {
  role: GitRole
  /** Parameters with a global option, in Salt's order, each with the value of that option. */
  globals: ReadonlyMap<string, Value>
  /** Parameters that only a remote has. */
  only: readonly string[]
  /** The provider that is configured, in lower case; empty for the usual one. */
  provider: string
  /** The algorithm that names of cache folders are made with. */
  hashType: string
  /** The default branch; for roles whose remotes are written `branch URL`. */
  branch?: string
}

export interface ConfiguredRemote {
  role: GitRole
  /** As configured. */
  id: string
  /** The form for logs and answers. */
  shownId: string
  url: string
  /** Empty for gitfs. */
  branch: string
  name: string | undefined
  /** The name of its folder in caches: the configured one, or a digest of the id. */
  folder: string
  /** Every parameter, typed: of the remote, or else of all. */
  settings: ReadonlyMap<string, Value>
  git: GitRemote
}

const PROVIDERS = ['pygit2', 'gitpython', 'gitcli'] as const

const AUTH_PROVIDERS = ['pygit2', 'gitcli']
const AUTH = ['user', 'password', 'pubkey', 'privkey', 'passphrase', 'insecure_auth']

export const REF_TYPES = ['branch', 'tag', 'sha'] as const
export type RefType = (typeof REF_TYPES)[number]

/** Return the remotes of a list of options. An invalid one is logged and ends in Salt's `Failed to load`. */
export function configuredRemotes(given: Value, rules: RoleRules, log: Log): ConfiguredRemote[] {
  const remotes = (isList(given) ? given : truthy(given) ? [given] : []).flatMap((remote) => {
    const read = new RemoteReader(rules, log).read(remote)
    return read ? [read] : []
  })
  const byFolder = new Map<string, string[]>()
  for (const { folder, shownId } of remotes) byFolder.set(folder, [...(byFolder.get(folder) ?? []), shownId])
  for (const ids of byFolder.values()) {
    if (ids.length === 1) continue
    log(
      'critical',
      `The following ${rules.role} remotes have conflicting cachedirs: ${ids.join(', ')}. Resolve this using a per-remote parameter called 'name'.`,
    )
    throw failedToLoad(rules.role)
  }
  return remotes
}

/** Return whether the provider has a known name; log an unknown one. */
export function isKnownProvider(role: GitRole, provider: string, log: Log): boolean {
  if (provider === '' || PROVIDERS.some((known) => known === provider)) return true
  log('critical', `Invalid ${role}_provider '${provider}'. Valid choices are: ${PROVIDERS.join(', ')}`)
  return false
}

export const failedToLoad = (role: GitRole): SaltError =>
  new SaltError('FileserverConfigError', `Failed to load ${role}`)

/** Parameters that are converted to a list. */
const LISTS = new Set(['saltenv_whitelist', 'saltenv_blacklist', 'refspecs', 'ref_types'])
const FLAGS = new Set(['ssl_verify', 'insecure_auth', 'disable_saltenv_mapping'])

class RemoteReader {
  private readonly rules: RoleRules
  private readonly log: Log

  constructor(rules: RoleRules, log: Log) {
    this.rules = rules
    this.log = log
  }

  read(given: Value): ConfiguredRemote | undefined {
    const isBare = !isDict(given)
    const id = isDict(given) ? [...given.keys()][0] : given
    const text = textOf(id ?? null)
    if (text === undefined)
      return this.fail(
        `Invalid ${this.rules.role} remote '${str(id ?? null)}'. Remotes must be strings, you may need to enclose the URL in quotes`,
      )
    if (!isUrlLike(text)) {
      this.log('warning', `Found bad url data ${repr(withoutLogin(text))}`)
      return undefined
    }
    const [branch, url] = this.parted(text)
    const settings = this.settingsOf(text, isBare ? undefined : (given.get(id!) ?? null), branch)
    this.checkRefTypes(text, settings)
    const git = this.remoteOf(url, settings)
    this.checkLogin(text, url, settings, git)
    const name = settings.get('name') ?? (this.rules.role === 'winrepo' ? lastPart(url) : undefined)
    const shownId = withoutLogin(text)
    const digest = createHash(this.rules.hashType).update(text).digest('base64').replaceAll('/', '_')
    return {
      role: this.rules.role,
      id: text,
      shownId,
      url,
      branch,
      name: name === undefined ? undefined : str(name),
      folder: name === undefined ? digest : plainName(str(name)),
      settings,
      git,
    }
  }

  /** Split `branch URL`, for roles with branches; for other roles the whole text is the URL. */
  private parted(text: string): [branch: string, url: string] {
    const { branch } = this.rules
    if (branch === undefined) return ['', text]
    const [, named, url] = /^(\S+)\s+(.*)$/s.exec(text.trim()) ?? []
    return named === undefined ? [branch, text] : [named, url!]
  }

  private settingsOf(id: string, own: Value | undefined, branch: string): Map<string, Value> {
    const { role, globals } = this.rules
    const settings = new Map([...globals].map(([name, value]) => [name, this.typed(`${role}_${name}`, name, value)]))
    if (own === undefined) return settings
    const given = this.packed(own)
    if (given === undefined || given.size === 0)
      return this.fail(
        `Invalid per-remote configuration for ${role} remote '${withoutLogin(id)}'. If no per-remote parameters are being specified, there may be a trailing colon after the URL, which should be removed. Check the master configuration file.`,
      )
    if (role === 'git_pillar' && branch !== '__env__' && given.has('base'))
      return this.fail(
        `Invalid per-remote configuration for ${role} remote '${withoutLogin(id)}'. base can only be specified if __env__ is specified as the branch name.`,
      )
    this.checkNames(id, [...given.keys()])
    for (const [name, value] of given) settings.set(name, this.typed(name, name, value))
    return settings
  }

  /** Merge a list of one-key mappings into one mapping; a mapping in place of the list is used unchanged. */
  private packed(own: Value): Map<string, Value> | undefined {
    if (isDict(own)) return new Map([...own].map(([name, value]) => [str(name), value]))
    if (!isList(own)) {
      this.log('error', `Invalid input for repack_dictlist, data passed is not a list (${str(own)})`)
      return undefined
    }
    const packed = new Map<string, Value>()
    for (const item of own) {
      if (!isDict(item)) packed.set(str(item), null)
      else if (item.size !== 1) {
        this.log(
          'error',
          `Invalid input for repack_dictlist: key/value pairs must contain only one element (data passed: ${repr(item)}).`,
        )
        return undefined
      } else for (const [name, value] of item) packed.set(str(name), value)
    }
    return packed
  }

  /** Report all unknown names, not only the first. */
  private checkNames(id: string, names: readonly string[]): void {
    const { role, globals, only, provider } = this.rules
    const hasAuth = provider === '' || AUTH_PROVIDERS.includes(provider)
    const overrides = [...globals.keys()].filter((name) => !AUTH.includes(name))
    const valid = [...overrides, ...(hasAuth ? AUTH : []), ...only]
    const wrong = names.filter((name) => !valid.includes(name))
    const shown = withoutLogin(id)
    const more = role === 'gitfs' ? 'See the GitFS Walkthrough in the Salt documentation for further information.' : ''
    for (const name of wrong) {
      if (AUTH.includes(name))
        this.log(
          'critical',
          `${role} authentication parameter '${name}' (from remote '${shown}') is only supported by the following provider(s): ${AUTH_PROVIDERS.join(', ')}. Current ${role}_provider is '${provider}'.${more}`,
        )
      else
        this.log(
          'critical',
          `Invalid ${role} configuration parameter '${name}' in remote '${shown}'. Valid parameters are: ${valid.join(', ')}.${more && ` ${more}`}`,
        )
    }
    if (wrong.length > 0) throw failedToLoad(role)
  }

  private typed(key: string, name: string, value: Value): Value {
    if (name === 'saltenv' || name === 'all_saltenvs') return value
    if (LISTS.has(name))
      return isList(value)
        ? value.map(str)
        : str(value)
            .split(',')
            .map((part) => part.trim())
    if (FLAGS.has(name)) return truthy(value)
    if (name !== 'update_interval') return value === null ? '' : str(value)
    const number = Number(typeof value === 'boolean' ? +value : str(value))
    if (value !== null && str(value).trim() !== '' && Number.isFinite(number)) return Math.trunc(number)
    this.log(
      'error',
      `Failed to enforce type for key=${key === name ? name : 'update_interval'} with val=${str(value)}, falling back to a string`,
    )
    return str(value)
  }

  private checkRefTypes(id: string, settings: Map<string, Value>): void {
    const given = settings.get('ref_types')
    if (given === undefined) return
    const types = (given as string[]).map((type) => type.toLowerCase())
    settings.set('ref_types', types)
    const wrong = types.filter((type) => !REF_TYPES.some((known) => known === type))
    if (wrong.length > 0)
      this.fail(
        `The following ref_types for ${this.rules.role} remote '${withoutLogin(id)}' are invalid: ${wrong.join(', ')}. The supported values are: ${REF_TYPES.join(', ')}`,
      )
  }

  private remoteOf(url: string, settings: ReadonlyMap<string, Value>): GitRemote {
    const text = (name: string): string => str(settings.get(name) ?? '')
    const plain = plainRemote(url)
    const refspecs = (settings.get('refspecs') as string[] | undefined) ?? []
    return {
      url,
      refspecs: refspecs.length > 0 ? refspecs : plain.refspecs,
      user: text('user'),
      password: text('password'),
      pubkey: text('pubkey'),
      privkey: text('privkey'),
      passphrase: text('passphrase'),
      sslVerify: settings.get('ssl_verify') !== false,
      proxy: text('proxy'),
    }
  }

  /** A login must be complete and fit the address. */
  private checkLogin(id: string, url: string, settings: ReadonlyMap<string, Value>, git: GitRemote): void {
    const { role } = this.rules
    const isSet = (name: string): boolean => truthy(settings.get(name) ?? null)
    if (url.startsWith('/') || !AUTH.some(isSet)) return
    const shown = withoutLogin(id)
    const [, scheme = 'ssh', address = url] = /^(.*?):\/\/(.*)$/s.exec(url) ?? []
    const transport = scheme.toLowerCase()
    const incomplete = (names: readonly string[]): void => {
      const missing = names.filter((name) => !isSet(name))
      if (missing.length > 0)
        this.fail(
          `Incomplete authentication information for ${role} remote '${shown}'. Missing parameters: ${missing.join(', ')}`,
        )
    }
    if (transport === 'git' || transport === 'file') return
    if (transport.includes('ssh') || transport === 'sftp') {
      if (!address.includes('@'))
        this.fail(`Keypair specified for ${role} remote '${shown}', but remote URL is missing a username`)
      incomplete(['pubkey', 'privkey'])
      for (const kind of ['pubkey', 'privkey'] as const) this.checkKey(kind, git[kind], shown)
    } else if (transport.includes('http')) {
      if (!isSet('user') && !isSet('password')) return
      incomplete(['user', 'password'])
      if (transport === 'http' && !isSet('insecure_auth'))
        this.fail(
          `Invalid configuration for ${role} remote '${shown}'. Authentication is disabled by default on http remotes. Either set ${role}_insecure_auth to True in the master configuration file, set a per-remote config option named 'insecure_auth' to True, or use https or ssh-based authentication.`,
        )
    } else this.fail(`Invalid configuration for ${role} remote '${shown}'. Unsupported transport '${transport}'.`)
  }

  private checkKey(kind: string, path: string, shown: string): void {
    if (existsSync(path) && statSync(path).isFile()) return
    this.fail(
      `SSH ${kind} (${path}) for ${this.rules.role} remote '${shown}' could not be found, path may be incorrect. Note that it may be necessary to clear git_pillar locks to proceed once this is resolved and the master has been started back up. A warning will be logged if this is the case, with instructions.`,
    )
  }

  private fail(text: string): never {
    this.log('critical', text)
    throw failedToLoad(this.rules.role)
  }
}

/** Schemes that Salt knows, and git's own. */
const URL_LIKE = /^(https?|ssh|s?ftp|file|git):\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]*$/i
const SCP_LIKE = /^[^@:/\s]+@[^:\s]+:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/

/** Whether a text is an address, optionally after a word such as a branch. */
function isUrlLike(text: string): boolean {
  const [first = '', ...rest] = text.split(' ')
  const address = rest.length > 0 && !URL_LIKE.test(first) ? rest.join(' ').trimStart() : text
  return URL_LIKE.test(address) || SCP_LIKE.test(address) || address.startsWith('/')
}

/** Salt names the folders of winrepo after their repositories. */
const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1).replace(/\.git$/i, '')

/** The name becomes a folder in caches, so it must not lead out of them. */
const plainName = (name: string): string => (/^\.{0,2}$/.test(name) ? `_${name}` : name.replaceAll(/[/\0]/g, '_'))

/** Return per-environment parameters, a list of mappings of lists of mappings, as mappings. */
export function packedEnvironments(given: Value | undefined): Map<string, ReadonlyMap<string, string>> {
  const found = new Map<string, ReadonlyMap<string, string>>()
  for (const [name, value] of pairsOf(given ?? null)) {
    found.set(name, new Map(pairsOf(value).map(([key, item]) => [key, str(item)])))
  }
  return found
}

function pairsOf(given: Value): Array<[string, Value]> {
  const dicts: Dict[] = isDict(given) ? [given] : isList(given) ? given.filter(isDict) : []
  return dicts.flatMap((dict) => [...dict].map(([key, value]): [string, Value] => [str(key), value]))
}
