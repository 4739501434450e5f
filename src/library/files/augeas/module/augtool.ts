// Augeas through its command line tool: it reads a script, and its output is parsed.
import { failure, splitLines, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, oneLine } from '../../../../sdk/mod.ts'

export interface Session {
  /** Directories of further lenses, separated by colons; a value that is not text is ignored. */
  loadPath: Value
  /** Whether the tool loads no files by itself. */
  bare?: boolean
}

export interface Answer {
  lines: string[]
  error: string
}

/** Return the directories of a load path that exist. */
async function lensDirectories(ctx: FunctionContext, path: Value): Promise<string[]> {
  const directories: string[] = []
  for (const directory of typeof path === 'string' ? path.split(':') : []) {
    if (directory.startsWith('/') && (await ctx.host.stat(directory))?.type === 'directory') directories.push(directory)
    else ctx.log('info', `Invalid augeas_cfg load_path entry: ${directory} removed`)
  }
  return directories
}

export async function augtool(ctx: FunctionContext, script: readonly string[], session: Session): Promise<Answer> {
  const path = await ctx.host.which('augtool')
  if (path === undefined) throw failure('The augtool binary was not found')
  const directories = (await lensDirectories(ctx, session.loadPath)).flatMap((directory) => ['-I', directory])
  const argv = [path, ...(session.bare ? ['-A'] : []), ...directories]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: `${script.join('\n')}\n` })
  const complaints = splitLines(Buffer.from(stderr).toString()).filter((line) => line.trim() !== '')
  const said = complaints
    .map((line) => line.replace(/^error: /, ''))
    .filter((line) => line !== 'Failed to execute command')
  return { lines: splitLines(Buffer.from(stdout).toString()), error: retcode === 0 ? '' : said.join('\n') || 'Failed' }
}

/** Quote a value for the script. */
export function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}

/** Escape a path for the script; brackets in it may contain quotes and blanks. */
export const pathWord = (path: string): string =>
  oneLine('A path of Augeas', path).replaceAll(/(?<!\\) (?![^[]*\])/g, '\\ ')

/** Return nodes with their values from lines `path = value`, or `path (none)` for a node without a value. */
export function nodes(lines: readonly string[]): Map<string, string | null> {
  const found = new Map<string, string | null>()
  for (const line of lines) {
    const [, path, value] = /^(.*?) = (.*)$/.exec(line) ?? []
    if (path !== undefined) found.set(path, value === '(none)' ? null : value!)
    else if (/ \(none\)$/.test(line)) found.set(line.replace(/ \(none\)$/, ''), null)
  }
  return found
}
