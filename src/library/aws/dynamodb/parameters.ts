// Parameters of a table, which the function and the state that make one share.
import { arg } from '../../../sdk/mod.ts'

export const READ = arg.count('Capacity units for reading', { optional: true })
export const WRITE = arg.count('Capacity units for writing', { optional: true })

/** Keys and indexes of a table. */
export const SCHEMA = {
  hash_key: arg.text('Attribute of the partition key', { optional: true }),
  hash_key_data_type: arg.text('Its type: `S`, `N` or `B`; `S` unless given', { optional: true }),
  range_key: arg.text('Attribute of the sort key', { optional: true }),
  range_key_data_type: arg.text('Its type: `S`, `N` or `B`; `S` unless given', { optional: true }),
  local_indexes: arg.list('Local indexes: dicts with a list of settings', { optional: true }),
  global_indexes: arg.list('Global indexes: dicts with a list of settings', { optional: true }),
}

export const TABLE_KEYS = { read_capacity_units: READ, write_capacity_units: WRITE, ...SCHEMA }
