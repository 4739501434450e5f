// The auth method approle and the entities behind it, as the stand-in of Vault has them.
import { type Answer, data, empty, refusal } from './answers.ts'
import { authOf, newId, spanOf, type Tokens } from './tokens.ts'

type Fields = Record<string, unknown>

interface SecretId {
  accessor: string
  created: number
  expires: number
  numUses: number
  metadata: Record<string, string>
}

interface Role {
  roleId: string
  params: Fields
  secretIds: Map<string, SecretId>
}

const DEFAULTS: Readonly<Fields> = {
  bind_secret_id: true,
  secret_id_bound_cidrs: null,
  secret_id_num_uses: 0,
  secret_id_ttl: 0,
  local_secret_ids: false,
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: 'default',
}

const SPANS = /(_ttl|_period)$/

/** The entity that an alias of this mount belongs to. */
export type EntityOf = (accessor: string, alias: string) => string

export class AppRoles {
  readonly accessor: string = `auth_approle_${newId().slice(0, 8)}`
  private readonly roles = new Map<string, Role>()
  private readonly tokens: Tokens
  private readonly entityOf: EntityOf

  constructor(tokens: Tokens, entityOf: EntityOf) {
    this.tokens = tokens
    this.entityOf = entityOf
  }

  login(body: Fields, mount: string, namespace: string): Answer {
    const role = [...this.roles.values()].find(({ roleId }) => roleId === body.role_id)
    if (!role) return refusal(400, 'invalid role or secret ID')
    let metadata: Record<string, string> = {}
    if (role.params.bind_secret_id) {
      if (body.secret_id === undefined) return refusal(400, 'missing secret_id')
      const secret = role.secretIds.get(String(body.secret_id))
      if (!secret || (secret.expires > 0 && secret.expires <= Date.now()))
        return refusal(400, 'invalid role or secret ID')
      metadata = secret.metadata
      if (secret.numUses > 0 && --secret.numUses === 0) role.secretIds.delete(String(body.secret_id))
    }
    const name = [...this.roles].find(([, other]) => other === role)![0]
    const { params } = role
    const policies = params.token_policies as string[]
    const token = this.tokens.create({
      policies: params.token_no_default_policy ? policies : [...policies, 'default'],
      path: `auth/${mount}/login`,
      meta: { ...metadata, role_name: name },
      numUses: Number(params.token_num_uses),
      ttl: Number(params.token_ttl),
      explicitMax: Number(params.token_explicit_max_ttl),
      period: Number(params.token_period),
      entity: this.entityOf(this.accessor, role.roleId),
      namespace,
    })
    return { status: 200, auth: authOf(token) }
  }

  /** The paths below `role`. */
  handle(method: string, path: string, body: Fields): Answer {
    const [, name, action, more] = path.split('/')
    if (name === undefined || name === '') {
      const keys = [...this.roles.keys()].sort()
      return keys.length > 0 ? data({ keys }) : refusal(404)
    }
    const role = this.roles.get(name)
    if (action === undefined) return this.role(method, name, role, body)
    if (!role) return action === 'role-id' ? refusal(404) : refusal(404, `role "${name}" does not exist`)
    if (action === 'role-id') return this.roleId(method, role, body)
    if (action === 'secret-id') return this.secretId(role, more, body)
    return action === 'secret-id-accessor' ? this.byAccessor(role, more, body) : refusal(404)
  }

  private role(method: string, name: string, role: Role | undefined, body: Fields): Answer {
    if (method === 'GET') return role ? data(role.params) : refusal(404)
    if (method === 'DELETE') {
      this.roles.delete(name)
      return empty
    }
    const params: Fields = { ...DEFAULTS, ...role?.params }
    for (const [key, value] of Object.entries(body)) {
      params[key] = SPANS.test(key)
        ? spanOf(value)
        : key === 'token_policies' && typeof value === 'string'
          ? value.split(',')
          : value
    }
    this.roles.set(name, { roleId: role?.roleId ?? newId(), params, secretIds: role?.secretIds ?? new Map() })
    return empty
  }

