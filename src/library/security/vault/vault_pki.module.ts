// The secrets engine for certificates: roles, issuers, and the certificates that Vault signs.
import { recover } from '../../../base/mod.ts'
import { failure, isDict, isInt, isList, markSecret, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, x509 } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { altNameFields, otherNames, readAltNames, requestNames } from './alt-names.ts'
import { listed } from './approles.ts'
import { asking, dataAt, given, items } from './asking.ts'
import { isVaultError } from './errors.ts'
import { addresses, authorities, keys } from './pki-authorities.ts'
import { issuerAt, listedFacts, signingIssuer } from './pki-issuers.ts'

const mount = arg.text('Mount of the engine', { default: 'pki' })
const name = arg.text('Name of the role')
const ref = arg.text('Name or id of the issuer', { default: 'default' })
const optional = (doc: string) => arg.any(doc, { optional: true })
const done = ret.boolean('True')
const fields = arg.open('Further fields of the request, as in the API of Vault')

/** Return keyword arguments without those that describe the job. */
const further = (kwargs: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...kwargs].filter(([key]) => !key.startsWith('_')))

const roles = {
  list_roles: reads({
    doc: 'Return the names of the roles.',
    args: { mount },
    returns: ret.texts('The names'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `${mount}/roles`)),
  }),
  read_role: reads({
    doc: 'Return a role.',
    args: { name, mount },
    returns: ret.optional(ret.dict('The role')),
    example: 'vault_pki.read_role web',
    run: (ctx, { name, mount }) => asking(ctx, (access) => dataAt(access, `${mount}/roles/${name}`)),
  }),
  write_role: changes({
    doc: 'Create a role, or change the given fields of one.',
    args: {
      name,
      mount,
      issuer_ref: optional('Name or id of the issuer'),
      ttl: optional('Life of certificates'),
      max_ttl: optional('Longest life of certificates'),
      allow_localhost: optional('Whether certificates for localhost are issued'),
      allowed_domains: optional('Domains of certificates, as a list or separated by commas'),
      server_flag: optional('Whether certificates are for servers'),
      client_flag: optional('Whether certificates are for clients'),
      key_usage: optional('Uses of the keys, as a list or separated by commas'),
      no_store: optional('Whether Vault keeps no copy of certificates'),
      require_cn: optional('Whether a common name is needed'),
      kwargs: fields,
    },
    returns: done,
    example: 'vault_pki.write_role web allowed_domains=example.com allow_subdomains=True ttl=720h',
    run: (ctx, { name, mount, kwargs, allowed_domains, key_usage, ...own }) =>
      asking(ctx, async (access) => {
        const path = `${mount}/roles/${name}`
        const lists = { allowed_domains: items(allowed_domains), key_usage: items(key_usage) }
        // a POST to a role that exists would reset the fields that are not given
        const method = (await dataAt(access, path)) === null ? 'POST' : 'PATCH'
        await access.ask({ method, path, payload: given({ ...further(kwargs), ...own, ...lists }), isRepeatable: true })
        return true
      }),
  }),
  delete_role: changes({
    doc: 'Delete a role.',
    args: { name, mount },
    returns: done,
    example: 'vault_pki.delete_role web',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => (await access.delete(`${mount}/roles/${name}`)) && true),
  }),
}

const issuers = {
  list_issuers: reads({
    doc: 'Return the issuers.',
    args: { mount },
    returns: ret.dict('Facts by the id of the issuer'),
    run: (ctx, { mount }) => asking(ctx, (access) => listedFacts(access, `${mount}/issuers`)),
  }),
  read_issuer: reads({
    doc: 'Return an issuer.',
    args: { ref, mount },
    returns: ret.optional(ret.dict('The issuer')),
    run: (ctx, { ref, mount }) => asking(ctx, (access) => issuerAt(access, ref, mount)),
  }),
  read_issuer_certificate: reads({
    doc: 'Return the certificate of an issuer.',
    args: { name: ref, mount, include_chain: arg.flag('Return the chain of certificates', { default: false }) },
    returns: ret.string('The certificate in PEM'),
    run: (ctx, { name, mount, include_chain }) =>
      asking(ctx, async (access) => {
        const issuer = await issuerAt(access, name, mount)
        if (issuer === null) throw misuse('Issuer does not exist')
        const chain = issuer.get('ca_chain') ?? []
        return include_chain && isList(chain) ? chain.map(str).join('') : str(issuer.get('certificate') ?? '')
      }),
  }),
  get_default_issuer: reads({
    doc: 'Return the id of the default issuer.',
    args: { mount },
    returns: ret.optional(ret.string('The id')),
    run: (ctx, { mount }) =>
      asking(ctx, async (access) => {
        const found = [...(await listedFacts(access, `${mount}/issuers`))].find(
          ([, facts]) => isDict(facts) && truthy(facts.get('is_default') ?? false),
        )
        return found ? str(found[0]) : null
      }),
  }),
  set_default_issuer: changes({
    doc: 'Set the default issuer.',
    args: { name: arg.text('Name or id of the issuer'), mount },
    returns: done,
    example: 'vault_pki.set_default_issuer root-2026',
    run: (ctx, { name, mount }) =>
      asking(ctx, async (access) => {
        await access.post(`${mount}/config/issuers`, given({ default: name }), { isRepeatable: true })
        return true
      }),
  }),
}

