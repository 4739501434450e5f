// Groups of PostgreSQL: roles that other roles are members of.
import { defineState, state } from '../../../sdk/mod.ts'
import { connectionArgs, whenPsql } from './state/connection.ts'
import { roleAbsent, roleArgs, roleName, rolePresent } from './state/role.ts'

const { replication, password, refresh_password, groups, ...properties } = roleArgs

export default defineState({
  name: 'postgres_group',
  doc: 'Manage groups of PostgreSQL.',
  when: whenPsql,
  functions: {
    present: state({
      doc: 'Ensure that a group exists with the given properties.',
      args: {
        name: roleName,
        ...properties,
        replication,
        password,
        refresh_password,
        groups,
        ...connectionArgs,
      },
      run: (ctx, given) => rolePresent(ctx, given, 'group'),
    }),
    absent: state({
      doc: 'Ensure that a group does not exist.',
      args: { name: roleName, ...connectionArgs },
      run: (ctx, given) => roleAbsent(ctx, given, 'group'),
    }),
  },
})
