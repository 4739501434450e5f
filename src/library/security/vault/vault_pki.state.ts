// Roles of the secrets engine for certificates, and certificates in files.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { certificateManaged } from './certificate.ts'
import { managed, removed } from './managed.ts'

const name = arg.text('Name of the role')
const mount = arg.text('Mount of the engine', { default: 'pki' })

const fetchRole = async (ctx: StateContext, name: string, mount: string): Promise<Value> =>
  await ctx.call('vault_pki.read_role', [name], { mount })

export default defineState({
  name: 'vault_pki',
  doc: 'Certificates of Vault, and the roles that issue them.',
  functions: {
    certificate_managed: state({
      doc: 'Ensure that a file has a certificate that Vault signed, which is valid for long enough and has the given properties.',
      args: {
        name: arg.string('Path of the file'),
        common_name: arg.text('Common name'),
        role_name: arg.text('Name of the role'),
        private_key: arg.any('Private key of the certificate: path, text or bytes', { secret: true }),
        mount,
        ttl: arg.any('Life of the certificate, such as `720h`, or a number of seconds', { default: '720h' }),
        ttl_remaining: arg.any('Time before the expiration at which the certificate is renewed', { default: '168h' }),
        issuer_ref: arg.text('Name or id of the issuer. Default: that of the role', { optional: true }),
        encoding: arg.text('pem, der, pkcs7_pem or pkcs7_der', { default: 'pem' }),
        append_ca_chain: arg.flag('Append the certificates of the authorities but self-signed ones', {
          default: false,
        }),
        sign_verbatim: arg.flag('Sign the request as it is, whatever the role says', { default: false }),
        private_key_passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
        reissue: arg.flag('Renew the certificate in every run', { default: false }),
        kwargs: arg.open(
          'Options of file.managed, such as user and mode (`file_encoding` for its encoding); arguments of vault_pki.sign_certificate, such as alt_names',
        ),
      },
      run: certificateManaged,
    }),
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
        removed(ctx, name, {
          kind: 'PKI role',
          fetch: () => fetchRole(ctx, name, mount),
          remove: async () => ctx.call('vault_pki.delete_role', [name], { mount }),
        }),
    }),
  },
})
