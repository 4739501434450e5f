// A small certificate authority below `/etc/pki`, through openssl: authorities, requests, signed and self-signed
// certificates.
import { lookup } from '../../../base/mod.ts'
import { fromTimestamp, isList, str, truthy, type Value, valueError } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, exists, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import {
  certificateFacts,
  configured,
  newKey,
  newSerial,
  openssl,
  type Subject,
  subjectWords,
} from './module/openssl.ts'
import { record, rootOf, textOfFile, writeKey } from './module/places.ts'
import { revocation } from './module/revocation.ts'

const cacert_path = arg.text('Root directory of all authorities; remembered for later calls', { optional: true })
const ca_name = arg.text('Name of the authority')
const ca_filename = arg.text('Name of its files, without extension', { optional: true })
const replace = arg.boolean('Whether to replace existing files', { default: false })
const digest = arg.text('Hash for the signature', { default: 'sha256' })
const bits = arg.count('Key length in bits', { default: 2048 })
const days = arg.count('Days that the certificate is valid', { default: 365 })
const subject = {
  CN: arg.text('Common name', { default: 'localhost' }),
  C: arg.text('Country', { default: 'US' }),
  ST: arg.text('State', { default: 'Utah' }),
  L: arg.text('City', { default: 'Salt Lake City' }),
  O: arg.text('Organization', { default: 'SaltStack' }),
  OU: arg.text('Organizational unit', { optional: true }),
  emailAddress: arg.text('E-mail address', { optional: true }),
}

const AUTHORITY = {
  basicConstraints: 'critical, CA:TRUE, pathlen:0',
  keyUsage: 'critical, keyCertSign, cRLSign',
  subjectKeyIdentifier: 'hash',
  authorityKeyIdentifier: 'keyid:always, issuer:always',
}

/** At least one extension, which makes it a version 3 certificate. */
const PLAIN = { subjectKeyIdentifier: 'hash' }

/** Extensions of requests by use of the certificate. */
const REQUESTED: Readonly<Record<string, Readonly<Record<string, string>>>> = lookup({
  server: { extendedKeyUsage: 'serverAuth', keyUsage: 'digitalSignature, keyEncipherment' },
  client: { extendedKeyUsage: 'clientAuth', keyUsage: 'nonRepudiation, digitalSignature, keyEncipherment' },
})

interface SelfSigned extends Subject {
  days: number
  digest: string
}

/** Create a self-signed certificate. */
const selfSigned = (ctx: FunctionContext, key: string, request: SelfSigned, extensions: Record<string, string>) =>
  configured(ctx, extensions, (config) => {
    const time = ['-days', `${request.days}`, '-set_serial', newSerial(), `-${request.digest}`]
    return openssl(ctx, ['req', '-x509', '-new', '-key', key, '-config', config, ...time, ...subjectWords(request)])
  })

async function create(ctx: FunctionContext, path: string, pem: string, folder: string): Promise<void> {
  await ctx.host.write(path, pem)
  await record(ctx, folder, await certificateFacts(ctx, pem, 'sha256'))
}

const fileOf = (ca: string, name: string | null): string => name || `${ca}_ca_cert`

/** Return a path, or the text of the file; raise an error if it does not exist. */
async function pathOrText(ctx: FunctionContext, path: string, asText: boolean, missing: string): Promise<string> {
  if (!(await exists(ctx, path))) throw valueError(missing)
  return asText ? textOfFile(ctx, path) : path
}

async function requestExtensions(ctx: FunctionContext, type: string, alternative: Value) {
  const own = await ctx.call('pillar.get', [`tls.extensions:${type}:csr`, null])
  const known =
    own instanceof Map ? Object.fromEntries([...own].map(([key, value]) => [str(key), str(value)])) : REQUESTED[type]
  const names = isList(alternative) ? alternative.map(str) : truthy(alternative) ? [str(alternative)] : []
  return { basicConstraints: 'CA:FALSE', ...known, ...(names.length > 0 && { subjectAltName: names.join(', ') }) }
}

