// Roles. Users and groups are both roles, and differ only in their defaults.
import { type Dict, isDict, PyDatetime, parseCsv, str, strip, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { storedPassword } from '../postgres-password.ts'
import { type Connection, execute, executeSecretly, identifier, literal, select, serverVersion } from './psql.ts'

const FACTS = [
  'superuser',
  'inherits privileges',
  'can create roles',
  'can create databases',
  'can update system catalogs',
  'can login',
  'replication',
  'connections',
]

/** The wanted properties of a role; None leaves a property unchanged. */
interface Wanted extends Connection {
  readonly createdb: boolean | null
  readonly createroles: boolean | null
  readonly inherit: boolean | null
  readonly login: boolean | null
  readonly superuser: boolean | null
  readonly replication: boolean | null
  readonly connlimit?: string | null
  readonly valid_until?: string | null
  readonly encrypted: Value
  readonly rolepassword: Value
  readonly groups: string[] | null
}

const truthOf = (value: Value = null): boolean | null => (value === 't' ? true : value === 'f' ? false : null)

function timeOf(value: Value = null): PyDatetime | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(str(value))
  if (!parts) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)
  return new PyDatetime(year, month, day, { hour, minute, second, microsecond: 0, offset: undefined })
}

function rolesQuery(version: string, withPassword: boolean): string {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const since = (wantedMajor: number, wantedMinor: number): boolean =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
  const columns = [
    'r.rolname as "name"',
    'r.rolsuper as "superuser"',
    'r.rolinherit as "inherits privileges"',
    'r.rolcreaterole as "can create roles"',
    'r.rolcreatedb as "can create databases"',
    `${since(9, 5) ? 'NULL' : 'r.rolcatupdate'} as "can update system catalogs"`,
    'r.rolcanlogin as "can login"',
    `${since(9, 1) ? 'r.rolreplication' : 'NULL'} as "replication"`,
    'r.rolconnlimit as "connections"',
    '(SELECT array_agg(g.rolname) FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON m.roleid = g.oid' +
      ' WHERE m.member = r.oid) as "groups"',
    'r.rolvaliduntil::timestamp(0) as "expiry time"',
    'r.rolconfig as "defaults variables"',
    ...(withPassword ? ['COALESCE(s.passwd, a.rolpassword) as "password"'] : []),
  ]
  const secrets = 'LEFT JOIN pg_authid a ON r.oid = a.oid LEFT JOIN pg_shadow s ON r.oid = s.usesysid'
  return `SELECT ${columns.join(', ')} FROM pg_roles r ${withPassword ? secrets : ''}`
}

/** Return all roles by name; false if the server does not answer. */
export async function listRoles(
  ctx: FunctionContext,
  { return_password: withPassword, ...at }: Connection & { return_password: boolean },
): Promise<Dict | false> {
  const version = await serverVersion(ctx, at)
  if (version === null) {
    ctx.log('error', 'Could not retrieve Postgres version. Is Postgresql server running?')
    return false
  }
  const roles: Dict = new Map()
  for (const row of await select(ctx, at, rolesQuery(version, withPassword))) {
    const role: Dict = new Map(FACTS.map((fact) => [fact, truthOf(row.get(fact))]))
    role.set('expiry time', timeOf(row.get('expiry time')))
    role.set('defaults variables', row.get('defaults variables') ?? null)
    if (withPassword) role.set('password', row.get('password') ?? null)
    role.set('groups', parseCsv(strip(str(row.get('groups') ?? ''), '{}'))[0] ?? [])
    roles.set(row.get('name') ?? null, role)
  }
  return roles
}

export async function getRole(
  ctx: FunctionContext,
  at: Connection & { return_password: boolean },
  name: string,
): Promise<Dict | null> {
  const roles = await listRoles(ctx, at)
  const role = roles ? (roles.get(name) ?? null) : null
  if (!roles) ctx.log('error', 'Could not retrieve Postgres role. Is Postgres running?')
  return isDict(role) ? role : null
}

export async function roleExists(ctx: FunctionContext, at: Connection, name: string): Promise<boolean> {
  return (await getRole(ctx, { ...at, return_password: false }, name)) !== null
}

type Kind = 'user' | 'group'

/** Return the clause about the password. True means an empty password, False none. */
function passwordClause(name: string, { rolepassword, encrypted }: Wanted): string[] {
  if (typeof rolepassword === 'boolean') return [rolepassword ? "PASSWORD ''" : 'PASSWORD NULL']
  if (!truthy(rolepassword)) return []
  const method = encrypted ?? 'md5'
  return [`${truthy(method) ? '' : 'UN'}ENCRYPTED PASSWORD ${literal(storedPassword(name, rolepassword, method))}`]
}

function roleClauses(name: string, wanted: Wanted, current?: Dict): string[] {
  const { inherit, createdb, createroles, superuser, replication, login, connlimit = null, valid_until } = wanted
  // only a superuser may name SUPERUSER, even if nothing changes
  const unchanged = current !== undefined && (superuser ?? false) === current.get('superuser')
  const flags: [string, boolean | null][] = [
    ['INHERIT', inherit],
    ['CREATEDB', createdb],
    ['CREATEROLE', createroles],
    ['SUPERUSER', unchanged ? null : superuser],
    ['REPLICATION', replication],
    ['LOGIN', login],
  ]
  return [
    ...flags.flatMap(([flag, wish]) => (wish === null ? [] : [wish ? flag : `NO${flag}`])),
    ...(connlimit === null ? [] : [`CONNECTION LIMIT ${connlimit}`]),
    ...passwordClause(name, wanted),
    ...(valid_until ? [`VALID UNTIL ${literal(valid_until)}`] : []),
  ]
}

function statements(
  verb: string,
  name: string,
  clauses: readonly string[],
  groups: readonly string[] | null,
): string[] {
  const options = clauses.length > 0 ? ` WITH ${clauses.join(' ')}` : ''
  const role = identifier(name)
  const grants = (groups ?? []).filter((group) => group !== '').map((group) => `GRANT ${identifier(group)} TO ${role}`)
  return [`${verb} ROLE ${role}${options}`, ...grants]
}

const title = (kind: Kind): string => (kind === 'user' ? 'User' : 'Group')

export async function createRole(ctx: FunctionContext, given: Wanted, name: string, kind: Kind): Promise<boolean> {
  if (await roleExists(ctx, given, name)) {
    ctx.log('info', `${title(kind)} '${name}' already exists`)
    return false
  }
  const wanted = { ...given, inherit: given.inherit ?? true, login: given.login ?? kind === 'user' }
  return executeSecretly(ctx, given, statements('CREATE', name, roleClauses(name, wanted), given.groups))
}

export async function updateRole(ctx: FunctionContext, given: Wanted, name: string, kind: Kind): Promise<boolean> {
  const role = await getRole(ctx, { ...given, return_password: false }, name)
  if (role === null) {
    ctx.log('info', `${title(kind)} '${name}' could not be found`)
    return false
  }
  return executeSecretly(ctx, given, statements('ALTER', name, roleClauses(name, given, role), given.groups))
}

export async function removeRole(ctx: FunctionContext, given: Connection, name: string): Promise<boolean> {
  if (!(await roleExists(ctx, given, name))) {
    ctx.log('info', `User '${name}' does not exist`)
    return false
  }
  await execute(ctx, given, `DROP ROLE ${identifier(name)}`)
  const gone = !(await roleExists(ctx, given, name))
  if (!gone) ctx.log('info', `Failed to delete user '${name}'.`)
  return gone
}
