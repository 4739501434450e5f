// Users of PostgreSQL: roles that can log in.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { connectionArgs, type Given, optional, whenPsql } from './state/connection.ts'
import { roleAbsent, rolePresent } from './state/role.ts'

const name = arg.any('The name of the role')

export default defineState({
  name: 'postgres_user',
  doc: 'Keep users of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'A user is there, with these rights.',
      args: {
        name,
        createdb: optional('Whether it may make databases'),
        createroles: optional('Whether it may make roles'),
        encrypted: optional('How the password is kept: md5, scram-sha-256, or false'),
        superuser: optional('Whether it may do everything'),
        replication: optional('Whether it may replicate'),
        inherit: optional('Whether it has the privileges of its groups'),
        login: optional('Whether it may log in'),
        password: arg.any('Its password, or the hash of it', { optional: true, secret: true }),
        default_password: arg.any('Its password when it is made', { optional: true, secret: true }),
        refresh_password: optional('Whether the password is set without a look at the present one'),
        valid_until: optional('When the password expires'),
        groups: optional('Groups it is a member of'),
        ...connectionArgs(),
      },
      run: (ctx, given) => rolePresent(ctx, given as Given, 'user'),
    }),
    absent: state({
      doc: 'A user is not there.',
      args: { name, ...connectionArgs() },
      run: (ctx, given) => roleAbsent(ctx, given as Given, 'user'),
    }),
  },
})
