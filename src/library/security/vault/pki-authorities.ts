// Functions for the keys and authorities of the secrets engine for certificates: keys, roots, authorities below others, imports,
// revocation lists and the addresses that certificates name.
import { type Dict, isList, markSecret, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret, sourceBytes, x509 } from '../../../sdk/mod.ts'
import { dataOf, type VaultAccess } from './access.ts'
import { asking, dataAt, given } from './asking.ts'
import { issuerAt, listedFacts } from './pki-issuers.ts'

const mount = arg.text('Mount of the engine', { default: 'pki' })
const optional = (doc: string) => arg.any(doc, { optional: true })
const done = ret.boolean('True')
const urls = (what: string) => optional(`${what}, as a list or separated by commas`)

const KEY_TYPES = ['exported', 'internal', 'kms']
const EXISTING = [...KEY_TYPES, 'existing']
const ALGORITHMS = ['rsa', 'ec', 'ed25519']

const keyType = (words: string) => arg.text(`${words}. An exported key is returned`, { default: 'internal' })
const keyArgs = {
  key_name: optional('Name of the key'),
  key_algo: optional('rsa, ec or ed25519. Default: rsa'),
  key_bits: optional('Bits of the key. Default: that of Vault'),
  managed_key_name: optional('Name of the managed key, for the type kms'),
  managed_key_id: optional('Id of the managed key, for the type kms'),
}

interface KeyWish {
  key_name: Value
  key_algo: Value
  key_bits: Value
  managed_key_name: Value
  managed_key_id: Value
  key_ref?: Value
}

/** Return the fields of a request that makes or names a key. */
function keyFields(type: string, allowed: readonly string[], wish: KeyWish): Record<string, Value> {
  const { key_name, key_algo, key_bits, managed_key_name, managed_key_id, key_ref = null } = wish
  if (!allowed.includes(type)) {
    throw misuse(`Invalid value for parameter 'key_type': '${type}'. Valid: ${[...allowed].sort().join(', ')}`)
  }
  const managed = [managed_key_name, managed_key_id].filter((value) => value !== null).length
  if (type === 'kms' && managed !== 1) throw misuse('The key type kms needs either managed_key_name or managed_key_id')
  if (type !== 'kms' && managed > 0) throw misuse('managed_key_name and managed_key_id need the key type kms')
  if (type === 'existing' && key_ref === null) throw misuse('The key type existing needs key_ref')
  if (type !== 'existing' && key_ref !== null) throw misuse('key_ref needs the key type existing')
  refuseDefault('key_name', key_name)
  if (type === 'existing') {
    if ([key_name, key_algo, key_bits].some(truthy))
      throw misuse('The key type existing takes no properties of a new key')
    return { key_ref }
  }
  return {
    key_name,
    key_type: key_algo,
    key_bits: truthy(key_bits) ? key_bits : null,
    managed_key_name,
    managed_key_id,
  }
}

function refuseDefault(field: string, value: Value): void {
  if (value === 'default') throw misuse(`${field} cannot be 'default', which is a reserved word`)
}

/** Return the answer to a request that may make a key, which is a secret. */
async function made(access: VaultAccess, path: string, payload: Dict): Promise<Dict> {
  const answer = dataOf(await access.post(path, payload))
  markSecret(new Map([['private_key', answer.get('private_key') ?? null]]))
  return answer
}

const further = (kwargs: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...kwargs].filter(([key]) => !key.startsWith('_')))

/** Return a certificate and its chain in PEM. A chain that is given replaces the one that comes with the certificate. */
async function bundle(ctx: FunctionContext, cert: Value, chain: Value): Promise<string> {
  const tools = await x509()
  const { certificate, chain: own } = tools.loadCertificate(await sourceBytes(ctx.host, cert))
  const wanted = truthy(chain)
    ? (isList(chain) ? chain : [chain]).map((one) => sourceBytes(ctx.host, one))
    : own.map(({ raw }) => raw)
  const all = [certificate.raw]
  for (const bytes of await Promise.all(wanted)) all.push(tools.loadCertificate(bytes).certificate.raw)
  return all.map((raw) => tools.toPem('CERTIFICATE', raw)).join('')
}

