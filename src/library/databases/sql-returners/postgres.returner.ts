// `postgres`: jobs in PostgreSQL, as text.
import { defineReturner } from '../../../sdk/mod.ts'
import { postgres } from './sql/postgres.ts'
import { tableReturner } from './sql/tables.ts'

export default defineReturner({
  name: 'postgres',
  doc: 'Store jobs in tables of PostgreSQL.',
  functions: tableReturner(postgres('postgres')),
})
