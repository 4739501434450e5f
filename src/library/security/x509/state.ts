// States of keys, certificates, requests and revocation lists in files.
import type { Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { managedKey } from '../common/managed-file.ts'
import { certificateManaged } from './state/certificate.ts'
import { keyManaged, listManaged, pemManaged, requestManaged } from './state/others.ts'

const passphrase = (doc: string) => arg.text(doc, { optional: true, secret: true })
const name = arg.string('Path of the file')
const encoding = arg.text('pem or der', { default: 'pem' })
const digest = arg.text('Hash for the signature', { default: 'sha256' })
const kwargs = arg.open('Options of file.managed, such as user and mode; names and extensions')

const entries = (given: Record<string, Value>): Map<string, Value> => new Map(Object.entries(given))

const signing = {
  signing_private_key: arg.any('Signing key: path, text or bytes', { optional: true }),
  signing_private_key_passphrase: passphrase('Passphrase of the signing key'),
  signing_cert: arg.any('Certificate of the authority: path, text or bytes; self-signed if not given', {
    optional: true,
  }),
}

const certificateArgs = {
  name,
  days_remaining: arg.count('Days before expiration to renew it; default 90', { optional: true }),
  ca_server: arg.text('Minion id of the authority; this minion if not given', { optional: true }),
  signing_policy: arg.text('Signing policy', { optional: true }),
  encoding: arg.text('pem, der, pkcs7_pem or pkcs7_der', { default: 'pem' }),
  append_certs: arg.any('Certificate or list of certificates to append', { optional: true }),
  digest,
  ...signing,
  public_key: arg.any('Public key: path, text or bytes', { optional: true }),
  private_key: arg.any('Private key: path, text or bytes', { optional: true }),
  private_key_passphrase: passphrase('Passphrase of the private key'),
  csr: arg.any('Request: path, text or bytes', { optional: true }),
  subject: arg.any('Subject: text, list or dict', { optional: true }),
  serial_number: arg.any('Serial number, as number or hexadecimal text; random if not given', { optional: true }),
  not_before: arg.text('Start of the validity', { optional: true }),
  not_after: arg.text('End of the validity', { optional: true }),
  days_valid: arg.count('Validity in days; default 365', { optional: true }),
  pkcs12_passphrase: passphrase('Passphrase of a PKCS#12 container'),
  pkcs12_encryption_compat: arg.flag('Whether to encrypt a PKCS#12 container in the old way', { default: false }),
  pkcs12_friendlyname: arg.text('Name in a PKCS#12 container', { optional: true }),
  kwargs,
}

const certificate = {
  doc: 'Ensure that a certificate exists, is valid for long enough, and has the given properties.',
  args: certificateArgs,
  run: (
    ctx: StateContext,
    { pkcs12_passphrase, pkcs12_encryption_compat, pkcs12_friendlyname, ...request }: Bound<typeof certificateArgs>,
  ) => {
    const { name, ca_server, signing_policy, encoding, append_certs, kwargs, days_remaining, ...rest } = request
    const options = entries(rest)
    if (rest.days_valid === null && rest.not_after === null) options.set('days_valid', 365)
    const form = { ca_server, signing_policy, encoding, append_certs }
    return certificateManaged(ctx, { name, days_remaining: days_remaining ?? 90, ...form, options, kwargs })
  },
}

const privateKey = {
  doc: 'Ensure that a private key of the given type and size exists.',
  args: {
    name,
    algo: arg.text('rsa, ec, ed25519 or ed448', { default: 'rsa' }),
    keysize: arg.count('Key size in bits', { optional: true }),
    passphrase: passphrase('Passphrase of the key'),
    encoding,
    new: arg.flag('Whether to create a new key every time', { default: false }),
    overwrite: arg.flag('Whether to replace an unreadable file', { default: false }),
    pkcs12_encryption_compat: arg.flag('Whether to encrypt a PKCS#12 container in the old way', { default: false }),
    kwargs,
  },
  run: keyManaged,
}

export default defineState({
  name: 'x509_v2',
  virtual: 'x509',
  doc: 'Manage keys and certificates in files.',
  functions: {
    certificate_managed: state(certificate),
    certificate_managed_ssh: state({
      ...certificate,
      doc: 'Ensure a certificate of a target of salt-ssh: certificate_managed.',
    }),
    crl_managed: state({
      doc: 'Ensure that a revocation list exists and has the given properties.',
      args: {
        name,
        signing_private_key: arg.any('Private key of the authority: path, text or bytes'),
        revoked: arg.list('Dicts with `certificate` or `serial_number`'),
        days_remaining: arg.count('Days before expiration to renew it; default 30', { optional: true }),
        signing_cert: signing.signing_cert,
        signing_private_key_passphrase: signing.signing_private_key_passphrase,
        include_expired: arg.flag('Whether to list expired certificates as well', { default: false }),
        days_valid: arg.count('Validity in days; default 100', { optional: true }),
        digest,
        encoding,
        extensions: arg.any('Dict of extensions by name; cRLNumber may be auto', { optional: true }),
        kwargs,
      },
      run: (ctx, { name, days_remaining, encoding, extensions, kwargs, days_valid, ...options }) =>
        listManaged(ctx, {
          ...{ name, days_remaining: days_remaining ?? 30, encoding, extensions, kwargs },
          options: entries({ ...options, days_valid: days_valid ?? 100 }),
        }),
    }),
    csr_managed: state({
      doc: 'Ensure that a certificate signing request exists and has the given properties.',
      args: {
        name,
        private_key: arg.any('Private key: path, text or bytes'),
        private_key_passphrase: passphrase('Passphrase of the private key'),
        digest,
        encoding,
        subject: arg.any('Subject: text, list or dict', { optional: true }),
        kwargs,
      },
      run: (ctx, { name, encoding, kwargs, ...options }) =>
        requestManaged(ctx, { name, encoding, kwargs, options: entries(options) }),
    }),
    pem_managed: state({
      doc: 'Ensure that a file contains a PEM text in canonical form.',
      args: { name, text: arg.any('PEM text: path, text or bytes'), kwargs },
      run: (ctx, { name, text, kwargs }) => pemManaged(ctx, name, text, kwargs),
    }),
    private_key_managed: state(privateKey),
    private_key_managed_ssh: state({
      ...privateKey,
      doc: 'Ensure a private key of a target of salt-ssh: private_key_managed, but a link at its place is not followed.',
      run: (ctx, request) => managedKey(ctx, request, () => privateKey.run(ctx, request)),
    }),
  },
})
