// Groups of PostgreSQL: roles that others are members of.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { connectionArgs, type Given, optional, whenPsql } from './state/connection.ts'
import { roleAbsent, rolePresent } from './state/role.ts'

const name = arg.any('The name of the role')

export default defineState({
  name: 'postgres_group',
  doc: 'Keep groups of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A group is there, with these rights.',
      args: {
        name,
        createdb: optional('Whether it may make databases'),
        createroles: optional('Whether it may make roles'),
        encrypted: optional('How the password is kept: md5, scram-sha-256, or false'),
        superuser: optional('Whether it may do everything'),
        inherit: optional('Whether it has the privileges of its groups'),
        login: optional('Whether it may log in'),
        replication: optional('Whether it may replicate'),
        password: arg.any('Its password, or the hash of it', { optional: true, secret: true }),
        refresh_password: optional('Whether the password is set without a look at the present one'),
        groups: optional('Groups it is a member of'),
        ...connectionArgs(),
      },
      run: (ctx, given) => rolePresent(ctx, given as Given, 'group'),
    }),
    absent: state({
      doc: 'A group is not there.',
      args: { name, ...connectionArgs() },
      run: (ctx, given) => roleAbsent(ctx, given as Given, 'group'),
    }),
  },
})
