// Keys, certificates, requests and revocation lists, with Salt's options of x509_v2.
import { type Dict, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  globPaths,
  type Result,
  reads,
  ret,
  x509,
} from '../../../sdk/mod.ts'
import { remoteSigning } from '../common/authority.ts'
import { generateKey } from '../common/generate-key.ts'
import { createList, createRequest } from './module/creating.ts'
import {
  checkEncoding,
  checkedDigest,
  encodeCertificate,
  encodeDocument,
  encodeKey,
  keySize,
} from './module/encoding.ts'
import { issueCertificate, signForOther } from './module/issuing.ts'
import { pemEntry, writePem } from './module/pem.ts'
import { signingPolicy } from './module/policies.ts'
import { expires, pemOf, readCertificate, readList, readRequest, verdict } from './module/reading.ts'
import { bytesOf, certificate, isFile, privateKey, publicKey } from './module/sources.ts'

const encoding = arg.text('pem or der', { default: 'pem' })
const raw = arg.boolean('Whether to return bytes', { default: false })
const path = arg.text('Path of the file to write; the result is returned if not given', { optional: true })
const digest = arg.text('Hash for the signature', { default: 'sha256' })
const source = (noun: string) => arg.any(`${noun}: path, text or bytes`)
const passphrase = arg.text('Passphrase of the key', { optional: true, secret: true })

/** Refuse unknown keywords; ignore those of the first version. */
function refuseUnknown(kwargs: ReadonlyMap<string, Value>, ignored: readonly string[]): void {
  const unknown = [...kwargs.keys()].filter((name) => !name.startsWith('_') && !ignored.includes(name))
  if (unknown.length > 0) throw misuse(`Unrecognized keyword arguments: ${str(unknown)}`)
}

/** Return the result, or write it to a file. */
async function deliver(
  ctx: FunctionContext,
  made: Value,
  path: string | null,
  pemType: string | null,
  done: string | null,
) {
  if (path === null) return made
  if (pemType !== null) return writePem(ctx, made, path, true, pemType)
  await ctx.host.write(path, made as Uint8Array)
  return done
}

type Readable = 'certificate' | 'crl' | 'csr'

const read = (name: Readable) => ({ [name]: source('Object to read') }) as Record<Readable, Arg<Value>>

const reading = (
  what: string,
  parameter: Readable,
  fun: string,
  run: (ctx: FunctionContext, given: Value) => Promise<Dict>,
) =>
  reads({
    doc: `Return the contents of ${what}.`,
    args: { ...read(parameter) },
    returns: ret.dict('The contents'),
    example: `x509.${fun} /etc/pki/mycert.crt`,
    run: (ctx, args) => run(ctx, args[parameter]),
  })

/** Declare a function that reads all files of a glob; files with other contents are skipped. */
const readingAll = (what: string, fun: string, run: (ctx: FunctionContext, path: Value) => Promise<Value>) =>
  reads({
    doc: `${what} of all files that match a glob.`,
    args: { glob_path: arg.text('Glob') },
    returns: ret.dict('By path'),
    example: `x509.${fun} '/etc/pki/*.crt'`,
    run: async (ctx, { glob_path }) => {
      const found: Record<string, Result> = {}
      for (const path of await globPaths(ctx, glob_path)) {
        if (await isFile(ctx, path)) found[path] = await run(ctx, path)
      }
      return found
    },
  })

