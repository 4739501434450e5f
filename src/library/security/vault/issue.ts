// The credentials that a master issues to its minions: tokens and approles, with the policies and the metadata of its
// configuration. Only the id of a minion is proven; grains are unproven, and are used only if the operator's patterns
// contain them.
import { type Dict, fromPlain, PyError, str, type Value } from '../../../data/mod.ts'
import type { VaultAccess } from './access.ts'
import { objectAt } from './client.ts'
import type { IssueConfig, Json, JsonObject, VaultConfig } from './config.ts'
import { now, readSeconds } from './durations.ts'
import { VaultError } from './errors.ts'
import { expand, type MinionData, names } from './templates.ts'

/** Parameters of issued credentials; others are never passed on. */
const PARAMETERS: Readonly<Record<IssueConfig['type'], readonly string[]>> = {
  approle: [
    'bind_secret_id',
    'secret_id_bound_cidrs',
    'secret_id_num_uses',
    'secret_id_ttl',
    'token_ttl',
    'token_max_ttl',
    'token_explicit_max_ttl',
    'token_num_uses',
    'token_no_default_policy',
    'token_period',
    'token_bound_cidrs',
  ],
  token: ['ttl', 'period', 'explicit_max_ttl', 'num_uses', 'no_default_policy', 'renewable'],
}

/** Parameters that a minion can never choose. */
const NEVER_OF_MINIONS: ReadonlySet<string> = new Set(['bind_secret_id'])

/** Recently computed policies of minions. */
const known = new Map<string, { made: number; policies: string[] }>()
const MOST_KNOWN = 10_000

/** The job and the user of a request, for the metadata of the issued credentials. */
export interface Occasion {
  jid: string
  user: string
}

export class Issuer {
  readonly config: VaultConfig
  readonly access: VaultAccess
  protected readonly minion: MinionData
  protected readonly occasion: Occasion

  constructor(access: VaultAccess, config: VaultConfig, minion: MinionData, occasion: Occasion) {
    this.access = access
    this.config = config
    this.minion = minion
    this.occasion = occasion
  }

