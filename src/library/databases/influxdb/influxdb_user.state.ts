// Users of InfluxDB and their privileges.
import { type Dict, equals, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { type Connection, clientArgs } from './state/presence.ts'

const name = arg.text('Name of the user')
const user = {
  name,
  passwd: arg.text('Password of a new user', { secret: true }),
  admin: arg.flag('Whether the user has all privileges', { default: false }),
  grants: arg.dict('Privileges (read, write or all) by database', { optional: true }),
  client_args: clientArgs,
}

type User = Bound<typeof user>

/** Set the grants that differ, unless this is a dry run. */
async function setGrants(ctx: StateContext, { name, grants, client_args: at }: User, changes: Dict): Promise<void> {
  if (grants === null || grants.size === 0) return
  const held = await ctx.call('influxdb.list_privileges', [name], at)
  for (const [database, wanted] of grants) {
    const privilege = str(wanted).toLowerCase()
    if (held.get(database) === privilege) continue
    if (held.has(database) && !ctx.test) await ctx.call('influxdb.revoke_privilege', [database, 'all', name], at)
    changes.set(`Grant on database ${str(database)} to user ${name}`, privilege)
    if (!ctx.test) await ctx.call('influxdb.grant_privilege', [database, privilege, name], at)
  }
}

/** Grant or revoke all privileges; return whether the user has the wanted ones now. */
async function setAdmin(ctx: StateContext, { name, admin, client_args: at }: User, changes: Dict): Promise<boolean> {
  const isAdmin = async (): Promise<Value> => {
    const info = await ctx.call('influxdb.user_info', [name], at)
    return isDict(info) ? (info.get('admin') ?? null) : null
  }
  if (equals(await isAdmin(), admin)) return true
  if (!ctx.test) {
    await ctx.call(admin ? 'influxdb.grant_admin_privileges' : 'influxdb.revoke_admin_privileges', [name], at)
    if (!equals(await isAdmin(), admin)) return false
  }
  changes.set('Admin privileges', admin)
  return true
}

async function present(ctx: StateContext, wanted: User): Promise<StateReturn> {
  const { name, passwd, admin, client_args: at } = wanted
  const report = reportOn(name)
  const changes: Dict = new Map()
  const exists = truthy(await ctx.call('influxdb.user_exists', [name], at))
  if (!exists) {
    if (ctx.test) return report(null, `User ${name} will be created`)
    if (!truthy(await ctx.call('influxdb.create_user', [name, passwd], new Map([...at, ['admin', admin]])))) {
      return report(false, `Failed to create user ${name}`)
    }
  } else if (!(await setAdmin(ctx, wanted, changes))) {
    return report(false, `Failed to set admin privilege to user ${name}`)
  }
  await setGrants(ctx, wanted, changes)
  if (!exists) return report(true, `Created user ${name}`, changes.set(name, 'User created'))
  if (changes.size === 0) return report(true, `User ${name} is present and up to date`)
  if (!ctx.test) return report(true, `Updated user ${name}`, changes)
  const listed = [...changes].map(([key, value]) => `\n${str(key)} => ${str(value)}`).join('')
  return report(null, `User ${name} will be updated with the following changes:${listed}`)
}

const absent = (ctx: StateContext, name: string, at: Connection): Promise<StateReturn> =>
  ensure(ctx, {
    name,
    look: async () =>
      truthy(await ctx.call('influxdb.user_exists', [name], at)) ? 'there' : settled(`User ${name} is not present`),
    foresee: () => `User ${name} will be removed`,
    act: async () => {
      if (!truthy(await ctx.call('influxdb.remove_user', [name], at))) return failed(`Failed to remove user ${name}`)
      return changed(`Removed user ${name}`, { [name]: 'removed' })
    },
  })

export default defineState({
  name: 'influxdb_user',
  doc: 'Manage users of InfluxDB.',
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given privileges.',
      args: user,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name, client_args: clientArgs },
      run: (ctx, { name, client_args }) => absent(ctx, name, client_args),
    }),
  },
})