const creating = {
  create_certificate: changes({
    doc: 'Create a certificate: sign it here, or request it from another minion.',
    args: {
      ca_server: arg.text('Minion id of the authority; this minion if not given', { optional: true }),
      signing_policy: arg.text('Signing policy', { optional: true }),
      encoding: arg.text('pem, der, pkcs7_pem or pkcs7_der', { default: 'pem' }),
      append_certs: arg.any('Certificate or list of certificates to append', { optional: true }),
      pkcs12_passphrase: arg.text('Passphrase of a PKCS#12 container', { optional: true, secret: true }),
      pkcs12_encryption_compat: arg.boolean('Whether to encrypt a PKCS#12 container in the old way', {
        default: false,
      }),
      pkcs12_friendlyname: arg.text('Name in a PKCS#12 container', { optional: true }),
      path,
      overwrite: arg.boolean('Whether to replace a file', { default: true }),
      raw,
      kwargs: arg.open('Keys, names, times and extensions'),
    },
    returns: ret.any('The certificate, or where it was written'),
    example: "x509.create_certificate signing_private_key='/etc/pki/myca.key' CN='example.com'",
    run: issueCertificate,
  }),
  create_csr: changes({
    doc: 'Create a certificate signing request.',
    args: {
      private_key: source('Private key'),
      private_key_passphrase: passphrase,
      ...{ digest, encoding, path, raw },
      kwargs: arg.open('Names and extensions'),
    },
    returns: ret.any('The request, or where it was written'),
    example: "x509.create_csr private_key='/etc/pki/myca.key' CN='My Cert'",
    run: async (ctx, { encoding, path, raw, kwargs, ...given }) => {
      checkEncoding(encoding, ['der', 'pem'])
      const options = (await x509()).withShortNames(new Map([...Object.entries(given), ...kwargs]))
      options.set('digest', options.get('algorithm') ?? given.digest)
      checkedDigest(options.get('digest')!)
      const label = 'CERTIFICATE REQUEST'
      const made = await encodeDocument(await createRequest(ctx, options), label, encoding, raw || truthy(path))
      return deliver(ctx, made, path, encoding === 'pem' ? label : null, `CSR written to ${str(path)}`)
    },
  }),
  create_crl: changes({
    doc: 'Create a certificate revocation list.',
    args: {
      signing_private_key: source('Private key of the authority'),
      revoked: arg.list('Dicts with `certificate` or `serial_number`'),
      signing_cert: arg.any('Certificate of the authority: path, text or bytes', { optional: true }),
      signing_private_key_passphrase: passphrase,
      include_expired: arg.boolean('Whether to list expired certificates as well', { default: false }),
      days_valid: arg.count('Validity in days; default 100', { optional: true }),
      ...{ digest, encoding },
      extensions: arg.any('Dict of extensions by name', { optional: true }),
      ...{ path, raw },
      kwargs: arg.open('Other keywords are refused'),
    },
    returns: ret.any('The list, or where it was written'),
    example: "x509.create_crl signing_cert=/etc/pki/ca.crt signing_private_key=/etc/pki/ca.key revoked='[…]'",
    run: async (ctx, { encoding, path, raw, kwargs, ...given }) => {
      refuseUnknown(kwargs, ['text'])
      checkEncoding(encoding, ['der', 'pem'])
      checkedDigest(given.digest)
      const bytes = await createList(ctx, new Map<string, Value>(Object.entries(given)))
      const made = await encodeDocument(bytes, 'X509 CRL', encoding, raw || truthy(path))
      return deliver(ctx, made, path, encoding === 'pem' ? 'X509 CRL' : null, `CRL written to ${str(path)}`)
    },
  }),
  create_private_key: changes({
    doc: 'Create a private key.',
    args: {
      algo: arg.text('rsa, ec, ed25519 or ed448', { default: 'rsa' }),
      keysize: arg.count('Key size in bits', { optional: true }),
      passphrase,
      encoding,
      pkcs12_encryption_compat: arg.boolean('Whether to encrypt a PKCS#12 container in the old way', {
        default: false,
      }),
      ...{ path, raw },
      kwargs: arg.open('`bits`, the old name of keysize'),
    },
    returns: ret.any('The key, or where it was written'),
    example: 'x509.create_private_key algo=ec keysize=384',
    run: (ctx, { algo, keysize, passphrase, encoding, path, raw, kwargs }) => {
      refuseUnknown(kwargs, ['bits', 'cipher', 'verbose', 'text'])
      checkEncoding(encoding, ['der', 'pem', 'pkcs12'])
      const key = generateKey(algo, kwargs.get('bits') ?? keysize)
      const made = encodeKey(key, encoding, passphrase, raw || truthy(path))
      return deliver(ctx, made, path, encoding === 'pem' ? '(?:(RSA|ENCRYPTED) )?PRIVATE KEY' : null, null)
    },
  }),
}

