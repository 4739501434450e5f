// The request of `manage_file`, and the steps that new and existing files share.
import { type Dict, encodeText, isFailure, schemeOf, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import type { FileRequest } from '../managed-request.ts'
import { commitFile } from './committing.ts'
import { type HashSum, hashFile } from './hashing.ts'
import { verifySignature } from './signatures.ts'
import { discard, temporaryFile } from './temporary.ts'

/** A request with its report, and the hash of its source. */
export type Placement = Omit<FileRequest, 'source_hash' | 'source_hash_name' | 'context' | 'defaults' | 'ret'> & {
  ret: Dict
  sum: HashSum | undefined
}

export const changesOf = (ret: Dict): Dict => ret.get('changes') as Dict

export function refused(ret: Dict, comment: string): Dict {
  return ret.set('result', false).set('comment', comment) as Dict
}

/** Fetch the source unless there is a local copy; return the report of a failure. */
export async function ensureSource(ctx: FunctionContext, request: Placement): Promise<Dict | undefined> {
  const { source, saltenv, verify_ssl, use_etag } = request
  request.sfn ||= (await ctx.call('cp.cache_file', [source, saltenv], { verify_ssl, use_etag })) || ''
  return request.sfn ? undefined : refused(request.ret, `Source file '${str(source)}' not found`)
}

/** Whether the hash of a source is checked: files of the file server are already checked during the transfer. */
const checksHash = ({ source, skip_verify, use_etag }: Placement): boolean =>
  truthy(source) && schemeOf(str(source)) !== 'salt' && !skip_verify && !use_etag

/** Check the hash and the signature of the local copy; return the report of a failure. */
export async function verifySource(
  ctx: FunctionContext,
  request: Placement,
  about: { what: Value; hint: string },
): Promise<Dict | undefined> {
  const { ret, sum, sfn, signature } = request
  if (sum && checksHash(request)) {
    const actual = await hashFile(ctx, sfn, sum.hash_type)
    if (actual !== sum.hsum) {
      const subject = `${sum.hash_type} checksum for ${str(about.what)} (${sum.hsum})`
      return refused(ret, `Specified ${subject} does not match actual checksum (${actual})${about.hint}`)
    }
  }
  if (!truthy(signature)) return undefined
  try {
    await verifySignature(ctx, sfn, signature, request)
    return undefined
  } catch (error) {
    if (!isFailure(error)) throw error
    return refused(ret, `Failed checking new file's signature: ${error.message}`)
  }
}

/** Write the contents to a temporary file in the encoding of the request; return its path. */
export async function contentsFile(ctx: FunctionContext, request: Placement): Promise<string> {
  const { contents, encoding, encoding_errors } = request
  if (contents instanceof Uint8Array) return temporaryFile(ctx, contents)
  const text = textOf(contents) ?? str(contents)
  return temporaryFile(ctx, encodeText(text, encoding || 'utf-8', encoding ? encoding_errors : 'strict'))
}

/** Put a file in place; return the report when the system refuses. */
export async function commit(
  ctx: FunctionContext,
  request: Placement,
  source: string,
  target: string,
): Promise<Dict | undefined> {
  try {
    await commitFile(ctx, source, target, { backup: request.backup })
    return undefined
  } catch (error) {
    if (!isHostError(error) || error.errno === 0) throw error
    await discard(ctx, source)
    return refused(request.ret, `Failed to commit change: ${error.message}`)
  }
}
