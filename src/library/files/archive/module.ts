// Archives: list, make and unpack them. Tar, gzip and rar go through their programs, zip does not.
import { SaltError, shlexSplit, splitLines, splitWords, str, textOf, truthy, type Value } from '../../../data/mod.ts'
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

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

/** Texts of a list, or of a text with commas. */
function texts(given: Value): string[] {
  if (given === null) return []
  if (Array.isArray(given)) return (given as Value[]).map((item) => str(item))
  return str(given)
    .split(',')
    .map((item) => item.trim())
}

async function expanded(ctx: FunctionContext, sources: Value): Promise<string[]> {
  const found: string[] = []
  for (const source of texts(sources)) found.push(...(/[*?[]/.test(source) ? await globPaths(ctx, source) : [source]))
  return found
}

async function lines(ctx: FunctionContext, argv: string[], options: Record<string, Value>): Promise<string[]> {
  if ((await ctx.host.which(argv[0]!)) === undefined) {
    throw new SaltError('CommandNotFoundError', `The '${argv[0]}' binary was not found in $PATH.`)
  }
  return splitLines(await ctx.call('cmd.run', [argv], { python_shell: false, ...options }))
}

/** At most so many; true means a hundred. */
function trimmed(files: string[], trim: Value): string[] {
  if (trim === false) return files
  const count = trim === true ? 100 : Number(str(trim))
  return files.length > count ? [...files.slice(0, count), `List trimmed after ${count} files.`] : files
}

interface ZipCommand {
  zip_file: string
  dest: string
  excludes: Value
  options: Value
  template: Value
  runas: Value
  trim_output: Value
  password: Value
}

async function unzipByProgram(ctx: FunctionContext, call: ZipCommand): Promise<string[]> {
  const { zip_file, dest, excludes, options, template, runas, password } = call
  if ((await ctx.host.which('unzip')) === undefined) throw failure("'unzip' command not found")
  const argv = [
    'unzip',
    ...(truthy(password) ? ['-P', str(password)] : []),
    ...(truthy(options) ? shlexSplit(str(options)) : []),
    zip_file,
    '-d',
    dest,
    ...(excludes === null ? [] : ['-x', ...texts(excludes)]),
  ]
  const outcome = await ctx.call('cmd.run_all', [argv], {
    template,
    runas,
    python_shell: false,
    redirect_stderr: true,
    output_loglevel: truthy(password) ? 'quiet' : 'debug',
  })
  const output = str(outcome.get('stdout') ?? '')
  if (outcome.get('retcode') !== 0) throw failure(output)
  return trimmed(splitLines(output), call.trim_output)
}

async function unzip(ctx: FunctionContext, call: ZipCommand & { extract_perms: boolean }): Promise<string[]> {
  const members = truthy(call.password) ? await readZip(ctx, call.zip_file) : []
  // the old encryption of zip is left to the program
  if (members.some(({ encrypted }) => encrypted)) {
    await unzipByProgram(ctx, { ...call, options: '-o', trim_output: false })
    return trimmed(
      members.map(({ name }) => name),
      call.trim_output,
    )
  }
  const excludes = truthy(call.excludes) ? texts(call.excludes) : []
  const names = await unpackZip(ctx, {
    path: call.zip_file,
    target: call.dest,
    excludes,
    permissions: call.extract_perms,
  })
  return trimmed(names, call.trim_output)
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
  const excludes = texts(call.excludes).flatMap((item) => ['-x', item])
  const argv = [program, 'x', '-idp', call.rarfile, ...excludes, call.dest]
  return trimmed(await lines(ctx, argv, { template: call.template, runas: call.runas }), call.trim_output)
}

const template = arg.any('The engine that renders the paths', { optional: true })
const runas = arg.any('Whom the program runs as', { optional: true })
const cwd = arg.any('Where relative paths begin', { optional: true })
const sources = arg.any('Paths: a list, or a text with commas')
const excludes = arg.any('Members that are left out', { optional: true })
const trim_output = arg.any('How many files are listed; true means 100', { default: false })
const password = arg.text('Of the archive', { optional: true, secret: true })
const zip_file = arg.string('The archive')
const dest = arg.string('The folder to unpack to')
const options = arg.any('Further options of the program', { optional: true })
const source = {
  saltenv: arg.text('Where it is looked up on the file server', { default: 'base' }),
  source_hash: arg.any('Its hash, when it comes from elsewhere', { optional: true }),
  use_etag: arg.flag('Whether the server is asked if it has changed', { default: false }),
}

const compression = (program: 'gzip' | 'gunzip', doc: string, parameter: 'sourcefile' | 'gzipfile') =>
  changes({
    doc,
    args: { [parameter]: arg.string('The file'), template, runas, options },
    returns: ret.texts('What the program says'),
    example: `archive.${program} /tmp/sourcefile`,
    run: (ctx, call) => {
      const given = call as Record<string, Value>
      const words = truthy(given['options']!) ? [str(given['options']!)] : []
      const { template, runas } = given as { template: Value; runas: Value }
      return lines(ctx, [program, ...words, str(given[parameter]!)], { template, runas })
    },
  })

export default defineModule({
  name: 'archive',
  doc: 'Work with archives.',
  functions: {
    list: reads({
      doc: 'What is in an archive.',
      args: {
        name: arg.string('Its path or URL'),
        archive_format: arg.text('tar, zip or rar; by its name when not given', { optional: true }),
        options: arg.any('A program that decompresses a tar archive', { optional: true }),
        strip_components: arg.any('Leading parts to take off', { optional: true }),
        clean: arg.boolean('Remove it from the cache afterwards', { default: false }),
        verbose: arg.boolean('Folders, files and links apart', { default: false }),
        ...source,
      },
      calledAs: 'list_',
      returns: ret.any('The paths'),
      example: 'archive.list /path/to/myfile.tar.gz',
      run: listArchive,
    }),
    tar: changes({
      doc: 'Call tar.',
      args: {
        options: arg.text('Its options'),
        tarfile: arg.string('The archive'),
        sources: arg.any('What to pack', { optional: true }),
        dest: arg.text('Where to unpack', { optional: true }),
        cwd,
        template,
        runas,
      },
      returns: ret.texts('What tar says'),
      example: 'archive.tar cjvf /tmp/tarfile.tar.bz2 /tmp/file_1,/tmp/file_2',
      run: async (ctx, { options, tarfile, sources, dest, cwd, template, runas }) => {
        if (!options) throw new SaltError('SaltInvocationError', 'Tar options can not be empty')
        const target = dest ? ['-C', dest] : []
        const argv = ['tar', ...splitWords(options), tarfile, ...target, ...(await expanded(ctx, sources))]
        return lines(ctx, argv, { cwd, template, runas })
      },
    }),
    gzip: compression('gzip', 'Compress a file.', 'sourcefile'),
    gunzip: compression('gunzip', 'Decompress a file.', 'gzipfile'),
    cmd_zip: changes({
      doc: 'Make a zip archive with the zip program.',
      args: { zip_file, sources, template, cwd, runas },
      returns: ret.texts('What zip says'),
      example: 'archive.cmd_zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { zip_file, sources, template, cwd, runas }) =>
        lines(ctx, ['zip', '-r', zip_file, ...(await expanded(ctx, sources))], { cwd, template, runas }),
    }),
    zip: changes({
      doc: 'Make a zip archive.',
      args: { zip_file, sources, template, cwd, runas, zip64: arg.flag('Allow large ones', { default: false }) },
      calledAs: 'zip_',
      returns: ret.texts('The paths in it'),
      example: 'archive.zip /tmp/zipfile.zip /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { zip_file, sources, cwd, runas }) => {
        await assertUser(ctx, runas)
        return makeZip(ctx, zip_file, await expanded(ctx, sources), cwd)
      },
    }),
    cmd_unzip: changes({
      doc: 'Unpack a zip archive with the unzip program.',
      args: { zip_file, dest, excludes, options, template, runas, trim_output, password },
      returns: ret.texts('What unzip says'),
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
        extract_perms: arg.boolean('Keep permissions', { default: true }),
      },
      returns: ret.texts('The paths in it'),
      example: 'archive.unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2',
      run: async (ctx, call) => {
        await assertUser(ctx, call.runas)
        return unzip(ctx, call)
      },
    }),
    is_encrypted: reads({
      doc: 'Whether a zip archive needs a password.',
      args: {
        name: arg.string('Its path or URL'),
        clean: arg.boolean('Remove it from the cache afterwards', { default: false }),
        ...source,
      },
      returns: ret.boolean('Whether it does'),
      example: 'archive.is_encrypted /path/to/myfile.zip',
      run: isEncrypted,
    }),
    rar: changes({
      doc: 'Make a rar archive.',
      args: { rarfile: arg.string('The archive'), sources, template, cwd, runas },
      returns: ret.texts('What rar says'),
      example: 'archive.rar /tmp/rarfile.rar /tmp/sourcefile1,/tmp/sourcefile2',
      run: async (ctx, { rarfile, sources, template, cwd, runas }) =>
        lines(ctx, ['rar', 'a', '-idp', rarfile, ...(await expanded(ctx, sources))], { cwd, template, runas }),
    }),
    unrar: changes({
      doc: 'Unpack a rar archive.',
      args: { rarfile: arg.string('The archive'), dest, excludes, template, runas, trim_output },
      returns: ret.texts('What the program says'),
      example: 'archive.unrar /tmp/rarfile.rar /home/strongbad/ excludes=file_1,file_2',
      run: (ctx, call) => unrar(ctx, { ...call, options: null, password: null }),
    }),
  },
})

async function assertUser(ctx: FunctionContext, user: Value): Promise<void> {
  if (!truthy(user) || (await ctx.host.user(textOf(user) ?? str(user)))) return
  throw new SaltError('SaltInvocationError', `User '${str(user)}' does not exist`)
}