const encodings = {
  encode_certificate: reads({
    doc: 'Return a certificate in another encoding.',
    args: {
      certificate: source('Certificate'),
      encoding: arg.text('pem, der, pkcs7_pem or pkcs7_der', { default: 'pem' }),
      append_certs: arg.any('Certificate or list of certificates to append', { optional: true }),
      private_key: arg.any('Private key to embed: path, text or bytes; only for PKCS#12', { optional: true }),
      private_key_passphrase: passphrase,
      pkcs12_passphrase: passphrase,
      pkcs12_encryption_compat: arg.boolean('Whether to encrypt a PKCS#12 container in the old way', {
        default: false,
      }),
      pkcs12_friendlyname: arg.text('Name in a PKCS#12 container', { optional: true }),
      raw,
    },
    returns: ret.any('The certificate'),
    example: 'x509.encode_certificate /etc/pki/my.pem encoding=der',
    run: async (ctx, { certificate: given, encoding, append_certs, private_key, raw }) => {
      if (encoding !== 'pkcs12' && private_key) {
        throw misuse('Embedding private keys is only supported for pkcs12 encoding')
      }
      return encodeCertificate(ctx, await certificate(ctx, given), { encoding, append_certs, raw })
    },
  }),
  encode_crl: reads({
    doc: 'Return a revocation list in another encoding.',
    args: { crl: source('Revocation list'), encoding, raw },
    returns: ret.any('The list'),
    example: 'x509.encode_crl /etc/pki/my.crl encoding=der',
    run: async (ctx, { crl, encoding, raw }) => {
      const { value } = (await x509()).loadRevocationList(await bytesOf(ctx, crl))
      return encodeDocument(value.raw, 'X509 CRL', encoding, raw)
    },
  }),
  encode_csr: reads({
    doc: 'Return a request in another encoding.',
    args: { csr: source('Request'), encoding, raw },
    returns: ret.any('The request'),
    example: 'x509.encode_csr /etc/pki/my.csr encoding=der',
    run: async (ctx, { csr, encoding, raw }) => {
      const { value } = (await x509()).loadRequest(await bytesOf(ctx, csr))
      return encodeDocument(value.raw, 'CERTIFICATE REQUEST', encoding, raw)
    },
  }),
  encode_private_key: reads({
    doc: 'Return a private key in another encoding, or with another passphrase.',
    args: {
      private_key: source('Private key'),
      encoding,
      passphrase: arg.text('New passphrase', { optional: true, secret: true }),
      private_key_passphrase: passphrase,
      pkcs12_encryption_compat: arg.boolean('Whether to encrypt a PKCS#12 container in the old way', {
        default: false,
      }),
      raw,
    },
    returns: ret.any('The key'),
    example: 'x509.encode_private_key /etc/pki/my.key passphrase=hunter2',
    run: async (ctx, { private_key, encoding, passphrase, private_key_passphrase, raw }) =>
      encodeKey(await privateKey(ctx, private_key, private_key_passphrase), encoding, passphrase, raw),
  }),
}

const facts = {
  expires: reads({
    doc: 'Return whether a certificate is expired, or will be in some days.',
    args: { certificate: source('Certificate'), days: arg.integer('Number of days', { default: 0 }) },
    returns: ret.boolean('Whether it is'),
    example: 'x509.expires "/etc/pki/my.crt" days=7',
    run: (ctx, { certificate, days }) => expires(ctx, certificate, Number(days)),
  }),
  expired: reads({
    doc: 'Return whether a certificate is expired.',
    args: { certificate: source('Certificate') },
    returns: ret.dict('Path, common name, and the answer'),
    example: 'x509.expired /etc/pki/mycert.crt',
    run: async (ctx, { certificate }) =>
      (await verdict(ctx, certificate, new Map())).set('expired', await expires(ctx, certificate, 0)),
  }),
  will_expire: reads({
    doc: 'Return whether a certificate expires within some days.',
    args: { certificate: source('Certificate'), days: arg.integer('Number of days') },
    returns: ret.dict('Days, path, common name, and the answer'),
    example: 'x509.will_expire /etc/pki/mycert.crt days=30',
    run: async (ctx, { certificate, days }) => {
      const found = await verdict(ctx, certificate, new Map<Value, Value>([['check_days', days]]))
      return found.set('will_expire', await expires(ctx, certificate, Number(days)))
    },
  }),
  get_private_key_size: reads({
    doc: 'Return the size of a private key.',
    args: { private_key: source('Private key'), passphrase },
    returns: ret.any('The size in bits; None for keys on Edwards curves'),
    example: 'x509.get_private_key_size /etc/pki/my.key',
    run: async (ctx, { private_key, passphrase }) => keySize(await privateKey(ctx, private_key, passphrase)),
  }),
  get_public_key: reads({
    doc: 'Return the public key of a key, certificate or request.',
    args: { key: source('Object to read'), passphrase, asObj: arg.text('Ignored', { optional: true }) },
    returns: ret.string('The key in PEM'),
    example: 'x509.get_public_key /etc/pki/my.key',
    run: async (ctx, { key, passphrase }) => pemOf(await publicKey(ctx, key, passphrase)),
  }),
  get_signing_policy: reads({
    doc: 'Return a signing policy of this or another minion.',
    args: {
      signing_policy: arg.any('Name of the policy, as text; None for an empty policy'),
      ca_server: arg.text('Minion id of the authority', { optional: true }),
    },
    returns: ret.dict('The policy'),
    example: 'x509.get_signing_policy www',
    run: (ctx, { signing_policy, ca_server }) => signingPolicy(ctx, signing_policy, ca_server),
  }),
}

