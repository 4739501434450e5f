// Users and groups as states: both are roles, and are compared with what the server tells of them.
import { type Dict, equals, PyDatetime, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { isStoredPassword, storedPassword } from '../postgres-password.ts'
import { connection, dropped, type Given, report } from './connection.ts'

type Kind = 'user' | 'group'

const TITLE: Readonly<Record<Kind, string>> = { user: 'User', group: 'Group' }

/** Parameter → what the server calls it, in the order in which changes are told. */
const FACTS: readonly (readonly [parameter: string, fact: string])[] = [
  ['createdb', 'can create databases'],
  ['inherit', 'inherits privileges'],
  ['login', 'can login'],
  ['createroles', 'can create roles'],
  ['replication', 'replication'],
  ['superuser', 'superuser'],
]

/** The password to set, or None when the role has it already. */
function neededPassword(given: Given, role: Dict | null): Value {
  const name = str(given['name']!)
  const encrypted = given['encrypted'] ?? 'md5'
  const password = given['password'] ?? (role === null ? (given['default_password'] ?? null) : null)
  if (password === null) return null
  const compares = role !== null && !truthy(given['refresh_password'] ?? null)
  if (compares && isStoredPassword(name, password, str(role.get('password') ?? ''), encrypted)) return null
  return storedPassword(name, password, encrypted)
}

async function expiryDiffers(ctx: StateContext, given: Given, role: Dict): Promise<boolean> {
  const until = str(given['valid_until']!).replaceAll("'", "''")
  const rows = await ctx.call('postgres.psql_query', [`SELECT '${until}'::timestamp(0) as dt;`], connection(given))
  const wanted = str((rows as Dict[])[0]?.get('dt') ?? null)
  const current = role.get('expiry time') ?? null
  const isDate = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(wanted)
  return isDate ? !(current instanceof PyDatetime) || str(current) !== wanted : current !== null
}

function missingGroups(wanted: Value, current: Value): Value[] {
  const names: Value[] = typeof wanted === 'string' ? wanted.split(',') : Array.isArray(wanted) ? [...wanted] : []
  const held = (current ?? []) as Value[]
  return names.filter((name) => !held.some((other) => equals(name, other)))
}

async function differences(ctx: StateContext, given: Given, role: Dict, password: Value): Promise<Dict> {
  const update: Dict = new Map()
  for (const [parameter, fact] of FACTS) {
    const wish = given[parameter] ?? null
    if (wish !== null && !equals(role.get(fact)!, wish)) update.set(parameter, wish)
  }
  if (password !== null) update.set('password', true)
  if ((given['valid_until'] ?? null) !== null && (await expiryDiffers(ctx, given, role))) {
    update.set('valid_until', given['valid_until']!)
  }
  const groups = missingGroups(given['groups'] ?? null, role.get('groups') ?? null)
  if (groups.length > 0) update.set('groups', groups)
  return update
}

const WISHES: Readonly<Record<Kind, string>> = {
  user: 'createdb createroles superuser login inherit replication valid_until groups',
  group: 'createdb createroles login inherit superuser replication groups',
}

export async function rolePresent(ctx: StateContext, given: Given, kind: Kind): Promise<StateReturn> {
  const name = str(given['name']!)
  const db = connection(given)
  const role = (await ctx.call('postgres.role_get', [name], {
    return_password: !truthy(given['refresh_password'] ?? null),
    ...db,
  })) as Dict | null
  const password = neededPassword(given, role)
  const update = role === null ? new Map() : await differences(ctx, given, role, password)
  if (role !== null && update.size === 0) return report(name, `${TITLE[kind]} ${name} is already present`)
  const mode = role === null ? 'create' : 'update'
  const changes = update.size > 0 ? { [name]: update } : {}
  if (ctx.test) return report(name, `${TITLE[kind]} ${name} is set to be ${mode}d`, null, changes)
  const wishes = WISHES[kind].split(' ').map((wish) => [wish, given[wish] ?? null])
  const done = await ctx.call(`postgres.${kind}_${mode}`, [], {
    [`${kind}name`]: name,
    encrypted: given['encrypted'] ?? 'md5',
    ...Object.fromEntries(wishes),
    rolepassword: password,
    ...db,
  })
  if (!truthy(done)) return report(name, `Failed to ${mode} ${kind} ${name}`, false)
  return report(name, `The ${kind} ${name} has been ${mode}d`, true, update.size > 0 ? changes : { [name]: 'Present' })
}

export function roleAbsent(ctx: StateContext, given: Given, kind: Kind): Promise<StateReturn> {
  const name = str(given['name']!)
  return dropped(ctx, {
    subject: `${TITLE[kind]} ${name}`,
    name,
    exists: () => ctx.call('postgres.user_exists', [name], connection(given)),
    remove: () => ctx.call(`postgres.${kind}_remove`, [name], connection(given)),
    failure: `${TITLE[kind]} ${name} failed to be removed`,
  })
}
