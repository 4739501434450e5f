// Signatures of sources and of files that list hashes, checked by the `gpg` or another signing module.
import { failure, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import type { FileRequest, SIGNERS } from '../managed-request.ts'

export type SignatureRequest = Pick<FileRequest, 'saltenv' | 'verify_ssl' | (typeof SIGNERS)[number] | 'sig_backend'>

/** Verify the signature of a file; remove the file and throw when the signature is not valid. */
export async function verifySignature(
  ctx: FunctionContext,
  file: string,
  signature: Value,
  { saltenv, verify_ssl, sig_backend, keyring, gnupghome, signed_by_any, signed_by_all }: SignatureRequest,
): Promise<void> {
  const backend = sig_backend || 'gpg'
  if (!ctx.has(`${backend}.verify`)) {
    throw failure(
      `Signature verification requires the ${backend} module, which could not be found. ` +
        'Make sure you have the necessary tools and libraries intalled',
    )
  }
  const given = signature === true ? null : signature
  const cached: string[] = []
  const fetchOne = async (url: Value): Promise<Value> => {
    const path = textOf(await ctx.call('cp.cache_file', [url, saltenv], { verify_ssl }))
    if (!path && backend === 'gpg') throw failure(`Detached signature file ${str(url)} not found`)
    if (path) cached.push(path)
    return path || url
  }
  const signatures: Value[] = []
  for (const url of Array.isArray(given) ? (given as Value[]) : given === null ? [] : [given]) {
    signatures.push(await fetchOne(url))
  }
  const answer = await ctx.call(`${backend}.verify`, [], {
    filename: file,
    signature: given === null ? null : Array.isArray(given) ? signatures : signatures[0]!,
    keyring,
    gnupghome,
    signed_by_any,
    signed_by_all,
  })
  if (answer instanceof Map && answer.get('res') === true) return
  for (const path of [...cached, file]) if (await ctx.host.stat(path)) await ctx.host.remove(path)
  const message = answer instanceof Map ? (answer.get('message') ?? null) : null
  throw failure(`The file's signature could not be verified: ${truthy(message) ? str(message) : ''}`)
}
