// The certificate authority and the roles of the secrets engine for SSH.
import { isFailure, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensureOrFail,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { ifFound, managed, removed } from './managed.ts'
import { ROLE_LISTS } from './ssh-roles.ts'

const name = arg.text('Name of the role')
const mount = arg.text('Mount of the engine', { default: 'ssh' })
const optional = (doc: string) => arg.any(doc, { optional: true })
const flag = (doc: string) => arg.flag(doc, { default: false })

/** Fields that servers before Vault 1.12 lack, with their effective values there. */
const USUAL: ReadonlyMap<Value, Value> = new Map<Value, Value>([
  ['default_user_template', false],
  ['allowed_domains_template', false],
  ['default_extensions_template', false],
  ['not_before_duration', 30],
])

/** A field that only OpenBao has; Vault ignores it and always allows commas. */
const ONLY_OPENBAO = 'allow_commas_in_identity_templates'

const fetchRole = (ctx: StateContext, name: string, mount: string): Promise<Value> =>
  ifFound(() => ctx.call('vault_ssh.read_role', [name], { mount }))

/** Return the public key of the authority; null if there is none yet. */
async function authority(ctx: StateContext, mount: string): Promise<Value> {
  try {
    return await ifFound(() => ctx.call('vault_ssh.read_ca', [], { mount }))
  } catch (error) {
    const isMissing = /keys haven't been configured yet|no default issuer currently configured/
    if (isFailure(error) && isMissing.test(error.message)) return null
    throw error
  }
}

function role(
  ctx: StateContext,
  name: string,
  mount: string,
  kind: 'ca' | 'otp',
  fields: Readonly<Record<string, Value>>,
) {
  return managed(ctx, name, {
    kind: 'Role',
    fetch: () => fetchRole(ctx, name, mount),
    wanted: { key_type: kind, ...fields },
    sets: ROLE_LISTS,
    view: (current) => new Map([...USUAL, [ONLY_OPENBAO, fields[ONLY_OPENBAO] ?? null], ...current]),
    write: async () =>
      ctx.call(kind === 'ca' ? 'vault_ssh.write_role_ca' : 'vault_ssh.write_role_otp', [name], { ...fields, mount }),
  })
}

export default defineState({
  name: 'vault_ssh',
  doc: 'The certificate authority and the roles of Vault for SSH.',
  functions: {
    ca_present: state({
      doc: 'Ensure that a mount has a certificate authority. One that exists stays as it is.',
      args: {
        name: arg.text('Any text'),
        private_key: arg.any('Private key, or the path of its file. Default: Vault makes a key', {
          optional: true,
          secret: true,
        }),
        public_key: optional('Public key, or the path of its file'),
        key_type: arg.text('Type of the key that Vault makes', { default: 'ssh-rsa' }),
        key_bits: arg.count('Length of the key that Vault makes; 0 for the usual one', { default: 0 }),
        mount,
      },
      run: (ctx, { name, mount, ...fields }) =>
        ensureOrFail(ctx, {
          name,
          look: async () => ((await authority(ctx, mount)) ? settled('The CA has already been initialized') : 'none'),
          foresee: () => foreseen('The CA would have been initialized', { created: `SSH CA on mount ${mount}` }),
          act: async () =>
            changed('The CA has been initialized', {
              created: await ctx.call('vault_ssh.create_ca', [], { ...fields, mount }),
            }),
        }),
    }),
    ca_absent: state({
      doc: 'Ensure that a mount has no certificate authority.',
      args: { name: arg.text('Any text'), mount },
      run: (ctx, { name, mount }) =>
        ensureOrFail(ctx, {
          name,
          look: async () => ((await authority(ctx, mount)) ? 'there' : settled('There is no CA on the mount')),
          foresee: () => foreseen('The CA would have been destroyed', { destroyed: `SSH CA on mount ${mount}` }),
          act: async () => {
            await ctx.call('vault_ssh.destroy_ca', [], { mount })
            return changed('The CA has been destroyed', { destroyed: true })
          },
        }),
    }),
    role_present_otp: state({
      doc: 'Ensure that a role for one-time passwords exists and is as described.',
      args: {
        name,
        default_user: arg.text('User for which passwords are, unless another one is asked for'),
        cidr_list: optional('Networks of the hosts'),
        allowed_users: optional('Users that may be asked for'),
        exclude_cidr_list: optional('Networks that are left out'),
        port: arg.count('Port of the SSH server', { default: 22 }),
        mount,
      },
      run: (ctx, { name, mount, ...fields }) => role(ctx, name, mount, 'otp', fields),
    }),
    role_present_ca: state({
      doc: 'Ensure that a role for certificates exists and is as described.',
      args: {
        name,
        default_user: arg.text('User of certificates that ask for none', { default: '' }),
        default_user_template: flag('Whether `default_user` is a template'),
        allowed_users: optional('Users that may be asked for'),
        allowed_users_template: flag('Whether `allowed_users` are templates'),
        allowed_domains: optional('Domains of host certificates'),
        allowed_domains_template: flag('Whether `allowed_domains` are templates'),
        ttl: arg.any('Life of certificates', { default: 0 }),
        max_ttl: arg.any('Longest life of certificates', { default: 0 }),
        allowed_critical_options: optional('Critical options that may be asked for'),
        allowed_extensions: optional('Extensions that may be asked for'),
        default_critical_options: optional('Dict of critical options'),
        default_extensions: optional('Dict of extensions'),
        default_extensions_template: flag('Whether `default_extensions` are templates'),
        allow_user_certificates: flag('Whether certificates of users are signed'),
        allow_host_certificates: flag('Whether certificates of hosts are signed'),
        allow_bare_domains: flag('Whether a domain itself may be asked for'),
        allow_subdomains: flag('Whether names below a domain may be asked for'),
        allow_user_key_ids: flag('Whether key ids may be asked for'),
        key_id_format: arg.text('Form of key ids', { default: '' }),
        allowed_user_key_lengths: optional('Dict of key types and lengths'),
        algorithm_signer: arg.text('Algorithm of signatures', { default: 'default' }),
        not_before_duration: arg.any('Time before the signature from which certificates are valid', { default: 30 }),
        allow_commas_in_identity_templates: flag(
          'Whether values in templates of users and domains may have commas; only OpenBao has this field',
        ),
        mount,
      },
      run: (ctx, { name, mount, ...fields }) => {
        if (fields.allow_user_certificates || fields.allow_host_certificates)
          return role(ctx, name, mount, 'ca', fields)
        return failed('Either allow_user_certificates or allow_host_certificates must be true').on(name)
      },
    }),
    role_absent: state({
      doc: 'Ensure that a role does not exist.',
      args: { name, mount },
      run: (ctx, { name, mount }) =>
        removed(ctx, name, {
          kind: 'Role',
          fetch: () => fetchRole(ctx, name, mount),
          remove: async () => ctx.call('vault_ssh.delete_role', [name], { mount }),
        }),
    }),
  },
})
