// x509.create_certificate: checks, the signer, and the output.
import { BrineError } from '../../../../base/mod.ts'
import { type Dict, failure, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type Certificate, type FunctionContext, x509 } from '../../../../sdk/mod.ts'
import { answerOther, askAuthority, localPolicy, type Requester } from '../../common/authority.ts'
import { createCertificate } from './creating.ts'
import { CERTIFICATE_ENCODINGS, checkEncoding, checkedDigest, encodeCertificate } from './encoding.ts'
import { writePem } from './pem.ts'
import { X509 } from './policies.ts'
import { bytesOf, certificate, givenBytes, privateKey } from './sources.ts'

type Options = ReadonlyMap<string, Value>

export interface Order {
  ca_server: string | null
  signing_policy: string | null
  encoding: string
  append_certs: Value
  path: string | null
  overwrite: boolean
  raw: boolean
  kwargs: Options
}

export async function issueCertificate(ctx: FunctionContext, order: Order): Promise<Value> {
  const { ca_server, encoding, append_certs, path, overwrite } = order
  const options = (await x509()).withShortNames(order.kwargs)
  const digest = options.get('algorithm') ?? options.get('digest') ?? 'sha256'
  options.set('digest', digest)
  if (!options.has('days_valid') && !options.has('not_after')) options.set('days_valid', 365)
  checkEncoding(encoding, CERTIFICATE_ENCODINGS)
  checkedDigest(digest)
  if (encoding === 'der' && truthy(append_certs)) throw misuse('Cannot encode a certificate chain in DER')
  if (!options.has('signing_private_key') && !ca_server) {
    throw misuse('Creating a certificate locally at least requires a signing private key.')
  }
  if (path && !overwrite && truthy(await ctx.call('file.file_exists', [path]))) {
    return `The file at ${path} exists and overwrite was set to false`
  }
  const made = ca_server ? await fromAuthority(ctx, order, options) : await byPolicy(ctx, order, options)
  const raw = Boolean(path) || order.raw
  const out = await encodeCertificate(ctx, made, { encoding, append_certs, raw })
  if (path === null) return out
  if (encoding === 'pem') return writePem(ctx, out, path, overwrite, 'CERTIFICATE')
  await ctx.host.write(path, out as Uint8Array)
  return `Certificate written to ${path}`
}

async function byPolicy(ctx: FunctionContext, { signing_policy }: Order, options: Options): Promise<Certificate> {
  const policy = await localPolicy(ctx, X509, signing_policy)
  return createCertificate(ctx, (await x509()).withPolicy(policy, options))
}

async function fromAuthority(ctx: FunctionContext, order: Order, options: Map<string, Value>): Promise<Certificate> {
  const tools = await x509()
  if (order.signing_policy === null) {
    throw misuse('signing_policy must be specified to request a certificate from a remote ca_server')
  }
  const own = options.get('private_key') ?? null
  const half = options.get('public_key') ?? null
  const passphrase = options.get('private_key_passphrase') ?? null
  for (const secret of ['private_key', 'private_key_passphrase']) options.delete(secret)
  if (truthy(own)) options.set('public_key', tools.publicBytes(await privateKey(ctx, own, passphrase)))
  else if (truthy(half)) options.set('public_key', tools.publicBytes(tools.loadPublicKey(await bytesOf(ctx, half))))
  const request = options.get('csr') ?? null
  if (truthy(request)) options.set('csr', tools.loadRequest(await bytesOf(ctx, request)).value.raw)
  const answer = await askAuthority(ctx, X509, order.ca_server, [order.signing_policy, options as Dict, false])
  try {
    return await certificate(ctx, answer)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw failure(`ca_server did not return a certificate: ${str(answer)}`)
  }
}

/** Options with keys and files of the authority. Only its policy can set them. */
const OF_AUTHORITY = ['signing_private_key', 'signing_private_key_passphrase', 'signing_cert', 'copypath', 'prepend_cn']

/** Options with key material of a minion; it must not name files of the authority. */
const MATERIAL = ['public_key', 'csr'] as const

/** Return the options of the requester without those of the authority. */
function requested(ctx: FunctionContext, options: Options, minion: Value): Map<string, Value> {
  const kept = new Map(options)
  const foreign = minion === null ? OF_AUTHORITY : [...OF_AUTHORITY, 'private_key', 'private_key_passphrase']
  for (const name of foreign) {
    if (kept.delete(name)) ctx.log('warning', `x509: ignored ${name} of a request: only the signing policy can set it`)
  }
  for (const name of MATERIAL) {
    const value = kept.get(name) ?? null
    if (minion !== null && truthy(value)) kept.set(name, givenBytes(value))
  }
  return kept
}

/** Return the answer for another minion. */
export function signForOther(
  ctx: FunctionContext,
  { name, minion }: Requester,
  options: Options,
  policyOnly: boolean,
): Promise<Dict> {
  return answerOther(ctx, X509, { name, minion }, async (policy) => {
    if (!policyOnly) {
      const merged = (await x509()).withPolicy(policy, requested(ctx, options, minion))
      merged.delete('ca_server')
      return (await createCertificate(ctx, merged)).raw
    }
    for (const secret of ['signing_private_key', 'signing_private_key_passphrase']) policy.delete(secret)
    const source = policy.get('signing_cert')
    if (source !== undefined) policy.set('signing_cert', (await certificate(ctx, source)).raw)
    return policy
  })
}
