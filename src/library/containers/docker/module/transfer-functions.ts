// Functions that copy files into and out of containers, and that read and write images as plain file systems.
import { failure, float, misuse, str } from '../../../../data/mod.ts'
import { arg, type Bound, changes, type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { docker, name, requireRunning, said } from './cli.ts'
import { exec } from './containers.ts'

/** The directory of a path. */
const dirname = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

async function removeIfThere(ctx: FunctionContext, path: string): Promise<void> {
  if (await ctx.host.stat(path)) await ctx.host.remove(path)
}

const QUIET = new Map([['ignore_retcode', true]])

/** Return whether a test of the shell holds within a container. */
const holds = async (ctx: FunctionContext, container: string, ...words: string[]): Promise<boolean> =>
  (await exec(ctx, container, ['test', ...words], QUIET)).get('retcode') === 0

/** Return the SHA-256 of a file in a container; undefined where it cannot be read. */
async function sumWithin(ctx: FunctionContext, container: string, path: string): Promise<string | undefined> {
  const ran = await exec(ctx, container, ['sha256sum', path], QUIET)
  return ran.get('retcode') === 0 ? str(ran.get('stdout') ?? '').split(' ')[0] : undefined
}

const sumHere = async (ctx: FunctionContext, path: string): Promise<string> =>
  str(await ctx.call('file.get_sum', [path, 'sha256']))

const isDirectory = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'directory'

const copying = {
  name,
  source: arg.text('Absolute path of the file in the container'),
  dest: arg.text('Absolute path on the minion: of the copy, or of a directory'),
  overwrite: arg.flag('Whether an existing file is replaced', { default: false }),
  makedirs: arg.flag('Whether missing directories are made', { default: false }),
}

async function copyFrom(ctx: FunctionContext, given: Bound<typeof copying>): Promise<boolean> {
  const { name, source, overwrite, makedirs } = given
  await requireRunning(ctx, name)
  if (!given.dest.startsWith('/')) throw misuse('Destination path must be absolute')
  if (!source.startsWith('/')) throw misuse('Source path must be absolute')
  const dest = (await isDirectory(ctx, given.dest)) ? `${given.dest}/${source.split('/').at(-1)}` : given.dest
  await makeParent(ctx, dest, makedirs, (folder) => misuse(`Directory ${folder} does not exist`))
  if (!(await holds(ctx, name, '-e', source))) throw misuse(`Source file ${source} does not exist`)
  if (!(await holds(ctx, name, '-f', source))) throw misuse('Source must be a regular file')
  if (await ctx.host.stat(dest)) {
    if (!overwrite) throw failure(`Destination path ${dest} already exists. Use overwrite=True to overwrite it`)
    if ((await sumHere(ctx, dest)) === (await sumWithin(ctx, name, source))) return true
  }
  // a link is followed in the container: as a copy it would lead to a file of this machine, which the next copy would change
  await docker(ctx, ['cp', '--follow-link', '--', `${name}:${source}`, dest])
  return (await sumHere(ctx, dest)) === (await sumWithin(ctx, name, source))
}

async function makeParent(
  ctx: FunctionContext,
  path: string,
  makedirs: boolean,
  refusal: (folder: string) => Error,
): Promise<void> {
  const folder = dirname(path)
  if (await isDirectory(ctx, folder)) return
  if (!makedirs) throw refusal(folder)
  await ctx.call('file.makedirs', [path])
}

const placing = {
  ...copying,
  source: arg.text('File on the minion, or its URL, such as salt://path'),
  dest: arg.text('Absolute path in the container: of the copy, or of a directory'),
  exec_driver: arg.any('Ignored', { optional: true }),
  overwrite: copying.overwrite,
  makedirs: copying.makedirs,
}

/** Return the path of a file on the minion, fetched where a URL names it. */
async function localPath(ctx: FunctionContext, source: string): Promise<string> {
  const path = /^[a-z]\w*:\/\//.test(source) ? str(await ctx.call('cp.cache_file', [source])) : source
  if (path === '' || path === 'False' || !(await ctx.host.stat(path))) throw failure(`Couldn't cache ${source}`)
  return path
}

async function copyTo(ctx: FunctionContext, given: Bound<typeof placing>): Promise<boolean> {
  const { name, overwrite, makedirs } = given
  await requireRunning(ctx, name)
  const source = await localPath(ctx, given.source)
  if ((await ctx.host.stat(source))?.type !== 'file') throw misuse('Source must be a regular file')
  if (!given.dest.startsWith('/')) throw misuse('Destination path must be absolute')
  const isFolder = await holds(ctx, name, '-d', given.dest)
  const dest = isFolder ? `${given.dest}/${source.split('/').at(-1)}` : given.dest
  if (await holds(ctx, name, '-e', dest)) {
    if (!overwrite) throw failure(`Destination path ${dest} already exists. Use overwrite=True to overwrite it`)
    if ((await sumWithin(ctx, name, dest)) === (await sumHere(ctx, source))) return true
  } else if (!(await holds(ctx, name, '-d', dirname(dest)))) {
    if (!makedirs) throw failure(`Directory ${dirname(dest)} does not exist on container '${name}'`)
    await exec(ctx, name, ['mkdir', '-p', dirname(dest)], new Map())
  }
  await docker(ctx, ['cp', '--', source, `${name}:${dest}`])
  return (await sumWithin(ctx, name, dest)) === (await sumHere(ctx, source))
}

const COMPRESSORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['gzip', ['gz', 'gzip']],
  ['bzip2', ['bz2', 'bzip2']],
  ['xz', ['lzma', 'xz']],
])

