// Functions of users' own execution modules in Python, read from `_modules` of the file server without running them.
// The names are those in the text; a module that refuses to load on a minion is listed nevertheless.
import type { FileServer } from '../../fileserver/mod.ts'
import type { Host } from '../../host/mod.ts'
import { slices } from './slices.ts'

export interface OwnFunction {
  name: string
  doc: string
}

interface Read {
  stamp: string
  functions: OwnFunction[]
}

const FOLDER = '_modules'
const MOST_FILES = 500
const MOST_BYTES = 512 * 1024

export class OwnFunctions {
  private readonly server: FileServer
  private readonly host: Host
  /** The declarations in files, by path on disk. */
  private known = new Map<string, Read>()

  constructor(server: FileServer, host: Host) {
    this.server = server
    this.host = host
  }

  /** Return the functions of an environment, sorted by name. */
  async of(saltenv: string): Promise<OwnFunction[]> {
    const turn = slices()
    const entries = (await this.server.folder(FOLDER, saltenv)) ?? []
    const files = entries.filter(({ kind, name }) => kind === 'file' && name.endsWith('.py')).slice(0, MOST_FILES)
    const found = new Map<string, OwnFunction>()
    const read = new Map<string, Read>()
    for (const { path } of files) {
      const file = await this.server.find(path, saltenv)
      if (!file || file.stat.size > MOST_BYTES) continue
      const stamp = `${file.stat.mtime} ${file.stat.size}`
      const before = this.known.get(file.path)
      const known = before?.stamp === stamp ? before : { stamp, functions: await this.read(file.path) }
      read.set(file.path, known)
      for (const declared of known.functions) found.set(declared.name, declared)
      await turn()
    }
    this.known = read
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  private async read(path: string): Promise<OwnFunction[]> {
    const bytes = await this.host.read(path, { offset: 0, length: MOST_BYTES })
    const module = path.split('/').at(-1)!.slice(0, -'.py'.length)
    return declaredIn(module, new TextDecoder().decode(bytes))
  }
}

/** Return the public functions that the text of a Python module declares. */
export function declaredIn(file: string, text: string): OwnFunction[] {
  const lines = text.split(/\r?\n/)
  const virtual = lines.map((line) => /^__virtualname__\s*=\s*(['"])(\w+)\1/.exec(line)?.[2]).find(Boolean)
  const aliases = aliasesIn(lines)
  return lines.flatMap((line, at) => {
    const name = /^def\s+([A-Za-z]\w*)\s*\(/.exec(line)?.[1]
    if (name === undefined) return []
    return [{ name: `${virtual ?? file}.${aliases.get(name) ?? name}`, doc: docAfter(lines, at) }]
  })
}

/** Parse `__func_alias__`, which renames functions such as `list_`. */
function aliasesIn(lines: readonly string[]): Map<string, string> {
  const start = lines.findIndex((line) => /^__func_alias__\s*=/.test(line))
  const aliases = new Map<string, string>()
  for (const line of start < 0 ? [] : lines.slice(start, start + 100)) {
    for (const [, , name, , alias] of line.matchAll(/(['"])(\w+)\1\s*:\s*(['"])(\w+)\3/g)) aliases.set(name!, alias!)
    if (line.includes('}')) break
  }
  return aliases
}

/** Lines that the head of a function and its docstring may have. */
const LONGEST = 60

/** Return the docstring of the function that begins at a line. */
function docAfter(lines: readonly string[], at: number): string {
  const near = lines.slice(at, at + LONGEST)
  const head = near.findIndex((line) => /:\s*(?:#.*)?$/.test(line))
  const [first = '', ...rest] = near.slice(head + 1)
  const [, quotes, begun = ''] = head < 0 ? [] : (/^\s+[rRuU]?("""|''')(.*)$/.exec(first) ?? [])
  if (quotes === undefined) return ''
  const text: string[] = []
  for (const line of [begun, ...rest]) {
    const end = line.indexOf(quotes)
    text.push(end < 0 ? line : line.slice(0, end))
    if (end >= 0) break
  }
  return text.join('\n')
}
