// Privileges of PostgreSQL roles on objects, and membership in groups.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connection, connectionArgs, type Given, optional, report, whenPsql } from './state/connection.ts'

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

async function settle(ctx: StateContext, given: Given, direction: Direction): Promise<StateReturn> {
  const { object_name = null, object_type = null, privileges = null, prepend = null } = given
  const name = str(given['name']!)
  const listed = truthy(privileges) ? (privileges as Value[]).map((item) => str(item)).join(',') : null
  const keywords = {
    privileges: listed,
    ...('grant_option' in given && { grant_option: given['grant_option']! }),
    prepend,
    ...connection(given),
  }
  const target = [name, object_name, object_type]
  if (truthy(await ctx.call('postgres.has_privileges', target, keywords)) === direction.wanted) {
    return report(name, direction.settled)
  }
  const { verb, done, preposition, change } = direction
  const what = str(object_type === 'group' ? object_name : listed)
  if (ctx.test) return report(name, `The privilege(s): ${what} are set to be ${done} ${preposition} ${name}`, null)
  if (truthy(await ctx.call(`postgres.privileges_${verb}`, target, keywords))) {
    const comment = `The privilege(s): ${what} have been ${done} ${preposition} ${name}`
    return report(name, comment, true, { [name]: change })
  }
  return report(name, `Failed to ${verb} privilege(s): ${what} ${preposition} ${name}`, false)
}

const object = {
  name: arg.any('The role'),
  object_name: arg.any('The object, or ALL'),
  object_type: arg.any('Its kind: table, sequence, schema, tablespace, language, database, function or group'),
  privileges: optional('A list of privileges'),
}
const prepend = arg.any('The schema of the object', { default: 'public' })
const connected = connectionArgs('maintenance_db user db_password db_host db_port db_user')

export default defineState({
  name: 'postgres_privileges',
  doc: 'Keep privileges of PostgreSQL roles.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A role has privileges on an object.',
      args: { ...object, grant_option: optional('Whether it may grant them on'), prepend, ...connected },
      run: (ctx, given) => settle(ctx, given as Given, GRANT),
    }),
    absent: state({
      doc: 'A role does not have privileges on an object.',
      args: { ...object, prepend, ...connected },
      run: (ctx, given) => settle(ctx, given as Given, REVOKE),
    }),
  },
})