export const keys = {
  list_keys: reads({
    doc: 'Return the private keys.',
    args: { mount },
    returns: ret.dict('Facts by the id of the key'),
    run: (ctx, { mount }) => asking(ctx, (access) => listedFacts(access, `${mount}/keys`)),
  }),
  get_key_id: reads({
    doc: 'Return the id of a key that exists.',
    args: { ref: arg.text('Name or id of the key'), mount },
    returns: ret.string('The id'),
    example: 'vault_pki.get_key_id web-authority',
    run: (ctx, { ref, mount }) =>
      asking(ctx, async (access) => {
        const all = await listedFacts(access, `${mount}/keys`)
        if (all.has(ref)) return ref
        const named = [...all].find(([, facts]) => facts instanceof Map && facts.get('key_name') === ref)
        if (!named) throw misuse(`No key is associated with reference '${ref}' on mount '${mount}'`)
        return str(named[0])
      }),
  }),
  generate_key: changes({
    doc: 'Let Vault make a private key, for roots and authorities that come later.',
    args: { key_type: keyType('internal, exported or kms'), ...keyArgs, mount },
    returns: ret.dict('`key_id`, `key_name`, `key_type`'),
    example: 'vault_pki.generate_key key_name=web-authority key_algo=ec',
    run: (ctx, { key_type, mount, ...wish }) =>
      asking(ctx, (access) =>
        made(access, `${mount}/keys/generate/${key_type}`, given(keyFields(key_type, KEY_TYPES, wish))),
      ),
  }),
  delete_key: changes({
    doc: 'Delete a private key that no issuer uses.',
    args: { ref: arg.text('Name or id of the key'), mount },
    returns: done,
    example: 'vault_pki.delete_key web-authority',
    run: (ctx, { ref, mount }) => asking(ctx, async (access) => (await access.delete(`${mount}/key/${ref}`)) && true),
  }),
}

