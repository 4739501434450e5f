// The secrets engine for SSH: its certificate authority, roles, signed keys and one-time passwords.
import { recover } from '../../../base/mod.ts'
import { type Dict, dumpJson, isDict, isList, markSecret, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { unlessMissing } from './approles.ts'
import { asking, given, items } from './asking.ts'
import { isVaultError } from './errors.ts'
import { ROLE_LISTS } from './ssh-roles.ts'

const name = arg.text('Name of the role')
const mount = arg.text('Mount of the engine', { default: 'ssh' })
const optional = (doc: string) => arg.any(doc, { optional: true })
const done = ret.boolean('True')

const DICTS = ['default_critical_options', 'default_extensions', 'allowed_user_key_lengths']

async function writeRole(
  ctx: FunctionContext,
  { name, mount, key_type }: { name: string; mount: string; key_type: 'ca' | 'otp' },
  fields: Readonly<Record<string, Value>>,
): Promise<boolean> {
  for (const field of DICTS) {
    const value = fields[field] ?? null
    if (value !== null && !isDict(value)) throw misuse(`Parameter '${field}' must be specified as a mapping`)
  }
  const sent = Object.entries(fields).map(([field, value]): [string, Value] => [
    field,
    ROLE_LISTS.includes(field) ? (items(value)?.map(str).join(',') ?? null) : value,
  ])
  return asking(ctx, async (access) => {
    const payload = given({ ...Object.fromEntries(sent), key_type })
    await access.post(`${mount}/roles/${name}`, payload, { isRepeatable: true })
    return true
  })
}

const otpFields = {
  default_user: arg.text('User for which passwords are, unless another one is asked for'),
  cidr_list: optional('Networks of the hosts'),
  allowed_users: optional('Users that may be asked for'),
  exclude_cidr_list: optional('Networks that are left out'),
  port: optional('Port of the SSH server'),
}

const caFields = {
  default_user: arg.text('User of certificates that ask for none', { default: '' }),
  default_user_template: optional('Whether `default_user` is a template'),
  allowed_users: optional('Users that may be asked for'),
  allowed_users_template: optional('Whether `allowed_users` are templates'),
  allowed_domains: optional('Domains of host certificates'),
  allowed_domains_template: optional('Whether `allowed_domains` are templates'),
  ttl: optional('Life of certificates'),
  max_ttl: optional('Longest life of certificates'),
  allowed_critical_options: optional('Critical options that may be asked for'),
  allowed_extensions: optional('Extensions that may be asked for'),
  default_critical_options: optional('Dict of critical options'),
  default_extensions: optional('Dict of extensions'),
  default_extensions_template: optional('Whether `default_extensions` are templates'),
  allow_user_certificates: optional('Whether certificates of users are signed'),
  allow_host_certificates: optional('Whether certificates of hosts are signed'),
  allow_bare_domains: optional('Whether a domain itself may be asked for'),
  allow_subdomains: optional('Whether names below a domain may be asked for'),
  allow_user_key_ids: optional('Whether key ids may be asked for'),
  key_id_format: optional('Form of key ids'),
  allowed_user_key_lengths: optional('Dict of key types and lengths'),
  algorithm_signer: optional('Algorithm of signatures'),
  not_before_duration: optional('Time before the signature from which certificates are valid'),
  allow_commas_in_identity_templates: optional('For OpenBao'),
}

const roles = {
  list_roles: reads({
    doc: 'Return the roles.',
    args: { mount },
    returns: ret.dict('Facts by the name of the role'),
    run: (ctx, { mount }) =>
      asking(ctx, async (access) => {
        const body = await unlessMissing(access.list(`${mount}/roles`))
        const [keys, info] = body ? [dataOf(body).get('keys') ?? [], dataOf(body).get('key_info') ?? null] : [[], null]
        const known: Dict = isDict(info) ? info : new Map()
        return new Map((isList(keys) ? keys : []).map((key) => [key, known.get(key) ?? new Map()]))
      }),
  }),
  read_role: reads({
    doc: 'Return a role.',
    args: { name, mount },
    returns: ret.dict('The role'),
    example: 'vault_ssh.read_role web',
    run: (ctx, { name, mount }) => asking(ctx, async (access) => dataOf(await access.get(`${mount}/roles/${name}`))),
  }),
  write_role_otp: changes({
    doc: 'Create a role for one-time passwords, or change one.',
    args: { name, ...otpFields, mount },
    returns: done,
    example: 'vault_ssh.write_role_otp web admin cidr_list=10.0.0.0/8',
    run: (ctx, { name, mount, ...fields }) => writeRole(ctx, { name, mount, key_type: 'otp' }, fields),
  }),
  write_role_ca: changes({
    doc: 'Create a role for certificates, or change one.',
    args: { name, ...caFields, mount },
    returns: done,
    example: 'vault_ssh.write_role_ca web allow_user_certificates=True allowed_users=admin',
    run: (ctx, { name, mount, ...fields }) => {
      if (fields.allow_user_certificates !== true && fields.allow_host_certificates !== true)
        throw misuse('Either allow_user_certificates or allow_host_certificates must be true')
      return writeRole(ctx, { name, mount, key_type: 'ca' }, fields)
    },
  }),
  delete_role: changes({
    doc: 'Delete a role.',
    args: { name, mount },
    returns: done,
    example: 'vault_ssh.delete_role web',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => (await access.delete(`${mount}/roles/${name}`)) && true),
  }),
  list_roles_ip: reads({
    doc: 'Return the roles of one-time passwords for a host.',
    args: { address: arg.text('Address of the host'), mount },
    returns: ret.any('The names'),
    example: 'vault_ssh.list_roles_ip 10.1.0.1',
    run: (ctx, { address, mount }) =>
      asking(ctx, async (access) => {
        // old servers refuse where new ones return nothing
        return recover(
          (error) => isVaultError(error, 'VaultInvocationError') && error.message.includes('Missing roles'),
          [],
          async () => {
            const body = await access.post(`${mount}/lookup`, given({ ip: address }), { isRepeatable: true })
            return dataOf(body).get('roles') ?? []
          },
        )
      }),
  }),
  list_roles_zeroaddr: reads({
    doc: 'Return the roles that serve any address.',
    args: { mount },
    returns: ret.any('The names'),
    run: (ctx, { mount }) =>
      asking(ctx, async (access) => {
        const body = await unlessMissing(access.get(`${mount}/config/zeroaddress`))
        return body ? (dataOf(body).get('roles') ?? []) : []
      }),
  }),
  write_zeroaddr_roles: changes({
    doc: 'Set the roles that serve any address.',
    args: { roles: arg.any('Names, as a list or separated by commas'), mount },
    returns: done,
    example: 'vault_ssh.write_zeroaddr_roles web',
    run: (ctx, { roles, mount }) =>
      asking(ctx, async (access) => {
        await access.post(`${mount}/config/zeroaddress`, given({ roles }), { isRepeatable: true })
        return true
      }),
  }),
  delete_zeroaddr_roles: changes({
    doc: 'Remove the list of roles that serve any address.',
    args: { mount },
    returns: done,
    run: (ctx, { mount }) =>
      asking(ctx, async (access) => (await access.delete(`${mount}/config/zeroaddress`)) && true),
  }),
}

