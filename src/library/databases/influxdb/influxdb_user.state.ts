// Users of InfluxDB and what they may do.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { report } from './state/thing.ts'

type Connection = Map<string, Value>

interface Wish {
  name: Value
  passwd: Value
  admin: Value
  grants: Value
}

/** Grants that differ, which are set unless it is a dry run. */
async function setGrants(ctx: StateContext, { name, grants }: Wish, at: Connection, changes: Dict): Promise<void> {
  if (!truthy(grants)) return
  const held = await ctx.call('influxdb.list_privileges', [name], at)
  for (const [database, wish] of grants as Dict) {
    const privilege = str(wish).toLowerCase()
    if (held.get(database) === privilege) continue
    if (held.has(database) && !ctx.test) await ctx.call('influxdb.revoke_privilege', [database, 'all', name], at)
    changes.set(`Grant on database ${str(database)} to user ${str(name)}`, privilege)
    if (!ctx.test) await ctx.call('influxdb.grant_privilege', [database, privilege, name], at)
  }
}

/** Whether the right to everything is as wanted now. */
async function setAdmin(ctx: StateContext, { name, admin }: Wish, at: Connection, changes: Dict): Promise<boolean> {
  const isAdmin = async (): Promise<Value> =>
    ((await ctx.call('influxdb.user_info', [name], at)) as Dict).get('admin') ?? null
  if (equals(await isAdmin(), admin)) return true
  if (!ctx.test) {
    await ctx.call(truthy(admin) ? 'influxdb.grant_admin_privileges' : 'influxdb.revoke_admin_privileges', [name], at)
    if (!equals(await isAdmin(), admin)) return false
  }
  changes.set('Admin privileges', admin)
  return true
}

async function present(ctx: StateContext, wish: Wish, at: Connection): Promise<StateReturn> {
  const { name, passwd, admin } = wish
  const changes: Dict = new Map()
  const exists = truthy(await ctx.call('influxdb.user_exists', [name], at))
  if (!exists) {
    if (ctx.test) return report(name, null, `User ${str(name)} will be created`)
    if (!truthy(await ctx.call('influxdb.create_user', [name, passwd], { ...Object.fromEntries(at), admin }))) {
      return report(name, false, `Failed to create user ${str(name)}`)
    }
  } else if (!(await setAdmin(ctx, wish, at, changes))) {
    return report(name, false, `Failed to set admin privilege to user ${str(name)}`)
  }
  await setGrants(ctx, wish, at, changes)
  if (!exists) return report(name, true, `Created user ${str(name)}`, changes.set(name, 'User created') as Dict)
  if (changes.size === 0) return report(name, true, `User ${str(name)} is present and up to date`)
  if (!ctx.test) return report(name, true, `Updated user ${str(name)}`, changes)
  const listed = [...changes].map(([key, value]) => `\n${str(key)} => ${str(value)}`).join('')
  return report(name, null, `User ${str(name)} will be updated with the following changes:${listed}`)
}

async function absent(ctx: StateContext, name: Value, at: Connection): Promise<StateReturn> {
  if (!truthy(await ctx.call('influxdb.user_exists', [name], at))) {
    return report(name, true, `User ${str(name)} is not present`)
  }
  if (ctx.test) return report(name, null, `User ${str(name)} will be removed`)
  if (!truthy(await ctx.call('influxdb.remove_user', [name], at))) {
    return report(name, false, `Failed to remove user ${str(name)}`)
  }
  return report(name, true, `Removed user ${str(name)}`, { [str(name)]: 'removed' })
}

const name = arg.any('The name of the user')
const client_args = arg.open('How to connect: influxdb_host, influxdb_port, influxdb_user, influxdb_password')

export default defineState({
  name: 'influxdb_user',
  doc: 'Keep users of InfluxDB.',
  functions: {
    present: state({
      doc: 'A user is there, with these rights.',
      args: {
        name,
        passwd: arg.any('The password', { secret: true }),
        admin: arg.any('Whether the user may do everything', { default: false }),
        grants: arg.any('Privileges by database', { optional: true }),
        client_args,
      },
      run: (ctx, { client_args: at, ...wish }) => present(ctx, wish, at),
    }),
    absent: state({
      doc: 'A user is not there.',
      args: { name, client_args },
      run: (ctx, { name, client_args: at }) => absent(ctx, name, at),
    }),
  },
})