const verifying = {
  verify_crl: reads({
    doc: 'Return whether a revocation list was signed by the key of a certificate.',
    args: { crl: source('Revocation list'), cert: source('Certificate or key') },
    returns: ret.boolean('Whether it was'),
    example: 'x509.verify_crl crl=/etc/pki/my.crl cert=/etc/pki/ca.crt',
    run: async (ctx, { crl, cert }) => {
      const tools = await x509()
      const { value } = tools.loadRevocationList(await bytesOf(ctx, crl))
      return tools.isSignedBy(value, await publicKey(ctx, cert, null))
    },
  }),
  verify_private_key: reads({
    doc: 'Return whether a private key belongs to a public key.',
    args: { private_key: source('Private key'), public_key: source('Public key or certificate'), passphrase },
    returns: ret.boolean('Whether it does'),
    example: 'x509.verify_private_key private_key=/etc/pki/my.key public_key=/etc/pki/my.crt',
    run: async (ctx, { private_key, public_key, passphrase }) => {
      const { publicBytes, sameBytes } = await x509()
      const own = publicBytes(await privateKey(ctx, private_key, passphrase))
      return sameBytes(own, publicBytes(await publicKey(ctx, public_key, null)))
    },
  }),
  verify_signature: reads({
    doc: 'Return whether a certificate was signed by a key, by default its own.',
    args: {
      certificate: source('Certificate'),
      signing_pub_key: arg.any('Public key or certificate: path, text or bytes', { optional: true }),
      signing_pub_key_passphrase: passphrase,
    },
    returns: ret.boolean('Whether it was'),
    example: 'x509.verify_signature /etc/pki/my.pem signing_pub_key=/etc/pki/ca.crt',
    run: async (ctx, given) => {
      const by = truthy(given.signing_pub_key) ? given.signing_pub_key : given.certificate
      const key = await publicKey(ctx, by, given.signing_pub_key_passphrase)
      return (await x509()).isSignedBy(await certificate(ctx, given.certificate), key)
    },
  }),
}

export default defineModule({
  name: 'x509_v2',
  virtual: 'x509',
  doc: 'Manage keys and certificates.',
  functions: {
    ...creating,
    ...encodings,
    ...facts,
    ...verifying,
    get_pem_entries: readingAll('Return the PEM entries', 'get_pem_entries', async (ctx, path) =>
      Buffer.from(await pemEntry(ctx, path, null)),
    ),
    get_pem_entry: reads({
      doc: 'Return an entry of a PEM text, in canonical form.',
      args: {
        text: source('PEM text'),
        pem_type: arg.text('Type of the entry, such as CERTIFICATE', { optional: true }),
      },
      returns: ret.any('The entry, as bytes'),
      example: 'x509.get_pem_entry "-----BEGIN CERTIFICATE REQUEST-----MIICyzCC…"',
      run: async (ctx, { text, pem_type }) => new Uint8Array(Buffer.from(await pemEntry(ctx, text, pem_type))),
    }),
    read_certificate: reading('a certificate', 'certificate', 'read_certificate', readCertificate),
    read_certificates: readingAll('Return the contents of the certificates', 'read_certificates', readCertificate),
    read_crl: reading('a list of revoked certificates', 'crl', 'read_crl', readList),
    read_csr: reading('a request', 'csr', 'read_csr', readRequest),
    sign_remote_certificate: remoteSigning(
      "x509.sign_remote_certificate www kwargs='{public_key: /etc/pki/www.key}'",
      signForOther,
    ),
    write_pem: changes({
      doc: 'Write an entry of a PEM text to a file.',
      args: {
        text: source('PEM text'),
        path: arg.string('Path of the file'),
        overwrite: arg.boolean('False to keep a private key and DH parameters of the file', { default: true }),
        pem_type: arg.text('Type of the entry, such as CERTIFICATE', { optional: true }),
      },
      returns: ret.string('A text with the path'),
      example: 'x509.write_pem /root/certs/my.crt /etc/pki/my.crt',
      run: (ctx, { text, path, overwrite, pem_type }) => writePem(ctx, text, path, overwrite, pem_type),
    }),
  },
})
