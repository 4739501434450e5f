// A small authority for certificates below `/etc/pki`, through openssl: authorities, requests, certificates they sign,
// and certificates that sign themselves.
import { lookup } from '../../../base/mod.ts'
import { type Dict, fromTimestamp, isList, str, truthy, type Value, valueError } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import {
  certificateFacts,
  configured,
  newKey,
  newSerial,
  openssl,
  type Subject,
  subjectWords,
} from './module/openssl.ts'
import { isThere, record, rootOf, textOfFile, writeKey } from './module/places.ts'
import { revocation } from './module/revocation.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const cacert_path = optional('The root of all authorities; it counts for later calls too')
const ca_name = arg.any('The authority')
const ca_filename = optional('The name of its files, without what they end with')
const replace = arg.boolean('Whether what is there is replaced', { default: false })
const digest = arg.any('The hash for the signature', { default: 'sha256' })
const bits = arg.any('The length of the key', { default: 2048 })
const days = arg.any('How long it is valid', { default: 365 })
const subject = {
  CN: arg.any('The common name', { default: 'localhost' }),
  C: arg.any('The country', { default: 'US' }),
  ST: arg.any('The state', { default: 'Utah' }),
  L: arg.any('The city', { default: 'Salt Lake City' }),
  O: arg.any('The organization', { default: 'SaltStack' }),
  OU: optional('The unit'),
  emailAddress: optional('The mail address'),
}

const AUTHORITY = {
  basicConstraints: 'critical, CA:TRUE, pathlen:0',
  keyUsage: 'critical, keyCertSign, cRLSign',
  subjectKeyIdentifier: 'hash',
  authorityKeyIdentifier: 'keyid:always, issuer:always',
}

/** An extension at least makes it a certificate of version 3. */
const PLAIN = { subjectKeyIdentifier: 'hash' }

/** Extensions of requests by what the certificate is for. */
const REQUESTED: Readonly<Record<string, Readonly<Record<string, string>>>> = lookup({
  server: { extendedKeyUsage: 'serverAuth', keyUsage: 'digitalSignature, keyEncipherment' },
  client: { extendedKeyUsage: 'clientAuth', keyUsage: 'nonRepudiation, digitalSignature, keyEncipherment' },
})

interface SelfSigned extends Subject {
  days: Value
  digest: Value
}

/** A certificate signed with its own key. */
const selfSigned = (ctx: FunctionContext, key: string, wish: SelfSigned, extensions: Record<string, string>) =>
  configured(ctx, extensions, (config) => {
    const time = ['-days', str(wish.days), '-set_serial', newSerial(), `-${str(wish.digest)}`]
    return openssl(ctx, ['req', '-x509', '-new', '-key', key, '-config', config, ...time, ...subjectWords(wish)])
  })

async function create(ctx: FunctionContext, path: string, pem: string, folder: string): Promise<void> {
  await ctx.host.write(path, pem)
  await record(ctx, folder, await certificateFacts(ctx, pem, 'sha256'))
}

const fileOf = (ca: Value, name: Value): string => (truthy(name) ? str(name) : `${str(ca)}_ca_cert`)

/** A path, or what is there; nothing there is an error. */
async function pathOrText(ctx: FunctionContext, path: string, asText: boolean, missing: string): Promise<string> {
  if (!(await isThere(ctx, path))) throw valueError(missing)
  return asText ? textOfFile(ctx, path) : path
}

async function requestExtensions(ctx: FunctionContext, type: string, alternative: Value) {
  const own = await ctx.call('pillar.get', [`tls.extensions:${type}:csr`, null])
  const known =
    own instanceof Map
      ? Object.fromEntries([...(own as Dict)].map(([key, value]) => [str(key), str(value)]))
      : REQUESTED[type]
  const names = isList(alternative) ? alternative.map(str) : truthy(alternative) ? [str(alternative)] : []
  return { basicConstraints: 'CA:FALSE', ...known, ...(names.length > 0 && { subjectAltName: names.join(', ') }) }
}

