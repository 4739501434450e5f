// Privileges of PostgreSQL roles on objects, and membership in groups.
import { str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { connection, connectionArgs, whenPsql } from './state/connection.ts'

interface Direction {
  wanted: boolean
  settled: string
  verb: string
  done: string
  preposition: string
  change: string
}

const GRANT: Direction = {
  wanted: true,
  settled: 'The requested privilege(s) are already set',
  verb: 'grant',
  done: 'granted',
  preposition: 'to',
  change: 'Present',
}

const REVOKE: Direction = {
  wanted: false,
  settled: 'The requested privilege(s) are not set so cannot be revoked',
  verb: 'revoke',
  done: 'revoked',
  preposition: 'from',
  change: 'Absent',
}

const object = {
  name: arg.text('Name of the role'),
  object_name: arg.text('Name of the object, or ALL'),
  object_type: arg.text('Type: table, sequence, schema, tablespace, language, database, function or group'),
  privileges: arg.list('List of privileges', { optional: true }),
}
const prepend = arg.text('Schema of the object', { default: 'public' })
const { user, maintenance_db, ...login } = connectionArgs
const connected = { maintenance_db, user, ...login }

type Grant = Bound<typeof object> & Bound<typeof connected> & { prepend: string; grant_option?: boolean | null }

function settle(ctx: StateContext, given: Grant, direction: Direction): Promise<StateReturn> {
  const { name, object_name, object_type, prepend, grant_option } = given
  const { verb, done, preposition, change } = direction
  const privileges = given.privileges?.length ? given.privileges.map(str).join(',') : null
  const keywords = {
    privileges,
    ...(grant_option !== undefined && { grant_option }),
    prepend,
    ...connection(given),
  }
  const target = [name, object_name, object_type]
  const granted = object_type === 'group' ? object_name : str(privileges)
  return ensure(ctx, {
    name,
    look: async () => {
      const held = truthy(await ctx.call('postgres.has_privileges', target, keywords))
      return held === direction.wanted ? settled(direction.settled) : 'other'
    },
    foresee: () => `The privilege(s): ${granted} are set to be ${done} ${preposition} ${name}`,
    act: async () => {
      if (!truthy(await ctx.call(`postgres.privileges_${verb}`, target, keywords))) {
        return failed(`Failed to ${verb} privilege(s): ${granted} ${preposition} ${name}`)
      }
      return changed(`The privilege(s): ${granted} have been ${done} ${preposition} ${name}`, { [name]: change })
    },
  })
}

export default defineState({
  name: 'postgres_privileges',
  doc: 'Manage privileges of PostgreSQL roles.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a role has privileges on an object.',
      args: {
        ...object,
        grant_option: arg.flag('Whether the role may grant the privileges to others', { optional: true }),
        prepend,
        ...connected,
      },
      run: (ctx, given) => settle(ctx, given, GRANT),
    }),
    absent: state({
      doc: 'Ensure that a role does not have privileges on an object.',
      args: { ...object, prepend, ...connected },
      run: (ctx, given) => settle(ctx, given, REVOKE),
    }),
  },
})
