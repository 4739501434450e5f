// The source of managed content: the first existing source of a list, its hash, and the file itself, rendered if it is
// a template.
import { BrineError, toError } from '../../../../base/mod.ts'
import {
  decodeBytes,
  failure,
  isFailure,
  misuse,
  parseSaltUrl,
  REMOTE_PROTOCOLS,
  redactUrl,
  str,
  textOf,
  truthy,
  urlParts,
  VALID_PROTOCOLS,
  type Value,
} from '../../../../data/mod.ts'
import { exists, type FunctionContext, joinPaths } from '../../../../sdk/mod.ts'
import type { FileRequest, REQUIRED } from '../managed-request.ts'
import { type HashSum, hashFile, sourceSum } from './hashing.ts'
import type { SignatureRequest } from './signatures.ts'
import { discard, temporaryFile } from './temporary.ts'

export const ENGINES: ReadonlySet<string> = new Set(['cheetah', 'genshi', 'jinja', 'mako', 'py', 'wempy'])

/** Return the first source of a list that exists, with its hash. */
export async function chooseSource(
  ctx: FunctionContext,
  { source, source_hash, saltenv }: Pick<FileRequest, 'source' | 'source_hash' | 'saltenv'>,
): Promise<[source: string | null, hash: Value]> {
  if (!Array.isArray(source)) return [source, source_hash]
  const key = `${str(source)}_|-${str(source_hash)}_|-${saltenv}`
  const known = ctx.memory.get(key)
  if (Array.isArray(known)) return known as [string, Value]
  for (const each of source) {
    if (each instanceof Map && each.size !== 1) continue
    const [url, own] = each instanceof Map ? [...each][0]! : [each, null]
    const text = textOf(url)
    if (text === undefined || !(await isThere(ctx, text, saltenv))) continue
    const chosen: [string, Value] = [text, truthy(own) ? own : source_hash]
    ctx.memory.set(key, chosen)
    return chosen
  }
  throw failure('none of the specified sources were found')
}

async function isThere(ctx: FunctionContext, url: string, saltenv: string): Promise<boolean> {
  const { scheme, netloc, path } = urlParts(url)
  if (scheme === 'salt') {
    const parsed = parseSaltUrl(url)
    const env = parsed.saltenv ?? saltenv
    if (await ctx.files.stat(url, env)) return true
    return (await ctx.files.directories(env)).includes(parsed.path)
  }
  if (scheme === 'file') {
    for (const candidate of [netloc, path, joinPaths(netloc, path)]) {
      if (candidate !== '' && (await exists(ctx, candidate))) return true
    }
    return false
  }
  if (scheme.startsWith('http')) return answers(ctx, url)
  return url.startsWith('/') && (await exists(ctx, url))
}

async function answers(ctx: FunctionContext, url: string): Promise<boolean> {
  const parameters = new Map<string, Value>(Object.entries({ url, method: 'HEAD', decode_body: false }))
  return !(await ctx.http.query(parameters)).has('error')
}

/** The local copy of a source. */
export interface Fetched {
  /** Path of the copy; empty or False if there is none. */
  sfn: string | false
  sum: HashSum | undefined
  /** Reason of a failure; empty on success. */
  comment: string
}

const failed = (comment: string, sfn: string | false = ''): Fetched => ({ sfn, sum: undefined, comment })

/** The part of a request that says where content comes from, and what its template sees. */
type SourceRequest = SignatureRequest &
  Pick<FileRequest, (typeof REQUIRED.get_managed)[number] | 'skip_verify' | 'use_etag' | 'source_hash_sig' | 'kwargs'>

/** Fetch the source of a request, and render it when it is a template. */
export async function fetchManaged(ctx: FunctionContext, request: SourceRequest): Promise<Fetched> {
  const source = textOf(request.source) ?? ''
  if (source === '') return { sfn: '', sum: undefined, comment: '' }
  const parts = urlParts(source)
  const scheme = VALID_PROTOCOLS.includes(parts.scheme) ? parts.scheme : ''
  const path = scheme === '' ? source : joinPaths(parts.netloc, parts.path).replace(/\/+$/, '')
  const isLocal = scheme === '' || scheme === 'file'
  if (isLocal && !(await exists(ctx, path))) return failed(`Local file source ${path} does not exist`)
  const sum = await expectedSum(ctx, request, { source, scheme, path, isLocal })
  if (typeof sum === 'string') return failed(sum)
  if (!request.template && !REMOTE_PROTOCOLS.includes(scheme)) {
    return { sfn: isLocal ? path : '', sum, comment: '' }
  }
  const cached = await cachedCopy(ctx, request, source, isLocal ? path : '', sum)
  if (cached.comment !== '') return cached
  if (cached.sfn === request.name) {
    throw misuse('Source file cannot be the same as destination')
  }
  return request.template ? rendered(ctx, request, cached) : cached
}

