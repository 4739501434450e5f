// Privileges on objects, read from access lists: a letter is a privilege, and a star after it the right to grant it to
// others. Membership in a group counts as a privilege on the group.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, isDict, misuse, str, strip, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Connection, execute, identifier, plainIdentifier, select, serverVersion } from './psql.ts'

const LETTERS: Readonly<Record<string, string>> = {
  a: 'INSERT',
  C: 'CREATE',
  D: 'TRUNCATE',
  c: 'CONNECT',
  t: 'TRIGGER',
  r: 'SELECT',
  U: 'USAGE',
  T: 'TEMPORARY',
  w: 'UPDATE',
  X: 'EXECUTE',
  x: 'REFERENCES',
  d: 'DELETE',
  m: 'MAINTAIN',
}

/** Major version of the server that introduced a privilege. */
const SINCE: Readonly<Record<string, number>> = lookup({ MAINTAIN: 17 })

interface Kind {
  /** Letters of the privileges. */
  letters: string
  catalog: string
  acl: string
  owner: string
  /** Condition on the row; `$name` and `$schema` stand for the object and its schema. */
  where: string
}

const IN_SCHEMA = "JOIN pg_catalog.pg_namespace n ON n.oid = o.%space WHERE n.nspname = '$schema' AND"
const relation = (letters: string, kinds: string): Kind => ({
  letters,
  catalog: 'pg_class',
  acl: 'relacl',
  owner: 'relowner',
  where: `${IN_SCHEMA.replace('%space', 'relnamespace')} o.relname = '$name' AND o.relkind IN (${kinds})`,
})
const plain = (letters: string, catalog: string, prefix: string, owner: string): Kind => ({
  letters,
  catalog,
  acl: `${prefix}acl`,
  owner,
  where: `WHERE o.${prefix}name = '$name'`,
})

const KINDS: Readonly<Record<string, Kind>> = lookup({
  table: relation('arwdDxtm', "'r', 'v', 'm', 'p', 'f'"),
  sequence: relation('rwU', "'S'"),
  schema: plain('UC', 'pg_namespace', 'nsp', 'nspowner'),
  tablespace: plain('C', 'pg_tablespace', 'spc', 'spcowner'),
  language: plain('U', 'pg_language', 'lan', 'lanowner'),
  database: plain('CTc', 'pg_database', 'dat', 'datdba'),
  function: {
    letters: 'X',
    catalog: 'pg_proc',
    acl: 'proacl',
    owner: 'proowner',
    where: `${IN_SCHEMA.replace('%space', 'pronamespace')} o.oid::regprocedure::text = '$name'`,
  },
})

const MEMBERS = `SELECT rolname, admin_option FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r
 ON m.member = r.oid WHERE m.roleid IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = '$name') ORDER BY rolname`

interface Target {
  type: string
  name: string
  schema: string
}

const filled = (query: string, { name, schema }: Target): string =>
  query.replaceAll('$schema', schema.replaceAll("'", "''")).replaceAll('$name', name.replaceAll("'", "''"))

function kindOf(type: string): Kind {
  const kind = KINDS[type]
  if (!kind) throw misuse(`Invalid object_type: ${type} provided`)
  return kind
}

/** Return the elements of an array that the server printed. */
function arrayElements(array: string): string[] {
  const parts = strip(array, '{}').match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []
  return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replace(/\\(.)/g, '$1') : part))
}

/** Parse `joe=ar*w/postgres` into the role and its privileges, each with whether the role may grant it. */
function accessEntry(entry: string): [role: string, privileges: Dict] {
  const equals = entry.lastIndexOf('=')
  const role = entry.slice(0, equals).replace(/^"(.*)"$/, '$1')
  const privileges: Dict = new Map()
  for (const [, letter, star] of entry
    .slice(equals + 1)
    .replace(/\/.*$/, '')
    .matchAll(/(.)(\*?)/g)) {
    privileges.set(LETTERS[letter!] ?? letter!, star === '*')
  }
  return [role === '' ? 'public' : role, privileges]
}

export async function listPrivileges(ctx: FunctionContext, given: Connection, target: Target): Promise<Dict> {
  if (target.type === 'group') {
    const members = await select(ctx, given, filled(MEMBERS, target))
    return new Map(members.map((row) => [row.get('rolname') ?? null, row.get('admin_option') === 't']))
  }
  const { catalog, acl, where } = kindOf(target.type)
  const rows = await select(ctx, given, filled(`SELECT o.${acl} AS name FROM pg_catalog.${catalog} o ${where}`, target))
  return new Map(rows.flatMap((row) => arrayElements(str(row.get('name') ?? '')).map(accessEntry)))
}

async function ownerOf(ctx: FunctionContext, given: Connection, target: Target): Promise<Value> {
  const { catalog, owner, where } = kindOf(target.type)
  const query = `SELECT r.rolname AS name FROM pg_catalog.${catalog} o JOIN pg_roles r ON o.${owner} = r.oid ${where}`
  return (await select(ctx, given, filled(query, target)))[0]?.get('name') ?? null
}

