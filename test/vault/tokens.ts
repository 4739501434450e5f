// Tokens of the stand-in of Vault: with policies, an end, a number of uses, and a period in which they can be renewed.
import { randomBytes, randomUUID } from 'node:crypto'
import { type Answer, data, empty, NO_TOKEN, refusal } from './answers.ts'

type Fields = Record<string, unknown>

export interface Token {
  id: string
  accessor: string
  policies: string[]
  path: string
  meta: Record<string, string> | null
  numUses: number
  /** In milliseconds since the epoch; 0 for never. */
  expires: number
  created: number
  ttl: number
  explicitMax: number
  period: number
  renewable: boolean
  parent: string | null
  entity: string
  namespace: string
}

/** Seconds of `30`, `"30"`, `"30s"` or `"1h"`. */
export function spanOf(value: unknown): number {
  const [, number, unit = 's'] = /^(\d+)([smhd]?)$/.exec(String(value ?? '')) ?? []
  if (number === undefined) return 0
  return Number(number) * { s: 1, m: 60, h: 3600, d: 86_400 }[(unit || 's') as 's' | 'm' | 'h' | 'd']!
}

const SYSTEM_TTL = 2_764_800

export interface TokenRequest {
  policies: string[]
  path: string
  meta?: Record<string, string> | null
  numUses?: number
  ttl?: number
  explicitMax?: number
  period?: number
  renewable?: boolean
  parent?: string | null
  entity?: string
  namespace?: string
}

export class Tokens {
  readonly all = new Map<string, Token>()

  create(wish: TokenRequest): Token {
    const { policies, path, meta = null, numUses = 0, explicitMax = 0, period = 0 } = wish
    let ttl = period || wish.ttl || SYSTEM_TTL
    if (explicitMax > 0) ttl = Math.min(ttl, explicitMax)
    const token: Token = {
      id: `s.${randomBytes(18).toString('base64url').replace(/[-_]/g, 'x')}`,
      accessor: randomBytes(18).toString('base64url').replace(/[-_]/g, 'x'),
      policies: [...new Set(policies)].sort(),
      path,
      meta,
      numUses,
      created: Date.now(),
      expires: Date.now() + ttl * 1000,
      ttl,
      explicitMax,
      period,
      renewable: wish.renewable ?? true,
      parent: wish.parent ?? null,
      entity: wish.entity ?? '',
      namespace: wish.namespace ?? '',
    }
    this.all.set(token.id, token)
    return token
  }

  /** The token of an id that is still valid. */
  find(id: string): Token | undefined {
    const token = this.all.get(id)
    if (token && token.expires !== 0 && token.expires <= Date.now()) {
      this.revoke(id)
      return undefined
    }
    return token
  }

  /** Count a use; the last one ends the token. */
  used(token: Token): void {
    if (token.numUses > 0 && --token.numUses === 0) this.revoke(token.id)
  }

  revoke(id: string): void {
    this.all.delete(id)
    for (const child of [...this.all.values()]) if (child.parent === id) this.revoke(child.id)
  }

  lookup(token: Token): Answer {
    return data({
      accessor: token.accessor,
      creation_time: Math.floor(token.created / 1000),
      creation_ttl: token.expires === 0 ? 0 : token.ttl,
      display_name: 'token',
      entity_id: token.entity,
      expire_time: token.expires === 0 ? null : new Date(token.expires).toISOString(),
      explicit_max_ttl: token.explicitMax,
      id: token.id,
      meta: token.meta,
      num_uses: token.numUses,
      orphan: token.parent === null,
      path: token.path,
      policies: token.policies,
      ...(token.period > 0 && { period: token.period }),
      ...(token.expires !== 0 && { renewable: token.renewable }),
      ttl: token.expires === 0 ? 0 : Math.max(Math.ceil((token.expires - Date.now()) / 1000), 0),
      type: 'service',
    })
  }

  renew(token: Token, increment: number): Answer {
    if (!token.renewable || token.expires === 0) return refusal(400, 'lease is not renewable')
    let ttl = token.period || increment || token.ttl
    if (token.explicitMax > 0) ttl = Math.min(ttl, token.explicitMax - (Date.now() - token.created) / 1000)
    token.expires = Date.now() + ttl * 1000
    return { status: 200, auth: authOf(token, Math.max(Math.round(ttl), 0)) }
  }

  /** The paths below `auth/token/`; the token of the request is `own`. */
  handle(path: string, body: Fields, own: Token, isRoot: boolean, roles: ReadonlyMap<string, Fields>): Answer {
    const other = typeof body.token === 'string' ? this.find(body.token) : undefined
    switch (path) {
      case 'lookup-self':
        return this.lookup(own)
      case 'lookup':
        return other ? this.lookup(other) : refusal(403, 'bad token')
      case 'renew-self':
        return this.renew(own, spanOf(body.increment))
      case 'renew':
        return other ? this.renew(other, spanOf(body.increment)) : NO_TOKEN
      case 'revoke-self':
        this.revoke(own.id)
        return empty
      case 'revoke':
        if (other) this.revoke(other.id)
        return empty
      default:
        return /^create(\/|$)/.test(path) ? this.made(path, body, own, isRoot, roles) : refusal(404)
    }
  }

  private made(path: string, body: Fields, own: Token, isRoot: boolean, roles: ReadonlyMap<string, Fields>): Answer {
    const [, roleName] = path.split('/')
    const role = roleName === undefined ? undefined : roles.get(roleName)
    if (roleName !== undefined && !role) return refusal(400, `unknown role ${roleName}`)
    const asked = Array.isArray(body.policies)
      ? body.policies.map((name) => String(name).toLowerCase())
      : role
        ? []
        : own.policies
    const allowed = Array.isArray(role?.allowed_policies) ? (role.allowed_policies as string[]) : undefined
    if (allowed && !asked.every((name) => allowed.includes(name)))
      return refusal(
        400,
        `token policies (${JSON.stringify(asked)}) must be subset of the role's allowed policies (${JSON.stringify(allowed)})`,
      )
    if (!role && !isRoot && !asked.every((name) => name === 'default' || own.policies.includes(name))) {
      return refusal(400, 'child policies must be subset of parent')
    }
    const token = this.create({
      policies: body.no_default_policy === true ? asked : [...asked, 'default'],
      path: `auth/token/${path}`,
      meta: (body.meta ?? null) as Record<string, string> | null,
      numUses: Number(body.num_uses ?? 0),
      ttl: spanOf(body.ttl),
      explicitMax: spanOf(body.explicit_max_ttl),
      period: spanOf(body.period),
      renewable: body.renewable !== false,
      parent: role?.orphan === true ? null : own.id,
      namespace: own.namespace,
    })
    return { status: 200, auth: authOf(token) }
  }
}

/** Return a token in the form of an answer about a new one. */
export const authOf = (token: Token, duration = token.ttl): Fields => ({
  client_token: token.id,
  accessor: token.accessor,
  policies: token.policies,
  token_policies: token.policies,
  metadata: token.meta,
  lease_duration: duration,
  renewable: token.renewable,
  entity_id: token.entity,
  token_type: 'service',
  orphan: token.parent === null,
})

export const newId = (): string => randomUUID()
