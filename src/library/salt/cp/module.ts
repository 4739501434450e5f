// Fetches, renders, caches and lists files of the file server.
import { recover } from '../../../base/mod.ts'
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
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  isSshTarget,
  option,
  reads,
  ret,
  whileExpecting,
} from '../../../sdk/mod.ts'
import { receiveChunk } from './module/chunks.ts'
import { cacheDirectory, cacheLocalFile, fetchDirectory, localFiles, stateNames } from './module/directories.ts'
import { pushDirectory, pushFile } from './module/push.ts'
import { renderNames, renderTemplate } from './module/templates.ts'

const saltenv = arg.text('Environment. Default: the option `saltenv`, or `base`', { optional: true })
const path = arg.string('Source: a URL such as `salt://path/to/file`, or a local path')
const prefix = arg.string('Start of the paths to return', { default: '' })
const makedirs = arg.boolean('Create missing directories', { default: false })
const dest = arg.text('Destination path')
const source_hash = arg.text('Hash of the source: the cached copy is used if it has this hash', { optional: true })
const template = arg.text('Template engine that renders the source and destination paths', { optional: true })
const gzip = arg.text('Ignored', { optional: true })
const further = arg.open('`pillar`, `pillarenv`, and template variables')

function envOf(ctx: FunctionContext, given: string | null): string {
  if (given) return given
  const configured = option(ctx.opts, 'saltenv')
  return truthy(configured) ? str(configured) : 'base'
}

/** Files for targets without minions are compressed by the connection, or not at all. */
function noteGzip(ctx: FunctionContext, name: string, gzip: string | null): void {
  if (gzip === null || !isSshTarget(ctx.opts)) return
  ctx.log('warning', `The gzip argument to cp.${name} in salt-ssh is unsupported`)
}

/** Split a URL into the URL without its environment, and the environment. */
function split(ctx: FunctionContext, url: string, given: string | null): { url: string; env: string } {
  if (!url.startsWith('salt://')) return { url, env: envOf(ctx, given) }
  const parsed = parseSaltUrl(url)
  return { url: makeSaltUrl(parsed.path), env: parsed.saltenv ?? envOf(ctx, given) }
}

const cacheArgs = {
  source_hash,
  verify_ssl: arg.any('False disables the check of certificates; any other value does not', { default: true }),
  use_etag: arg.flag('Ask the server whether the file has changed', { default: false }),
}

/** Bring a source into the cache. A source outside of the file server is fetched once in a run, as its changes are unknown. */
async function cacheFile(
  ctx: FunctionContext,
  source: string,
  given: string | null,
  request?: Bound<typeof cacheArgs>,
): Promise<string | false> {
  const env = envOf(ctx, given)
  const key = `cp.cache_file_|-${source}_|-${env}`
  const isRemote = REMOTE_PROTOCOLS.includes(schemeOf(source))
  const known = textOf(ctx.memory.get(key) ?? null)
  if (isRemote && known && (await ctx.host.stat(known))?.type === 'file') return known
  const target = split(ctx, source, given)
  const sourceHash = request?.source_hash ?? null
  const result = await ctx.files.fetchUrl(target.url, {
    saltenv: target.env,
    makedirs: true,
    verifySsl: request?.verify_ssl !== false,
    useEtag: request?.use_etag ?? false,
    ...(sourceHash !== null && { sourceHash }),
  })
  if (result === false) ctx.log('error', `Unable to cache file '${target.url}' from saltenv '${target.env}'.`)
  if (isRemote) ctx.memory.set(key, result)
  return result
}

async function cacheFiles(ctx: FunctionContext, sources: readonly string[], given: string | null): Promise<Value[]> {
  const served = sources.filter((source) => source.startsWith('salt://')).map((source) => split(ctx, source, given))
  const expected = served.map(({ url, env }) => ({ path: parseSaltUrl(url).path, saltenv: env }))
  return whileExpecting(ctx.files, expected, async () => {
    const found: Value[] = []
    for (const source of sources) found.push(await cacheFile(ctx, source, given))
    return found
  })
}

