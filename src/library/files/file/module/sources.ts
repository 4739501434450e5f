// Where managed content comes from: the first source of a list that is there, its hash, and the file itself, rendered
// when it is a template.
import { BrineError, toError } from '../../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  parseSaltUrl,
  REMOTE_PROTOCOLS,
  redactUrl,
  SaltError,
  str,
  textOf,
  truthy,
  urlParts,
  VALID_PROTOCOLS,
  type Value,
} from '../../../../data/mod.ts'
import { exists, type FunctionContext, joinPaths } from '../../../../sdk/mod.ts'
import { type HashSum, hashFile, sourceSum } from './hashing.ts'
import { verifySignature } from './signatures.ts'
import { discard, temporaryFile } from './temporary.ts'

export const ENGINES: ReadonlySet<string> = new Set(['cheetah', 'genshi', 'jinja', 'mako', 'py', 'wempy'])

/** The source that counts, with its hash. */
export async function chooseSource(
  ctx: FunctionContext,
  source: Value,
  sourceHash: Value,
  saltenv: Value,
): Promise<[source: Value, hash: Value]> {
  if (!Array.isArray(source)) return [source, sourceHash]
  const key = `${str(source)}_|-${str(sourceHash)}_|-${str(saltenv)}`
  const known = ctx.memory.get(key)
  if (Array.isArray(known)) return known as [Value, Value]
  for (const each of source as Value[]) {
    if (each instanceof Map && each.size !== 1) continue
    const [url, own] = each instanceof Map ? [...each][0]! : [each, null]
    const text = textOf(url)
    if (text === undefined || !(await isThere(ctx, text, str(saltenv)))) continue
    const chosen: [Value, Value] = [text, truthy(own) ? own : sourceHash]
    ctx.memory.set(key, chosen)
    return chosen
  }
  throw new SaltError('CommandExecutionError', 'none of the specified sources were found')
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

export interface ManagedRequest {
  name: Value
  template: Value
  source: Value
  sourceHash: Value
  sourceHashName: Value
  user: Value
  group: Value
  mode: Value
  attrs: Value
  saltenv: Value
  context: Value
  defaults: Value
  skipVerify: boolean
  verifySsl: Value
  useEtag: boolean
  /** Further options: those of signatures, and template variables. */
  options: ReadonlyMap<string, Value>
}

/** A local copy of the source, its hash, and what is wrong. */
export interface Managed {
  sfn: Value
  sum: HashSum | undefined
  comment: string
}

const wrong = (comment: string, sfn: Value = ''): Managed => ({ sfn, sum: undefined, comment })

/** Brings a source here and renders it. */
export async function fetchManaged(ctx: FunctionContext, request: ManagedRequest): Promise<Managed> {
  const source = textOf(request.source) ?? ''
  if (source === '') return { sfn: '', sum: undefined, comment: '' }
  const parts = urlParts(source)
  const scheme = VALID_PROTOCOLS.includes(parts.scheme) ? parts.scheme : ''
  const path = scheme === '' ? source : joinPaths(parts.netloc, parts.path).replace(/\/+$/, '')
  const isLocal = scheme === '' || scheme === 'file'
  if (isLocal && !(await exists(ctx, path))) return wrong(`Local file source ${path} does not exist`)
  const sum = await expectedSum(ctx, request, { source, scheme, path, isLocal })
  if (typeof sum === 'string') return wrong(sum)
  if (!truthy(request.template) && !REMOTE_PROTOCOLS.includes(scheme)) {
    return { sfn: isLocal ? path : '', sum, comment: '' }
  }
  const cached = await cachedCopy(ctx, request, source, isLocal ? path : '', sum)
  if (typeof cached.comment === 'string' && cached.comment !== '') return cached
  if (cached.sfn === request.name) {
    throw new SaltError('SaltInvocationError', 'Source file cannot be the same as destination')
  }
  return truthy(request.template) ? rendered(ctx, request, cached) : cached
}

interface Source {
  source: string
  scheme: string
  path: string
  isLocal: boolean
}

/** The hash the source must have, undefined when nobody says; a text when that is a mistake. */
async function expectedSum(
  ctx: FunctionContext,
  request: ManagedRequest,
  { source, scheme, path, isLocal }: Source,
): Promise<HashSum | undefined | string> {
  const { sourceHash, saltenv } = request
  if (scheme === 'salt') {
    const sum = await ctx.files.hash(source, str(saltenv))
    return sum ?? `Source file ${source} not found in saltenv '${str(saltenv)}'`
  }
  if (!truthy(sourceHash) && isLocal) return { hsum: await hashFile(ctx, path), hash_type: 'sha256' }
  if (request.skipVerify) return undefined
  if (!truthy(sourceHash)) {
    if (request.useEtag) return undefined
    const shown = redactUrl(source)
    return `Unable to verify upstream hash of source file ${shown}, please set source_hash or set skip_verify to True`
  }
  try {
    const signature = request.options.get('source_hash_sig') ?? null
    const verify = truthy(signature)
      ? (file: string) => verifySignature(ctx, file, signature, { ...request, options: request.options })
      : undefined
    return await sourceSum(ctx, {
      fileName: request.name,
      source,
      sourceHash,
      sourceHashName: request.sourceHashName,
      saltenv,
      verifySsl: request.verifySsl,
      ...(verify && { verify }),
    })
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'CommandExecutionError') throw error
    return `Unable to manage file: ${error.message}`
  }
}