  /** Return the policies of the minion, from the cache if they are newer than `policies:cache_time`. */
  async policies(cacheTime = this.config.policies.cacheTime): Promise<string[]> {
    const key = JSON.stringify([this.minion.id, this.config.server.url, this.config.policies.assign])
    const kept = known.get(key)
    if (kept && now() - kept.made < cacheTime) return kept.policies
    const policies = await this.freshPolicies()
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!)
    known.set(key, { made: now(), policies })
    return policies
  }

  async freshPolicies(): Promise<string[]> {
    const found = new Set<string>()
    for (const pattern of this.config.policies.assign) {
      for (const text of await this.expanded(pattern, 'policy', { grains: this.minion.grains })) {
        // as Vault reads names
        const policy = text.trim().toLowerCase()
        // no value of a minion makes it an administrator
        if (policy === 'root' && pattern !== 'root')
          this.access.parts.log(
            'warning',
            `The pattern ${pattern} of a policy became 'root' for ${this.minion.id} and is left out`,
          )
        else found.add(policy)
      }
    }
    return [...found]
  }

  /** Return the texts of a pattern; none where a value is missing. */
  protected async expanded(pattern: string, what: string, more: Record<string, Value> = {}): Promise<string[]> {
    return (await this.expansion(pattern, what, more)).texts
  }

  private async expansion(pattern: string, what: string, more: Record<string, Value>) {
    const { id, pillar } = this.minion
    try {
      return await expand(pattern, { minion: id, pillar: () => pillar(), ...more })
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      this.access.parts.log(
        'warning',
        `Could not resolve ${what} pattern ${pattern} for minion ${id}: ${error.message}`,
      )
      return { texts: [], isComposite: false }
    }
  }

  /**
   * Return metadata from patterns. Vault accepts only texts: a list is joined, and its items also get separate keys.
   */
  async metadata(patterns: ReadonlyMap<string, string>): Promise<Dict> {
    const { jid, user } = this.occasion
    const found: Dict = new Map()
    for (const [key, pattern] of patterns) {
      const { texts, isComposite } = await this.expansion(pattern, 'metadata', { jid, user })
      const sorted = [...texts].sort()
      found.set(key, sorted.join(','))
      const isTaken = [...patterns.keys()].some((other) => other.startsWith(`${key}__`))
      if (isComposite && !isTaken) for (const [index, text] of sorted.entries()) found.set(`${key}__${index}`, text)
    }
    return found
  }

  /**
   * Return the parameters of the issued credential: those of the master, and those of the minion that the master
   * permits.
   */
  parameters(type: IssueConfig['type'], wanted: JsonObject): JsonObject {
    const { allowOverride } = this.config.issue
    const configured = this.config.issue[type].params
    const params: JsonObject = {}
    for (const name of PARAMETERS[type]) {
      const wish = allowOverride && !NEVER_OF_MINIONS.has(name) ? wanted[name] : undefined
      const value = wish ?? configured[name] ?? null
      if (value !== null) params[name] = isSpan(name) ? (readSeconds(value) ?? value) : value
    }
    return params
  }

  /** Create a token for the minion. With `wrap` the answer has only a wrapping token. */
  async token(wanted: JsonObject, wrap: string | false): Promise<{ body: Dict; numUses: Json }> {
    const params = this.parameters('token', wanted)
    const policies = await this.policies()
    if (policies.length === 0) throw new VaultError('VaultException', 'No policies matched minion.')
    const meta = await this.metadata(this.config.metadata.secret)
    const { roleName } = this.config.issue.token
    const path = roleName === null ? 'auth/token/create' : `auth/token/create/${roleName}`
    // an explicit limit of the life is a text in the documents of Vault
    const limits = Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, isSpan(name) ? `${value}s` : value]),
    )
    const payload = new Map<Value, Value>([...(fromPlain(limits) as Dict), ['policies', policies], ['meta', meta]])
    const body = await this.access.post(path, payload, { wrap })
    return { body, numUses: params.num_uses ?? 0 }
  }

  /** Whether patterns use the pillar of the minion. */
  usesPillar(): boolean {
    return this.config.policies.assign.some((pattern) => names(pattern, 'pillar'))
  }
}

const isSpan = (name: string): boolean => /(^|_)(ttl|period)$/.test(name)

/** Drop cached policies: those of one minion, or all. */
export function forgetPolicies(id?: string): void {
  for (const key of [...known.keys()]) if (id === undefined || JSON.parse(key)[0] === id) known.delete(key)
}

/** Return a wrapped answer as it is sent to a minion. */
export function wrapInfo(body: Dict): JsonObject {
  const { token, ttl, creation_time, creation_path, accessor, wrapped_accessor } = objectAt(body, 'wrap_info')
  return {
    wrap_info: {
      token: token!,
      ttl: ttl!,
      creation_time: creation_time!,
      creation_path: creation_path!,
      accessor: accessor ?? null,
      wrapped_accessor: wrapped_accessor ?? null,
    },
  }
}

/** Return a token as it is sent to a minion. */
export function tokenFields(body: Dict, numUses: Json): JsonObject {
  const auth = objectAt(body, 'auth')
  const duration = Number(auth.lease_duration ?? 0)
  const created = Math.round(now())
  return {
    client_token: auth.client_token!,
    renewable: auth.renewable ?? false,
    lease_duration: duration,
    num_uses: auth.num_uses ?? numUses,
    creation_time: created,
    expire_time: created + duration,
  }
}

/** Return the server settings for minions. */
export function serverFields({ server }: VaultConfig): JsonObject {
  const alts = server.urlAlts.filter((url) => url !== server.url)
  return {
    url: server.url,
    namespace: server.namespace,
    verify: server.verify,
    ...(alts.length > 0 && { url_alts: alts }),
  }
}

export const textField = (fields: JsonObject, name: string): string => str(fromPlain(fields[name] ?? ''))
