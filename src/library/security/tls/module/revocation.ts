// Revocation: an authority records revoked certificates in its `index.txt`, in the format of openssl's database, and signs a
// list of them that is valid for a hundred years.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, isDict, str, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, changes, exists, type FunctionContext, reads } from '../../../../sdk/mod.ts'
import { certificateFacts, openssl } from './openssl.ts'
import { rootOf, textOfFile } from './places.ts'

const DAYS = '36500'

interface Authority {
  folder: string
  certificate: string
  key: string
}

async function authorityOf(
  ctx: FunctionContext,
  ca: string,
  root: string | null,
  file: string | null,
): Promise<Authority> {
  const folder = `${await rootOf(ctx, root)}/${ca}`
  const base = `${folder}/${file || `${ca}_ca_cert`}`
  return { folder, certificate: `${base}.crt`, key: `${base}.key` }
}

const hasFiles = async (ctx: FunctionContext, { certificate, key }: Authority): Promise<boolean> =>
  (await exists(ctx, certificate)) && (await exists(ctx, key))

const noAuthority = (ca: string): string => `There is no CA named "${ca}"`

/** Return the signed list of these lines of an index. */
async function signedList(ctx: FunctionContext, authority: Authority, lines: readonly string[], digest: string) {
  const folder = await ctx.host.tempDirectory({ prefix: 'tls-' })
  try {
    const settings = [
      '[ca]',
      'default_ca = own',
      '[own]',
      `database = ${folder}/index.txt`,
      'unique_subject = no',
      `default_md = ${digest}`,
      `default_crl_days = ${DAYS}`,
    ]
    await ctx.host.write(`${folder}/index.txt`, lines.map((line) => `${line}\n`).join(''))
    await ctx.host.write(`${folder}/openssl.cnf`, `${settings.join('\n')}\n`)
    const signer = ['-cert', authority.certificate, '-keyfile', authority.key]
    return await openssl(ctx, ['ca', '-gencrl', '-batch', '-config', `${folder}/openssl.cnf`, ...signer])
  } finally {
    await ctx.host.removeDirectory(folder, { recursive: true })
  }
}

const linesOf = async (ctx: FunctionContext, path: string): Promise<string[]> =>
  (await exists(ctx, path)) ? (await textOfFile(ctx, path)).split('\n').filter((line) => line !== '') : []

const shortTime = (seconds: number): string =>
  new Date(seconds * 1000)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)

type Revocation = Bound<typeof revokeCertArgs>

async function revoke(ctx: FunctionContext, given: Revocation) {
  const authority = await authorityOf(ctx, given.ca_name, given.cacert_path, given.ca_filename)
  if (!(await hasFiles(ctx, authority))) return noAuthority(given.ca_name)
  const certificate = `${given.cert_path ?? `${authority.folder}/certs`}/${given.cert_filename ?? given.CN}.crt`
  if (!(await exists(ctx, certificate))) return `There is no client certificate named "${given.CN}"`
  const facts = await certificateFacts(ctx, await textOfFile(ctx, certificate), 'sha256')
  const serial = (facts.get('serial_number') as bigint).toString(16).toUpperCase()
  const index = `${authority.folder}/index.txt`
  const entries = (await linesOf(ctx, index)).map((line) => line.split('\t'))
  const own = entries.find((fields) => fields[3] === serial)
  if (own?.[0] === 'R') return `"${certificate}" was already revoked, serial number: ${serial}`
  const now = shortTime(ctx.host.now())
  if (own) own.splice(0, 3, 'R', own[1] ?? '', now)
  else entries.push(['R', shortTime(Number(facts.get('not_after'))), now, serial, 'unknown', '/'])
  const lines = entries.map((fields) => fields.join('\t'))
  const target = given.crl_file ?? `${authority.folder}/crl.pem`
  if ((await ctx.host.stat(target))?.type === 'directory') {
    return { retcode: 1, comment: `crl_file "${target}" is an existing directory` }
  }
  const revoked = lines.filter((line) => line.startsWith('R'))
  const list = await signedList(ctx, authority, revoked, given.digest)
  await ctx.host.write(index, lines.map((line) => `${line}\n`).join(''))
  await ctx.host.write(target, list)
  return `Revoked Certificate: "${certificate}", serial number: ${serial}`
}

/** Return whether an authority signed a certificate and did not revoke it. */
async function validate(ctx: FunctionContext, cert: string, ca: string, crl: Value) {
  const authority = await authorityOf(ctx, ca, null, null)
  let list: string
  if (crl !== null) list = await textOfFile(ctx, str(crl))
  else {
    const empty = { valid: false, error: 'Empty CRL requested but CA key missing or invalid' }
    if (!(await hasFiles(ctx, authority))) return empty
    const lines = (await linesOf(ctx, `${authority.folder}/index.txt`)).filter((line) => line.startsWith('R'))
    list = await signedList(ctx, authority, lines, 'sha256')
  }
  const file = await ctx.host.tempFile({ content: list })
  await ctx.host.settle()
  try {
    const words = ['verify', '-CAfile', authority.certificate, '-crl_check_all', '-CRLfile', file]
    const { retcode, stderr } = await ctx.host.run({ argv: ['openssl', ...words], stdin: cert })
    if (retcode === 0) return { valid: true }
    const errors = Buffer.from(stderr).toString()
    return { error: /depth lookup: (.*)/.exec(errors)?.[1] ?? errors.trim(), valid: false }
  } finally {
    await ctx.host.remove(file)
  }
}