const signing = {
  common_name: arg.text('Common name'),
  issuer_ref: optional('Name or id of the issuer. Default: that of the role'),
  alt_names: optional(
    'Further names: a list or text with commas of names and of `type:value`, or a dict by type; types are dns, email, ip, uri and OIDs',
  ),
  ttl: optional('Life of the certificate'),
  exclude_cn_from_sans: arg.flag('Leave the common name out of the alternative names', { default: false }),
}

const signingPath = (mount: string, issuer: Value, action: string, role: string): string =>
  issuer === null ? `${mount}/${action}/${role}` : `${mount}/issuer/${str(issuer)}/${action}/${role}`

const namesIn = (value: Value): Record<string, Value> =>
  value === null
    ? {}
    : Object.fromEntries(Object.entries(altNameFields(readAltNames(value))).filter(([, text]) => text !== ''))

/** Options of `x509.create_csr` that sign_certificate passes on. */
const REQUEST_OPTIONS = new Set(
  [
    'C ST L STREET O OU CN MAIL SN GN UID authorityKeyIdentifier basicConstraints certificatePolicies extendedKeyUsage inhibitAnyPolicy',
    'keyUsage nameConstraints noCheck policyConstraints subjectKeyIdentifier tlsfeature',
  ].flatMap((line) => line.split(' ')),
)

interface KeyRequest {
  private_key: Value
  private_key_passphrase: string | null
  digest: string
  common_name: string
  alt_names: Value
  /** Path of the role. */
  role: string
}

/** Make a request for a certificate of a private key. */
async function requestOf(
  ctx: FunctionContext,
  access: VaultAccess,
  wanted: KeyRequest,
  options: Record<string, Value>,
) {
  const { private_key, private_key_passphrase, digest, common_name } = wanted
  const names = readAltNames(wanted.alt_names)
  if (otherNames(names).length > 0) {
    const role = await dataAt(access, wanted.role)
    if (truthy(role?.get('use_csr_sans') ?? true))
      throw misuse(
        'Names of other types than dns, email, ip and uri need csr, or a role with use_csr_sans set to false',
      )
  }
  const sans = requestNames(names)
  return ctx.call('x509.create_csr', [], {
    ...{ ...options, private_key, private_key_passphrase, digest, CN: common_name },
    ...(sans.length > 0 && { subjectAltName: sans }),
  })
}

