// The engine for databases, as far as clients see it: connections, roles and credentials with leases. No database is behind it, and no
// case compares it with a real server.
import { type Answer, data, empty, refusal } from './answers.ts'
import type { Engine } from './kv-engine.ts'
import { newId, spanOf } from './tokens.ts'

type Fields = Record<string, unknown>

interface Lease {
  expires: number
  ttl: number
  max: number
}

export class Leases {
  private readonly all = new Map<string, Lease>()

  make(path: string, ttl: number, max: number): { leaseId: string; lease: number; renewable: boolean } {
    const leaseId = `${path}/${newId()}`
    this.all.set(leaseId, { expires: Date.now() + ttl * 1000, ttl, max: Date.now() + max * 1000 })
    return { leaseId, lease: ttl, renewable: true }
  }

  /** The paths below `sys/leases/`. */
  handle(action: string, body: Fields): Answer {
    const id = String(body.lease_id ?? '')
    const lease = this.all.get(id)
    if (!lease || lease.expires <= Date.now())
      return action === 'revoke' ? empty : refusal(400, action === 'lookup' ? 'invalid lease' : 'lease not found')
    if (action === 'revoke') this.all.delete(id)
    if (action === 'lookup') return data({ id, ttl: lease.ttl, renewable: true })
    if (action !== 'renew') return empty
    const seconds = Math.min(spanOf(body.increment) || lease.ttl, Math.round((lease.max - Date.now()) / 1000))
    lease.expires = Date.now() + seconds * 1000
    return { status: 200, data: null, lease: seconds, leaseId: id, renewable: true }
  }

  get active(): string[] {
    return [...this.all.keys()]
  }
}

const ROLE_DEFAULTS = {
  revocation_statements: [],
  rollback_statements: [],
  renew_statements: [],
  default_ttl: 0,
  max_ttl: 0,
  credential_type: 'password',
}

/** The data of a connection, without its password. */
function connection({
  plugin_name,
  allowed_roles = [],
  password_policy = '',
  root_rotation_statements = [],
  ...fields
}: Fields): Fields {
  const { password: _password, verify_connection: _verify, ...details } = fields
  return {
    plugin_name,
    allowed_roles,
    password_policy,
    root_credentials_rotate_statements: root_rotation_statements,
    plugin_version: '',
    connection_details: details,
  }
}

export class DatabaseEngine implements Engine {
  private readonly things = new Map<string, Fields>()
  private readonly leases: Leases
  private readonly mount: string

  constructor(leases: Leases, mount: string) {
    this.leases = leases
    this.mount = mount
  }

  handle(method: string, path: string, body: Fields): Answer {
    const [kind = '', name = ''] = path.split('/')
    if (kind === 'creds') return this.credentials(name)
    if (kind === 'static-creds') return this.password(name)
    if (['rotate-root', 'rotate-role', 'reset'].includes(kind)) return empty
    if (method === 'LIST') {
      const keys = [...this.things.keys()]
        .filter((key) => key.startsWith(`${kind}/`))
        .map((key) => key.slice(kind.length + 1))
      return keys.length > 0 ? data({ keys }) : refusal(404)
    }
    if (method === 'GET') {
      const found = this.things.get(path)
      return found ? data(found) : refusal(404)
    }
    if (method === 'DELETE') this.things.delete(path)
    else if (kind === 'config')
      this.things.set(path, connection({ ...(this.things.get(path)?.connection_details as Fields), ...body }))
    else this.things.set(path, this.role(kind, { ...this.things.get(path), ...body }))
    return empty
  }

  private role(kind: string, fields: Fields): Fields {
    const spans = ['default_ttl', 'max_ttl', 'rotation_period'].filter((name) => fields[name] !== undefined)
    const read = Object.fromEntries(spans.map((name) => [name, spanOf(fields[name])]))
    return { ...(kind === 'roles' ? ROLE_DEFAULTS : { rotation_statements: [] }), ...fields, ...read }
  }

  private credentials(name: string): Answer {
    const role = this.things.get(`roles/${name}`)
    if (!role) return refusal(400, `unknown role: ${name}`)
    const ttl = Number(role.default_ttl) || 3600
    const lease = this.leases.make(`${this.mount}creds/${name}`, ttl, Number(role.max_ttl) || 86_400)
    return { ...data({ username: `v-${name}-${newId().slice(0, 8)}`, password: newId() }), ...lease }
  }

  private password(name: string): Answer {
    const role = this.things.get(`static-roles/${name}`)
    return role
      ? data({ username: role.username, password: newId(), ttl: role.rotation_period })
      : refusal(400, `unknown role: ${name}`)
  }
}
