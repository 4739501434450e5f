// Files from the file server: fetched, rendered, cached and listed.
import {
  type Dict,
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
import { arg, changes, defineModule, type FunctionContext, isHostError, option, reads, ret } from '../../../sdk/mod.ts'
import { receiveChunk } from './module/chunks.ts'
import { cacheDirectory, cacheLocalFile, fetchDirectory, localFiles, stateNames } from './module/directories.ts'
import { pushDirectory, pushFile } from './module/push.ts'
import { renderNames, renderTemplate } from './module/templates.ts'

const saltenv = arg.text('The environment; `base` when left out', { optional: true })
const path = arg.string('The source')
const prefix = arg.string('Only what begins with it', { default: '' })
const makedirs = arg.boolean('Whether missing directories are made', { default: false })
const dest = arg.any('Where it goes')
const template = arg.text('The template engine for the path and the target', { optional: true })
const gzip = arg.any('Accepted for compatibility', { optional: true })
const further = arg.open('`pillar` and `pillarenv`, and further template variables')

function envOf(ctx: FunctionContext, given: string | null): string {
  if (given) return str(given)
  const configured = option(ctx.opts, 'saltenv')
  return truthy(configured) ? str(configured) : 'base'
}

/** The URL without the environment in it, and the environment that counts. */
function split(ctx: FunctionContext, url: string, given: string | null): { url: string; env: string } {
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
  given: string | null,
  request: CacheRequest = {},
): Promise<string | false> {
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

async function receive(ctx: FunctionContext, files: ReadonlyMap<Value, Value>, target: string): Promise<Dict | string> {
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

const cacheFileFunction = reads({
  doc: 'Bring a source into the cache; a local file stays where it is.',
  args: {
    path,
    saltenv,
    source_hash: arg.any('Nothing is fetched when the cached copy has this hash', { optional: true }),
    verify_ssl: arg.any('Whether certificates are checked', { default: true }),
    use_etag: arg.any('Whether the server is asked for changes', { default: false }),
  },
  returns: ret.orFalse(ret.string('Where it is, or False')),
  example: 'cp.cache_file salt://path/to/file',
  run: (ctx, { path, saltenv, ...request }) => cacheFile(ctx, path, saltenv, request),
})

const hashFileFunction = reads({
  doc: 'The hash of a file.',
  args: { path, saltenv },
  returns: ret.any('The hash and its type, or an empty text'),
  example: 'cp.hash_file salt://path/to/file',
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
    recv: changes({
      doc: 'Write files that were sent along with the call.',
      args: { files: arg.dict('Contents by name'), dest: arg.string('Where they go') },
      returns: ret.any('Whether each was written; a text when there is no place for them'),
      run: (ctx, { files, dest }) => receive(ctx, files, dest),
    }),
    recv_chunked: receiveChunk,
    get_file: changes({
      doc: 'Fetch a file of the file server.',
      args: { path: arg.any('The source'), dest, saltenv, makedirs, template, gzip, options: further },
      returns: ret.orFalse(ret.string('Where it is now; empty when the file server has no such file')),
      example: 'cp.get_file salt://path/to/file /minion/dest',
      run: async (ctx, { path, dest, saltenv, makedirs, template, options }) => {
        const names = await renderNames(ctx, [path, dest], { template, saltenv: envOf(ctx, saltenv), options })
        const { url, env } = split(ctx, names[0]!, saltenv)
        if (!(await ctx.files.hash(url, env))) return ''
        return ctx.files.fetch(url, { saltenv: env, dest: names[1]!, makedirs })
      },
    }),
    envs: reads({
      doc: 'The environments of the file server.',
      args: {},
      returns: ret.texts('Their names'),
      example: 'cp.envs',
      run: (ctx) => ctx.files.envs(),
    }),
    get_template: changes({
      doc: 'Fetch a file and render it.',
      args: {
        path,
        dest,
        template: arg.string('The template engine', { default: 'jinja' }),
        saltenv,
        makedirs,
        options: further,
      },
      returns: ret.orFalse(ret.string('Where it is now; empty when the file server has no such file')),
      example: 'cp.get_template salt://path/to/template /minion/dest',
      run: async (ctx, { path, dest, template, saltenv, makedirs, options }) => {
        const source = await cacheFile(ctx, path, saltenv)
        const { env } = split(ctx, path, saltenv)
        const into = textOf(dest) || ctx.files.cachePath(path, env)
        const mayMake = makedirs || !truthy(dest)
        return renderTemplate(ctx, { source, dest: into, template, saltenv: env, makedirs: mayMake, options })
      },
    }),
    get_dir: changes({
      doc: 'Fetch a directory of the file server with all below it.',
      args: { path: arg.any('The source'), dest, saltenv, template, gzip, options: further },
      returns: ret.list('The files, sorted'),
      example: 'cp.get_dir salt://path/to/dir/ /minion/dest',
      run: async (ctx, { path, dest, saltenv, template, options }) => {
        const env = envOf(ctx, saltenv)
        const names = await renderNames(ctx, [path, dest], { template, saltenv: env, options })
        return fetchDirectory(ctx, names[0]!, names[1]!, env)
      },
    }),
    get_url: changes({
      doc: 'Fetch any source; without a target its content is returned.',
      args: {
        path,
        dest: arg.any('Where it goes; None for the content', { default: '' }),
        saltenv,
        makedirs,
        source_hash: arg.any('Nothing is fetched when the cached copy has this hash', { optional: true }),
      },
      returns: ret.any('Where it is now, or the content'),
      example: 'cp.get_url salt://my/file /tmp/this_file_is_mine',
      run: (ctx, { path, dest, saltenv, makedirs, source_hash }) =>
        getUrl(ctx, path, dest, envOf(ctx, saltenv), { makedirs, source_hash }),
    }),
    get_file_str: reads({
      doc: 'The content of a file.',
      args: { path, saltenv },
      returns: ret.orFalse(ret.string('The content, or False')),
      example: 'cp.get_file_str salt://my/file',
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
    cache_dest: reads({
      doc: 'Where a source would be in the cache.',
      args: { url: arg.string('The source'), saltenv },
      returns: ret.string('The path'),
      example: 'cp.cache_dest https://foo.com/bar.rpm',
      run: (ctx, { url, saltenv }) => ctx.files.cachePath(url, envOf(ctx, saltenv)),
    }),
    cache_files: reads({
      doc: 'Bring several sources into the cache.',
      args: { paths: arg.any('The sources: a list, or a text with commas'), saltenv },
      returns: ret.list('Where they are'),
      example: 'cp.cache_files salt://pathto/file1,salt://pathto/file1',
      run: async (ctx, { paths, saltenv }) => {
        const list =
          textOf(paths)?.split(',') ?? (Array.isArray(paths) ? (paths as Value[]).map((each) => str(each)) : [])
        const found: Value[] = []
        for (const each of list) found.push(await cacheFile(ctx, each, saltenv))
        return found
      },
    }),
    cache_dir: reads({
      doc: 'Bring a directory of the file server into the cache.',
      args: {
        path,
        saltenv,
        include_empty: arg.boolean('Also empty directories', { default: false }),
        include_pat: arg.any('Only files that match: a glob, or `E@` and a pattern', { optional: true }),
        exclude_pat: arg.any('No files that match', { optional: true }),
      },
      returns: ret.list('Where the files are'),
      example: 'cp.cache_dir salt://path/to/dir',
      run: (ctx, { path, saltenv, include_empty, include_pat, exclude_pat }) =>
        cacheDirectory(ctx, path, envOf(ctx, saltenv), {
          empty: include_empty,
          include: include_pat,
          exclude: exclude_pat,
        }),
    }),
    cache_master: reads({
      doc: 'Bring all files of an environment into the cache.',
      args: { saltenv },
      returns: ret.list('Where the files are'),
      example: 'cp.cache_master',
      run: async (ctx, { saltenv }) => {
        const found: Value[] = []
        for (const file of await ctx.files.files(envOf(ctx, saltenv))) {
          found.push(await cacheFile(ctx, makeSaltUrl(file), saltenv))
        }
        return found
      },
    }),
    cache_local_file: reads({
      doc: 'Copy a local file into the cache.',
      args: { path },
      returns: ret.string('Where it is'),
      example: 'cp.cache_local_file /etc/hosts',
      run: (ctx, { path }) => cacheLocalFile(ctx, path, envOf(ctx, null)),
    }),
    push: changes({
      doc: "Send a file to the master, which keeps it among this minion's files if `file_recv` lets it.",
      args: {
        path: arg.string('The file, an absolute path'),
        keep_symlinks: arg.boolean('Whether links in the path stay as they are', { default: false }),
        upload_path: arg.text('Another path on the master', { optional: true }),
        remove_source: arg.boolean('Whether it is removed here afterwards', { default: false }),
      },
      returns: ret.any('Whether it was sent, as the master says'),
      example: 'cp.push /etc/fstab',
      run: (ctx, request) => pushFile(ctx, request),
    }),
    push_dir: changes({
      doc: 'Send the files of a directory to the master.',
      args: {
        path: arg.string('The directory, an absolute path'),
        glob: arg.text('Only files of such names', { optional: true }),
        upload_path: arg.text('Another path on the master', { optional: true }),
      },
      returns: ret.any('Whether all were sent'),
      example: "cp.push_dir /etc/modprobe.d/ glob='*.conf'",
      run: (ctx, request) => pushDirectory(ctx, request),
    }),
    list_states: reads({
      doc: 'The states of an environment.',
      args: { saltenv },
      returns: ret.list('Their names'),
      example: 'cp.list_states',
      run: async (ctx, { saltenv }) => stateNames(await ctx.files.files(envOf(ctx, saltenv))),
    }),
    list_master: reads({
      doc: 'The files of an environment.',
      args: { saltenv, prefix },
      returns: ret.texts('Their paths'),
      example: 'cp.list_master',
      run: (ctx, { saltenv, prefix }) => ctx.files.files(envOf(ctx, saltenv), prefix),
    }),
    list_master_dirs: reads({
      doc: 'The directories of an environment.',
      args: { saltenv, prefix },
      returns: ret.texts('Their paths'),
      example: 'cp.list_master_dirs',
      run: (ctx, { saltenv, prefix }) => ctx.files.directories(envOf(ctx, saltenv), prefix),
    }),
    list_master_symlinks: reads({
      doc: 'The links of an environment.',
      args: { saltenv, prefix },
      returns: ret.dict('Their targets by path'),
      example: 'cp.list_master_symlinks',
      run: async (ctx, { saltenv, prefix }) =>
        new Map<Value, Value>(await ctx.files.symlinks(envOf(ctx, saltenv), prefix)),
    }),
    list_minion: reads({
      doc: 'The files in the cache.',
      args: { saltenv },
      returns: ret.list('Their paths'),
      example: 'cp.list_minion',
      run: (ctx, { saltenv }) => localFiles(ctx, envOf(ctx, saltenv)),
    }),
    is_cached: reads({
      doc: 'Where a source is in the cache.',
      args: { path, saltenv },
      returns: ret.string('The path, or nothing'),
      example: 'cp.is_cached salt://path/to/file',
      run: (ctx, { path, saltenv }) => {
        const { url, env } = split(ctx, path, saltenv)
        return ctx.files.cached(url, env)
      },
    }),
    hash_file: hashFileFunction,
    hash_file_ssh: hashFileFunction,
    stat_file: reads({
      doc: 'The mode of a file.',
      args: { path, saltenv, octal: arg.any('In octal', { default: true }) },
      returns: ret.any('The mode, or None'),
      example: 'cp.stat_file salt://path/to/file',
      run: async (ctx, { path, saltenv, octal }) => {
        const { url, env } = split(ctx, path, saltenv)
        const stat = await ctx.files.stat(url, env)
        if (stat === undefined) return null
        return octal === true ? stat.mode.toString(8).padStart(4, '0') : stat.mode | 0o100000
      },
    }),
  },
})