interface Place {
  readonly object_name: string
  readonly object_type: string
  readonly prepend: string
}

interface Grant extends Connection, Place {
  /** Name of the role. */
  readonly name: string
  readonly privileges: string | null
  readonly grant_option?: boolean | null
}

export const targetOf = ({ object_type, object_name, prepend }: Place): Target => ({
  type: object_type.toLowerCase(),
  name: object_name,
  schema: prepend,
})

/** Return the wanted privileges in capitals; throw for one that the kind of object does not have. */
function wantedPrivileges({ privileges }: Grant, { type }: Target): string[] {
  const listed = (privileges ?? '').toUpperCase().split(/\s?,\s?/)
  if (type === 'group') {
    if (privileges) throw misuse('The privileges option should not be set for object_type group')
    return listed
  }
  const known = new Set([...[...kindOf(type).letters].map((letter) => LETTERS[letter]!), 'ALL'])
  if (!listed.every((privilege) => known.has(privilege))) {
    throw misuse(`Invalid privilege(s): ${privileges ?? ''} provided for object ${type}`)
  }
  return listed
}

/** Return all privileges that this server knows for a type of object. */
async function everyPrivilege(ctx: FunctionContext, given: Connection, type: string): Promise<string[]> {
  const all = [...kindOf(type).letters].map((letter) => LETTERS[letter]!)
  if (!all.some((privilege) => privilege in SINCE)) return all
  const major = Number.parseInt((await serverVersion(ctx, given)) ?? '0', 10)
  return all.filter((privilege) => (SINCE[privilege] ?? 0) <= major)
}

export async function hasPrivileges(ctx: FunctionContext, given: Grant): Promise<boolean> {
  const target = targetOf(given)
  const { name, grant_option: withGrant } = given
  const wanted = wantedPrivileges(given, target)
  if (target.type !== 'group' && (await ownerOf(ctx, given, target)) === name) return true
  const held = (await listPrivileges(ctx, given, target)).get(name)
  if (held === undefined) return false
  if (target.type === 'group') return withGrant ? held === true : true
  const own: Dict = isDict(held) ? held : new Map()
  if (!withGrant && !wanted.includes('ALL')) return wanted.every((privilege) => own.has(privilege))
  const all = await everyPrivilege(ctx, given, target.type)
  const complete = own.size === all.length && all.every((privilege) => own.has(privilege))
  return complete && (!withGrant || all.every((privilege) => own.get(privilege) === true))
}

/** Return a function with the types of its arguments, as the server writes it; anything else is an error. */
function signature(text: string): string {
  if (!/^(\w+|"[^"]+")\([\w\s,."[\]]*\)$/.test(text)) throw misuse(`Invalid function: ${text}`)
  return text
}

/** Return an object as a statement has it: with its schema, or all objects of the schema. */
function objectClause({ type, name, schema }: Target, mayBeAll: boolean): string {
  const inSchema = ['table', 'sequence', 'function'].includes(type)
  if (mayBeAll && inSchema && name.toUpperCase() === 'ALL')
    return `ALL ${type.toUpperCase()}S IN SCHEMA ${plainIdentifier(schema)}`
  const isSignature = type === 'function' && name.endsWith(')')
  return `${type.toUpperCase()} ${inSchema ? `${plainIdentifier(schema)}.` : ''}${isSignature ? signature(name) : identifier(name)}`
}

const roleName = (name: string): string => (name.toLowerCase() === 'public' ? name : identifier(name))

export async function grantPrivileges(ctx: FunctionContext, given: Grant): Promise<boolean> {
  const target = targetOf(given)
  const wanted = wantedPrivileges(given, target)
  if (await hasPrivileges(ctx, { ...given, grant_option: null })) {
    const { name, type } = target
    ctx.log('info', `The object: ${name} of type: ${type} already has privileges: ${str(given.privileges)} set`)
    return false
  }
  const withGrant = given.grant_option
  const role = roleName(given.name)
  const statement =
    target.type === 'group'
      ? `GRANT ${plainIdentifier(target.name)} TO ${role}${withGrant ? ' WITH ADMIN OPTION' : ''}`
      : `GRANT ${wanted.join(',')} ON ${objectClause(target, true)} TO ${role}${withGrant ? ' WITH GRANT OPTION' : ''}`
  return execute(ctx, given, statement)
}

export async function revokePrivileges(ctx: FunctionContext, given: Grant): Promise<boolean> {
  const target = targetOf(given)
  const wanted = wantedPrivileges(given, target)
  if (!(await hasPrivileges(ctx, given))) {
    const { name, type } = target
    ctx.log('info', `The object: ${name} of type: ${type} does not have privileges: ${str(given.privileges)} set`)
    return false
  }
  const role = roleName(given.name)
  const what =
    target.type === 'group' ? plainIdentifier(target.name) : `${wanted.join(',')} ON ${objectClause(target, false)}`
  return execute(ctx, given, `REVOKE ${what} FROM ${role}`)
}
