// Roles of the auth method approle.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { ifFound, managed, removed } from './managed.ts'

const name = arg.text('Name of the AppRole')
const mount = arg.text('Mount of the auth method', { default: 'approle' })
const optional = (doc: string) => arg.any(doc, { optional: true })

const fields = {
  bind_secret_id: optional('Whether a login needs a secret id'),
  secret_id_bound_cidrs: optional('Addresses from which secret ids can be used'),
  secret_id_num_uses: optional('How often a secret id can be used; 0 for no limit'),
  secret_id_ttl: optional('Life of secret ids'),
  local_secret_ids: optional('Whether secret ids stay in the cluster that created them'),
  token_ttl: optional('Life of tokens'),
  token_max_ttl: optional('Longest life of tokens'),
  token_policies: optional('Policies of tokens'),
  token_bound_cidrs: optional('Addresses from which tokens can be used'),
  token_explicit_max_ttl: optional('Life of tokens that no renewal extends'),
  token_no_default_policy: optional('Whether tokens lack the policy `default`'),
  token_num_uses: optional('How often a token can be used; 0 for no limit'),
  token_period: optional('Time by which a renewal extends tokens'),
  token_type: optional('`service`, `batch` or `default`'),
  alias_metadata: optional('Metadata of the alias of the entity'),
  token_strictly_bind_ip: optional('Whether tokens can be used only from the address of the login'),
}

const fetchRole = (ctx: StateContext, name: string, mount: string): Promise<Value> =>
  ifFound(() => ctx.call('vault_approle.read', [name], { mount }))

export default defineState({
  name: 'vault_approle',
  doc: 'AppRoles of Vault.',
  functions: {
    present: state({
      doc: 'Ensure that an AppRole exists and is as described.',
      args: { name, ...fields, mount },
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
        removed(
          ctx,
          name,
          'AppRole',
          () => fetchRole(ctx, name, mount),
          async () => ctx.call('vault_approle.delete', [name], { mount }),
        ),
    }),
  },
})