const certificates = {
  issue_certificate: changes({
    doc: 'Let Vault make a key and a certificate.',
    args: {
      role_name: name,
      common_name: signing.common_name,
      mount,
      issuer_ref: signing.issuer_ref,
      alt_names: signing.alt_names,
      ttl: signing.ttl,
      format: arg.text('`pem`, `der` or `pem_bundle`', { default: 'pem' }),
      exclude_cn_from_sans: signing.exclude_cn_from_sans,
      kwargs: fields,
    },
    returns: ret.dict('`certificate`, `private_key`, `ca_chain`, `serial_number` and so on'),
    example: 'vault_pki.issue_certificate web www.example.com ttl=24h',
    run: (ctx, { role_name, mount, issuer_ref, alt_names, kwargs, ...own }) =>
      asking(ctx, async (access) => {
        const payload = given({ ...further(kwargs), ...own, ...namesIn(alt_names) })
        const made = dataOf(await access.post(signingPath(mount, issuer_ref, 'issue', role_name), payload))
        markSecret(new Map([['private_key', made.get('private_key') ?? null]]))
        return made
      }),
  }),
  sign_certificate: changes({
    doc: 'Let Vault sign a request for a certificate, or one that is made of a private key.',
    args: {
      role_name: name,
      common_name: signing.common_name,
      mount,
      csr: optional('The request: path, text or bytes. Either csr or private_key is needed'),
      private_key: arg.any('Private key: path, text or bytes', { optional: true, secret: true }),
      private_key_passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
      digest: arg.text('Hash for the signature of the request', { default: 'sha256' }),
      issuer_ref: signing.issuer_ref,
      alt_names: signing.alt_names,
      ttl: signing.ttl,
      sign_verbatim: arg.flag('Sign the request as it is, whatever the role says', { default: false }),
      encoding: arg.text('`pem`, `der` or `pem_bundle`', { default: 'pem' }),
      exclude_cn_from_sans: signing.exclude_cn_from_sans,
      kwargs: fields,
    },
    returns: ret.dict('`certificate`, `ca_chain`, `serial_number` and so on'),
    example: 'vault_pki.sign_certificate web www.example.com private_key=/etc/pki/web.key',
    run: (ctx, { role_name, mount, issuer_ref, alt_names, kwargs, sign_verbatim, encoding, csr, ...own }) =>
      asking(ctx, async (access) => {
        const { private_key, private_key_passphrase, digest, ...fields } = own
        if ((csr === null) === (private_key === null)) throw misuse('Either csr or private_key is needed')
        const path = signingPath(mount, issuer_ref, sign_verbatim ? 'sign-verbatim' : 'sign', role_name)
        const all = Object.entries(further(kwargs))
        const options = Object.fromEntries(all.filter(([key]) => REQUEST_OPTIONS.has(key)))
        const more = Object.fromEntries(all.filter(([key]) => !REQUEST_OPTIONS.has(key)))
        const { common_name } = fields
        const key = {
          private_key,
          private_key_passphrase,
          digest,
          common_name,
          alt_names,
          role: `${mount}/roles/${role_name}`,
        }
        const request =
          private_key === null ? await ctx.call('x509.encode_csr', [csr]) : await requestOf(ctx, access, key, options)
        const payload = given({ ...more, ...fields, ...namesIn(alt_names), format: encoding, csr: request as Value })
        return dataOf(await access.post(path, payload))
      }),
  }),
  revoke_certificate: changes({
    doc: 'Revoke a certificate.',
    args: {
      serial: optional('Serial number, in hexadecimal with colons'),
      certificate: optional('The certificate, in place of its serial number: path, text or bytes'),
      private_key: arg.any('Private key of the certificate, as the proof for a token that may revoke only by key', {
        optional: true,
        secret: true,
      }),
      private_key_passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
      mount,
    },
    returns: ret.boolean('Whether Vault revoked it'),
    example: 'vault_pki.revoke_certificate 17:b3:0c',
    run: (ctx, { serial, certificate, private_key, private_key_passphrase, mount }) =>
      asking(ctx, async (access) => {
        if ((serial === null) === (certificate === null)) throw misuse('Give either serial or certificate')
        const pem = certificate === null ? null : await ctx.call('x509.encode_certificate', [certificate])
        const key =
          private_key === null
            ? null
            : await ctx.call('x509.encode_private_key', [private_key], { private_key_passphrase })
        const { decimalToHex } = await x509()
        const serial_number = isInt(serial) ? decimalToHex(BigInt(serial)).toLowerCase() : serial
        const payload = given({ serial_number, certificate: pem as Value, private_key: key as Value })
        return recover(
          (error) => isVaultError(error, 'VaultInvocationError'),
          false,
          async () => {
            await access.post(`${mount}/revoke${key === null ? '' : '-with-key'}`, payload, { isRepeatable: true })
            return true
          },
        )
      }),
  }),
  list_certificates: reads({
    doc: 'Return the serial numbers of certificates.',
    args: { mount },
    returns: ret.texts('The serial numbers'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `${mount}/certs`)),
  }),
  list_revoked_certificates: reads({
    doc: 'Return the serial numbers of revoked certificates.',
    args: { mount },
    returns: ret.texts('The serial numbers'),
    run: (ctx, { mount }) => asking(ctx, (access) => listed(access, `${mount}/certs/revoked`)),
  }),
  read_certificate: reads({
    doc: 'Return a certificate.',
    args: { serial: arg.text('Serial number; `ca` for that of the default issuer'), mount },
    returns: ret.string('The certificate in PEM'),
    example: 'vault_pki.read_certificate 17:b3:0c',
    run: (ctx, { serial, mount }) =>
      asking(ctx, async (access) => str(dataOf(await access.get(`${mount}/cert/${serial}`)).get('certificate') ?? '')),
  }),
  read_certificate_full: reads({
    doc: 'Return a certificate with its chain, which begins with the issuer.',
    args: { serial: arg.text('Serial number; `ca` for the certificate of the default issuer'), mount },
    returns: ret.dict('`certificate`, `ca_chain` and further facts'),
    example: 'vault_pki.read_certificate_full 17:b3:0c',
    run: (ctx, { serial, mount }) =>
      asking(ctx, async (access) => {
        const facts = dataOf(await access.get(`${mount}/cert/${serial}`))
        facts.set('certificate', `${str(facts.get('certificate') ?? '').trimEnd()}\n`)
        if (serial === 'ca_chain') return facts
        const ofDefault = serial === 'ca' || serial === 'crl'
        // Vault names the issuer of revoked certificates only
        const named = ofDefault ? 'default' : (facts.get('issuer_id') ?? null)
        const ref = truthy(named)
          ? str(named)
          : await signingIssuer(access, facts, mount, new Date(ctx.host.now() * 1000))
        if (ref === null) throw failure('Failed to determine cert issuer')
        const issuer = await issuerAt(access, ref, mount)
        if (issuer === null) throw failure(`Failed to lookup issuer \`${ref}\``)
        const [own, chain] = [issuer.get('certificate') ?? null, issuer.get('ca_chain') ?? []]
        const all = isList(chain) ? chain : []
        return facts.set('ca_chain', all.includes(own) ? all : [own, ...all])
      }),
  }),
}

export default defineModule({
  name: 'vault_pki',
  doc: 'Certificates of Vault.',
  functions: { ...roles, ...issuers, ...certificates, ...keys, ...authorities, ...addresses },
})
