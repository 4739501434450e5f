// `pgjsonb`: jobs in PostgreSQL, as JSON that can be searched.
import { defineReturner } from '../../../sdk/mod.ts'
import { postgres } from './sql/postgres.ts'
import { tableReturner } from './sql/tables.ts'

export default defineReturner({
  name: 'pgjsonb',
  doc: 'Store jobs in tables of PostgreSQL with JSON columns.',
  functions: tableReturner(postgres('pgjsonb')),
})