interface Source {
  source: string
  scheme: string
  path: string
  isLocal: boolean
}

/** Return the hash that the source must have, undefined when any hash will do, or the reason of a failure as text. */
async function expectedSum(
  ctx: FunctionContext,
  request: SourceRequest,
  { source, scheme, path, isLocal }: Source,
): Promise<HashSum | undefined | string> {
  const { source_hash, saltenv } = request
  if (scheme === 'salt') {
    const sum = await ctx.files.hash(source, saltenv)
    return sum ?? `Source file ${source} not found in saltenv '${saltenv}'`
  }
  if (!truthy(source_hash) && isLocal) return { hsum: await hashFile(ctx, path), hash_type: 'sha256' }
  if (request.skip_verify) return undefined
  if (!truthy(source_hash)) {
    if (request.use_etag) return undefined
    const shown = redactUrl(source)
    return `Unable to verify upstream hash of source file ${shown}, please set source_hash or set skip_verify to True`
  }
  try {
    return await sourceSum(ctx, request.name, source, request)
  } catch (error) {
    if (!isFailure(error)) throw error
    return `Unable to manage file: ${error.message}`
  }
}

async function cachedCopy(
  ctx: FunctionContext,
  request: SourceRequest,
  source: string,
  local: string,
  expected: HashSum | undefined,
): Promise<Fetched> {
  const { saltenv, source_hash, skip_verify, use_etag, verify_ssl } = request
  let sfn: string | false = local
  let sum = expected
  let isStale = false
  const mayBeKept = truthy(source_hash) || skip_verify || use_etag
  const known = mayBeKept ? await ctx.call('cp.is_cached', [source, saltenv]) : ''
  if (known !== '') {
    const hash_type = sum?.hash_type ?? 'sha256'
    const hsum = await hashFile(ctx, known, hash_type)
    isStale = !skip_verify && (use_etag || hsum !== sum?.hsum)
    if (skip_verify) sum = { hsum, hash_type }
    if (!isStale) sfn = known
  }
  if (!sfn || isStale) {
    try {
      const options = { source_hash: sum?.hsum ?? null, verify_ssl, use_etag }
      sfn = await ctx.call('cp.cache_file', [source, saltenv], options)
    } catch (error) {
      return failed(`Failed to cache ${redactUrl(source)}: ${toError(error).message}`)
    }
  }
  if (!sfn || !(await exists(ctx, sfn))) return failed(`Source file '${redactUrl(source)}' not found`, sfn)
  return { sfn, sum, comment: '' }
}

/** Return the variables of a template: the given facts, then `defaults`, then `context`. */
export function templateContext(
  facts: ReadonlyMap<string, Value>,
  defaults: Value,
  context: Value,
): Map<string, Value> {
  const all = new Map(facts)
  for (const given of [defaults, context]) {
    if (given instanceof Map) for (const [name, value] of given) all.set(str(name), value)
  }
  return all
}

async function rendered(ctx: FunctionContext, request: SourceRequest, { sfn }: Fetched): Promise<Fetched> {
  const template = request.template ?? ''
  if (!ENGINES.has(template)) return failed(`Specified template format ${template} is not supported`, sfn)
  const { name, source, user, group, mode, attrs, saltenv } = request
  const facts = new Map<string, Value>(Object.entries({ name, source, user, group, mode, attrs }))
  for (const [option, value] of request.kwargs) facts.set(option, value)
  const context = templateContext(facts, request.defaults, request.context)
  try {
    const text = decodeBytes(await ctx.host.read(str(sfn)))
    const output = str(await ctx.render({ text, from: str(sfn), renderer: template, saltenv, context, asFile: true }))
    const made = await temporaryFile(ctx, output)
    return { sfn: made, sum: { hash_type: 'sha256', hsum: await hashFile(ctx, made) }, comment: '' }
  } catch (error) {
    await discard(ctx, sfn)
    if (error instanceof BrineError && error.at !== undefined) {
      ctx.log('error', `${error.at.file ?? str(source)}:${error.at.line}: ${error.reason}`)
    }
    // a mistake in the template fails the call instead of its report
    if (toError(error).name === 'SaltRenderError') throw error
    return failed(toError(error).message, sfn)
  }
}
