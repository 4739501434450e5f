// Keys, certificates, requests and lists of revoked certificates, kept in files.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { certificateManaged } from './state/certificate.ts'
import { keyManaged, listManaged, pemManaged, requestManaged } from './state/others.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const secret = (doc: string) => arg.any(doc, { optional: true, secret: true })
const off = (doc: string) => arg.any(doc, { default: false })
const name = arg.string('The file')
const encoding = arg.any('pem or der', { default: 'pem' })
const digest = arg.any('The hash for the signature', { default: 'sha256' })
const kwargs = arg.open('Options of file.managed, such as user and mode; names and extensions')

const entries = (given: Record<string, Value>): Map<string, Value> => new Map(Object.entries(given))

const signing = {
  signing_private_key: optional('The key that signs'),
  signing_private_key_passphrase: secret('Its passphrase'),
  signing_cert: optional('The certificate of the authority; without it the key signs itself'),
}

export default defineState({
  name: 'x509_v2',
  virtual: 'x509',
  doc: 'Keep keys and certificates in files.',
  functions: {
    certificate_managed: state({
      doc: 'A certificate is there, valid for long enough, and as it should be.',
      args: {
        name,
        days_remaining: optional('Renew it so many days before its end; 90 when not given'),
        ca_server: optional('The minion that signs; this one when not given'),
        signing_policy: optional('The policy it is made after'),
        encoding: arg.any('pem, der, pkcs7_pem or pkcs7_der', { default: 'pem' }),
        append_certs: optional('Certificates that go with it'),
        digest,
        ...signing,
        public_key: optional('The public key it is for'),
        private_key: optional('The private key it is for'),
        private_key_passphrase: secret('Its passphrase'),
        csr: optional('The request it is for'),
        subject: optional('Whom it is for'),
        serial_number: optional('Its number; a random one when not given'),
        not_before: optional('When it begins'),
        not_after: optional('When it ends'),
        days_valid: optional('For how many days; 365 when not given'),
        pkcs12_passphrase: secret('Passphrase of a PKCS#12 container'),
        pkcs12_encryption_compat: arg.flag('Encrypt such a container in the old way', { default: false }),
        pkcs12_friendlyname: optional('Name in such a container'),
        kwargs,
      },
      run: (ctx, wish) => {
        const { name, ca_server, signing_policy, encoding, append_certs, kwargs, days_remaining } = wish
        const { pkcs12_passphrase, pkcs12_encryption_compat, pkcs12_friendlyname, ...rest } = wish
        const skipped = ['name', 'ca_server', 'signing_policy', 'encoding', 'append_certs', 'kwargs', 'days_remaining']
        const given = Object.entries(rest as unknown as Record<string, Value>).filter(([key]) => !skipped.includes(key))
        const options = new Map<string, Value>(given)
        if (wish.days_valid === null && wish.not_after === null) options.set('days_valid', 365)
        const days = days_remaining ?? 90
        return certificateManaged(ctx, {
          ...{ name, days_remaining: days, ca_server, signing_policy, encoding, append_certs, options, kwargs },
        })
      },
    }),
    crl_managed: state({
      doc: 'A list of revoked certificates is there, and as it should be.',
      args: {
        name,
        signing_private_key: arg.any('The key of the authority'),
        revoked: arg.any('The revoked ones: a list of dicts with certificate or serial_number'),
        days_remaining: optional('Renew it so many days before its end; 30 when not given'),
        signing_cert: signing.signing_cert,
        signing_private_key_passphrase: signing.signing_private_key_passphrase,
        include_expired: off('List those that are over, too'),
        days_valid: optional('For how many days; 100 when not given'),
        digest,
        encoding,
        extensions: optional('Extensions by name; cRLNumber may be auto'),
        kwargs,
      },
      run: (ctx, { name, days_remaining, encoding, extensions, kwargs, days_valid, ...options }) =>
        listManaged(ctx, {
          ...{ name, days_remaining: days_remaining ?? 30, encoding, extensions, kwargs },
          options: entries({ ...options, days_valid: days_valid ?? 100 }),
        }),
    }),
    csr_managed: state({
      doc: 'A request for a certificate is there, and as it should be.',
      args: {
        name,
        private_key: arg.any('The key'),
        private_key_passphrase: secret('Its passphrase'),
        digest,
        encoding,
        subject: optional('Whom it is for'),
        kwargs,
      },
      run: (ctx, { name, encoding, kwargs, ...options }) =>
        requestManaged(ctx, { name, encoding, kwargs, options: entries(options) }),
    }),
    pem_managed: state({
      doc: 'A file holds a text in PEM, in proper shape.',
      args: { name, text: arg.any('The text'), kwargs },
      run: (ctx, { name, text, kwargs }) => pemManaged(ctx, name, text, kwargs),
    }),
    private_key_managed: state({
      doc: 'A private key is there, of the right kind and size.',
      args: {
        name,
        algo: arg.any('rsa, ec, ed25519 or ed448', { default: 'rsa' }),
        keysize: optional('Its size in bits'),
        passphrase: secret('Its passphrase'),
        encoding,
        new: arg.flag('Make a new one every time', { default: false }),
        overwrite: arg.flag('Replace a file that cannot be read', { default: false }),
        pkcs12_encryption_compat: off('Encrypt a PKCS#12 container in the old way'),
        kwargs,
      },
      run: (ctx, wish) => keyManaged(ctx, wish),
    }),
  },
})
