// Users and groups as states. Both are roles, and are compared with the properties that the server shows.
import { type Dict, equals, isDict, isList, PyDatetime, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
} from '../../../../sdk/mod.ts'
import { isStoredPassword, storedPassword } from '../postgres-password.ts'
import { connection, type connectionArgs, dropped } from './connection.ts'

type Kind = 'user' | 'group'

const TITLE: Readonly<Record<Kind, string>> = { user: 'User', group: 'Group' }

export const roleName = arg.text('Name of the role')
export const roleArgs = {
  createdb: arg.flag('Whether the role may create databases', { optional: true }),
  createroles: arg.flag('Whether the role may create roles', { optional: true }),
  encrypted: arg.any('How the password is stored: md5 (also True and None), scram-sha-256, False for plain text', {
    optional: true,
  }),
  superuser: arg.flag('Whether the role is a superuser', { optional: true }),
  replication: arg.flag('Whether the role may replicate', { optional: true }),
  inherit: arg.flag('Whether the role inherits the privileges of its groups', { optional: true }),
  login: arg.flag('Whether the role may log in', { optional: true }),
  password: arg.text('Password or its hash', { optional: true, secret: true }),
  refresh_password: arg.flag('Whether the password is set without a comparison', { optional: true }),
  groups: arg.words('Groups that the role is a member of: a list, or a text with commas', { optional: true }),
}

type Role = Bound<typeof roleArgs> &
  Bound<typeof connectionArgs> & { name: string; default_password?: string | null; valid_until?: string | null }

/** Parameter → property of the server, in the order in which changes are listed. */
const FACTS = [
  ['createdb', 'can create databases'],
  ['inherit', 'inherits privileges'],
  ['login', 'can login'],
  ['createroles', 'can create roles'],
  ['replication', 'replication'],
  ['superuser', 'superuser'],
] as const

/** Return the password to set; None if the role has it already. */
function neededPassword(given: Role, role: Dict | null): Value {
  const { name, default_password = null, refresh_password } = given
  const encrypted = given.encrypted ?? 'md5'
  const password = given.password ?? (role === null ? default_password : null)
  if (password === null) return null
  const held = role?.get('password') ?? ''
  if (role !== null && !refresh_password && isStoredPassword(name, password, str(held), encrypted)) return null
  return storedPassword(name, password, encrypted)
}

async function expiryDiffers(ctx: StateContext, given: Role, validUntil: string, role: Dict): Promise<boolean> {
  const query = `SELECT '${validUntil.replaceAll("'", "''")}'::timestamp(0) as dt;`
  const rows = await ctx.call('postgres.psql_query', [query], connection(given))
  const wanted = str(rows[0]?.get('dt') ?? null)
  const current = role.get('expiry time') ?? null
  const isDate = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(wanted)
  return isDate ? !(current instanceof PyDatetime) || str(current) !== wanted : current !== null
}

async function differences(ctx: StateContext, given: Role, role: Dict, password: Value): Promise<Dict> {
  const { valid_until = null, groups } = given
  const update: Dict = new Map()
  for (const [parameter, fact] of FACTS) {
    const wanted = given[parameter]
    if (wanted !== null && !equals(role.get(fact) ?? null, wanted)) update.set(parameter, wanted)
  }
  if (password !== null) update.set('password', true)
  if (valid_until !== null && (await expiryDiffers(ctx, given, valid_until, role))) {
    update.set('valid_until', valid_until)
  }
  const held = role.get('groups') ?? []
  const missing = (groups ?? []).filter((group) => !isList(held) || !held.includes(group))
  if (missing.length > 0) update.set('groups', missing)
  return update
}

interface Gap {
  mode: 'create' | 'update'
  password: Value
  update: Dict
}

export function rolePresent(ctx: StateContext, given: Role, kind: Kind): Promise<StateReturn> {
  const { name, createdb, createroles, superuser, login, inherit, replication, groups, valid_until = null } = given
  const db = connection(given)
  return ensure<Gap>(ctx, {
    name,
    look: async () => {
      const found = await ctx.call('postgres.role_get', [name], { return_password: !given.refresh_password, ...db })
      const role = isDict(found) ? found : null
      const password = neededPassword(given, role)
      if (role === null) return { mode: 'create', password, update: new Map() }
      const update = await differences(ctx, given, role, password)
      return update.size === 0
        ? settled(`${TITLE[kind]} ${name} is already present`)
        : { mode: 'update', password, update }
    },
    foresee: ({ mode, update }) =>
      foreseen(`${TITLE[kind]} ${name} is set to be ${mode}d`, update.size > 0 ? { [name]: update } : {}),
    act: async ({ mode, password, update }) => {
      const done = await ctx.call(`postgres.${kind}_${mode}`, [], {
        [`${kind}name`]: name,
        encrypted: given.encrypted ?? 'md5',
        ...{ createdb, createroles, superuser, login, inherit, replication, groups },
        ...(kind === 'user' && { valid_until }),
        rolepassword: password,
        ...db,
      })
      if (!truthy(done)) return failed(`Failed to ${mode} ${kind} ${name}`)
      return changed(`The ${kind} ${name} has been ${mode}d`, { [name]: update.size > 0 ? update : 'Present' })
    },
  })
}

export function roleAbsent(
  ctx: StateContext,
  { name, ...at }: Bound<typeof connectionArgs> & { name: string },
  kind: Kind,
): Promise<StateReturn> {
  return dropped(ctx, {
    subject: `${TITLE[kind]} ${name}`,
    name,
    exists: () => ctx.call('postgres.user_exists', [name], connection(at)),
    remove: () => ctx.call(`postgres.${kind}_remove`, [name], connection(at)),
    failure: `${TITLE[kind]} ${name} failed to be removed`,
  })
}