const pemOf = async (ctx: FunctionContext, cert: string): Promise<string> =>
  cert.includes('-----BEGIN') ? cert : textOfFile(ctx, cert)

const getting = (what: string, ends: string, filename: string) =>
  reads({
    doc: `Where ${what} that an authority signed lies, or its text.`,
    example: `tls.get_ca_signed_${ends === 'crt' ? 'cert' : 'key'} test_ca CN=localhost`,
    args: {
      ca_name,
      CN: arg.any('The common name', { default: 'localhost' }),
      as_text: arg.boolean('Whether the text is told', { default: false }),
      cacert_path,
      [filename]: optional('The name of the file, if it is not the common name'),
    },
    run: async (ctx, given) => {
      const { ca_name, CN, as_text, cacert_path, [filename]: file } = given as Record<string, Value>
      const name = str(truthy(file ?? null) ? file! : CN!)
      const path = `${await rootOf(ctx, cacert_path!)}/${str(ca_name!)}/certs/${name}.${ends}`
      return pathOrText(ctx, path, truthy(as_text!), `Certificate does not exists for ${str(CN!)}`)
    },
  })

export default defineModule({
  name: 'tls',
  doc: 'Make certificates and small authorities.',
  when: async ({ host }) => (await host.which('openssl')) !== undefined || 'The program openssl was not found',
  functions: {
    cert_base_path: reads({
      doc: 'The root of all authorities.',
      example: 'tls.cert_base_path',
      args: { cacert_path },
      run: (ctx, given) => (truthy(given.cacert_path) ? given.cacert_path : rootOf(ctx, null)),
    }),
    set_ca_path: changes({
      doc: 'Let another root count for later calls.',
      example: 'tls.set_ca_path /etc/certs',
      args: { cacert_path: arg.any('The root') },
      run: (ctx, given) => rootOf(ctx, given.cacert_path),
    }),
    ca_exists: reads({
      doc: 'Whether there is an authority.',
      example: 'tls.ca_exists test_ca /etc/certs',
      args: { ca_name, cacert_path, ca_filename },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        return isThere(ctx, `${root}/${str(given.ca_name)}/${fileOf(given.ca_name, given.ca_filename)}.crt`)
      },
    }),
    get_ca: reads({
      doc: 'Where the certificate of an authority lies, or its text.',
      example: 'tls.get_ca test_ca as_text=False cacert_path=/etc/certs',
      args: { ca_name, as_text: arg.boolean('Whether the text is told', { default: false }), cacert_path },
      run: async (ctx, given) => {
        const path = `${await rootOf(ctx, given.cacert_path)}/${str(given.ca_name)}/${fileOf(given.ca_name, null)}.crt`
        return pathOrText(ctx, path, given.as_text, `Certificate does not exist for ${str(given.ca_name)}`)
      },
    }),
    get_ca_signed_cert: getting('a certificate', 'crt', 'cert_filename'),
    get_ca_signed_key: getting('the key of a certificate', 'key', 'key_filename'),
    create_ca: changes({
      doc: 'Make an authority; a key that is there is used again.',
      example: 'tls.create_ca test_ca',
      args: {
        ca_name,
        bits,
        days,
        ...subject,
        fixmode: arg.boolean('Whether the certificate of an authority is made anew', { default: false }),
        cacert_path,
        ca_filename,
        digest,
        onlyif: optional('Accepted'),
        unless: optional('Accepted'),
        replace,
      },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        const folder = `${root}/${str(given.ca_name)}`
        const base = `${folder}/${fileOf(given.ca_name, given.ca_filename)}`
        const exists = await isThere(ctx, `${base}.crt`)
        if (!given.replace && !given.fixmode && exists) {
          return `Certificate for CA named "${str(given.ca_name)}" already exists`
        }
        if (given.fixmode && !exists) throw valueError(`${base}.crt does not exists, can't fix`)
        await ctx.host.makeDirectory(folder, { parents: true })
        if (!(await isThere(ctx, `${base}.key`))) await writeKey(ctx, `${base}.key`, await newKey(ctx, given.bits))
        await create(ctx, `${base}.crt`, await selfSigned(ctx, `${base}.key`, given, AUTHORITY), folder)
        return `Created Private Key: "${base}.key" Created CA "${str(given.ca_name)}": "${base}.crt"`
      },
    }),
    create_csr: changes({
      doc: 'Make a request that an authority can sign, and its key.',
      example: 'tls.create_csr test',
      args: {
        ca_name,
        bits,
        ...subject,
        subjectAltName: optional('Further names: `DNS:…`, `IP:…`'),
        cacert_path,
        ca_filename,
        csr_path: optional('The folder of the request'),
        csr_filename: optional('Its name, if it is not the common name'),
        digest,
        type_ext: arg.boolean('Whether the name ends with what the certificate is for', { default: false }),
        cert_type: arg.any('What the certificate is for: server, client, or a name in pillar', { default: 'server' }),
        replace,
      },
      run: async (ctx, given) => {
        const root = await rootOf(ctx, given.cacert_path)
        const { ca_name, csr_path, csr_filename, CN } = given
        const type = str(given.cert_type) || 'server'
        if (!(await isThere(ctx, `${root}/${str(ca_name)}/${fileOf(ca_name, given.ca_filename)}.crt`))) {
          return `Certificate for CA named "${str(ca_name)}" does not exist, please create it first.`
        }
        const folder = truthy(csr_path) ? str(csr_path) : `${root}/${str(ca_name)}/certs/`
        const name = truthy(csr_filename) ? str(csr_filename) : `${str(CN)}${given.type_ext ? `_${type}` : ''}`
        const path = `${folder}/${name}`
        if (!given.replace && (await isThere(ctx, `${path}.csr`))) {
          return `Certificate Request "${path}.csr" already exists`
        }
        await ctx.host.makeDirectory(folder, { parents: true })
        await writeKey(ctx, `${path}.key`, await newKey(ctx, given.bits))
        const request = await configured(ctx, await requestExtensions(ctx, type, given.subjectAltName), (config) => {
          const how = ['-key', `${path}.key`, '-config', config, `-${str(given.digest)}`]
          return openssl(ctx, ['req', '-new', ...how, ...subjectWords(given)])
        })
        await ctx.host.write(`${path}.csr`, request)
        return `Created Private Key: "${folder}${name}.key" Created CSR for "${str(CN)}": "${folder}${name}.csr"`
      },
    }),
    create_self_signed_cert: changes({
      doc: 'Make a certificate that signs itself, and its key.',
      example: "tls.create_self_signed_cert CN='test.mysite.org'",
      args: {
        tls_dir: arg.any('The folder below the root', { default: 'tls' }),
        bits,
        days,
        ...subject,
        cacert_path,
        cert_filename: optional('The name of the files, if it is not the common name'),
        digest,
        replace,
      },
      run: async (ctx, given) => {
        const folder = `${await rootOf(ctx, given.cacert_path)}/${str(given.tls_dir)}`
        const name = truthy(given.cert_filename) ? str(given.cert_filename) : str(given.CN)
        const path = `${folder}/certs/${name}`
        await ctx.host.makeDirectory(`${folder}/certs`, { parents: true })
        if (!given.replace && (await isThere(ctx, `${path}.crt`))) return `Certificate "${name}" already exists`
        await writeKey(ctx, `${path}.key`, await newKey(ctx, given.bits))
        await create(ctx, `${path}.crt`, await selfSigned(ctx, `${path}.key`, given, PLAIN), folder)
        return `Created Private Key: "${path}.key" Created Certificate: "${path}.crt"`
      },
    }),
    create_ca_signed_cert: changes({
      doc: 'Let an authority sign the request of that name.',
      example: 'tls.create_ca_signed_cert test localhost',
      args: {
        ca_name,
        CN: arg.text('The common name'),
        days,
        cacert_path,
        ca_filename,
        cert_path: arg.text('The folder of request and certificate', { optional: true }),
        cert_filename: arg.text('The name of the certificate, if it is not the common name', { optional: true }),
        digest,
        cert_type: arg.text('What the certificate is for', { optional: true }),
        type_ext: arg.boolean('Whether the name ends with what the certificate is for', { default: false }),
        replace,
      },
      run: async (ctx, given) => {
        const { ca_name, CN, cert_type } = given
        const authority = `${await rootOf(ctx, given.cacert_path)}/${str(ca_name)}`
        const folder = given.cert_path ? given.cert_path : `${authority}/certs`
        if (given.type_ext && !cert_type) {
          ctx.log('error', 'type_ext = True but cert_type is unset. Certificate not written.')
          return new Map()
        }
        const request = `${CN}${given.type_ext ? `_${str(cert_type)}` : ''}`
        const name = given.cert_filename ? given.cert_filename : request
        if (!given.replace && (await isThere(ctx, `${authority}/certs/${name}.crt`))) {
          return `Certificate "${name}" already exists`
        }
        const base = `${authority}/${fileOf(ca_name, given.ca_filename)}`
        if (!(await isThere(ctx, `${base}.crt`)) || !(await isThere(ctx, `${base}.key`))) {
          return { retcode: 1, comment: `There is no CA named "${str(ca_name)}"` }
        }
        if (!(await isThere(ctx, `${folder}/${request}.csr`))) {
          return { retcode: 1, comment: `There is no CSR that matches the CN "${name}"` }
        }
        const signer = ['-CA', `${base}.crt`, '-CAkey', `${base}.key`, '-set_serial', newSerial()]
        const how = ['-days', str(given.days), `-${str(given.digest)}`, '-copy_extensions', 'copyall']
        const pem = await openssl(ctx, ['x509', '-req', '-in', `${folder}/${request}.csr`, ...signer, ...how])
        await create(ctx, `${folder}/${name}.crt`, pem, authority)
        return `Created Certificate for "${CN}": "${folder}/${name}.crt"`
      },
    }),
    create_pkcs12: changes({
      doc: 'Put a certificate, its key and that of its authority into one PKCS#12 file.',
      example: 'tls.create_pkcs12 test localhost',
      args: {
        ca_name,
        CN: arg.text('The common name'),
        passphrase: arg.text('The passphrase of the file', { default: '', secret: true }),
        cacert_path,
        replace,
      },
      run: async (ctx, given) => {
        const [ca, CN] = [str(given.ca_name), given.CN]
        const folder = `${await rootOf(ctx, given.cacert_path)}/${ca}`
        const path = `${folder}/certs/${CN}`
        if (!given.replace && (await isThere(ctx, `${path}.p12`))) return `Certificate "${CN}" already exists`
        if (!(await isThere(ctx, `${folder}/${ca}_ca_cert.crt`))) return `There is no CA named "${ca}"`
        if (!(await isThere(ctx, `${path}.crt`)) || !(await isThere(ctx, `${path}.key`))) {
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
      doc: 'What a certificate says.',
      example: 'tls.cert_info /dir/for/certs/cert.pem',
      args: { cert: arg.text('A file, or its text'), digest },
      run: async (ctx, given) => certificateFacts(ctx, await pemOf(ctx, given.cert), str(given.digest)),
      returns: ret.dict('The facts'),
    }),
    get_expiration_date: reads({
      doc: 'When a certificate ends.',
      example: "tls.get_expiration_date /path/to/foo.crt date_format='%d/%m/%Y'",
      args: {
        cert: arg.text('A file, or its text'),
        date_format: arg.text('How it is written', { default: '%Y-%m-%d' }),
      },
      run: async (ctx, given) => {
        const facts = await certificateFacts(ctx, await pemOf(ctx, given.cert), 'sha256')
        return fromTimestamp(Number(facts.get('not_after'))).strftime(given.date_format)
      },
    }),
  },
})