  private roleId(method: string, role: Role, body: Fields): Answer {
    if (method === 'GET') return data({ role_id: role.roleId })
    role.roleId = String(body.role_id)
    return empty
  }

  private byAccessor(role: Role, action: string | undefined, body: Fields): Answer {
    const found = [...role.secretIds].find(([, { accessor }]) => accessor === body.secret_id_accessor)
    if (!found) return refusal(404, 'failed to find accessor entry for secret_id_accessor')
    return this.secretId(role, action, { secret_id: found[0] })
  }

  private secretId(role: Role, action: string | undefined, body: Fields): Answer {
    const id = String(body.secret_id ?? '')
    const known = role.secretIds.get(id)
    if (action === 'lookup') {
      if (!known) return empty
      const { accessor, numUses, metadata, created, expires } = known
      return data({
        secret_id_accessor: accessor,
        secret_id_num_uses: numUses,
        secret_id_ttl: expires > 0 ? (expires - created) / 1000 : 0,
        cidr_list: [],
        token_bound_cidrs: [],
        metadata,
        creation_time: new Date(created).toISOString(),
        expiration_time: expires > 0 ? new Date(expires).toISOString() : '0001-01-01T00:00:00Z',
      })
    }
    if (action === 'destroy') {
      role.secretIds.delete(id)
      return empty
    }
    const ttl = Number(role.params.secret_id_ttl)
    const secret: SecretId = {
      accessor: newId(),
      created: Date.now(),
      expires: ttl > 0 ? Date.now() + ttl * 1000 : 0,
      numUses: Number(role.params.secret_id_num_uses),
      metadata: body.metadata === undefined ? {} : (JSON.parse(String(body.metadata)) as Record<string, string>),
    }
    const made = newId()
    role.secretIds.set(made, secret)
    return data({ secret_id: made, secret_id_accessor: secret.accessor, secret_id_ttl: ttl })
  }
}

interface Entity {
  id: string
  name: string
  metadata: Record<string, string>
  aliases: Array<{ name: string; mount_accessor: string }>
}

export class Entities {
  private readonly all = new Map<string, Entity>()

  of(accessor: string, alias: string): string {
    const isAlias = (entity: Entity) => entity.aliases.some((a) => a.name === alias && a.mount_accessor === accessor)
    return [...this.all.values()].find(isAlias)?.id ?? ''
  }

  handle(method: string, path: string, body: Fields): Answer {
    const [kind, , name] = path.split('/')
    if (path === 'lookup/entity') {
      const id = this.of(String(body.alias_mount_accessor), String(body.alias_name))
      const found = [...this.all.values()].find((entity) => entity.id === id)
      return found ? data(found) : empty
    }
    if (kind === 'entity-alias') {
      const entity = [...this.all.values()].find(({ id }) => id === body.canonical_id)
      if (!entity) return refusal(400, 'invalid canonical ID')
      entity.aliases.push({ name: String(body.name), mount_accessor: String(body.mount_accessor) })
      return data({ canonical_id: entity.id, id: newId() })
    }
    if (method === 'LIST') return this.all.size > 0 ? data({ keys: [...this.all.keys()].sort() }) : refusal(404)
    const entity = this.all.get(name ?? '')
    if (method === 'GET') return entity ? data(entity) : refusal(404)
    if (method === 'DELETE') {
      this.all.delete(name ?? '')
      return empty
    }
    const metadata = (body.metadata ?? {}) as Record<string, string>
    if (entity) {
      entity.metadata = metadata
      return empty
    }
    const made: Entity = { id: newId(), name: name!, metadata, aliases: [] }
    this.all.set(name!, made)
    return data({ aliases: null, id: made.id, name: made.name })
  }
}