const usage = (extended: string, key: string): Dict =>
  dictFrom({ csr: dictFrom({ extendedKeyUsage: extended, keyUsage: key }), cert: dictFrom({}) })

const USES: Readonly<Record<string, () => Dict>> = lookup({
  common: () =>
    dictFrom({
      csr: dictFrom({ basicConstraints: 'CA:FALSE' }),
      cert: dictFrom({ authorityKeyIdentifier: 'keyid,issuer:always', subjectKeyIdentifier: 'hash' }),
    }),
  server: () => usage('serverAuth', 'digitalSignature, keyEncipherment'),
  client: () => usage('clientAuth', 'nonRepudiation, digitalSignature, keyEncipherment'),
})

/** Return the extensions of requests and certificates for a use: those in pillar, else the defaults. */
async function extensionsFor(ctx: FunctionContext, use: string): Promise<Dict> {
  const wanted = async (name: string): Promise<Dict> => {
    const own = await ctx.call('pillar.get', [`tls.extensions:${name}`, false])
    return isDict(own) && own.size > 0 ? own : (USES[name]?.() ?? new Map())
  }
  const special = await wanted(use)
  const found: Dict = new Map()
  for (const [part, entries] of await wanted('common')) {
    found.set(part, new Map([...(entries as Dict), ...((special.get(part) ?? new Map()) as Dict)]))
  }
  return found
}

const ca_name = arg.text('Name of the authority')
const where = {
  cacert_path: arg.text('Root directory of all authorities', { optional: true }),
  ca_filename: arg.text('Name of its files, without extension', { optional: true }),
}
const crl_file = arg.text('Path of the list; default: `crl.pem` of the authority', { optional: true })
const digest = arg.text('Hash for the signature', { default: 'sha256' })

const revokeCertArgs = {
  ca_name,
  CN: arg.text('Common name of the certificate'),
  ...where,
  cert_path: arg.text('Directory of the certificate', { optional: true }),
  cert_filename: arg.text('Name of the certificate; default: the common name', { optional: true }),
  crl_file,
  digest,
}

export const revocation = {
  create_empty_crl: changes({
    doc: 'Create an empty certificate revocation list of an authority.',
    example: "tls.create_empty_crl ca_name='koji' ca_filename='ca' crl_file='/etc/openvpn/team1/crl.pem'",
    args: { ca_name, ...where, crl_file, digest },
    run: async (ctx, given) => {
      const authority = await authorityOf(ctx, given.ca_name, given.cacert_path, given.ca_filename)
      const target = given.crl_file || `${authority.folder}/crl.pem`
      if (await exists(ctx, target)) return `CRL "${target}" already exists`
      if (!(await hasFiles(ctx, authority))) return noAuthority(given.ca_name)
      await ctx.host.write(target, await signedList(ctx, authority, [], given.digest))
      return `Created an empty CRL: "${target}"`
    },
  }),
  revoke_cert: changes({
    doc: 'Revoke a certificate, and sign the revocation list again.',
    example: "tls.revoke_cert ca_name='koji' CN='laptop' crl_file='/etc/openvpn/team1/crl.pem'",
    args: revokeCertArgs,
    run: revoke,
  }),
  validate: reads({
    doc: 'Return whether an authority signed a certificate and did not revoke it.',
    example: 'tls.validate /etc/pki/koji/certs/laptop.crt koji None',
    args: {
      cert: arg.text('Path or text of the certificate'),
      ca_name,
      crl_file: arg.any('Path of the revocation list; None to use the records of the authority'),
    },
    run: async (ctx, { cert, ca_name, crl_file }) => {
      const text = cert.includes('-----BEGIN') ? cert : await textOfFile(ctx, cert)
      return validate(ctx, text, ca_name, crl_file)
    },
  }),
  get_extensions: reads({
    doc: 'Return the extensions of requests and certificates for a use: those of the pillar, or the defaults.',
    example: 'tls.get_extensions client',
    args: { cert_type: arg.text('Use: server, client, or a name in pillar') },
    run: (ctx, { cert_type }) => extensionsFor(ctx, cert_type || 'server'),
  }),
  maybe_fix_ssl_version: changes({
    doc: 'Recreate the certificate of an authority if it has the invalid version that old releases of Salt wrote.',
    example: 'tls.maybe_fix_ssl_version test_ca /etc/certs',
    args: { ca_name, ...where },
    run: async (ctx, given) => {
      const { certificate } = await authorityOf(ctx, given.ca_name, given.cacert_path, given.ca_filename)
      const pem = await textOfFile(ctx, certificate)
      if (!/Version: 4/.test(await openssl(ctx, ['x509', '-noout', '-text'], pem))) return null
      const facts = await certificateFacts(ctx, pem, 'sha256')
      const subject = [...(facts.get('subject') as Dict)].map(([name, value]): [string, Value] => [str(name), value])
      await ctx.call('tls.create_ca', [given.ca_name], new Map([...subject, ['fixmode', true]]))
      return null
    },
  }),
}
