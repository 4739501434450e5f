// Files from the file server: fetched, rendered, cached and listed.
import {
  decodeBytes,
  makeSaltUrl,
  parseSaltUrl,
  REMOTE_PROTOCOLS,
  schemeOf,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, isHostError, option, ret } from '../../../sdk/mod.ts'
import { receiveChunk } from './module/chunks.ts'
import { cacheDirectory, cacheLocalFile, fetchDirectory, localFiles, stateNames } from './module/directories.ts'
import { pushDirectory, pushFile } from './module/push.ts'
import { renderNames, renderTemplate } from './module/templates.ts'

const saltenv = arg.any('The environment; `base` when left out', { optional: true })
const path = arg.string('The source')
const prefix = arg.string('Only what begins with it', { default: '' })
const makedirs = arg.boolean('Whether missing directories are made', { default: false })
const dest = arg.any('Where it goes')
const template = arg.any('The template engine for the path and the target', { optional: true })
const gzip = arg.any('Accepted for compatibility', { optional: true })
const further = arg.open('`pillar` and `pillarenv`, and further template variables')

function envOf(ctx: FunctionContext, given: Value): string {
  if (truthy(given)) return str(given)
  const configured = option(ctx.opts, 'saltenv')
  return truthy(configured) ? str(configured) : 'base'
}

/** The URL without the environment in it, and the environment that counts. */
function split(ctx: FunctionContext, url: string, given: Value): { url: string; env: string } {
  if (!url.startsWith('salt://')) return { url, env: envOf(ctx, given) }
  const parsed = parseSaltUrl(url)
  return { url: makeSaltUrl(parsed.path), env: parsed.saltenv ?? envOf(ctx, given) }
}

interface CacheRequest {
  source_hash?: Value
  verify_ssl?: Value
  use_etag?: Value
}

/** Sources from elsewhere are fetched once in a run, because nobody tells whether they have changed. */
async function cacheFile(
  ctx: FunctionContext,
  source: string,
  given: Value,
  request: CacheRequest = {},
): Promise<Value> {
  const env = envOf(ctx, given)
  const key = `cp.cache_file_|-${source}_|-${env}`
  const isRemote = REMOTE_PROTOCOLS.includes(schemeOf(source))
  const known = textOf(ctx.memory.get(key) ?? null)
  if (isRemote && known && (await ctx.host.stat(known))?.type === 'file') return known
  const target = split(ctx, source, given)
  const sourceHash = textOf(request.source_hash ?? null)
  const result = await ctx.files.fetchUrl(target.url, {
    saltenv: target.env,
    makedirs: true,
    verifySsl: request.verify_ssl !== false,
    useEtag: truthy(request.use_etag ?? null),
    ...(sourceHash !== undefined && { sourceHash }),
  })
  if (result === false) ctx.log('error', `Unable to cache file '${target.url}' from saltenv '${target.env}'.`)
  if (isRemote) ctx.memory.set(key, result)
  return result
}

async function getUrl(
  ctx: FunctionContext,
  url: string,
  target: Value,
  env: string,
  more: Record<string, Value>,
): Promise<Value> {
  const into = textOf(target)
  const hash = textOf(more['source_hash'] ?? null)
  const fetched = await ctx.files.fetchUrl(url, {
    saltenv: env,
    makedirs: truthy(more['makedirs'] ?? null),
    ...(into && { dest: into }),
    ...(hash !== undefined && { sourceHash: hash }),
  })
  if (fetched === false) ctx.log('error', `Unable to fetch file ${url} from saltenv ${env}.`)
  if (fetched === false || into !== undefined) return fetched
  return decodeBytes(await ctx.host.read(fetched))
}

async function receive(ctx: FunctionContext, files: ReadonlyMap<Value, Value>, target: string): Promise<Value> {
  const result = new Map<Value, Value>()
  const isDirectory = async (path: string): Promise<boolean> => (await ctx.host.stat(path))?.type === 'directory'
  const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  const into = await isDirectory(target)
  const hasPlace = await isDirectory(target.slice(0, target.lastIndexOf('/')) || '/')
  for (const [name, data] of files) {
    if (!into && !hasPlace && last(str(name)) !== last(target)) return 'Destination unavailable'
    const file = into ? `${target.replace(/\/$/, '')}/${last(str(name))}` : target
    try {
      await ctx.host.write(file, data instanceof Uint8Array ? data : str(data))
      result.set(file, true)
    } catch (error) {
      if (!isHostError(error)) throw error
      result.set(file, false)
    }
  }
  return result
}

