// Files in the cache of the minion.
import { type Dict, REMOTE_PROTOCOLS, redactUrl, str, truthy, urlParts, type Value } from '../../../../data/mod.ts'
import { arg, option, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, dict, fail, messageOf } from './answer.ts'
import { isFailure } from './managed-contents.ts'
import { expandUser, isDirectory, joinPaths, normalPath } from './paths.ts'

const LOCAL_PROTOCOLS = ['', 'file']

type Options = Record<string, Value> & { name: string }

/** The path with links resolved as far as there is something. */
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

async function predict(ctx: StateContext, answer: Answer, sum: Dict, saltenv: Value): Promise<Answer> {
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

const SIGNATURES = ['source_hash_sig', 'signed_by_any', 'signed_by_all', 'keyring', 'gnupghome', 'sig_backend']

async function sumOf(ctx: StateContext, options: Options): Promise<Dict> {
  if (!truthy(options['source_hash']!)) return new Map()
  const names = ['source_hash', 'source_hash_name', 'saltenv', ...SIGNATURES]
  const given = Object.fromEntries(names.map((name) => [name, options[name]!]))
  return ctx.call('file.get_source_sum', [], { ...given, source: options.name })
}

async function cache(ctx: StateContext, options: Options): Promise<Answer> {
  const { name } = options
  const answer: Answer = { ...begin(name), result: false }
  const { scheme } = urlParts(name)
  const skipVerify = truthy(options['skip_verify']!)
  const isVouched = skipVerify || truthy(options['source_hash']!) || truthy(options['use_etag']!)
  if (!isVouched && REMOTE_PROTOCOLS.includes(scheme)) {
    const wish = 'please set source_hash or set skip_verify or use_etag to True'
    return fail(answer, `Unable to verify upstream hash of source file ${redactUrl(name)}, ${wish}`)
  }
  let sum: Dict
  try {
    sum = await sumOf(ctx, options)
  } catch (error) {
    if (isFailure(error)) return fail(answer, error.message)
    throw error
  }
  const saltenv = options['saltenv']!
  if (ctx.test) return predict(ctx, answer, sum, saltenv)
  if (LOCAL_PROTOCOLS.includes(scheme)) return localFile(ctx, answer, sum, skipVerify)
  const before = await ctx.call('cp.is_cached', [name], { saltenv })
  const old = truthy(before) ? await hashOf(ctx, str(before), sum) : null
  let copy: Value
  try {
    const given = { saltenv, source_hash: sum.get('hsum') ?? null, use_etag: options['use_etag']! }
    copy = await ctx.call('cp.cache_file', [name], given)
  } catch (error) {
    return fail(answer, redactUrl(messageOf(error)))
  }
  if (!truthy(copy)) {
    return fail(answer, `Failed to cache ${redactUrl(name)}, check minion log for more information`)
  }
  const fresh = await hashOf(ctx, str(copy), sum)
  const changes = old === fresh ? new Map<Value, Value>() : dict({ hash: dict({ old, new: fresh }) })
  return verdict({ ...answer, changes }, str(copy), fresh, skipVerify ? undefined : sum.get('hsum'))
}

function verdict(answer: Answer, path: string, found: Value, wanted: Value | undefined): Answer {
  if (wanted === undefined) return { ...answer, result: true, comment: `File is cached to ${path}` }
  if (found === wanted) {
    return { ...answer, result: true, comment: `File is already cached to ${path} with hash ${str(found)}` }
  }
  const mismatch = `but the hash (${str(found)}) does not match the specified hash (${str(wanted)})`
  return fail(answer, `File is cached to ${path}, ${mismatch}`)
}

async function uncache(ctx: StateContext, name: string, saltenv: Value): Promise<Answer> {
  const answer = begin(name)
  if (LOCAL_PROTOCOLS.includes(urlParts(name).scheme)) {
    return { ...answer, comment: `File ${await realPath(ctx, name)} is a local path, no action taken` }
  }
  const copy = await ctx.call('cp.is_cached', [name], { saltenv })
  if (!truthy(copy)) return { ...answer, comment: `${name} is not cached` }
  const path = str(copy)
  try {
    await ctx.host.remove(path)
  } catch (error) {
    return fail(answer, `Failed to delete ${path}: ${messageOf(error)}`)
  }
  return { ...answer, changes: dict({ deleted: true }), comment: `${path} was deleted` }
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })
const saltenv = arg.any('The environment of the file server', { default: 'base' })

export const cached = state({
  doc: 'Keep a file in the cache of the minion.',
  args: {
    name: arg.string('The URL'),
    source_hash: arg.any('Its hash: itself, `type=hash`, or where to find it', { default: '' }),
    source_hash_name: optional('The name by which the file of hashes lists it'),
    skip_verify: off('Do not check the hash'),
    saltenv,
    use_etag: arg.flag('Ask a server whether the file has changed', { default: false }),
    source_hash_sig: optional('Where the signature of the file of hashes is'),
    signed_by_any: optional('Keys of which one must have signed'),
    signed_by_all: optional('Keys that must all have signed'),
    keyring: optional('The keyring'),
    gnupghome: optional('The directory of GnuPG'),
    sig_backend: arg.any('The module that checks signatures', { default: 'gpg' }),
  },
  run: (ctx, args) => cache(ctx, args),
})

export const not_cached = state({
  doc: 'Drop a file from the cache of the minion.',
  args: { name: arg.string('The URL'), saltenv },
  run: (ctx, { name, saltenv }) => uncache(ctx, name, saltenv),
})
