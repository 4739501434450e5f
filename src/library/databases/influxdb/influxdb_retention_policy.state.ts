// Retention policies of InfluxDB.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { made, removed, report } from './state/thing.ts'

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 }

/** `7d` as InfluxDB shows it: `168h0m0s`. */
function shown(duration: string): string {
  const [, count, unit] = /^(\d+)([hdw])$/.exec(duration) ?? []
  return unit === undefined ? duration : `${Number(count) * HOURS[unit]!}h0m0s`
}

interface Policy {
  name: Value
  database: Value
  duration: Value
  replication: Value
  default: Value
}

function differences(policy: Policy, current: Dict): Record<string, string> {
  const changes: Record<string, string> = {}
  const tell = (key: string, title: string, held: Value, wish: Value, same: boolean): void => {
    if (!same) changes[key] = `${title} changed from ${str(held)} to ${str(wish)}.`
  }
  const held = (key: string): Value => current.get(key) ?? null
  tell('duration', 'Retention', held('duration'), policy.duration, held('duration') === shown(str(policy.duration)))
  tell('replication', 'Replication', held('replicaN'), policy.replication, equals(held('replicaN'), policy.replication))
  tell('default', 'Default', held('default'), policy.default, equals(held('default'), policy.default))
  return changes
}

async function present(ctx: StateContext, policy: Policy, at: Map<string, Value>): Promise<StateReturn> {
  const { name, database, duration, replication } = policy
  const words = [database, name, duration, replication, policy.default]
  const subject = `retention policy ${str(name)}`
  const current = (await ctx.call('influxdb.get_retention_policy', [database, name], at)) as Dict
  if (current.size === 0) {
    const create = (): Value | Promise<Value> => ctx.call('influxdb.create_retention_policy', words, at)
    return made(ctx, {
      name,
      subject,
      exists: () => false,
      create,
      foreseen: ` ${str(name)} is absent and will be created`,
    })
  }
  const changes = differences(policy, current)
  if (Object.keys(changes).length === 0) return report(name, true, `${subject} is already present`)
  if (ctx.test) return report(name, null, ` ${str(name)} is present and set to be changed`, changes)
  if (truthy(await ctx.call('influxdb.alter_retention_policy', words, at))) {
    return report(name, true, `${subject} has been changed`, changes)
  }
  return report(name, false, `Failed to update ${subject}`, changes)
}

const target = { name: arg.any('The name of the policy'), database: arg.any('The database') }
const client_args = arg.open('How to connect: influxdb_host, influxdb_port, influxdb_user, influxdb_password')

export default defineState({
  name: 'influxdb_retention_policy',
  doc: 'Keep retention policies of InfluxDB.',
  functions: {
    present: state({
      doc: 'A retention policy is there.',
      args: {
        ...target,
        duration: arg.any('How long data is kept', { default: '7d' }),
        replication: arg.any('How many copies there are', { default: 1 }),
        default: arg.any('Whether it is the default of its database', { default: false }),
        client_args,
      },
      run: (ctx, { client_args: at, ...policy }) => present(ctx, policy, at),
    }),
    absent: state({
      doc: 'A retention policy is not there.',
      args: { ...target, client_args },
      run: (ctx, { name, database, client_args: at }) =>
        removed(ctx, {
          name,
          subject: `retention policy ${str(name)}`,
          exists: () => ctx.call('influxdb.retention_policy_exists', [database, name], at),
          remove: () => ctx.call('influxdb.drop_retention_policy', [database, name], at),
        }),
    }),
  },
})
