// Roles of the secrets engine for certificates.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { managed, removed } from './managed.ts'

const name = arg.text('Name of the role')
const mount = arg.text('Mount of the engine', { default: 'pki' })

const fetchRole = async (ctx: StateContext, name: string, mount: string): Promise<Value> =>
  (await ctx.call('vault_pki.read_role', [name], { mount })) as Value

export default defineState({
  name: 'vault_pki',
  doc: 'Roles of Vault for certificates.',
  functions: {
    role_managed: state({
      doc: 'Ensure that a role exists and has the given fields.',
      args: {
        name,
        mount,
        issuer_ref: arg.any('Name or id of the issuer', { optional: true }),
        ttl: arg.any('Life of certificates', { optional: true }),
        max_ttl: arg.any('Longest life of certificates', { optional: true }),
        kwargs: arg.open('Further fields of the role: allowed_domains, allow_subdomains, key_usage …'),
      },
      run: (ctx, { name, mount, kwargs, ...own }) => {
        const wanted = { ...Object.fromEntries([...kwargs].filter(([key]) => !key.startsWith('_'))), ...own }
        return managed(ctx, name, {
          kind: 'PKI role',
          fetch: () => fetchRole(ctx, name, mount),
          wanted,
          write: async () => ctx.call('vault_pki.write_role', [name], { ...wanted, mount }),
        })
      },
    }),
    role_absent: state({
      doc: 'Ensure that a role does not exist.',
      args: { name, mount },
      run: (ctx, { name, mount }) =>
        removed(
          ctx,
          name,
          'PKI role',
          () => fetchRole(ctx, name, mount),
          async () => ctx.call('vault_pki.delete_role', [name], { mount }),
        ),
    }),
  },
})
