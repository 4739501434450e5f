// What `manage_file` is asked for, and the steps that new and existing files share.
import { type Dict, encodeText, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import type { SelinuxWish } from './attributes.ts'
import { commitFile } from './committing.ts'
import { type HashSum, hashFile } from './hashing.ts'
import { isFailure } from './rewriting.ts'
import { verifySignature } from './signatures.ts'
import { discard, temporaryFile } from './temporary.ts'
import type { Indifference } from './text.ts'

export interface ManageRequest {
  name: string
  sfn: Value
  ret: Dict
  source: Value
  sum: HashSum | undefined
  user: Value
  group: Value
  mode: Value
  attrs: Value
  saltenv: Value
  backup: Value
  makedirs: boolean
  showChanges: boolean
  contents: Value
  dirMode: Value
  follow: boolean
  /** Whether the hash of a source from elsewhere is checked. */
  checksSource: boolean
  encoding: Value
  encodingErrors: Value
  selinux: SelinuxWish
  verifySsl: Value
  useEtag: boolean
  indifference: Indifference
  newFileDiff: boolean
  signature: Value
  options: ReadonlyMap<string, Value>
}

export const changesOf = (ret: Dict): Dict => ret.get('changes') as Dict

export function refused(ret: Dict, comment: string): Dict {
  return ret.set('result', false).set('comment', comment) as Dict
}

/** Brings the source here when nobody has yet; the answer says what is wrong. */
export async function ensureSource(ctx: FunctionContext, request: ManageRequest): Promise<Dict | undefined> {
  if (truthy(request.sfn)) return undefined
  const options = { verify_ssl: request.verifySsl, use_etag: request.useEtag }
  request.sfn = await ctx.call('cp.cache_file', [request.source, request.saltenv], options)
  return truthy(request.sfn) ? undefined : refused(request.ret, `Source file '${str(request.source)}' not found`)
}

/** Hash and signature of what was fetched; the answer says what is wrong. */
export async function verifySource(
  ctx: FunctionContext,
  request: ManageRequest,
  about: { what: Value; hint: string },
): Promise<Dict | undefined> {
  const { ret, sum, signature } = request
  const sfn = str(request.sfn)
  if (request.checksSource && sum) {
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

/** Given contents in a temporary file, in the encoding that is wanted. */
export async function contentsFile(ctx: FunctionContext, request: ManageRequest): Promise<string> {
  const { contents, encoding, encodingErrors } = request
  if (contents instanceof Uint8Array) return temporaryFile(ctx, contents)
  const name = truthy(encoding) ? str(encoding) : 'utf-8'
  const text = textOf(contents) ?? str(contents)
  return temporaryFile(ctx, encodeText(text, name, truthy(encoding) ? str(encodingErrors) : 'strict'))
}

/** Commits; a refusal of the system is an answer. */
export async function commit(
  ctx: FunctionContext,
  request: ManageRequest,
  source: string,
  target: string,
): Promise<Dict | undefined> {
  try {
    await commitFile(ctx, source, target, request.backup)
    return undefined
  } catch (error) {
    if (!isHostError(error) || error.errno === 0) throw error
    await discard(ctx, source)
    return refused(request.ret, `Failed to commit change: ${error.message}`)
  }
}
