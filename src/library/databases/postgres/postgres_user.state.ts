// Users of PostgreSQL: roles that can log in.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { connectionArgs, whenPsql } from './state/connection.ts'
import { roleAbsent, roleArgs, roleName, rolePresent } from './state/role.ts'

const { password, refresh_password, groups, ...properties } = roleArgs

export default defineState({
  name: 'postgres_user',
  doc: 'Manage users of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given properties.',
      args: {
        name: roleName,
        ...properties,
        password,
        default_password: arg.text('Password of a new role', { optional: true, secret: true }),
        refresh_password,
        valid_until: arg.text('Time at which the password expires', { optional: true }),
        groups,
        ...connectionArgs,
      },
      run: (ctx, given) => rolePresent(ctx, given, 'user'),
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name: roleName, ...connectionArgs },
      run: (ctx, given) => roleAbsent(ctx, given, 'user'),
    }),
  },
})