export const authorities = {
  generate_root: changes({
    doc: 'Let Vault make a root authority.',
    args: {
      common_name: arg.text('Common name'),
      mount,
      key_type: keyType('internal, exported, existing or kms'),
      issuer_name: optional('Name of the issuer'),
      key_name: keyArgs.key_name,
      ttl: optional('Life of the certificate'),
      key_algo: keyArgs.key_algo,
      key_bits: keyArgs.key_bits,
      max_path_length: arg.integer(
        'How many authorities may be below one another under this one; no limit if negative',
        {
          default: -1,
        },
      ),
      key_ref: optional('Name or id of the key, for the type existing'),
      managed_key_name: keyArgs.managed_key_name,
      managed_key_id: keyArgs.managed_key_id,
      kwargs: arg.open('Further fields of the request, as in the API of Vault'),
    },
    returns: ret.dict('`certificate`, `issuer_id`, `key_id`, and `private_key` of an exported key'),
    example: 'vault_pki.generate_root "Example Root" issuer_name=root-2026 ttl=87600h',
    run: (ctx, { common_name, mount, key_type, issuer_name, ttl, max_path_length, kwargs, ...wish }) =>
      asking(ctx, async (access) => {
        const { type: old = null, ...more } = further(kwargs)
        // up to saltext-vault 1.8, `type` was the type of the key and `key_type` its algorithm
        const isOld = ALGORITHMS.includes(key_type)
        const type = old !== null ? str(old) : isOld ? 'internal' : key_type
        const algorithm = isOld ? key_type : (wish.key_algo ?? (type === 'existing' ? null : 'rsa'))
        const fields = keyFields(type, EXISTING, { ...wish, key_algo: algorithm })
        refuseDefault('issuer_name', issuer_name)
        const length = Number(max_path_length) < 0 ? null : max_path_length
        const payload = given({ ...more, common_name, issuer_name, ttl, max_path_length: length, ...fields })
        const answer = await made(access, `${mount}/root/generate/${type}`, payload)
        const shown = ['certificate', 'issuer_id', 'key_id', ...(type === 'exported' ? ['private_key'] : [])]
        return new Map(shown.map((field) => [field, answer.get(field) ?? null]))
      }),
  }),
  generate_intermediate_csr: changes({
    doc: 'Let Vault make a request for the certificate of an authority below another one, and its key.',
    args: {
      key_type: keyType('internal, exported, existing or kms'),
      ...keyArgs,
      key_ref: optional('Name or id of the key, for the type existing'),
      mount,
      kwargs: arg.open('Further fields of the request, such as common_name'),
    },
    returns: ret.dict('`csr`, `key_id`, and `private_key` of an exported key'),
    example: 'vault_pki.generate_intermediate_csr common_name="Example Web"',
    run: (ctx, { key_type, mount, kwargs, ...wish }) =>
      asking(ctx, (access) => {
        const fields = keyFields(key_type, EXISTING, wish)
        return made(access, `${mount}/intermediate/generate/${key_type}`, given({ ...further(kwargs), ...fields }))
      }),
  }),
  generate_intermediate: changes({
    doc: 'Make an authority of a key in Vault, whose certificate an authority outside of Vault signs.',
    args: {
      key_ref: arg.text('Name or id of the key'),
      common_name: arg.text('Common name'),
      max_path_length: arg.integer(
        'How many authorities may be below one another under this one; no limit if negative',
        {
          default: 0,
        },
      ),
      mount,
      kwargs: arg.open('Arguments of x509.create_certificate, such as signing_private_key, signing_cert and ca_server'),
    },
    returns: ret.dict('`imported_issuers`, `imported_keys`, `mapping`'),
    example:
      'vault_pki.generate_intermediate web-authority "Example Web" signing_private_key=/etc/pki/ca.key signing_cert=/etc/pki/ca.crt',
    run: (ctx, { key_ref, common_name, max_path_length, mount, kwargs }) =>
      asking(ctx, async (access) => {
        const asked = await made(access, `${mount}/intermediate/generate/existing`, given({ key_ref, common_name }))
        const { path: _, private_key: __, public_key: ___, raw: ____, ...options } = further(kwargs)
        const length = Number(max_path_length) < 0 ? {} : { pathlen: max_path_length }
        const constraints = new Map<Value, Value>(Object.entries({ critical: true, ca: true, ...length }))
        const certificate = await ctx.call('x509.create_certificate', [], {
          keyUsage: ['critical', 'cRLSign', 'keyCertSign'],
          subjectKeyIdentifier: 'hash',
          authorityKeyIdentifier: 'keyid:always,issuer',
          ...options,
          basicConstraints: constraints,
          CN: common_name,
          csr: asked.get('csr') ?? null,
          encoding: 'pem',
        })
        return setSigned(ctx, access, mount, certificate as Value, null)
      }),
  }),
  import_issuer_intermediate: changes({
    doc: 'Import the certificate of an authority whose key is in Vault.',
    args: {
      cert: arg.any('Certificate, perhaps with its chain: path, text or bytes'),
      chain: optional('Certificates of the chain, in place of those that come with cert'),
      mount,
    },
    returns: ret.dict('`imported_issuers`, `imported_keys`, `mapping`'),
    example: 'vault_pki.import_issuer_intermediate /etc/pki/web-authority.pem',
    run: (ctx, { cert, chain, mount }) => asking(ctx, (access) => setSigned(ctx, access, mount, cert, chain)),
  }),
  import_issuer: changes({
    doc: 'Import the certificate of an authority, and its private key.',
    args: {
      cert: arg.any('Certificate, perhaps with its chain: path, text or bytes'),
      chain: optional('Certificates of the chain, in place of those that come with cert'),
      private_key: arg.any('Private key: path, text or bytes', { optional: true, secret: true }),
      private_key_passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
      mount,
    },
    returns: ret.dict('`imported_issuers`, `imported_keys`, `mapping`'),
    example: 'vault_pki.import_issuer /etc/pki/ca.crt private_key=/etc/pki/ca.key',
    run: (ctx, { cert, chain, private_key, private_key_passphrase, mount }) =>
      asking(ctx, async (access) => {
        const certificates = await bundle(ctx, cert, chain)
        const isKeyless = !truthy(private_key)
        const key = isKeyless
          ? ''
          : await ctx.call('x509.encode_private_key', [private_key], { private_key_passphrase })
        const path = `${mount}/issuers/import/${isKeyless ? 'cert' : 'bundle'}`
        return dataOf(await access.post(path, given({ pem_bundle: `${certificates}${str(key as Value)}` })))
      }),
  }),
  update_issuer: changes({
    doc: 'Change the given fields of an issuer.',
    args: {
      ref: arg.text('Name or id of the issuer', { default: 'default' }),
      mount,
      manual_chain: optional('Issuers of the chain, by name or id'),
      usage: optional('Uses: issuing-certificates, crl-signing, ocsp-signing, read-only'),
      aia_urls: urls('Addresses of the certificate of the issuer'),
      crl_endpoints: urls('Addresses of the revocation list'),
      ocsp_servers: urls('Addresses of OCSP servers'),
      name: optional('New name'),
      aia_url_templating: optional('Whether the addresses are templates'),
      delta_crl_endpoints: urls('Addresses of the delta revocation list'),
      leaf_not_after_behavior: optional('err, always_enforce_err, truncate or permit'),
      revocation_signature_algorithm: optional('Signature of revocation lists'),
    },
    returns: done,
    example: 'vault_pki.update_issuer root-2026 usage=\'["crl-signing"]\'',
    run: (ctx, { ref, mount, aia_urls, crl_endpoints, name, aia_url_templating, delta_crl_endpoints, ...own }) =>
      asking(ctx, async (access) => {
        const renamed = {
          issuing_certificates: aia_urls,
          crl_distribution_points: crl_endpoints,
          delta_crl_distribution_points: delta_crl_endpoints,
          issuer_name: name,
          enable_aia_url_templating: aia_url_templating,
        }
        const payload = given({ ...own, ...renamed })
        await access.ask({ method: 'PATCH', path: `${mount}/issuer/${ref}`, payload, isRepeatable: true })
        return true
      }),
  }),
  delete_issuer: changes({
    doc: 'Delete an issuer.',
    args: {
      ref: arg.text('Name or id of the issuer'),
      mount,
      include_key: arg.flag('Delete its private key as well', { default: false }),
    },
    returns: done,
    example: 'vault_pki.delete_issuer root-2020',
    run: (ctx, { ref, mount, include_key }) =>
      asking(ctx, async (access) => {
        const key = include_key ? ((await issuerAt(access, ref, mount))?.get('key_id') ?? null) : null
        await access.delete(`${mount}/issuer/${ref}`)
        if (truthy(key)) await access.delete(`${mount}/key/${str(key)}`)
        return true
      }),
  }),
  read_issuer_crl: reads({
    doc: 'Return the revocation list of an issuer.',
    args: {
      ref: arg.text('Name or id of the issuer', { default: 'default' }),
      mount,
      delta: arg.flag('Return the delta list', { default: false }),
    },
    returns: ret.optional(ret.string('The list in PEM; nothing if the issuer signs none')),
    run: (ctx, { ref, mount, delta }) =>
      asking(ctx, async (access) => {
        const usage = (await issuerAt(access, ref, mount))?.get('usage') ?? ''
        const uses = isList(usage) ? usage.map(str) : str(usage).split(',')
        if (!uses.includes('crl-signing')) return null
        const answer = await access.get(`${mount}/issuer/${ref}/crl${delta ? '/delta' : ''}`)
        return str(dataOf(answer).get('crl') ?? '')
      }),
  }),
}

