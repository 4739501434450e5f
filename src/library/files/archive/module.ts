// Archives: list, create and unpack them. Tar, gzip and rar run their programs, zip does not.
import { failure, misuse, SaltError, shlexSplit, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  globPaths,
  isHostError,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { cachedArchive, clean, listArchive, located, type Source } from './module/listing.ts'
import { makeZip, unpackZip } from './module/packing.ts'
import { readZip, ZipError } from './module/zip-reader.ts'

/** Return words without the blanks around commas. */
const trimmedWords = (words: readonly string[] | null): string[] => (words ?? []).map((word) => word.trim())

/** Return sources with their globs replaced by the paths that match. */
async function expanded(ctx: FunctionContext, sources: readonly string[] | null): Promise<string[]> {
  const found: string[] = []
  for (const source of trimmedWords(sources))
    found.push(...(/[*?[]/.test(source) ? await globPaths(ctx, source) : [source]))
  return found
}

async function lines(ctx: FunctionContext, argv: string[], options: Record<string, Value>): Promise<string[]> {
  if ((await ctx.host.which(argv[0]!)) === undefined) {
    throw new SaltError('CommandNotFoundError', `The '${argv[0]}' binary was not found in $PATH.`)
  }
  return splitLines(await ctx.call('cmd.run', [argv], { python_shell: false, ...options }))
}

/** Return at most a number of files; True means 100. */
function limited(files: string[], trim: Value): string[] {
  if (trim === false) return files
  const count = trim === true ? 100 : Number(str(trim))
  return files.length > count ? [...files.slice(0, count), `List trimmed after ${count} files.`] : files
}

interface ZipCommand {
  zip_file: string
  dest: string
  excludes: string[] | null
  options: string | null
  template: string | null
  runas: string | null
  trim_output: Value
  password: string | null
}

async function unzipByProgram(ctx: FunctionContext, call: ZipCommand): Promise<string[]> {
  const { zip_file, dest, excludes, options, template, runas, password } = call
  if ((await ctx.host.which('unzip')) === undefined) throw failure("'unzip' command not found")
  const argv = [
    'unzip',
    ...(password ? ['-P', password] : []),
    ...(options ? shlexSplit(options) : []),
    zip_file,
    '-d',
    dest,
    ...(excludes === null ? [] : ['-x', ...trimmedWords(excludes)]),
  ]
  const outcome = await ctx.call('cmd.run_all', [argv], {
    template,
    runas,
    python_shell: false,
    redirect_stderr: true,
    output_loglevel: password ? 'quiet' : 'debug',
  })
  const output = str(outcome.get('stdout') ?? '')
  if (outcome.get('retcode') !== 0) throw failure(output)
  return limited(splitLines(output), call.trim_output)
}

async function unzip(ctx: FunctionContext, call: ZipCommand & { extract_perms: boolean }): Promise<string[]> {
  const members = call.password ? await readZip(ctx, call.zip_file) : []
  // only the program can decrypt
  if (members.some(({ encrypted }) => encrypted)) {
    await unzipByProgram(ctx, { ...call, options: '-o', trim_output: false })
    return limited(
      members.map(({ name }) => name),
      call.trim_output,
    )
  }
  const excludes = trimmedWords(call.excludes)
  const names = await unpackZip(ctx, {
    path: call.zip_file,
    target: call.dest,
    excludes,
    permissions: call.extract_perms,
  })
  return limited(names, call.trim_output)
}

async function isEncrypted(ctx: FunctionContext, source: Source & { clean: boolean }): Promise<boolean> {
  const cached = await cachedArchive(ctx, source)
  try {
    return (await readZip(ctx, cached)).some(({ encrypted }) => encrypted)
  } catch (error) {
    if (error instanceof ZipError) throw located(`${source.name} is not a ZIP file`, cached)
    if (isHostError(error)) throw located(error.message, cached)
    throw error
  } finally {
    if (source.clean) await clean(ctx, cached)
  }
}

async function unrar(
  ctx: FunctionContext,
  call: Omit<ZipCommand, 'zip_file'> & { rarfile: string },
): Promise<string[]> {
  const program = (await ctx.host.which('unrar')) ?? (await ctx.host.which('rar'))
  if (program === undefined) throw failure("'unrar' command not found")
  const excludes = trimmedWords(call.excludes).flatMap((item) => ['-x', item])
  const argv = [program, 'x', '-idp', call.rarfile, ...excludes, call.dest]
  return limited(await lines(ctx, argv, { template: call.template, runas: call.runas }), call.trim_output)
}

const template = arg.text('Template engine that renders the paths', { optional: true })
const runas = arg.text('User that the program runs as', { optional: true })
const cwd = arg.text('Directory that relative paths start from', { optional: true })
const sources = arg.words('Paths: a list, or text with commas')
const excludes = arg.words('Members to skip: a list, or text with commas', { optional: true })
const trim_output = arg.any('Maximum number of files to return; True means 100, False all', { default: false })
const password = arg.text('Password of the archive', { optional: true, secret: true })
const zip_file = arg.string('Path of the archive')
const dest = arg.string('Directory to unpack to')
const options = arg.text('Options of the program', { optional: true })
const source = {
  saltenv: arg.text('Salt environment of the archive', { default: 'base' }),
  source_hash: arg.text('Hash of a remote archive', { optional: true }),
  use_etag: arg.flag('Use the ETag of an HTTP server to detect changes', { default: false }),
}

export default defineModule({
  name: 'archive',
  doc: 'Work with archives.',
  functions: {
    list: reads({
      doc: 'Return the paths in an archive.',
      args: {
        name: arg.string('Path or URL of the archive'),
        archive_format: arg.text('Format: `tar`, `zip` or `rar`; by default from the name', { optional: true }),
        options: arg.text('Command that decompresses a tar archive', { optional: true }),
        strip_components: arg.textOrNumber('Number of leading parts to drop from paths: a number, or text of one', {
          optional: true,
        }),
        clean: arg.boolean('Remove the archive from the cache afterwards', { default: false }),
        verbose: arg.boolean('Return directories, files and links by type', { default: false }),
        ...source,
      },
      calledAs: 'list_',
      returns: ret.any('A list of paths; a dict of lists with `verbose`'),
      example: 'archive.list /path/to/myfile.tar.gz',
      run: listArchive,
    }),
    tar: changes({
      doc: 'Run tar.',
      args: {
        options: arg.text('Options of tar'),
        tarfile: arg.string('Path of the archive'),
        sources: arg.words('Paths to pack: a list, or text with commas', { optional: true }),
        dest: arg.text('Directory to unpack to', { optional: true }),
        cwd,
        template,
        runas,
      },
      returns: ret.texts('Lines of the output'),
      example: 'archive.tar cjvf /tmp/tarfile.tar.bz2 /tmp/file_1,/tmp/file_2',
      run: async (ctx, { options, tarfile, sources, dest, cwd, template, runas }) => {
        if (!options) throw misuse('Tar options can not be empty')
        const target = dest ? ['-C', dest] : []
        const argv = ['tar', ...splitWords(options), tarfile, ...target, ...(await expanded(ctx, sources))]
        return lines(ctx, argv, { cwd, template, runas })
      },
    }),
    gzip: changes({
      doc: 'Compress a file with gzip.',
      args: { sourcefile: arg.string('Path of the file'), template, runas, options },
      returns: ret.texts('Lines of the output'),
      example: 'archive.gzip /tmp/sourcefile',
      run: (ctx, { sourcefile, template, runas, options }) =>
        lines(ctx, ['gzip', ...(options ? [options] : []), sourcefile], { template, runas }),
    }),
    gunzip: changes({
      doc: 'Decompress a file with gunzip.',
      args: { gzipfile: arg.string('Path of the file'), template, runas, options },
      returns: ret.texts('Lines of the output'),
      example: 'archive.gunzip /tmp/sourcefile',
      run: (ctx, { gzipfile, template, runas, options }) =>
        lines(ctx, ['gunzip', ...(options ? [options] : []), gzipfile], { template, runas }),
    }),
    cmd_zip: changes({
      doc: 'Create a zip archive with the zip program.',
      args: { zip_file, sources, template, cwd, runas },
      returns: ret.texts('Lines of the output'),
      example: 'archive.cmd_zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { zip_file, sources, template, cwd, runas }) =>
        lines(ctx, ['zip', '-r', zip_file, ...(await expanded(ctx, sources))], { cwd, template, runas }),
    }),
    zip: changes({
      doc: 'Create a zip archive.',
      args: { zip_file, sources, template, cwd, runas, zip64: arg.flag('Allow large archives', { default: false }) },
      calledAs: 'zip_',
      returns: ret.texts('Paths in the archive'),
      example: 'archive.zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { zip_file, sources, cwd, runas }) => {
        await assertUser(ctx, runas)
        return makeZip(ctx, zip_file, await expanded(ctx, sources), cwd)
      },
    }),
    cmd_unzip: changes({
      doc: 'Unpack a zip archive with the unzip program.',
      args: { zip_file, dest, excludes, options, template, runas, trim_output, password },
      returns: ret.texts('Lines of the output'),
      example: 'archive.cmd_unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2',
      run: unzipByProgram,
    }),
    unzip: changes({
      doc: 'Unpack a zip archive.',
      args: {
        zip_file,
        dest,
        excludes,
        options,
        template,
        runas,
        trim_output,
        password,
        extract_perms: arg.boolean('Keep the permissions of members', { default: true }),
      },
      returns: ret.texts('Paths in the archive'),
      example: 'archive.unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2',
      run: async (ctx, call) => {
        await assertUser(ctx, call.runas)
        return unzip(ctx, call)
      },
    }),
    is_encrypted: reads({
      doc: 'Return whether a zip archive is encrypted.',
      args: {
        name: arg.string('Path or URL of the archive'),
        clean: arg.boolean('Remove the archive from the cache afterwards', { default: false }),
        ...source,
      },
      returns: ret.boolean('Whether the archive needs a password'),
      example: 'archive.is_encrypted /path/to/myfile.zip',
      run: isEncrypted,
    }),
    rar: changes({
      doc: 'Create a rar archive.',
      args: { rarfile: arg.string('Path of the archive'), sources, template, cwd, runas },
      returns: ret.texts('Lines of the output'),
      example: 'archive.rar /tmp/rarfile.rar /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { rarfile, sources, template, cwd, runas }) =>
        lines(ctx, ['rar', 'a', '-idp', rarfile, ...(await expanded(ctx, sources))], { cwd, template, runas }),
    }),
    unrar: changes({
      doc: 'Unpack a rar archive.',
      args: { rarfile: arg.string('Path of the archive'), dest, excludes, template, runas, trim_output },
      returns: ret.texts('Lines of the output'),
      example: 'archive.unrar /tmp/rarfile.rar /home/strongbad/ excludes=file_1,file_2',
      run: (ctx, call) => unrar(ctx, { ...call, options: null, password: null }),
    }),
  },
})

async function assertUser(ctx: FunctionContext, user: string | null): Promise<void> {
  if (!user || (await ctx.host.user(user))) return
  throw misuse(`User '${user}' does not exist`)
}
