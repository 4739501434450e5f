// States of OpenSSH keys and certificates in files.
import type { Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { managedKey } from '../common/managed-file.ts'
import { certificateManaged } from './state/certificate.ts'
import { privateKeyManaged, publicKeyManaged } from './state/keys.ts'

const passphrase = (doc: string) => arg.text(doc, { optional: true, secret: true })
const name = arg.string('Path of the file')
const kwargs = arg.open('Options of file.managed, such as user and mode')
const optionalSource = (noun: string) => arg.any(`${noun}: path, text or bytes`, { optional: true })

const certificateArgs = {
  name,
  ttl_remaining: arg.any(
    'Time before expiration to renew it, in seconds or as a text such as 12h; default 1h for users, 7d for hosts',
    { optional: true },
  ),
  ca_server: arg.text('Minion id of the authority; this minion if not given', { optional: true }),
  backend: arg.text('Module that creates certificates; ssh_pki if not given', { optional: true }),
  backend_args: arg.any('Dict of further arguments for the functions of the backend', { optional: true }),
  signing_policy: arg.text('Signing policy', { optional: true }),
  copypath: arg.text('Directory for a copy of the certificate', { optional: true }),
  cert_type: arg.text('user or host', { optional: true }),
  signing_private_key: optionalSource('Private key of the authority'),
  signing_private_key_passphrase: passphrase('Passphrase of the signing key'),
  public_key: optionalSource('Public key'),
  private_key: optionalSource('Private key'),
  private_key_passphrase: passphrase('Passphrase of the private key'),
  serial_number: arg.any('Serial number, as number or hexadecimal text; random if not given', { optional: true }),
  not_before: arg.text('Start of the validity, in UTC', { optional: true }),
  not_after: arg.text('End of the validity, in UTC', { optional: true }),
  ttl: arg.any('Validity, in seconds or as a text such as 30d; default 24h for users, 30d for hosts', {
    optional: true,
  }),
  critical_options: arg.any('Dict of critical options; True for one without a value', { optional: true }),
  extensions: arg.any('Dict of extensions; True for one without a value', { optional: true }),
  valid_principals: arg.any('List of names of users or hosts', { optional: true }),
  all_principals: arg.flag('Whether it is valid for all users or hosts', { default: false }),
  key_id: arg.text('Text that servers log', { optional: true }),
  kwargs,
}

const certificate = {
  doc: 'Ensure that a certificate exists, is valid for long enough, and has the given properties.',
  args: certificateArgs,
  run: (ctx: StateContext, given: Bound<typeof certificateArgs>) => {
    const { name, ttl_remaining, ca_server, backend, backend_args, signing_policy, copypath, ...rest } = given
    const { kwargs, ...asked } = rest
    const options = new Map<string, Value>(Object.entries(asked))
    const order = { ttl_remaining, ca_server, backend, backend_args, signing_policy, copypath }
    return certificateManaged(ctx, { name, ...order, options, kwargs })
  },
}

const privateKey = {
  doc: 'Ensure that a private key of the given type and size exists.',
  args: {
    name,
    algo: arg.text('rsa, ec or ed25519', { default: 'rsa' }),
    keysize: arg.count('Key size in bits; 3072 for rsa and 256 for ec if not given', { optional: true }),
    passphrase: passphrase('Passphrase of the key'),
    new: arg.flag('Whether to create a new key every time', { default: false }),
    overwrite: arg.flag('Whether to replace an unreadable file', { default: false }),
    kwargs,
  },
  run: privateKeyManaged,
}

export default defineState({
  name: 'ssh_pki',
  doc: 'Manage keys and certificates of OpenSSH in files.',
  functions: {
    certificate_managed: state(certificate),
    certificate_managed_ssh: state({
      ...certificate,
      doc: 'Ensure a certificate of a target of salt-ssh: certificate_managed.',
    }),
    private_key_managed: state(privateKey),
    private_key_managed_ssh: state({
      ...privateKey,
      doc: 'Ensure a private key of a target of salt-ssh: private_key_managed, but a link at its place is not followed.',
      run: (ctx, request) => managedKey(ctx, request, () => privateKey.run(ctx, request)),
    }),
    public_key_managed: state({
      doc: 'Ensure that a file contains the public key of a key or certificate.',
      args: {
        name,
        public_key_source: arg.any('Public key, certificate or private key: path, text or bytes'),
        passphrase: passphrase('Passphrase of the source'),
        kwargs,
      },
      run: publicKeyManaged,
    }),
  },
})
