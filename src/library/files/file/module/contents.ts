// Functions of `file` that read, write and search the content of files.
import {
  compileRegex,
  type Dict,
  decodeBytes,
  fnmatch,
  isInt,
  misuse,
  shlexSplit,
  str,
  strip,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../../data/mod.ts'
import {
  arg,
  changes,
  exists,
  expandUser,
  type FunctionContext,
  globPaths,
  reads,
  ret,
  unlessRefused,
} from '../../../../sdk/mod.ts'
import { findFiles } from './finding.ts'
import { inBrief } from './rewriting.ts'
import { linesOf } from './text.ts'

const path = arg.path('Path of the file')

/** Return lines that are given one by one, or all as `args`. */
function givenLines(args: Value[], options: ReadonlyMap<string, Value>): string[] {
  const all = options.get('args')
  const lines = all === undefined ? args : Array.isArray(all) ? all : [all]
  return lines.map(str)
}

const lineArgs = { path, args: arg.rest('Lines'), options: arg.open('`args`: the lines as a list') }

async function textOfFile(ctx: FunctionContext, file: string): Promise<string | undefined> {
  const bytes = await unlessRefused(ctx.host.read(file), undefined)
  return bytes && decodeBytes(bytes)
}

/** Return whether the text of a file passes a test; False if there is no file or no text. */
async function passes(ctx: FunctionContext, path: string, test: (text: string) => boolean): Promise<boolean> {
  const text = await textOfFile(ctx, await expandUser(ctx, path))
  return text === undefined || text === '' ? false : test(text)
}

async function appendLines(ctx: FunctionContext, file: string, lines: string[]): Promise<string> {
  const old = await ctx.host.read(file)
  const gap = old.length > 0 && old.at(-1) !== 10 ? '\n' : ''
  await ctx.host.append(file, gap + lines.map((line) => `${line}\n`).join(''))
  return `Wrote ${lines.length} lines to "${file}"`
}

function timeOf(value: Value): Value {
  return truthy(value) && /^\d+$/.test(str(value)) ? Number(str(value)) : value
}

async function touch(ctx: FunctionContext, file: string, atime: Value, mtime: Value): Promise<boolean> {
  const wanted = [timeOf(atime), timeOf(mtime)]
  try {
    if (!(await exists(ctx, file))) await ctx.host.append(file, '')
    if (wanted.some((time) => time !== null && typeof time !== 'number' && !isInt(time))) {
      throw misuse('atime and mtime must be integers')
    }
    const now = ctx.host.now()
    await ctx.host.setTimes(file, Number(wanted[0] ?? now), Number(wanted[1] ?? now))
  } catch (error) {
    throw inBrief(error)
  }
  return exists(ctx, file)
}

async function grep(ctx: FunctionContext, given: string, pattern: string, opts: Value[]): Promise<Dict> {
  const file = await expandUser(ctx, given)
  const found = await globPaths(ctx, file)
  const options: string[] = []
  for (const opt of opts) {
    const words = shlexSplit(str(opt))
    if (words.length > 1) {
      throw misuse(
        'Passing multiple command line arguments in a single string is not supported, ' +
          `please pass the following arguments separately: ${str(opt)}`,
      )
    }
    options.push(...words)
  }
  const cmd = ['grep', ...options, pattern, ...(found.length > 0 ? found : [file])]
  return ctx.call('cmd.run_all', [cmd], { python_shell: false })
}

const writing = {
  append: changes({
    doc: 'Append lines to a file.',
    args: lineArgs,
    returns: ret.string('A sentence with the number of lines'),
    example: 'file.append /etc/motd "Backups run at three."',
    run: async (ctx, { path, args, options }) =>
      appendLines(ctx, await expandUser(ctx, path), givenLines(args, options)),
  }),
  prepend: changes({
    doc: 'Insert lines at the start of a file.',
    args: lineArgs,
    returns: ret.string('A sentence with the number of lines'),
    example: 'file.prepend /etc/motd "Backups run at three."',
    run: async (ctx, { path, args, options }) => {
      const file = await expandUser(ctx, path)
      const lines = givenLines(args, options)
      const old = (await textOfFile(ctx, file)) ?? ''
      await ctx.host.write(file, lines.map((line) => `${line}\n`).join('') + old)
      return `Prepended ${lines.length} lines to "${file}"`
    },
  }),
  write: changes({
    doc: 'Write lines to a file, and replace its content.',
    args: lineArgs,
    returns: ret.string('A sentence with the number of lines'),
    example: 'file.write /etc/motd "Backups run at three."',
    run: async (ctx, { path, args, options }) => {
      const file = await expandUser(ctx, path)
      const lines = givenLines(args, options)
      await ctx.host.write(file, lines.map((line) => `${line}\n`).join(''))
      return `Wrote ${lines.length} lines to "${file}"`
    },
  }),
  touch: changes({
    doc: 'Set the times of a file, and create it when it does not exist.',
    args: {
      name: arg.path('Path of the file'),
      atime: arg.textOrNumber('Access time: seconds since 1970 as a number or text; by default now', {
        optional: true,
      }),
      mtime: arg.textOrNumber('Modification time: seconds since 1970 as a number or text; by default now', {
        optional: true,
      }),
    },
    returns: ret.boolean('Whether the file exists'),
    example: 'file.touch /var/log/emptyfile',
    run: async (ctx, { name, atime, mtime }) => touch(ctx, await expandUser(ctx, name), atime, mtime),
  }),
  truncate: changes({
    doc: 'Truncate a file.',
    args: { path, length: arg.integer('New length in bytes') },
    returns: ret.none('None'),
    example: 'file.truncate /path/to/file 512',
    run: async (ctx, { path, length }) => {
      await ctx.host.truncate(await expandUser(ctx, path), Number(length))
    },
  }),
  seek_write: changes({
    doc: 'Overwrite a part of a file.',
    args: { path, data: arg.any('Bytes to write; another type is refused'), offset: arg.integer('Offset in bytes') },
    returns: ret.number('Number of bytes written'),
    example: "file.seek_write /path/to/file 'some data' 4096",
    run: async (ctx, { path, data, offset }) => {
      const file = await expandUser(ctx, path)
      if (!(await exists(ctx, file))) await ctx.host.read(file)
      // Salt refuses text, so that only modules can call this
      if (!(data instanceof Uint8Array)) throw typeError(`a bytes-like object is required, not '${typeName(data)}'`)
      await ctx.host.writeAt(file, Number(offset), data)
      return data.length
    },
  }),
}

const reading = {
  read: reads({
    doc: 'Return the content of a file.',
    args: { path: arg.text('Path of the file'), binary: arg.any('True to return bytes', { default: false }) },
    returns: ret.any('The content as text or bytes'),
    example: 'file.read /path/to/file',
    run: async (ctx, { path, binary }) => {
      const bytes = await ctx.host.read(path)
      return binary === true ? new Uint8Array(bytes) : decodeBytes(bytes)
    },
  }),
  seek_read: reads({
    doc: 'Return a part of the content of a file.',
    args: { path, size: arg.integer('Number of bytes'), offset: arg.integer('Offset in bytes') },
    returns: ret.any('The bytes'),
    example: 'file.seek_read /path/to/file 4096 0',
    run: async (ctx, { path, size, offset }) =>
      new Uint8Array(
        await ctx.host.read(await expandUser(ctx, path), { offset: Number(offset), length: Number(size) }),
      ),
  }),
  contains: reads({
    doc: 'Return whether a file contains a text.',
    args: { path, text: arg.any('Text to search; another type is searched as text') },
    returns: ret.boolean('Whether the text was found'),
    example: "file.contains /etc/crontab 'mymaintenance.sh'",
    run: (ctx, { path, text: wanted }) => passes(ctx, path, (text) => text.includes(strip(str(wanted)))),
  }),
  contains_glob: reads({
    doc: 'Return whether the content of a file matches a glob.',
    args: { path, glob_expr: arg.any('Glob; another type than text is read as text') },
    returns: ret.boolean('Whether the content matches'),
    example: "file.contains_glob /etc/crontab '*mymaintenance.sh*'",
    run: (ctx, { path, glob_expr }) => passes(ctx, path, (text) => fnmatch(text, str(glob_expr))),
  }),
  contains_regex: reads({
    doc: 'Return whether a line of a file matches a regular expression.',
    args: {
      path,
      regex: arg.text('Regular expression'),
      lchar: arg.text('Characters to strip from the start of each line', { default: '' }),
    },
    returns: ret.boolean('Whether a line matches'),
    example: 'file.contains_regex /etc/crontab',
    run: async (ctx, { path, regex, lchar }) => {
      const text = await textOfFile(ctx, await expandUser(ctx, path))
      if (text === undefined) return false
      const pattern = compileRegex(regex)
      const chars = lchar ? new Set(lchar) : undefined
      return linesOf(text).some((line) => {
        const from = chars ? [...line].findIndex((char) => !chars.has(char)) : 0
        return pattern.search(from < 0 ? '' : line.slice(from)) !== null
      })
    },
  }),
  grep: reads({
    doc: 'Search files with `grep`.',
    args: { path, pattern: arg.string('Pattern of `grep`'), opts: arg.rest('Options of `grep`, one by one') },
    returns: ret.dict('Result of `cmd.run_all`'),
    examples: [
      "salt '*' file.grep /etc/passwd nobody",
      "salt '*' file.grep /etc/sysconfig/network-scripts/ifcfg-eth0 ipaddr -- -i",
    ],
    run: (ctx, { path, pattern, opts }) => grep(ctx, path, pattern, opts),
  }),
  find: changes({
    doc: 'Find files by name, facts or content, and report them, delete them, or run a command for each.',
    args: {
      path: arg.path('Directory to search, or a glob'),
      args: arg.rest('`print` or `delete`'),
      options: arg.open(
        'Criteria: name iname regex iregex type owner group size mtime grep; depth: mindepth maxdepth; actions: print exec delete; test',
      ),
    },
    returns: ret.any('A sorted list of the results; text that names an invalid option'),
    examples: [
      "salt '*' file.find / type=f name=\\*.bak size=+10m",
      "salt '*' file.find /var/log name=\\*.[0-9] mtime=+30d size=+10m delete",
    ],
    run: (ctx, { path, args, options }) => findFiles(ctx, path, args, options),
  }),
}

export const contentFunctions = { ...writing, ...reading }
