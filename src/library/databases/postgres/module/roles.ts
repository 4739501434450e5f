// Roles: users and groups are both, and differ only in what they may do unless told otherwise.
import { type Dict, PyDatetime, parseCsv, str, strip, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { storedPassword } from '../postgres-password.ts'
import type { Given } from './arguments.ts'
import { execute, select, serverVersion } from './psql.ts'

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

const truthOf = (value: Value): boolean | null => (value === 't' ? true : value === 'f' ? false : null)

function timeOf(value: Value): PyDatetime | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(str(value))
  if (!parts) return null
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [number, ...number[]]
  return new PyDatetime(year, month!, day!, {
    hour: hour!,
    minute: minute!,
    second: second!,
    microsecond: 0,
    offset: undefined,
  })
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

/** All roles by name, or false when the server does not answer. */
export async function listRoles(ctx: FunctionContext, given: Given): Promise<Dict | false> {
  const version = await serverVersion(ctx, given)
  if (version === null) {
    ctx.log('error', 'Could not retrieve Postgres version. Is Postgresql server running?')
    return false
  }
  const withPassword = truthy(given['return_password'] ?? null)
  const roles: Dict = new Map()
  for (const row of await select(ctx, given, rolesQuery(version, withPassword))) {
    const role: Dict = new Map(FACTS.map((fact) => [fact, truthOf(row.get(fact)!)]))
    role.set('expiry time', timeOf(row.get('expiry time')!))
    role.set('defaults variables', row.get('defaults variables')!)
    if (withPassword) role.set('password', row.get('password')!)
    role.set('groups', parseCsv(strip(str(row.get('groups')!), '{}'))[0] ?? [])
    roles.set(row.get('name')!, role)
  }
  return roles
}

export async function getRole(ctx: FunctionContext, given: Given, name: Value): Promise<Dict | null> {
  const roles = await listRoles(ctx, given)
  if (roles) return (roles.get(str(name)) as Dict | undefined) ?? null
  ctx.log('error', 'Could not retrieve Postgres role. Is Postgres running?')
  return null
}

export async function roleExists(ctx: FunctionContext, given: Given, name: Value): Promise<boolean> {
  return (await getRole(ctx, { ...given, return_password: false }, name)) !== null
}

type Kind = 'user' | 'group'

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The part of a statement about passwords; `true` and `false` alone are for a role with none. */
function passwordClause(name: string, given: Given): string[] {
  const password = given['rolepassword'] ?? null
  if (typeof password === 'boolean') return [password ? "PASSWORD ''" : 'PASSWORD NULL']
  if (!truthy(password)) return []
  const encrypted = given['encrypted'] ?? 'md5'
  const stored = storedPassword(name, password, encrypted)
  return [`${truthy(encrypted) ? '' : 'UN'}ENCRYPTED PASSWORD ${quoted(stored)}`]
}

function roleClauses(name: string, given: Given, current?: Dict): string[] {
  const flags: [string, Value | undefined][] = [
    ['INHERIT', given['inherit']],
    ['CREATEDB', given['createdb']],
    ['CREATEROLE', given['createroles']],
    // naming what is so already needs a right that the connecting role may lack
    [
      'SUPERUSER',
      current && truthy(given['superuser'] ?? null) === current.get('superuser') ? null : given['superuser'],
    ],
    ['REPLICATION', given['replication']],
    ['LOGIN', given['login']],
  ]
  const clauses = flags
    .filter(([, wish]) => wish !== null && wish !== undefined)
    .map(([flag, wish]) => (truthy(wish!) ? flag : `NO${flag}`))
  const limit = given['connlimit'] ?? null
  if (limit !== null) clauses.push(`CONNECTION LIMIT ${str(limit)}`)
  clauses.push(...passwordClause(name, given))
  const until = given['valid_until'] ?? null
  if (truthy(until)) clauses.push(`VALID UNTIL ${quoted(str(until))}`)
  return clauses
}

function statement(verb: string, name: string, clauses: readonly string[], groups: Value): string {
  const options = clauses.length > 0 ? ` WITH ${clauses.join(' ')}` : ''
  const names = Array.isArray(groups) ? (groups as Value[]).map((group) => str(group)) : str(groups ?? '').split(',')
  const grants = truthy(groups) ? names.map((group) => `; GRANT "${group}" TO "${name}"`) : []
  return `${verb} ROLE "${name}"${options}${grants.join('')}`
}

const title = (kind: Kind): string => (kind === 'user' ? 'User' : 'Group')

export async function createRole(ctx: FunctionContext, given: Given, name: string, kind: Kind): Promise<boolean> {
  if (await roleExists(ctx, given, name)) {
    ctx.log('info', `${title(kind)} '${name}' already exists`)
    return false
  }
  const wishes = { ...given, inherit: given['inherit'] ?? true, login: given['login'] ?? kind === 'user' }
  return execute(ctx, given, statement('CREATE', name, roleClauses(name, wishes), given['groups'] ?? null))
}

export async function updateRole(ctx: FunctionContext, given: Given, name: string, kind: Kind): Promise<boolean> {
  const role = await getRole(ctx, { ...given, return_password: false }, name)
  if (role === null) {
    ctx.log('info', `${title(kind)} '${name}' could not be found`)
    return false
  }
  return execute(ctx, given, statement('ALTER', name, roleClauses(name, given, role), given['groups'] ?? null))
}

export async function removeRole(ctx: FunctionContext, given: Given, name: string): Promise<boolean> {
  if (!(await roleExists(ctx, given, name))) {
    ctx.log('info', `User '${name}' does not exist`)
    return false
  }
  await execute(ctx, given, `DROP ROLE "${name}"`)
  const gone = !(await roleExists(ctx, given, name))
  if (!gone) ctx.log('info', `Failed to delete user '${name}'.`)
  return gone
}