/** Return a key: the content of the file at an absolute path, or the given text. */
async function keyText(ctx: FunctionContext, given: Value): Promise<string> {
  const text = str(given)
  if (!text.startsWith('/') || text.includes('\n') || !(await ctx.host.stat(text))) return text
  return Buffer.from(await ctx.host.read(text)).toString()
}

async function publicKey(access: VaultAccess, mount: string): Promise<string> {
  return str(dataOf(await access.get(`${mount}/config/ca`)).get('public_key') ?? '')
}

const authority = {
  create_ca: changes({
    doc: 'Create the certificate authority of a mount.',
    args: {
      private_key: arg.any('Private key, or the path of its file. Default: Vault makes a key', {
        optional: true,
        secret: true,
      }),
      public_key: optional('Public key, or the path of its file'),
      key_type: arg.text('Type of the key that Vault makes', { default: 'ssh-rsa' }),
      key_bits: arg.count('Length of the key that Vault makes; 0 for the usual one', { default: 0 }),
      mount,
    },
    returns: ret.string('The public key'),
    run: async (ctx, { private_key, public_key, key_type, key_bits, mount }) => {
      if ((private_key === null) !== (public_key === null))
        throw misuse('private_key and public_key must be given together')
      const payload =
        private_key === null
          ? given({ generate_signing_key: true, key_type, key_bits })
          : given({
              generate_signing_key: false,
              private_key: await keyText(ctx, private_key),
              public_key: await keyText(ctx, public_key),
            })
      return asking(ctx, async (access) => {
        const body = await access.post(`${mount}/config/ca`, payload)
        const made = isDict(body.get('data') ?? null) ? dataOf(body).get('public_key') : undefined
        return made === undefined ? publicKey(access, mount) : str(made)
      })
    },
  }),
  read_ca: reads({
    doc: 'Return the public key of the certificate authority.',
    args: { mount },
    returns: ret.string('The public key'),
    run: (ctx, { mount }) => asking(ctx, (access) => publicKey(access, mount)),
  }),
  destroy_ca: changes({
    doc: 'Destroy the certificate authority of a mount.',
    args: { mount },
    returns: done,
    run: (ctx, { mount }) => asking(ctx, async (access) => (await access.delete(`${mount}/config/ca`)) && true),
  }),
}

