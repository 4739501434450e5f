// Creation of certificates, requests and revocation lists.
import type { KeyObject } from 'node:crypto'
import { type Dict, misuse, setDictKeyValue, str, truthy, type Value } from '../../../../data/mod.ts'
import { type Certificate, type FunctionContext, x509 } from '../../../../sdk/mod.ts'
import { checkedDigest } from './encoding.ts'
import { writePem } from './pem.ts'
import { commonName } from './reading.ts'
import { bytesOf, certificate, privateKey } from './sources.ts'

type Options = ReadonlyMap<string, Value>

const given = (options: Options, name: string): Value => options.get(name) ?? null
const nowOf = (ctx: FunctionContext): Date => new Date(ctx.host.now() * 1000)

export interface Signing {
  key: KeyObject
  authority: Certificate | undefined
}

/** Return the signing key and its certificate, unless the certificate is self-signed. */
async function signing(ctx: FunctionContext, options: Options): Promise<Signing> {
  const tools = await x509()
  const passphrase = given(options, 'signing_private_key_passphrase')
  const key = await privateKey(ctx, given(options, 'signing_private_key'), passphrase)
  const source = given(options, 'signing_cert')
  const authority = truthy(source) ? await certificate(ctx, source) : undefined
  if (authority && !tools.sameBytes(authority.publicKey, tools.publicBytes(key))) {
    throw misuse("Signing private key does not match the certificate's public key")
  }
  return { key, authority }
}

/** Return the public key to certify. */
async function subjectKey(ctx: FunctionContext, options: Options, { key, authority }: Signing): Promise<Uint8Array> {
  const tools = await x509()
  if (authority === undefined) return tools.publicBytes(key)
  const own = given(options, 'private_key')
  if (truthy(own)) return tools.publicBytes(await privateKey(ctx, own, given(options, 'private_key_passphrase')))
  const half = given(options, 'public_key')
  if (truthy(half)) return tools.publicBytes(tools.loadPublicKey(await bytesOf(ctx, half)))
  const request = given(options, 'csr')
  if (truthy(request)) return tools.loadRequest(await bytesOf(ctx, request)).value.publicKey
  throw misuse(
    'This certificate is not self-signed (signing_cert is set) and thus needs public_key, private_key or csr to derive public key to sign',
  )
}

export async function createCertificate(ctx: FunctionContext, options: Options): Promise<Certificate> {
  const tools = await x509()
  const by = await signing(ctx, options)
  const request = given(options, 'csr')
  const plan = tools.planCertificate(options, {
    now: nowOf(ctx),
    authority: by.authority,
    publicKey: await subjectKey(ctx, options, by),
    request: truthy(request) ? tools.loadRequest(await bytesOf(ctx, request)).value : undefined,
  })
  const digest = checkedDigest(given(options, 'digest') ?? 'sha256')
  const made = tools.loadCertificate(tools.signCertificate(plan, by.key, digest)).certificate
  await keepCopy(ctx, made, given(options, 'copypath'), truthy(given(options, 'prepend_cn')))
  return made
}

async function keepCopy(ctx: FunctionContext, made: Certificate, path: Value, withName: boolean): Promise<void> {
  if (!truthy(path)) return
  const tools = await x509()
  // the requester chooses the name, and must not choose the directory
  const name = withName
    ? commonName(tools, made.subject)
        ?.replace(/[/\p{Cc}]/gu, '_')
        .slice(0, 128)
    : undefined
  const file = `${name === undefined ? '' : `${name}-`}${made.serial.toString(16)}.crt`
  await writePem(
    ctx,
    tools.toPem('CERTIFICATE', made.raw),
    `${str(path).replace(/\/$/, '')}/${file}`,
    true,
    'CERTIFICATE',
  )
}

export async function createRequest(ctx: FunctionContext, options: Options): Promise<Uint8Array> {
  const tools = await x509()
  const key = await privateKey(ctx, given(options, 'private_key'), given(options, 'private_key_passphrase'))
  const digest = checkedDigest(given(options, 'digest') ?? 'sha256')
  return tools.signRequest(tools.planRequest(options, key), key, digest)
}

/** Return the entries as dicts, with the reason among the extensions. */
function revokedEntries(revoked: Value): Dict[] {
  return (revoked as Dict[]).map((entry) => {
    const [only] = entry.values()
    const parts = entry.size === 1 && Array.isArray(only) ? (only as Dict[]) : [entry]
    const merged: Dict = new Map(parts.flatMap((part) => [...part]))
    const reason = merged.get('reason')
    if (reason === undefined) return merged
    merged.delete('reason')
    return setDictKeyValue(merged, 'extensions:CRLReason', reason) as Dict
  })
}

export async function createList(ctx: FunctionContext, options: Options): Promise<Uint8Array> {
  const tools = await x509()
  const { key, authority } = await signing(ctx, options)
  const revoked: { options: Options; certificate: Certificate | undefined }[] = []
  for (const entry of revokedEntries(given(options, 'revoked'))) {
    const source = entry.get('certificate')
    revoked.push({
      options: entry as Options,
      certificate: source === undefined ? undefined : await certificate(ctx, source),
    })
  }
  const extensions = given(options, 'extensions')
  const plan = tools.planRevocationList({
    now: nowOf(ctx),
    authority,
    includeExpired: truthy(given(options, 'include_expired')),
    daysValid: Number(given(options, 'days_valid') ?? 100),
    revoked,
    extensions: (extensions instanceof Map ? extensions : new Map()) as Options,
    warn: (message) => ctx.log('warning', message),
  })
  return tools.signRevocationList(plan, key, checkedDigest(given(options, 'digest') ?? 'sha256'))
}
