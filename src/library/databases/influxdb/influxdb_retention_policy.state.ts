// Retention policies of InfluxDB.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { absent, clientArgs } from './state/presence.ts'

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 }

/** Return a duration as InfluxDB shows it: `168h0m0s` for `7d`. */
function shown(duration: string): string {
  const [, count, unit = ''] = /^(\d+)([hdw])$/.exec(duration) ?? []
  const hours = HOURS[unit]
  return hours === undefined ? duration : `${Number(count) * hours}h0m0s`
}

const target = { name: arg.text('Name of the retention policy'), database: arg.text('Name of the database') }
const policy = {
  ...target,
  duration: arg.text('How long to keep data: a number with the unit h, d or w', { default: '7d' }),
  replication: arg.any('Number of copies; compared with the number that the server shows', { default: 1 }),
  default: arg.flag('Whether it is the default policy of the database', { default: false }),
  client_args: clientArgs,
}

type Policy = Bound<typeof policy>

function differences(policy: Policy, current: Dict): Record<string, string> {
  const changes: Record<string, string> = {}
  const compare = (key: string, title: string, held: Value, wanted: Value, comparable = wanted): void => {
    if (!equals(held, comparable)) changes[key] = `${title} changed from ${str(held)} to ${str(wanted)}.`
  }
  const held = (key: string): Value => current.get(key) ?? null
  compare('duration', 'Retention', held('duration'), policy.duration, shown(policy.duration))
  compare('replication', 'Replication', held('replicaN'), policy.replication)
  compare('default', 'Default', held('default'), policy.default)
  return changes
}

function present(ctx: StateContext, policy: Policy): Promise<StateReturn> {
  const { name, database, duration, replication, client_args: at } = policy
  const words = [database, name, duration, replication, policy.default]
  const subject = `retention policy ${name}`
  return ensure<Record<string, string> | null>(ctx, {
    name,
    look: async () => {
      const current = await ctx.call('influxdb.get_retention_policy', [database, name], at)
      if (current.size === 0) return null
      const changes = differences(policy, current)
      return Object.keys(changes).length === 0 ? settled(`${subject} is already present`) : changes
    },
    foresee: (changes) =>
      changes === null
        ? ` ${name} is absent and will be created`
        : foreseen(` ${name} is present and set to be changed`, changes),
    act: async (changes) => {
      if (changes === null) {
        const created = truthy(await ctx.call('influxdb.create_retention_policy', words, at))
        if (!created) return failed(`Failed to create ${subject}`)
        return changed(`${subject} has been created`, { [name]: 'Present' })
      }
      const altered = truthy(await ctx.call('influxdb.alter_retention_policy', words, at))
      return altered ? changed(`${subject} has been changed`, changes) : failed(`Failed to update ${subject}`, changes)
    },
  })
}

export default defineState({
  name: 'influxdb_retention_policy',
  doc: 'Manage retention policies of InfluxDB.',
  functions: {
    present: state({
      doc: 'Ensure that a retention policy exists.',
      args: policy,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a retention policy does not exist.',
      args: { ...target, client_args: clientArgs },
      run: (ctx, { name, database, client_args: at }) =>
        absent(ctx, {
          name,
          subject: `retention policy ${name}`,
          exists: () => ctx.call('influxdb.retention_policy_exists', [database, name], at),
          remove: () => ctx.call('influxdb.drop_retention_policy', [database, name], at),
        }),
    }),
  },
})