const certificateFields = {
  ttl: optional('Life of the certificate'),
  valid_principals: optional('Users or hosts, as a list or separated by commas'),
  cert_type: arg.text('`user` or `host`', { default: 'user' }),
  key_id: optional('Key id of the certificate'),
  critical_options: optional('Dict of critical options'),
  extensions: optional('Dict of extensions'),
}

/** Values of options and extensions are texts. */
const texts = (value: Value): Value =>
  isDict(value)
    ? new Map([...value].map(([key, one]) => [key, isDict(one) || isList(one) ? dumpJson(one) : one]))
    : value

const certificatePayload = ({
  valid_principals,
  critical_options,
  extensions,
  ...fields
}: Record<string, Value>): Dict =>
  given({
    ...fields,
    valid_principals:
      items(valid_principals ?? null)
        ?.map(str)
        .join(',') ?? null,
    critical_options: texts(critical_options ?? null),
    extensions: texts(extensions ?? null),
  })

const keys = {
  get_creds: changes({
    doc: 'Return a one-time password for a host.',
    args: {
      name,
      address: arg.text('Address of the host'),
      username: arg.text('User. Default: that of the role', { default: '' }),
      mount,
    },
    returns: ret.dict('`key`, the password, with user, address and port'),
    example: 'vault_ssh.get_creds web 10.1.0.1',
    run: (ctx, { name, address, username, mount }) =>
      asking(ctx, async (access) => {
        const made = dataOf(await access.post(`${mount}/creds/${name}`, given({ ip: address, username })))
        markSecret(new Map([['key', made.get('key') ?? null]]))
        return made
      }),
  }),
  sign_key: changes({
    doc: 'Sign a public key.',
    args: { name, public_key: arg.any('Public key, or the path of its file'), ...certificateFields, mount },
    returns: ret.dict('`serial_number` and `signed_key`'),
    example: 'vault_ssh.sign_key web /root/.ssh/id_ed25519.pub valid_principals=admin',
    run: async (ctx, { name, mount, public_key, ...fields }) => {
      const payload = certificatePayload({ ...fields, public_key: await keyText(ctx, public_key) })
      return asking(ctx, async (access) => dataOf(await access.post(`${mount}/sign/${name}`, payload)))
    },
  }),
  generate_key_cert: changes({
    doc: 'Let Vault make a key and sign it.',
    args: {
      name,
      key_type: arg.text('Type of the key', { default: 'ssh-rsa' }),
      key_bits: arg.count('Length of the key; 0 for the usual one', { default: 0 }),
      ...certificateFields,
      mount,
    },
    returns: ret.dict('`private_key`, `private_key_type`, `serial_number` and `signed_key`'),
    example: 'vault_ssh.generate_key_cert web valid_principals=admin',
    run: (ctx, { name, mount, ...fields }) =>
      asking(ctx, async (access) => {
        const made = dataOf(await access.post(`${mount}/issue/${name}`, certificatePayload(fields)))
        markSecret(new Map([['private_key', made.get('private_key') ?? null]]))
        return made
      }),
  }),
}

export default defineModule({
  name: 'vault_ssh',
  doc: 'SSH keys, certificates and one-time passwords of Vault.',
  functions: { ...roles, ...authority, ...keys },
})