async function cachedCopy(
  ctx: FunctionContext,
  request: ManagedRequest,
  source: string,
  local: string,
  expected: HashSum | undefined,
): Promise<Managed> {
  const { saltenv, sourceHash, skipVerify, useEtag } = request
  let sfn: Value = local
  let sum = expected
  let isStale = false
  const known = str(await ctx.call('cp.is_cached', [source, saltenv]))
  if (known !== '' && (truthy(sourceHash) || skipVerify || useEtag)) {
    const hash_type = sum?.hash_type ?? 'sha256'
    const hsum = await hashFile(ctx, known, hash_type)
    isStale = !skipVerify && (useEtag || hsum !== sum?.hsum)
    if (skipVerify) sum = { hsum, hash_type }
    if (!isStale) sfn = known
  }
  if (!sfn || isStale) {
    try {
      const options = { source_hash: sum?.hsum ?? null, verify_ssl: request.verifySsl, use_etag: useEtag }
      sfn = await ctx.call('cp.cache_file', [source, saltenv], options)
    } catch (error) {
      return wrong(`Failed to cache ${redactUrl(source)}: ${toError(error).message}`)
    }
  }
  if (!truthy(sfn) || !(await exists(ctx, str(sfn)))) return wrong(`Source file '${redactUrl(source)}' not found`, sfn)
  return { sfn, sum, comment: '' }
}

/** Variables of a template: facts about the file, further options, and what the user gave. */
export function templateContext(
  facts: ReadonlyMap<string, Value>,
  defaults: Value,
  context: Value,
): Map<string, Value> {
  const all = new Map(facts)
  for (const given of [defaults, context]) {
    if (given instanceof Map) for (const [name, value] of given as Dict) all.set(str(name), value)
  }
  return all
}

async function rendered(ctx: FunctionContext, request: ManagedRequest, { sfn }: Managed): Promise<Managed> {
  const template = str(request.template)
  if (!ENGINES.has(template)) return wrong(`Specified template format ${template} is not supported`, sfn)
  const { name, source, user, group, mode, attrs, saltenv } = request
  const facts = new Map<string, Value>(Object.entries({ name, source, user, group, mode, attrs }))
  for (const [option, value] of request.options) facts.set(option, value)
  const context = templateContext(facts, request.defaults, request.context)
  try {
    const text = decodeBytes(await ctx.host.read(str(sfn)))
    const output = str(await ctx.render({ text, renderer: template, saltenv: str(saltenv), context, asFile: true }))
    const made = await temporaryFile(ctx, output)
    return { sfn: made, sum: { hash_type: 'sha256', hsum: await hashFile(ctx, made) }, comment: '' }
  } catch (error) {
    await discard(ctx, sfn)
    if (error instanceof BrineError && error.at !== undefined) {
      ctx.log('error', `${error.at.file ?? str(source)}:${error.at.line}: ${error.reason}`)
    }
    // what a template does wrong is no answer but an error
    if (toError(error).name === 'SaltRenderError') throw error
    return wrong(toError(error).message, sfn)
  }
}
