// Files in the cache of the minion.
import {
  type Dict,
  dictFrom,
  isFailure,
  REMOTE_PROTOCOLS,
  redactUrl,
  str,
  truthy,
  urlParts,
  type Value,
} from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  expandUser,
  isDirectory,
  joinPaths,
  normalPath,
  option,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { offered, SIGNERS } from '../managed-request.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'

const LOCAL_PROTOCOLS = ['', 'file']

const cachedArgs = {
  name: arg.string('URL of the file'),
  ...offered('source_hash', 'source_hash_name', 'skip_verify', 'saltenv', 'use_etag', 'source_hash_sig'),
  ...offered(...SIGNERS, 'sig_backend'),
}

type Options = Bound<typeof cachedArgs>

/** Return the path of a URL, with links resolved as far as the path exists. */
async function realPath(ctx: StateContext, url: string): Promise<string> {
  const path = await expandUser(ctx, urlParts(url).path)
  if (await ctx.host.stat(path)) return ctx.host.realPath(path)
  const whole = normalPath(joinPaths(await ctx.host.realPath('.'), path))
  const at = whole.lastIndexOf('/')
  const [above, last] = [whole.slice(0, at) || '/', whole.slice(at + 1)]
  return (await isDirectory(ctx, above)) ? joinPaths(await ctx.host.realPath(above), last) : whole
}

const hashOf = async (ctx: StateContext, path: string, sum: Dict): Promise<Value> =>
  ctx.call('file.get_hash', [path, sum.get('hash_type') ?? option(ctx.opts, 'hash_type')])

async function localFile(ctx: StateContext, answer: Answer, sum: Dict, skipVerify: boolean): Promise<Answer> {
  const path = await realPath(ctx, str(answer.name))
  if (!(await ctx.host.stat(path))) return { ...answer, comment: `File ${path} is not present on the minion` }
  const present = `File ${path} is present on the minion`
  if (skipVerify || sum.size === 0) return { ...answer, result: true, comment: present }
  const [found, wanted] = [await hashOf(ctx, path, sum), sum.get('hsum')!]
  if (found === wanted) return { ...answer, result: true, comment: `${present} and has hash ${str(found)}` }
  const mismatch = `but the hash (${str(found)}) does not match the specified hash (${str(wanted)})`
  return { ...answer, comment: `${present}, ${mismatch}` }
}

async function predict(ctx: StateContext, answer: Answer, sum: Dict, saltenv: string): Promise<Answer> {
  const name = str(answer.name)
  const copy = await ctx.call('cp.is_cached', [name], { saltenv })
  let comment = `File will be cached: ${name}`
  if (truthy(copy) && sum.size === 0) comment = `No hash found. ${comment}`
  else if (truthy(copy)) {
    const found = await ctx.call('file.get_hash', [copy, option(ctx.opts, 'hash_type')])
    comment = found === sum.get('hsum') ? `File already cached: ${name}` : `Hashes don't match.\n${comment}`
  }
  return { ...answer, result: null, comment }
}

async function sumOf(ctx: StateContext, { name, skip_verify, use_etag, ...given }: Options): Promise<Dict> {
  return truthy(given.source_hash) ? ctx.call('file.get_source_sum', [], { ...given, source: name }) : new Map()
}

async function cache(ctx: StateContext, options: Options): Promise<Answer> {
  const { name, saltenv, skip_verify: skipVerify, use_etag } = options
  const answer: Answer = { ...begin(name), result: false }
  const { scheme } = urlParts(name)
  const isVerified = skipVerify || truthy(options.source_hash) || use_etag
  if (!isVerified && REMOTE_PROTOCOLS.includes(scheme)) {
    const advice = 'please set source_hash or set skip_verify or use_etag to True'
    return fail(answer, `Unable to verify upstream hash of source file ${redactUrl(name)}, ${advice}`)
  }
  let sum: Dict
  try {
    sum = await sumOf(ctx, options)
  } catch (error) {
    if (isFailure(error)) return fail(answer, error.message)
    throw error
  }
  if (ctx.test) return predict(ctx, answer, sum, saltenv)
  if (LOCAL_PROTOCOLS.includes(scheme)) return localFile(ctx, answer, sum, skipVerify)
  const before = await ctx.call('cp.is_cached', [name], { saltenv })
  const old = before ? await hashOf(ctx, before, sum) : null
  let copy: string | false
  try {
    const given = { saltenv, source_hash: sum.get('hsum') ?? null, use_etag }
    copy = await ctx.call('cp.cache_file', [name], given)
  } catch (error) {
    return fail(answer, redactUrl(messageOf(error)))
  }
  if (!copy) {
    return fail(answer, `Failed to cache ${redactUrl(name)}, check minion log for more information`)
  }
  const fresh = await hashOf(ctx, copy, sum)
  const changes = old === fresh ? new Map<Value, Value>() : dictFrom({ hash: dictFrom({ old, new: fresh }) })
  return verdict({ ...answer, changes }, copy, fresh, skipVerify ? undefined : sum.get('hsum'))
}

function verdict(answer: Answer, path: string, found: Value, wanted: Value | undefined): Answer {
  if (wanted === undefined) return { ...answer, result: true, comment: `File is cached to ${path}` }
  if (found === wanted) {
    return { ...answer, result: true, comment: `File is already cached to ${path} with hash ${str(found)}` }
  }
  const mismatch = `but the hash (${str(found)}) does not match the specified hash (${str(wanted)})`
  return fail(answer, `File is cached to ${path}, ${mismatch}`)
}

async function uncache(ctx: StateContext, name: string, saltenv: string): Promise<Answer> {
  const answer = begin(name)
  if (LOCAL_PROTOCOLS.includes(urlParts(name).scheme)) {
    return { ...answer, comment: `File ${await realPath(ctx, name)} is a local path, no action taken` }
  }
  const path = await ctx.call('cp.is_cached', [name], { saltenv })
  if (!path) return { ...answer, comment: `${name} is not cached` }
  try {
    await ctx.host.remove(path)
  } catch (error) {
    return fail(answer, `Failed to delete ${path}: ${messageOf(error)}`)
  }
  return { ...answer, changes: dictFrom({ deleted: true }), comment: `${path} was deleted` }
}

export const cached = state({
  doc: 'Ensure that a file is in the cache of the minion.',
  args: cachedArgs,
  run: cache,
})

export const not_cached = state({
  doc: 'Ensure that a file is not in the cache of the minion.',
  args: { name: arg.string('URL of the file'), ...offered('saltenv') },
  run: (ctx, { name, saltenv }) => uncache(ctx, name, saltenv),
})