async function setSigned(ctx: FunctionContext, access: VaultAccess, mount: string, cert: Value, chain: Value) {
  const certificate = await bundle(ctx, cert, chain)
  return dataOf(await access.post(`${mount}/intermediate/set-signed`, given({ certificate })))
}

export const addresses = {
  read_urls: reads({
    doc: 'Return the addresses that new certificates name.',
    args: { mount },
    returns: ret.optional(ret.dict('The addresses by kind')),
    run: (ctx, { mount }) => asking(ctx, (access) => dataAt(access, `${mount}/config/urls`)),
  }),
  write_urls: changes({
    doc: 'Set the addresses that new certificates name; an empty text clears those of a kind.',
    args: {
      issuing_certificates: urls('Addresses of the certificate of the issuer'),
      crl_endpoints: urls('Addresses of the revocation list'),
      delta_crl_endpoints: urls('Addresses of the delta revocation list'),
      ocsp_servers: urls('Addresses of OCSP servers'),
      aia_url_templating: optional('Whether the addresses are templates'),
      mount,
    },
    returns: done,
    example: 'vault_pki.write_urls ocsp_servers=https://ocsp.example.com',
    run: (ctx, { mount, crl_endpoints, delta_crl_endpoints, aia_url_templating, ...own }) =>
      asking(ctx, async (access) => {
        const renamed = {
          crl_distribution_points: crl_endpoints,
          delta_crl_distribution_points: delta_crl_endpoints,
          enable_templating: aia_url_templating,
        }
        const payload = given({ ...own, ...renamed })
        if (payload.size === 0) throw misuse('Give at least one kind of address')
        await access.post(`${mount}/config/urls`, payload, { isRepeatable: true })
        return true
      }),
  }),
}