const cacheFileFunction = fn({
  doc: 'Bring a source into the cache; a local file stays where it is.',
  args: {
    path,
    saltenv,
    source_hash: arg.any('Nothing is fetched when the cached copy has this hash', { optional: true }),
    verify_ssl: arg.any('Whether certificates are checked', { default: true }),
    use_etag: arg.any('Whether the server is asked for changes', { default: false }),
  },
  returns: ret.string('Where it is, or False'),
  examples: ["salt '*' cp.cache_file salt://path/to/file"],
  effect: 'read',
  run: (ctx, { path, saltenv, ...request }) => cacheFile(ctx, path, saltenv, request),
})

const hashFileFunction = fn({
  doc: 'The hash of a file.',
  args: { path, saltenv },
  returns: ret.dict('The hash and its type, or nothing'),
  examples: ["salt '*' cp.hash_file salt://path/to/file"],
  effect: 'read',
  run: async (ctx, { path, saltenv }) => {
    const { url, env } = split(ctx, path, saltenv)
    const sum = await ctx.files.hash(url, env)
    if (url.startsWith('salt://')) return sum ? { ...sum } : ''
    // of a file of the machine that is not there, Salt gives an empty sum and no stat
    return sum ? { hsum: sum.hsum, hash_type: sum.hash_type } : [{}, null]
  },
})