/** Return the compression program: the named one, or the one for the file name. */
function compressor(path: string, named: string | null): string | undefined {
  if (named !== null && named !== '') {
    const found = [...COMPRESSORS].find(([, names]) => names.includes(named))
    if (!found) throw misuse(`Invalid compression type '${named}'`)
    return found[0]
  }
  if (/\.(tar\.gz|tgz)$/.test(path)) return 'gzip'
  if (/\.(tar\.bz2|tbz2)$/.test(path)) return 'bzip2'
  return /\.(tar\.xz|txz)$/.test(path) ? 'xz' : undefined
}

const exporting = {
  name,
  path: arg.text('Absolute path of the file'),
  overwrite: copying.overwrite,
  makedirs: copying.makedirs,
  compression: arg.text('gzip, bzip2 or xz. Default: what the name of the file says', { optional: true }),
  kwargs: arg.open('push: whether the file is sent to the master'),
}

async function exportContainer(ctx: FunctionContext, given: Bound<typeof exporting>) {
  const { name, path, overwrite, makedirs, kwargs } = given
  if (!path.startsWith('/')) throw misuse(`Path '${path}' is not absolute`)
  const before = await ctx.host.stat(path)
  if (before && !overwrite) throw failure(`${path} already exists`)
  const program = compressor(path, given.compression)
  const missing = 'of destination path does not exist. Use makedirs=True to create it.'
  await makeParent(ctx, path, makedirs, (folder) => failure(`Parent dir ${folder} ${missing}`))
  const started = ctx.host.now()
  const plain = program === undefined ? path : `${path}.part`
  try {
    await docker(ctx, ['export', `--output=${plain}`, '--', name])
    const { size = 0 } = (await ctx.host.stat(plain)) ?? {}
    if (program !== undefined) await compress(ctx, program, plain, path)
    const packed = (await ctx.host.stat(path))?.size ?? 0
    const facts = program === undefined ? { Size: size } : { Size: packed, Size_Uncompressed: size }
    const pushed = kwargs.get('push') === true ? { Push: (await ctx.call('cp.push', [path])) === true } : {}
    return { Path: path, ...facts, ...pushed, Time_Elapsed: float(ctx.host.now() - started) }
  } finally {
    if (plain !== path) await removeIfThere(ctx, plain)
  }
}

async function compress(ctx: FunctionContext, program: string, from: string, to: string): Promise<void> {
  const tool = await ctx.host.which(program)
  if (tool === undefined) throw failure(`The program ${program} was not found`)
  const suffix = COMPRESSORS.get(program)![0] === 'lzma' ? 'xz' : COMPRESSORS.get(program)![0]
  const { retcode, stderr } = await ctx.host.run({ argv: [tool, '--force', '--keep', from] })
  if (retcode !== 0) throw failure(`Cannot compress ${from}: ${new TextDecoder().decode(stderr).trim()}`)
  await ctx.host.rename(`${from}.${suffix}`, to)
}

export const transferFunctions = {
  copy_from: changes({
    doc: 'Copy a file from a container to the minion.',
    args: copying,
    returns: ret.boolean('Whether both files are the same now'),
    example: 'docker.copy_from mycontainer /var/log/nginx/access.log /home/myuser',
    run: copyFrom,
  }),
  copy_to: changes({
    doc: 'Copy a file from the minion, or from the file server, to a container.',
    args: placing,
    returns: ret.boolean('Whether both files are the same now'),
    example: 'docker.copy_to mycontainer /tmp/foo /root/foo',
    run: copyTo,
  }),
  export: changes({
    doc: "Write a container's file system to a tar archive.",
    args: exporting,
    returns: ret.dict('`Path`, `Size`, `Size_Uncompressed` of a compressed file, `Push` and `Time_Elapsed`'),
    example: 'docker.export mycontainer /tmp/mycontainer.tar.xz',
    run: exportContainer,
  }),
  import: changes({
    doc: 'Create an image from a tar archive of a file system.',
    args: {
      source: arg.text('File on the minion, or its URL, such as salt://path'),
      repository: arg.text('Repository of the new image'),
      tag: arg.text('Tag of the new image', { default: 'latest' }),
      api_response: arg.flag('Ignored', { default: false }),
    },
    returns: ret.dict('`Id`, `Image` and `Time_Elapsed`'),
    example: 'docker.import /tmp/cent7-minimal.tar.xz myuser/centos 7',
    run: async (ctx, { source, repository, tag }) => {
      const path = await localPath(ctx, source)
      const started = ctx.host.now()
      const id = await said(ctx, 'import', path, `${repository}:${tag}`)
      const elapsed = float(ctx.host.now() - started)
      return { Id: id.replace(/^sha256:/, '').slice(0, 12), Image: `${repository}:${tag}`, Time_Elapsed: elapsed }
    },
  }),
}