const pemOf = async (ctx: FunctionContext, cert: string): Promise<string> =>
  cert.includes('-----BEGIN') ? cert : textOfFile(ctx, cert)

const signedFile = {
  ca_name,
  CN: arg.text('Common name', { default: 'localhost' }),
  as_text: arg.boolean('Whether to return the text', { default: false }),
  cacert_path,
}
const filename = arg.text('Name of the file; default: the common name', { optional: true })

async function signed(ctx: FunctionContext, given: Bound<typeof signedFile>, file: string | null, ends: string) {
  const { ca_name, CN, as_text, cacert_path } = given
  const path = `${await rootOf(ctx, cacert_path)}/${ca_name}/certs/${file || CN}.${ends}`
  return pathOrText(ctx, path, as_text, `Certificate does not exists for ${CN}`)
}

export default defineModule({
  name: 'tls',
  doc: 'Create certificates and small certificate authorities.',
  when: async ({ host }) => (await host.which('openssl')) !== undefined || 'The program openssl was not found',
  functions: {
    cert_base_path: reads({
      doc: 'Return the root directory of all authorities.',
      args: { cacert_path },
      run: (ctx, given) => given.cacert_path || rootOf(ctx, null),
    }),
    set_ca_path: changes({
      doc: 'Set the root directory for later calls.',
      example: 'tls.set_ca_path /etc/certs',
      args: { cacert_path: arg.text('Root directory') },
      run: (ctx, given) => rootOf(ctx, given.cacert_path),
    }),
    ca_exists: reads({
      doc: 'Return whether an authority exists.',
      example: 'tls.ca_exists test_ca /etc/certs',
      args: { ca_name, cacert_path, ca_filename },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        return exists(ctx, `${root}/${given.ca_name}/${fileOf(given.ca_name, given.ca_filename)}.crt`)
      },
    }),
    get_ca: reads({
      doc: 'Return the path of the certificate of an authority, or its text.',
      example: 'tls.get_ca test_ca as_text=False cacert_path=/etc/certs',
      args: { ca_name, as_text: arg.boolean('Whether to return the text', { default: false }), cacert_path },
      run: async (ctx, given) => {
        const path = `${await rootOf(ctx, given.cacert_path)}/${given.ca_name}/${fileOf(given.ca_name, null)}.crt`
        return pathOrText(ctx, path, given.as_text, `Certificate does not exist for ${given.ca_name}`)
      },
    }),
    get_ca_signed_cert: reads({
      doc: 'Return the path of a certificate that an authority signed, or its text.',
      example: 'tls.get_ca_signed_cert test_ca CN=localhost',
      args: { ...signedFile, cert_filename: filename },
      run: (ctx, { cert_filename, ...given }) => signed(ctx, given, cert_filename, 'crt'),
    }),
    get_ca_signed_key: reads({
      doc: 'Return the path of the key of a certificate that an authority signed, or its text.',
      example: 'tls.get_ca_signed_key test_ca CN=localhost',
      args: { ...signedFile, key_filename: filename },
      run: (ctx, { key_filename, ...given }) => signed(ctx, given, key_filename, 'key'),
    }),
    create_ca: changes({
      doc: 'Create an authority; an existing key is reused.',
      example: 'tls.create_ca test_ca',
      args: {
        ca_name,
        bits,
        days,
        ...subject,
        fixmode: arg.boolean('Whether to recreate the certificate of an existing authority', { default: false }),
        cacert_path,
        ca_filename,
        digest,
        onlyif: arg.text('Ignored', { optional: true }),
        unless: arg.text('Ignored', { optional: true }),
        replace,
      },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        const folder = `${root}/${given.ca_name}`
        const base = `${folder}/${fileOf(given.ca_name, given.ca_filename)}`
        const hasCertificate = await exists(ctx, `${base}.crt`)
        if (!given.replace && !given.fixmode && hasCertificate) {
          return `Certificate for CA named "${given.ca_name}" already exists`
        }
        if (given.fixmode && !hasCertificate) throw valueError(`${base}.crt does not exists, can't fix`)
        await ctx.host.makeDirectory(folder, { parents: true })
        if (!(await exists(ctx, `${base}.key`))) await writeKey(ctx, `${base}.key`, await newKey(ctx, given.bits))
        await create(ctx, `${base}.crt`, await selfSigned(ctx, `${base}.key`, given, AUTHORITY), folder)
        return `Created Private Key: "${base}.key" Created CA "${given.ca_name}": "${base}.crt"`
      },
    }),
    create_csr: changes({
      doc: 'Create a certificate request and its key.',
      example: 'tls.create_csr test',
      args: {
        ca_name,
        bits,
        ...subject,
        subjectAltName: arg.any('Alternative names such as `DNS:…` and `IP:…`: a list, or text with commas', {
          optional: true,
        }),
        cacert_path,
        ca_filename,
        csr_path: arg.text('Directory of the request', { optional: true }),
        csr_filename: arg.text('Name of the files; default: the common name', { optional: true }),
        digest,
        type_ext: arg.boolean('Whether to append the use of the certificate to the name', { default: false }),
        cert_type: arg.text('Use of the certificate: server, client, or a name in pillar', { default: 'server' }),
        replace,
      },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        const { ca_name, csr_path, csr_filename, CN } = given
        const type = given.cert_type || 'server'
        if (!(await exists(ctx, `${root}/${ca_name}/${fileOf(ca_name, given.ca_filename)}.crt`))) {
          return `Certificate for CA named "${ca_name}" does not exist, please create it first.`
        }
        const folder = csr_path || `${root}/${ca_name}/certs/`
        const name = csr_filename || `${CN}${given.type_ext ? `_${type}` : ''}`
        const path = `${folder}/${name}`
        if (!given.replace && (await exists(ctx, `${path}.csr`))) {
          return `Certificate Request "${path}.csr" already exists`
        }
        await ctx.host.makeDirectory(folder, { parents: true })
        await writeKey(ctx, `${path}.key`, await newKey(ctx, given.bits))
        const request = await configured(ctx, await requestExtensions(ctx, type, given.subjectAltName), (config) => {
          const how = ['-key', `${path}.key`, '-config', config, `-${given.digest}`]
          return openssl(ctx, ['req', '-new', ...how, ...subjectWords(given)])
        })
        await ctx.host.write(`${path}.csr`, request)
        return `Created Private Key: "${folder}${name}.key" Created CSR for "${CN}": "${folder}${name}.csr"`
      },
    }),
    create_self_signed_cert: changes({
      doc: 'Create a self-signed certificate and its key.',
      example: "tls.create_self_signed_cert CN='test.mysite.org'",
      args: {
        tls_dir: arg.text('Directory below the root', { default: 'tls' }),
        bits,
        days,
        ...subject,
        cacert_path,
        cert_filename: arg.text('Name of the files; default: the common name', { optional: true }),
        digest,
        replace,
      },
      run: async (ctx, given) => {
        const folder = `${await rootOf(ctx, given.cacert_path)}/${given.tls_dir}`
        const name = given.cert_filename || given.CN
        const path = `${folder}/certs/${name}`
        await ctx.host.makeDirectory(`${folder}/certs`, { parents: true })
        if (!given.replace && (await exists(ctx, `${path}.crt`))) return `Certificate "${name}" already exists`
        await writeKey(ctx, `${path}.key`, await newKey(ctx, given.bits))
        await create(ctx, `${path}.crt`, await selfSigned(ctx, `${path}.key`, given, PLAIN), folder)
        return `Created Private Key: "${path}.key" Created Certificate: "${path}.crt"`
      },
    }),
    create_ca_signed_cert: changes({
      doc: 'Sign a request with an authority.',
      example: 'tls.create_ca_signed_cert test localhost',
      args: {
        ca_name,
        CN: arg.text('Common name'),
        days,
        cacert_path,
        ca_filename,
        cert_path: arg.text('Directory of request and certificate', { optional: true }),
        cert_filename: arg.text('Name of the certificate; default: the common name', { optional: true }),
        digest,
        cert_type: arg.text('Use of the certificate', { optional: true }),
        type_ext: arg.boolean('Whether to append the use of the certificate to the name', { default: false }),
        replace,
      },
      run: async (ctx, given) => {
        const { ca_name, CN, cert_type } = given
        const authority = `${await rootOf(ctx, given.cacert_path)}/${ca_name}`
        const folder = given.cert_path || `${authority}/certs`
        if (given.type_ext && !cert_type) {
          ctx.log('error', 'type_ext = True but cert_type is unset. Certificate not written.')
          return new Map()
        }
        const request = `${CN}${given.type_ext ? `_${str(cert_type)}` : ''}`
        const name = given.cert_filename || request
        if (!given.replace && (await exists(ctx, `${authority}/certs/${name}.crt`))) {
          return `Certificate "${name}" already exists`
        }
        const base = `${authority}/${fileOf(ca_name, given.ca_filename)}`
        if (!(await exists(ctx, `${base}.crt`)) || !(await exists(ctx, `${base}.key`))) {
          return { retcode: 1, comment: `There is no CA named "${ca_name}"` }
        }
        if (!(await exists(ctx, `${folder}/${request}.csr`))) {
          return { retcode: 1, comment: `There is no CSR that matches the CN "${name}"` }
        }
        const signer = ['-CA', `${base}.crt`, '-CAkey', `${base}.key`, '-set_serial', newSerial()]
        const how = ['-days', `${given.days}`, `-${given.digest}`, '-copy_extensions', 'copyall']
        const pem = await openssl(ctx, ['x509', '-req', '-in', `${folder}/${request}.csr`, ...signer, ...how])
        await create(ctx, `${folder}/${name}.crt`, pem, authority)
        return `Created Certificate for "${CN}": "${folder}/${name}.crt"`
      },
    }),
    create_pkcs12: changes({
      doc: 'Create a PKCS#12 file of a certificate, its key and the certificate of its authority.',
      example: 'tls.create_pkcs12 test localhost',
      args: {
        ca_name,
        CN: arg.text('Common name'),
        passphrase: arg.text('Passphrase of the file', { default: '', secret: true }),
        cacert_path,
        replace,
      },
      run: async (ctx, given) => {
        const { ca_name: ca, CN } = given
        const folder = `${await rootOf(ctx, given.cacert_path)}/${ca}`
        const path = `${folder}/certs/${CN}`
        if (!given.replace && (await exists(ctx, `${path}.p12`))) return `Certificate "${CN}" already exists`
        if (!(await exists(ctx, `${folder}/${ca}_ca_cert.crt`))) return `There is no CA named "${ca}"`
        if (!(await exists(ctx, `${path}.crt`)) || !(await exists(ctx, `${path}.key`))) {
          return `There is no certificate that matches the CN "${CN}"`
        }
        const parts = ['-in', `${path}.crt`, '-inkey', `${path}.key`, '-certfile', `${folder}/${ca}_ca_cert.crt`]
        const out = ['-out', `${path}.p12`, '-passout', 'stdin']
        await openssl(ctx, ['pkcs12', '-export', ...parts, ...out], `${given.passphrase}\n`)
        return `Created PKCS#12 Certificate for "${CN}": "${path}.p12"`
      },
    }),
    ...revocation,
    cert_info: reads({
      doc: 'Return the contents of a certificate.',
      example: 'tls.cert_info /dir/for/certs/cert.pem',
      args: { cert: arg.text('Path or text of the certificate'), digest },
      run: async (ctx, given) => certificateFacts(ctx, await pemOf(ctx, given.cert), given.digest),
      returns: ret.dict('The contents'),
    }),
    get_expiration_date: reads({
      doc: 'Return the expiration date of a certificate.',
      example: "tls.get_expiration_date /path/to/foo.crt date_format='%d/%m/%Y'",
      args: {
        cert: arg.text('Path or text of the certificate'),
        date_format: arg.text('Format for strftime', { default: '%Y-%m-%d' }),
      },
      run: async (ctx, given) => {
        const facts = await certificateFacts(ctx, await pemOf(ctx, given.cert), 'sha256')
        return fromTimestamp(Number(facts.get('not_after'))).strftime(given.date_format)
      },
    }),
  },
})
