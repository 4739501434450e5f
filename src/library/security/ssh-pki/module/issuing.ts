// Issues SSH certificates: with a key of this minion or by another minion as authority, and as an authority for other minions.
import { type Dict, failure, misuse, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { answerOther, askAuthority, localPolicy, type Requester, remotePolicy } from '../../common/authority.ts'
import { signCertificate } from '../format/certificate.ts'
import { keyLine } from '../format/public-key.ts'
import { planCertificate } from './planning.ts'
import { SSH_PKI, withPolicy } from './policy.ts'
import { certificate, givenBytes, privateKey, publicKey, publicKeyIn } from './sources.ts'

type Options = ReadonlyMap<string, Value>

export interface Order {
  ca_server: string | null
  signing_policy: string | null
  path: string | null
  overwrite: boolean
  raw: boolean
  kwargs: Options
}

export async function refuseExisting(ctx: FunctionContext, path: string | null, overwrite: boolean): Promise<void> {
  if (path && !overwrite && truthy(await ctx.call('file.file_exists', [path]))) {
    throw failure(`The file at ${path} exists and overwrite was set to false`)
  }
}

export async function issueCertificate(ctx: FunctionContext, order: Order): Promise<Value> {
  const { ca_server, signing_policy, path, overwrite, raw } = order
  const options = new Map([...order.kwargs].filter(([name]) => !name.startsWith('_')))
  if (!truthy(options.get('signing_private_key') ?? null) && !ca_server) {
    throw misuse('Creating a certificate locally at least requires a signing private key.')
  }
  await refuseExisting(ctx, path, overwrite)
  const made = ca_server
    ? await fromAuthority(ctx, ca_server, signing_policy, options)
    : await sign(
        ctx,
        withPolicy((await localPolicy(ctx, SSH_PKI, signing_policy)) as Map<string, Value>, options, ctx.host.now()),
      )
  if (path === null) return raw ? new Uint8Array(Buffer.from(made)) : made
  await ctx.host.write(path, made)
  return `Certificate written to ${path}`
}

/** Sign a certificate here, and keep a copy where the options say so. */
async function sign(ctx: FunctionContext, options: Options): Promise<string> {
  const fields = await planCertificate(ctx, options, ctx.host.now())
  const passphrase = options.get('signing_private_key_passphrase') ?? null
  const line = signCertificate(fields, await privateKey(ctx, options.get('signing_private_key') ?? null, passphrase))
  const copies = options.get('copypath') ?? null
  if (truthy(copies)) await ctx.host.write(`${str(copies).replace(/\/+$/, '')}/${fields.serial.toString(16)}.crt`, line)
  return line
}

/** Ask another minion. It gets the public key alone. */
async function fromAuthority(
  ctx: FunctionContext,
  server: string,
  policy: string | null,
  options: Map<string, Value>,
): Promise<string> {
  if (policy === null) {
    throw misuse('signing_policy must be specified to request a certificate from a remote ca_server')
  }
  const own = options.get('private_key') ?? null
  const half = options.get('public_key') ?? null
  const passphrase = options.get('private_key_passphrase') ?? null
  for (const secret of ['private_key', 'private_key_passphrase']) options.delete(secret)
  if (truthy(own)) options.set('public_key', keyLine((await privateKey(ctx, own, passphrase)).public))
  else if (truthy(half)) options.set('public_key', keyLine(await publicKey(ctx, half)))
  const answer = await askAuthority(ctx, SSH_PKI, server, [policy, options as Dict, false])
  try {
    const line = Buffer.from(givenBytes(answer)).toString()
    await certificate(ctx, givenBytes(answer))
    return line
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    throw failure(`ca_server did not return a certificate: ${str(answer)}`)
  }
}

export function signingPolicy(ctx: FunctionContext, name: Value, server: string | null): Promise<Dict> {
  if (server === null) return localPolicy(ctx, SSH_PKI, name)
  return remotePolicy(ctx, SSH_PKI, [server, name], (policy) => Promise.resolve(policy))
}

/** Options with keys and files of the authority. Only its policy can set them. */
const OF_AUTHORITY = ['signing_private_key', 'signing_private_key_passphrase', 'signing_public_key', 'copypath']
const OF_REQUESTER = ['private_key', 'private_key_passphrase']

/** Return the options of a requester that count. Its public key is in the request: it must not name files of the authority. */
function requested(ctx: FunctionContext, options: Options, minion: Value): Map<string, Value> {
  const kept = new Map(options)
  kept.delete('ca_server')
  for (const name of minion === null ? OF_AUTHORITY : [...OF_AUTHORITY, ...OF_REQUESTER]) {
    const isGiven = truthy(kept.get(name) ?? null)
    if (isGiven) ctx.log('warning', `ssh_pki: ignored ${name} of a request: only the signing policy can set it`)
    kept.delete(name)
  }
  const key = kept.get('public_key') ?? null
  if (minion !== null && truthy(key)) kept.set('public_key', keyLine(publicKeyIn(givenBytes(key))))
  return kept
}

/** Return the answer for another minion. */
export function signForOther(
  ctx: FunctionContext,
  { name, minion }: Requester,
  options: Options,
  policyOnly: boolean,
): Promise<Dict> {
  return answerOther(ctx, SSH_PKI, { name, minion }, async (policy) => {
    if (!policyOnly) {
      const merged = withPolicy(policy as Map<string, Value>, requested(ctx, options, minion), ctx.host.now())
      return sign(ctx, merged)
    }
    const source = policy.get('signing_private_key')
    const passphrase = policy.get('signing_private_key_passphrase') ?? null
    for (const secret of ['signing_private_key', 'signing_private_key_passphrase']) policy.delete(secret)
    if (source === undefined) return policy
    return policy.set('signing_public_key', keyLine((await privateKey(ctx, source, passphrase)).public))
  })
}
