// Tables of DynamoDB as states.
import {
  type Dict,
  dictFrom,
  equals,
  isDict,
  isList,
  misuse,
  numberOf,
  repr,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { type Alarm, alarmsOf, alarmsPresent, withPillar } from '../common/alarms.ts'
import { type AwsLogin, LOGIN, loginOf, optionOf } from '../common/login.ts'
import { globalIndexes } from './index-state.ts'
import { READ, SCHEMA, WRITE } from './parameters.ts'
import { TableRecord } from './record.ts'

const NAME = arg.text('Name of the table')

const WANTED = {
  name: arg.text('Name of the table', { optional: true }),
  table_name: arg.text('Name of the table; use `name`', { optional: true }),
  ...LOGIN,
  read_capacity_units: READ,
  write_capacity_units: WRITE,
  alarms: arg.dict('Dicts with `name` and `attributes`, the arguments of `boto_cloudwatch_alarm.present`', {
    optional: true,
  }),
  alarms_from_pillar: arg.text('Name of more alarms in the options or in pillar', { default: 'boto_dynamodb_alarms' }),
  ...SCHEMA,
  backup_configs_from_pillars: arg.text('Name of backups by data pipelines, which are not here', {
    default: 'boto_dynamodb_backup_configs',
  }),
}

type Wanted = Bound<typeof WANTED>

const THRESHOLDS: Readonly<{ [metric: string]: 'write_capacity_units' | 'read_capacity_units' }> = {
  ConsumedWriteCapacityUnits: 'write_capacity_units',
  ConsumedReadCapacityUnits: 'read_capacity_units',
}

/** Complete an alarm: it watches the table, and its threshold may be a part of the capacity of the table. */
function completed({ name: alarm, attributes }: Alarm, name: string, wanted: Wanted): Alarm {
  const all = new Map(attributes).set('dimensions', new Map([['TableName', [name]]]))
  const capacity = THRESHOLDS[str(all.get('metric') ?? '')]
  if (capacity === undefined || all.has('threshold')) return { name: alarm, attributes: all }
  const [part, period] = ['threshold_percent', 'period'].map((field) => numberOf(all.get(field) ?? null))
  const units = wanted[capacity]
  if (units === null || part === undefined || period === undefined)
    throw misuse(
      `The alarm '${alarm}' needs 'threshold', or 'threshold_percent', 'period' and ${capacity} of the table`,
    )
  all.delete('threshold_percent')
  return { name: alarm, attributes: all.set('threshold', Math.ceil(units * part) * period) }
}

const exists = async (ctx: StateContext, table_name: string, login: AwsLogin): Promise<boolean> =>
  truthy(await ctx.call('boto_dynamodb.exists', [], { table_name, ...loginOf(login) }))

/** Create a table. Return whether it exists. */
async function create(ctx: StateContext, name: string, wanted: Wanted, record: TableRecord): Promise<boolean> {
  const { read_capacity_units, write_capacity_units, local_indexes, global_indexes, ...rest } = wanted
  const { hash_key, hash_key_data_type, range_key, range_key_data_type } = rest
  const keys = { hash_key, hash_key_data_type, range_key, range_key_data_type }
  const given = { read_capacity_units, write_capacity_units, ...keys, local_indexes, global_indexes }
  const login = loginOf(wanted)
  const made: Value = await ctx.call('boto_dynamodb.create_table', [], {
    table_name: name,
    ...given,
    ...login,
  })
  if (!truthy(made)) return false
  record.say(`DynamoDB table ${name} was successfully created`)
  for (const [field, value] of Object.entries({ table: name, ...given })) record.now.set(field, value)
  return true
}

/** Ensure the capacity of a table; values that are not given stay. Return whether that succeeds. */
async function setCapacity(
  ctx: StateContext,
  name: string,
  wanted: Wanted,
  { table, record }: { table: Dict; record: TableRecord },
): Promise<boolean> {
  const present = table.get('ProvisionedThroughput') ?? null
  const unit = (field: string): Value => (isDict(present) ? (present.get(field) ?? null) : null)
  const [readNow, writeNow] = [unit('ReadCapacityUnits'), unit('WriteCapacityUnits')]
  const read = wanted.read_capacity_units ?? readNow
  const write = wanted.write_capacity_units ?? writeNow
  if (equals(read, readNow) && equals(write, writeNow)) {
    record.say(`DynamoDB table ${name} throughput matches`)
    return true
  }
  const before = { read_capacity_units: readNow, write_capacity_units: writeNow }
  const after = { read_capacity_units: read, write_capacity_units: write }
  if (ctx.test) record.foresee(`DynamoDB table ${name} is set to be updated.`)
  else {
    const throughput = dictFrom({ read, write })
    const given = { table_name: name, throughput, ...loginOf(wanted) }
    if (!truthy(await ctx.call('boto_dynamodb.update', [], given))) {
      record.fail(`Failed to update table ${name}`)
      return false
    }
    record.say(`DynamoDB table ${name} was successfully updated`)
  }
  for (const [field, value] of Object.entries(before)) record.old.set(field, value)
  for (const [field, value] of Object.entries(after)) record.now.set(field, value)
  return true
}

async function tableOf(ctx: StateContext, table_name: string, login: AwsLogin): Promise<Dict> {
  const found: Value = await ctx.call('boto_dynamodb.describe', [], { table_name, ...loginOf(login) })
  const table = isDict(found) ? (found.get('Table') ?? null) : null
  return isDict(table) ? table : new Map()
}

/** Ensure the state of a table and its parts. */
async function ensureTable(ctx: StateContext, name: string, wanted: Wanted, record: TableRecord): Promise<void> {
  const alarms = alarmsOf(name, withPillar(ctx, wanted.alarms_from_pillar, wanted.alarms)).map((alarm) =>
    completed(alarm, name, wanted),
  )
  if (await exists(ctx, name, wanted)) record.say(`DynamoDB table ${name} exists`)
  else if (ctx.test) return record.foresee(`DynamoDB table ${name} would be created.`)
  else if (!(await create(ctx, name, wanted, record))) return record.fail(`Failed to create table ${name}`)
  const table = await tableOf(ctx, name, wanted)
  if (!(await setCapacity(ctx, name, wanted, { table, record }))) return
  const indexes = table.get('GlobalSecondaryIndexes') ?? null
  const present = isList(indexes) ? indexes.filter(isDict) : []
  const target = { name, login: loginOf(wanted), wanted: wanted.global_indexes ?? [], present }
  if (!(await globalIndexes(ctx, target, record))) return
  record.add(await alarmsPresent(ctx, alarms, wanted))
}

const present = state({
  doc: 'Ensure that a table exists, with the given capacity, global indexes and alarms. Keys and local indexes are those of a new table only.',
  args: WANTED,
  run: async (ctx, wanted) => {
    const name = wanted.table_name || wanted.name
    if (!name) throw misuse('boto_dynamodb.present needs name')
    const backups = optionOf(ctx, wanted.backup_configs_from_pillars) ?? null
    if (truthy(backups))
      throw misuse(
        `'${wanted.backup_configs_from_pillars}' is set, and backups of tables by data pipelines are not here: ${repr(backups)}`,
      )
    const record = new TableRecord()
    await ensureTable(ctx, name, wanted, record)
    const warning = 'boto_dynamodb.present: `table_name` is deprecated. Please use `name` instead.'
    return { ...record.report(name), ...(wanted.table_name && { warnings: [warning] }) }
  },
})

const absent = state({
  doc: 'Ensure that a table does not exist.',
  args: { name: NAME, ...LOGIN },
  run: (ctx, { name, ...login }) =>
    ensure(ctx, {
      name,
      look: async () => ((await exists(ctx, name, login)) ? 'there' : settled(`DynamoDB table ${name} does not exist`)),
      foresee: () => `DynamoDB table ${name} is set to be deleted`,
      act: async () => {
        const given = { table_name: name, ...loginOf(login) }
        return truthy(await ctx.call('boto_dynamodb.delete', [], given))
          ? changed(`Deleted DynamoDB table ${name}`, { old: `Table ${name} exists`, new: `Table ${name} deleted` })
          : failed(`Failed to delete DynamoDB table ${name}`)
      },
    }),
})

export default defineState({ name: 'boto_dynamodb', doc: 'Manage tables of DynamoDB.', functions: { present, absent } })