async function getUrl(
  ctx: FunctionContext,
  url: string,
  target: Value,
  env: string,
  { makedirs, sourceHash }: { makedirs: boolean; sourceHash: string | null },
): Promise<Value> {
  const into = textOf(target)
  const fetched = await ctx.files.fetchUrl(url, {
    saltenv: env,
    makedirs,
    ...(into && { dest: into }),
    ...(sourceHash !== null && { sourceHash }),
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
  doc: 'Copy a source into the cache and return its path. The path of a local file is returned as it is.',
  args: { path, saltenv, ...cacheArgs },
  returns: ret.orFalse(ret.string('Path, or False if the source does not exist')),
  example: 'cp.cache_file salt://path/to/file',
  run: (ctx, { path, saltenv, ...request }) => cacheFile(ctx, path, saltenv, request),
})

const hashFileFunction = reads({
  doc: 'Return the hash of a file.',
  args: { path, saltenv },
  returns: ret.any('Dict with `hsum` and `hash_type`; an empty text if the file does not exist'),
  example: 'cp.hash_file salt://path/to/file',
  run: async (ctx, { path, saltenv }) => {
    const { url, env } = split(ctx, path, saltenv)
    const sum = await ctx.files.hash(url, env)
    if (url.startsWith('salt://')) return sum ? { ...sum } : ''
    // for a missing local file Salt returns an empty sum and no stat
    return sum ? { hsum: sum.hsum, hash_type: sum.hash_type } : [{}, null]
  },
})

export default defineModule({
  name: 'cp',
  doc: 'Fetch, cache and list files of the file server.',
  functions: {
    recv: changes({
      doc: 'Write files whose contents are in the call.',
      args: { files: arg.dict('Contents by name'), dest: arg.string('Destination: a directory, or a file') },
      returns: ret.any('Whether each file was written, by path; a text if the destination is not available'),
      run: (ctx, { files, dest }) => receive(ctx, files, dest),
    }),
    recv_chunked: receiveChunk,
    get_file: changes({
      doc: 'Fetch a file of the file server.',
      args: { path: arg.text('Source on the file server'), dest, saltenv, makedirs, template, gzip, options: further },
      returns: ret.orFalse(ret.string('Path of the new file; empty if the file server has no such file')),
      example: 'cp.get_file salt://path/to/file /minion/dest',
      run: async (ctx, { path, dest, saltenv, makedirs, template, gzip, options }) => {
        noteGzip(ctx, 'get_file', gzip)
        const [source, target] = await renderNames(ctx, [path, dest], {
          template,
          saltenv: envOf(ctx, saltenv),
          options,
        })
        const { url, env } = split(ctx, source, saltenv)
        if (!(await ctx.files.hash(url, env))) return ''
        // Salt keeps what it sends over SSH in the cache as well
        if (isSshTarget(ctx.opts)) await cacheFile(ctx, url, env)
        return ctx.files.fetch(url, { saltenv: env, dest: target, makedirs })
      },
    }),
    envs: reads({
      doc: 'Return the environments of the file server.',
      returns: ret.texts('Environments'),
      run: (ctx) => ctx.files.envs(),
    }),
    get_template: changes({
      doc: 'Fetch a file and render it.',
      args: {
        path,
        dest,
        template: arg.string('Template engine', { default: 'jinja' }),
        saltenv,
        makedirs,
        options: further,
      },
      returns: ret.orFalse(ret.string('Path of the new file; empty if the file server has no such file')),
      example: 'cp.get_template salt://path/to/template /minion/dest',
      run: async (ctx, { path, dest, template, saltenv, makedirs, options }) => {
        const source = await cacheFile(ctx, path, saltenv)
        const { env } = split(ctx, path, saltenv)
        const into = dest || ctx.files.renderedPath(path, env)
        const mayMake = makedirs || !dest
        return renderTemplate(ctx, { source, dest: into, template, saltenv: env, makedirs: mayMake, options })
      },
    }),
    get_dir: changes({
      doc: 'Fetch a directory of the file server with its contents.',
      args: { path: arg.text('Source on the file server'), dest, saltenv, template, gzip, options: further },
      returns: ret.list('Sorted paths of the new files'),
      example: 'cp.get_dir salt://path/to/dir/ /minion/dest',
      run: async (ctx, { path, dest, saltenv, template, gzip, options }) => {
        noteGzip(ctx, 'get_dir', gzip)
        const env = envOf(ctx, saltenv)
        const [source, target] = await renderNames(ctx, [path, dest], { template, saltenv: env, options })
        if (isSshTarget(ctx.opts)) await cacheDirectory(ctx, source, env, { empty: true, include: null, exclude: null })
        return fetchDirectory(ctx, source, target, env)
      },
    }),
    get_url: changes({
      doc: 'Fetch a source of any kind, or return its content.',
      args: {
        path,
        dest: arg.any('Destination path; an empty text for the cache; None to return the content', { default: '' }),
        saltenv,
        makedirs,
        source_hash,
      },
      returns: ret.any('Path of the new file, or the content'),
      example: 'cp.get_url salt://my/file /tmp/this_file_is_mine',
      run: (ctx, { path, dest, saltenv, makedirs, source_hash }) =>
        getUrl(ctx, path, dest, envOf(ctx, saltenv), { makedirs, sourceHash: source_hash }),
    }),
    get_file_str: reads({
      doc: 'Return the content of a file.',
      args: { path, saltenv },
      returns: ret.orFalse(ret.string('Content, or False if the file does not exist')),
      example: 'cp.get_file_str salt://my/file',
      run: async (ctx, { path, saltenv }) => {
        const file = await cacheFile(ctx, path, saltenv)
        if (typeof file !== 'string') return file
        return recover(isHostError, false, async () => decodeBytes(await ctx.host.read(file)))
      },
    }),
    cache_file: cacheFileFunction,
    cache_file_ssh: cacheFileFunction,
    cache_dest: reads({
      doc: 'Return the path that a source has in the cache.',
      args: { url: path, saltenv },
      returns: ret.string('Path'),
      example: 'cp.cache_dest https://foo.com/bar.rpm',
      run: (ctx, { url, saltenv }) => ctx.files.cachePath(url, envOf(ctx, saltenv)),
    }),
    cache_files: reads({
      doc: 'Copy several sources into the cache.',
      args: { paths: arg.words('Sources: a list, or text with commas'), saltenv },
      returns: ret.list('Paths in the cache'),
      example: 'cp.cache_files salt://pathto/file1,salt://pathto/file1',
      run: (ctx, { paths, saltenv }) => cacheFiles(ctx, paths, saltenv),
    }),
    cache_dir: reads({
      doc: 'Copy a directory of the file server into the cache.',
      args: {
        path,
        saltenv,
        include_empty: arg.boolean('Include empty directories', { default: false }),
        include_pat: arg.any('Files to copy: a glob, `E@` and a regular expression, or a list of these', {
          optional: true,
        }),
        exclude_pat: arg.any('Files not to copy: a glob, `E@` and a regular expression, or a list of these', {
          optional: true,
        }),
      },
      returns: ret.list('Paths in the cache'),
      example: 'cp.cache_dir salt://path/to/dir',
      run: (ctx, { path, saltenv, include_empty, include_pat, exclude_pat }) =>
        cacheDirectory(ctx, path, envOf(ctx, saltenv), {
          empty: include_empty,
          include: include_pat,
          exclude: exclude_pat,
        }),
    }),
    cache_master: reads({
      doc: 'Copy all files of an environment into the cache.',
      args: { saltenv },
      returns: ret.list('Paths in the cache'),
      run: async (ctx, { saltenv }) => {
        const files = await ctx.files.files(envOf(ctx, saltenv))
        return cacheFiles(
          ctx,
          files.map((file) => makeSaltUrl(file)),
          saltenv,
        )
      },
    }),
    cache_local_file: reads({
      doc: 'Copy a local file into the cache.',
      args: { path },
      returns: ret.string('Path in the cache'),
      example: 'cp.cache_local_file /etc/hosts',
      run: (ctx, { path }) => cacheLocalFile(ctx, path, envOf(ctx, null)),
    }),
    push: changes({
      doc: 'Send a file to the master. The master stores it if its option `file_recv` is set.',
      args: {
        path: arg.string('Absolute path of the file'),
        keep_symlinks: arg.boolean('Keep symbolic links in the path', { default: false }),
        upload_path: arg.text('Path on the master. Default: the path of the source', { optional: true }),
        remove_source: arg.boolean('Remove the file on this minion afterwards', { default: false }),
      },
      returns: ret.any('Whether the master stored the file'),
      example: 'cp.push /etc/fstab',
      run: (ctx, request) => pushFile(ctx, request),
    }),
    push_dir: changes({
      doc: 'Send the files of a directory to the master.',
      args: {
        path: arg.string('Absolute path of the directory'),
        glob: arg.text('Glob of the file names to send. Default: all', { optional: true }),
        upload_path: arg.text('Path on the master. Default: the path of the source', { optional: true }),
      },
      returns: ret.any('Whether the master stored all files'),
      example: "cp.push_dir /etc/modprobe.d/ glob='*.conf'",
      run: (ctx, request) => pushDirectory(ctx, request),
    }),
    list_states: reads({
      doc: 'Return the SLS files of an environment.',
      args: { saltenv },
      returns: ret.list('SLS names'),
      run: async (ctx, { saltenv }) => stateNames(await ctx.files.files(envOf(ctx, saltenv))),
    }),
    list_master: reads({
      doc: 'Return the files of an environment.',
      args: { saltenv, prefix },
      returns: ret.texts('Paths'),
      run: (ctx, { saltenv, prefix }) => ctx.files.files(envOf(ctx, saltenv), prefix),
    }),
    list_master_dirs: reads({
      doc: 'Return the directories of an environment.',
      args: { saltenv, prefix },
      returns: ret.texts('Paths'),
      run: (ctx, { saltenv, prefix }) => ctx.files.directories(envOf(ctx, saltenv), prefix),
    }),
    list_master_symlinks: reads({
      doc: 'Return the symbolic links of an environment.',
      args: { saltenv, prefix },
      returns: ret.dict('Link targets by path'),
      run: async (ctx, { saltenv, prefix }) =>
        new Map<Value, Value>(await ctx.files.symlinks(envOf(ctx, saltenv), prefix)),
    }),
    list_minion: reads({
      doc: 'Return the files in the cache.',
      args: { saltenv },
      returns: ret.list('Paths'),
      run: (ctx, { saltenv }) => localFiles(ctx, envOf(ctx, saltenv)),
    }),
    is_cached: reads({
      doc: 'Return the path of a source in the cache.',
      args: { path, saltenv },
      returns: ret.string('Path; empty if the source is not cached'),
      example: 'cp.is_cached salt://path/to/file',
      run: (ctx, { path, saltenv }) => {
        const { url, env } = split(ctx, path, saltenv)
        return ctx.files.cached(url, env)
      },
    }),
    hash_file: hashFileFunction,
    hash_file_ssh: hashFileFunction,
    stat_file: reads({
      doc: 'Return the mode of a file.',
      args: { path, saltenv, octal: arg.flag('Return octal text in place of a number', { default: true }) },
      returns: ret.any('Mode; None if the file does not exist'),
      example: 'cp.stat_file salt://path/to/file',
      run: async (ctx, { path, saltenv, octal }) => {
        const { url, env } = split(ctx, path, saltenv)
        const stat = await ctx.files.stat(url, env)
        if (stat === undefined) return null
        return octal ? stat.mode.toString(8).padStart(4, '0') : stat.mode | 0o100000
      },
    }),
  },
})
