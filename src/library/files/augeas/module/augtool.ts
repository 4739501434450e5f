// Augeas through its command line tool: lines go in, and what `get` and `match` print is read back.
import { SaltError, splitLines, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

export interface Session {
  /** Folders with further lenses, parted by colons. */
  loadPath: Value
  /** Load nothing by itself: a lens and a file follow. */
  bare?: boolean
}

export interface Answer {
  lines: string[]
  error: string
}

/** Folders of a load path that exist. */
async function lensFolders(ctx: FunctionContext, path: Value): Promise<string[]> {
  const folders: string[] = []
  for (const folder of typeof path === 'string' ? path.split(':') : []) {
    if (folder.startsWith('/') && (await ctx.host.stat(folder))?.type === 'directory') folders.push(folder)
    else ctx.log('info', `Invalid augeas_cfg load_path entry: ${folder} removed`)
  }
  return folders
}

export async function augtool(ctx: FunctionContext, script: readonly string[], session: Session): Promise<Answer> {
  const path = await ctx.host.which('augtool')
  if (path === undefined) throw new SaltError('CommandExecutionError', 'The augtool binary was not found')
  const folders = (await lensFolders(ctx, session.loadPath)).flatMap((folder) => ['-I', folder])
  const argv = [path, ...(session.bare ? ['-A'] : []), ...folders]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: `${script.join('\n')}\n` })
  const complaints = splitLines(Buffer.from(stderr).toString()).filter((line) => line.trim() !== '')
  const said = complaints
    .map((line) => line.replace(/^error: /, ''))
    .filter((line) => line !== 'Failed to execute command')
  return { lines: splitLines(Buffer.from(stdout).toString()), error: retcode === 0 ? '' : said.join('\n') || 'Failed' }
}

/** A value as a word of the tool. */
export function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}

/** A path as a word of the tool; brackets in it may have quotes and blanks of their own. */
export const pathWord = (path: string): string => path.replaceAll(/(?<!\\) (?![^[]*\])/g, '\\ ')

/** Nodes with their values: `path = value`, or `path (none)` for a node without one. */
export function nodes(lines: readonly string[]): Map<string, string | null> {
  const found = new Map<string, string | null>()
  for (const line of lines) {
    const [, path, value] = /^(.*?) = (.*)$/.exec(line) ?? []
    if (path !== undefined) found.set(path, value === '(none)' ? null : value!)
    else if (/ \(none\)$/.test(line)) found.set(line.replace(/ \(none\)$/, ''), null)
  }
  return found
}
