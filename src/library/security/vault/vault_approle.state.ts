// States of roles of the auth method AppRole.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { roleFields } from './approle-fields.ts'
import { ifFound, managed, removed } from './managed.ts'

const name = arg.text('Name of the AppRole')
const mount = arg.text('Mount of the auth method', { default: 'approle' })

const fetchRole = (ctx: StateContext, name: string, mount: string): Promise<Value> =>
  ifFound(() => ctx.call('vault_approle.read', [name], { mount }))

export default defineState({
  name: 'vault_approle',
  doc: 'AppRoles of Vault.',
  functions: {
    present: state({
      doc: 'Ensure that an AppRole exists and is as described.',
      args: { name, ...roleFields, mount },
      run: (ctx, { name, mount, ...wanted }) =>
        managed(ctx, name, {
          kind: 'AppRole',
          fetch: () => fetchRole(ctx, name, mount),
          wanted,
          sets: ['secret_id_bound_cidrs', 'token_policies', 'token_bound_cidrs'],
          write: async () => ctx.call('vault_approle.write', [name], { ...wanted, mount }),
        }),
    }),
    absent: state({
      doc: 'Ensure that an AppRole does not exist.',
      args: { name, mount },
      run: (ctx, { name, mount }) =>
        removed(ctx, name, {
          kind: 'AppRole',
          fetch: () => fetchRole(ctx, name, mount),
          remove: async () => ctx.call('vault_approle.delete', [name], { mount }),
        }),
    }),
  },
})
