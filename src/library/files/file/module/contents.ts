// Functions of `file` that read, write and search what is in files.
import {
  compileRegex,
  type Dict,
  decodeBytes,
  fnmatch,
  isInt,
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
import { inBrief, invalid } from './rewriting.ts'
import { linesOf } from './text.ts'

const path = arg.any('The path')

/** Lines given one by one, or all as `args`. */
function givenLines(args: Value[], options: ReadonlyMap<string, Value>): string[] {
  const all = options.get('args')
  const lines = all === undefined ? args : Array.isArray(all) ? (all as Value[]) : [all]
  return lines.map((line) => str(line))
}

const lineArgs = { path, args: arg.rest('Lines'), options: arg.open('`args`: the lines as a list') }

async function textOfFile(ctx: FunctionContext, file: string): Promise<string | undefined> {
  const bytes = await unlessRefused(ctx.host.read(file), undefined)
  return bytes && decodeBytes(bytes)
}

/** Whether something is found in a file; False when there is none. */
const search = (doc: string, name: string, key: string, matches: (text: string, wanted: Value) => boolean) =>
  reads({
    doc,
    args: { path, [key]: arg.any('What is looked for') },
    returns: ret.boolean('Whether it is there'),
    example: `file.${name} /etc/crontab 'mymaintenance.sh'`,
    run: async (ctx, given) => {
      const text = await textOfFile(ctx, await expandUser(ctx, given['path'] as Value))
      return text === undefined || text === '' ? false : matches(text, given[key] as Value)
    },
  })

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
      throw invalid('atime and mtime must be integers')
    }
    const now = ctx.host.now()
    await ctx.host.setTimes(file, Number(wanted[0] ?? now), Number(wanted[1] ?? now))
  } catch (error) {
    throw inBrief(error)
  }
  return exists(ctx, file)
}

async function grep(ctx: FunctionContext, given: Value, pattern: string, opts: Value[]): Promise<Dict> {
  const file = await expandUser(ctx, given)
  const found = await globPaths(ctx, file)
  const options: string[] = []
  for (const opt of opts) {
    const words = shlexSplit(str(opt))
    if (words.length > 1) {
      throw invalid(
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
    doc: 'Add lines at the end of a file.',
    args: lineArgs,
    returns: ret.string('How many lines were written'),
    example: 'file.append /etc/motd "Backups run at three."',
    run: async (ctx, { path, args, options }) =>
      appendLines(ctx, await expandUser(ctx, path), givenLines(args, options)),
  }),
  prepend: changes({
    doc: 'Add lines at the beginning of a file.',
    args: lineArgs,
    returns: ret.string('How many lines were written'),
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
    doc: 'Write lines to a file, in place of what it had.',
    args: lineArgs,
    returns: ret.string('How many lines were written'),
    example: 'file.write /etc/motd "Backups run at three."',
    run: async (ctx, { path, args, options }) => {
      const file = await expandUser(ctx, path)
      const lines = givenLines(args, options)
      await ctx.host.write(file, lines.map((line) => `${line}\n`).join(''))
      return `Wrote ${lines.length} lines to "${file}"`
    },
  }),
  touch: changes({
    doc: 'Set the times of a file, and make it when it is not there.',
    args: {
      name: arg.any('The path'),
      atime: arg.any('The time of the last access', { optional: true }),
      mtime: arg.any('The time of the last change', { optional: true }),
    },
    returns: ret.boolean('Whether it is there'),
    example: 'file.touch /var/log/emptyfile',
    run: async (ctx, { name, atime, mtime }) => touch(ctx, await expandUser(ctx, name), atime, mtime),
  }),
  truncate: changes({
    doc: 'Cut a file to a length.',
    args: { path, length: arg.integer('The length, in bytes') },
    returns: ret.any('None'),
    example: 'file.truncate /path/to/file 512',
    run: async (ctx, { path, length }) => {
      await ctx.host.truncate(await expandUser(ctx, path), Number(length))
      return null
    },
  }),
  seek_write: changes({
    doc: 'Overwrite part of a file.',
    args: { path, data: arg.any('What is written'), offset: arg.integer('Where, in bytes') },
    returns: ret.number('How many bytes were written'),
    example: "file.seek_write /path/to/file 'some data' 4096",
    run: async (ctx, { path, data, offset }) => {
      const file = await expandUser(ctx, path)
      if (!(await exists(ctx, file))) await ctx.host.read(file)
      // text is refused, which leaves this to callers that have bytes
      if (!(data instanceof Uint8Array)) throw typeError(`a bytes-like object is required, not '${typeName(data)}'`)
      await ctx.host.writeAt(file, Number(offset), data)
      return data.length
    },
  }),
}

const reading = {
  read: reads({
    doc: 'The content of a file.',
    args: { path, binary: arg.any('As bytes', { default: false }) },
    returns: ret.any('The content'),
    example: 'file.read /path/to/file',
    run: async (ctx, { path, binary }) => {
      const bytes = await ctx.host.read(str(path))
      return binary === true ? new Uint8Array(bytes) : decodeBytes(bytes)
    },
  }),
  seek_read: reads({
    doc: 'Part of the content of a file.',
    args: { path, size: arg.integer('How many bytes'), offset: arg.integer('From where, in bytes') },
    returns: ret.any('The bytes'),
    example: 'file.seek_read /path/to/file 4096 0',
    run: async (ctx, { path, size, offset }) =>
      new Uint8Array(
        await ctx.host.read(await expandUser(ctx, path), { offset: Number(offset), length: Number(size) }),
      ),
  }),
  contains: search('Whether a file contains a text.', 'contains', 'text', (text, wanted) =>
    text.includes(strip(str(wanted))),
  ),
  contains_glob: search('Whether the content of a file matches a glob.', 'contains_glob', 'glob_expr', (text, glob) =>
    fnmatch(text, str(glob)),
  ),
  contains_regex: reads({
    doc: 'Whether a line of a file matches a pattern.',
    args: {
      path,
      regex: arg.text('The pattern'),
      lchar: arg.text('Characters that are dropped from the beginning of each line', { default: '' }),
    },
    returns: ret.boolean('Whether one does'),
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
    args: { path, pattern: arg.string('The pattern'), opts: arg.rest('Options of grep, one by one') },
    returns: ret.dict('What `cmd.run_all` answers'),
    examples: [
      "salt '*' file.grep /etc/passwd nobody",
      "salt '*' file.grep /etc/sysconfig/network-scripts/ifcfg-eth0 ipaddr -- -i",
    ],
    run: (ctx, { path, pattern, opts }) => grep(ctx, path, pattern, opts),
  }),
  find: changes({
    doc: 'Find files by their name, facts or content, and tell about them, delete them, or run a command for each.',
    args: {
      path: arg.any('Where the search begins; may be a glob'),
      args: arg.rest('`print` or `delete`'),
      options: arg.open(
        'name iname regex iregex type owner group size mtime grep; mindepth maxdepth; print exec delete; test',
      ),
    },
    returns: ret.any('A list of what was found, sorted; a text that says which option is wrong'),
    examples: [
      "salt '*' file.find / type=f name=\\*.bak size=+10m",
      "salt '*' file.find /var/log name=\\*.[0-9] mtime=+30d size=+10m delete",
    ],
    run: (ctx, { path, args, options }) => findFiles(ctx, path, args, options),
  }),
}

export const contentFunctions = { ...writing, ...reading }