export default defineModule({
  name: 'cp',
  doc: 'Files from the file server.',
  functions: {
    recv: fn({
      doc: 'Write files that were sent along with the call.',
      args: { files: arg.dict('Contents by name'), dest: arg.string('Where they go') },
      returns: ret.dict('Whether each was written'),
      effect: 'change',
      run: (ctx, { files, dest }) => receive(ctx, files, dest),
    }),
    recv_chunked: receiveChunk,
    get_file: fn({
      doc: 'Fetch a file of the file server.',
      args: { path: arg.any('The source'), dest, saltenv, makedirs, template, gzip, options: further },
      returns: ret.string('Where it is now, or nothing'),
      examples: ["salt '*' cp.get_file salt://path/to/file /minion/dest"],
      effect: 'change',
      run: async (ctx, { path, dest, saltenv, makedirs, template, options }) => {
        const names = await renderNames(ctx, [path, dest], { template, saltenv: envOf(ctx, saltenv), options })
        const { url, env } = split(ctx, names[0]!, saltenv)
        if (!(await ctx.files.hash(url, env))) return ''
        return ctx.files.fetch(url, { saltenv: env, dest: names[1]!, makedirs })
      },
    }),
    envs: fn({
      doc: 'The environments of the file server.',
      args: {},
      returns: ret.list('Their names'),
      examples: ["salt '*' cp.envs"],
      effect: 'read',
      run: (ctx) => ctx.files.envs(),
    }),
    get_template: fn({
      doc: 'Fetch a file and render it.',
      args: {
        path,
        dest,
        template: arg.string('The template engine', { default: 'jinja' }),
        saltenv,
        makedirs,
        options: further,
      },
      returns: ret.string('Where it is now, or nothing'),
      examples: ["salt '*' cp.get_template salt://path/to/template /minion/dest"],
      effect: 'change',
      run: async (ctx, { path, dest, template, saltenv, makedirs, options }) => {
        const source = await cacheFile(ctx, path, saltenv)
        const { env } = split(ctx, path, saltenv)
        const into = textOf(dest) || ctx.files.cachePath(path, env)
        const mayMake = makedirs || !truthy(dest)
        return renderTemplate(ctx, { source, dest: into, template, saltenv: env, makedirs: mayMake, options })
      },
    }),
    get_dir: fn({
      doc: 'Fetch a directory of the file server with all below it.',
      args: { path: arg.any('The source'), dest, saltenv, template, gzip, options: further },
      returns: ret.list('The files, sorted'),
      examples: ["salt '*' cp.get_dir salt://path/to/dir/ /minion/dest"],
      effect: 'change',
      run: async (ctx, { path, dest, saltenv, template, options }) => {
        const env = envOf(ctx, saltenv)
        const names = await renderNames(ctx, [path, dest], { template, saltenv: env, options })
        return fetchDirectory(ctx, names[0]!, names[1]!, env)
      },
    }),
    get_url: fn({
      doc: 'Fetch any source; without a target its content is returned.',
      args: {
        path,
        dest: arg.any('Where it goes; None for the content', { default: '' }),
        saltenv,
        makedirs,
        source_hash: arg.any('Nothing is fetched when the cached copy has this hash', { optional: true }),
      },
      returns: ret.any('Where it is now, or the content'),
      examples: ["salt '*' cp.get_url salt://my/file /tmp/this_file_is_mine"],
      effect: 'change',
      run: (ctx, { path, dest, saltenv, makedirs, source_hash }) =>
        getUrl(ctx, path, dest, envOf(ctx, saltenv), { makedirs, source_hash }),
    }),
    get_file_str: fn({
      doc: 'The content of a file.',
      args: { path, saltenv },
      returns: ret.string('The content, or False'),
      examples: ["salt '*' cp.get_file_str salt://my/file"],
      effect: 'read',
      run: async (ctx, { path, saltenv }) => {
        const file = await cacheFile(ctx, path, saltenv)
        if (typeof file !== 'string') return file
        try {
          return decodeBytes(await ctx.host.read(file))
        } catch (error) {
          if (isHostError(error)) return false
          throw error
        }
      },
    }),
    cache_file: cacheFileFunction,
    cache_file_ssh: cacheFileFunction,
    cache_dest: fn({
      doc: 'Where a source would be in the cache.',
      args: { url: arg.string('The source'), saltenv },
      returns: ret.string('The path'),
      examples: ["salt '*' cp.cache_dest https://foo.com/bar.rpm"],
      effect: 'read',
      run: (ctx, { url, saltenv }) => ctx.files.cachePath(url, envOf(ctx, saltenv)),
    }),
    cache_files: fn({
      doc: 'Bring several sources into the cache.',
      args: { paths: arg.any('The sources: a list, or a text with commas'), saltenv },
      returns: ret.list('Where they are'),
      examples: ["salt '*' cp.cache_files salt://pathto/file1,salt://pathto/file1"],
      effect: 'read',
      run: async (ctx, { paths, saltenv }) => {
        const list =
          textOf(paths)?.split(',') ?? (Array.isArray(paths) ? (paths as Value[]).map((each) => str(each)) : [])
        const found: Value[] = []
        for (const each of list) found.push(await cacheFile(ctx, each, saltenv))
        return found
      },
    }),
    cache_dir: fn({
      doc: 'Bring a directory of the file server into the cache.',
      args: {
        path,
        saltenv,
        include_empty: arg.boolean('Also empty directories', { default: false }),
        include_pat: arg.any('Only files that match: a glob, or `E@` and a pattern', { optional: true }),
        exclude_pat: arg.any('No files that match', { optional: true }),
      },
      returns: ret.list('Where the files are'),
      examples: ["salt '*' cp.cache_dir salt://path/to/dir"],
      effect: 'read',
      run: (ctx, { path, saltenv, include_empty, include_pat, exclude_pat }) =>
        cacheDirectory(ctx, path, envOf(ctx, saltenv), {
          empty: include_empty,
          include: include_pat,
          exclude: exclude_pat,
        }),
    }),
    cache_master: fn({
      doc: 'Bring all files of an environment into the cache.',
      args: { saltenv },
      returns: ret.list('Where the files are'),
      examples: ["salt '*' cp.cache_master"],
      effect: 'read',
      run: async (ctx, { saltenv }) => {
        const found: Value[] = []
        for (const file of await ctx.files.files(envOf(ctx, saltenv))) {
          found.push(await cacheFile(ctx, makeSaltUrl(file), saltenv))
        }
        return found
      },
    }),
    cache_local_file: fn({
      doc: 'Copy a local file into the cache.',
      args: { path },
      returns: ret.string('Where it is'),
      examples: ["salt '*' cp.cache_local_file /etc/hosts"],
      effect: 'read',
      run: (ctx, { path }) => cacheLocalFile(ctx, path, envOf(ctx, null)),
    }),
    push: fn({
      doc: "Send a file to the master, which keeps it among this minion's files if `file_recv` lets it.",
      args: {
        path: arg.string('The file, an absolute path'),
        keep_symlinks: arg.boolean('Whether links in the path stay as they are', { default: false }),
        upload_path: arg.any('Another path on the master', { optional: true }),
        remove_source: arg.boolean('Whether it is removed here afterwards', { default: false }),
      },
      returns: ret.boolean('Whether it was sent'),
      examples: ["salt '*' cp.push /etc/fstab"],
      effect: 'change',
      run: (ctx, request) => pushFile(ctx, request),
    }),
    push_dir: fn({
      doc: 'Send the files of a directory to the master.',
      args: {
        path: arg.string('The directory, an absolute path'),
        glob: arg.any('Only files of such names', { optional: true }),
        upload_path: arg.any('Another path on the master', { optional: true }),
      },
      returns: ret.boolean('Whether all were sent'),
      examples: ["salt '*' cp.push_dir /etc/modprobe.d/ glob='*.conf'"],
      effect: 'change',
      run: (ctx, request) => pushDirectory(ctx, request),
    }),
    list_states: fn({
      doc: 'The states of an environment.',
      args: { saltenv },
      returns: ret.list('Their names'),
      examples: ["salt '*' cp.list_states"],
      effect: 'read',
      run: async (ctx, { saltenv }) => stateNames(await ctx.files.files(envOf(ctx, saltenv))),
    }),
    list_master: fn({
      doc: 'The files of an environment.',
      args: { saltenv, prefix },
      returns: ret.list('Their paths'),
      examples: ["salt '*' cp.list_master"],
      effect: 'read',
      run: (ctx, { saltenv, prefix }) => ctx.files.files(envOf(ctx, saltenv), prefix),
    }),
    list_master_dirs: fn({
      doc: 'The directories of an environment.',
      args: { saltenv, prefix },
      returns: ret.list('Their paths'),
      examples: ["salt '*' cp.list_master_dirs"],
      effect: 'read',
      run: (ctx, { saltenv, prefix }) => ctx.files.directories(envOf(ctx, saltenv), prefix),
    }),
    list_master_symlinks: fn({
      doc: 'The links of an environment.',
      args: { saltenv, prefix },
      returns: ret.dict('Their targets by path'),
      examples: ["salt '*' cp.list_master_symlinks"],
      effect: 'read',
      run: async (ctx, { saltenv, prefix }) =>
        new Map<Value, Value>(await ctx.files.symlinks(envOf(ctx, saltenv), prefix)),
    }),
    list_minion: fn({
      doc: 'The files in the cache.',
      args: { saltenv },
      returns: ret.list('Their paths'),
      examples: ["salt '*' cp.list_minion"],
      effect: 'read',
      run: (ctx, { saltenv }) => localFiles(ctx, envOf(ctx, saltenv)),
    }),
    is_cached: fn({
      doc: 'Where a source is in the cache.',
      args: { path, saltenv },
      returns: ret.string('The path, or nothing'),
      examples: ["salt '*' cp.is_cached salt://path/to/file"],
      effect: 'read',
      run: (ctx, { path, saltenv }) => {
        const { url, env } = split(ctx, path, saltenv)
        return ctx.files.cached(url, env)
      },
    }),
    hash_file: hashFileFunction,
    hash_file_ssh: hashFileFunction,
    stat_file: fn({
      doc: 'The mode of a file.',
      args: { path, saltenv, octal: arg.any('In octal', { default: true }) },
      returns: ret.any('The mode, or None'),
      examples: ["salt '*' cp.stat_file salt://path/to/file"],
      effect: 'read',
      run: async (ctx, { path, saltenv, octal }) => {
        const { url, env } = split(ctx, path, saltenv)
        const stat = await ctx.files.stat(url, env)
        if (stat === undefined) return null
        return octal === true ? stat.mode.toString(8).padStart(4, '0') : stat.mode | 0o100000
      },
    }),
  },
})
