// Reads the text of a Python module without Python: the names that it may have, and its possible functions. A module
// that is listed in this way is loaded when one of its functions is used.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface ModuleText {
  /** The names that it may serve under, the usual one first. */
  readonly names: readonly string[]
  /** At least its public functions. */
  readonly functions: readonly string[]
  /** Whether all names and functions are listed above. */
  readonly isComplete: boolean
}

const MOST_BYTES = 4 << 20

const known = new Map<string, { stamp: string; text: ModuleText }>()

/** Return the facts about a file or a package folder; read again after a change. */
export function moduleText(path: string, stem: string): ModuleText {
  const file = path.endsWith('.py') ? path : join(path, '__init__.py')
  const facts = statSync(file, { throwIfNoEntry: false })
  const stamp = `${facts?.mtimeMs}:${facts?.size}`
  const before = known.get(path)
  if (before?.stamp === stamp) return before.text
  const source = facts && facts.size <= MOST_BYTES ? readFileSync(file, 'utf8') : undefined
  const text = source === undefined ? { names: [stem], functions: [], isComplete: false } : readModule(source, stem)
  known.set(path, { stamp, text })
  return text
}

/** Statements whose indented lines belong to the module itself. */
const BLOCKS = /^(?:if|else|elif|try|except|finally|with|for|while)\b/

export function readModule(source: string, stem: string): ModuleText {
  // long texts between three quotes may look like code
  const lines = source.replace(/("""|''')[\s\S]*?\1/g, '""').split(/\r?\n/)
  const bound = new Set<string>()
  let [isOfModule, isComplete] = [true, true]
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    if (!/^\s/.test(line)) isOfModule = BLOCKS.test(line)
    else if (!isOfModule) continue
    const own = line.trim()
    const name = /^(?:async\s+)?def\s+(\w+)/.exec(own)?.[1] ?? /^(\w+)\s*(?::[^=]+)?=(?!=)/.exec(own)?.[1]
    if (name !== undefined) bound.add(name)
    else if (own.startsWith('from ')) {
      const imported = importedNames(lines, index)
      if (imported.includes('*')) isComplete = false
      for (const each of imported) bound.add(each)
    }
  }
  // without `__virtual__` a module serves under the name of its file
  const virtual = /^\s*def __virtual__\(/m.test(source) ? virtualNames(source) : undefined
  return {
    names: [...new Set([virtual ?? stem, ...returnedNames(source), ...aliasNames(source)])].filter(
      (name) => name !== '',
    ),
    functions: publicNames(bound, aliasesIn(source)),
    isComplete: isComplete && virtual !== '',
  }
}

/** The names that `from … import …` binds, over several lines too. */
function importedNames(lines: readonly string[], index: number): string[] {
  let text = lines[index]!
  for (let next = index + 1; text.includes('(') && !text.includes(')') && next < lines.length; next++)
    text += lines[next]
  const list = /\bimport\s+\(?([^)#]*)/.exec(text)?.[1] ?? ''
  return list.split(',').map(
    (part) =>
      part
        .trim()
        .split(/\s+as\s+/)
        .at(-1)!,
  )
}

/** Return `__virtualname__`; empty if it is not a literal, undefined if it is not set. */
function virtualNames(source: string): string | undefined {
  const set = /^[ \t]*__virtualname__\s*(?::[^=\n]+)?=\s*(?:["']([\w.-]+)["'])?/m.exec(source)
  return set ? (set[1] ?? '') : undefined
}

/** The literal names that `__virtual__` returns. */
function returnedNames(source: string): string[] {
  const body = /^def __virtual__\(\).*\n((?:[ \t]+.*\n|\s*\n)*)/m.exec(source)?.[1] ?? ''
  return [...body.matchAll(/return\s+["']([\w.-]+)["']/g)].map((match) => match[1]!)
}

/** The further names of `__virtual_aliases__`. */
function aliasNames(source: string): string[] {
  const list = /^__virtual_aliases__\s*=\s*[([]([^)\]]*)/m.exec(source)?.[1] ?? ''
  return [...list.matchAll(/["']([\w.-]+)["']/g)].map((match) => match[1]!)
}

function aliasesIn(source: string): Map<string, string> {
  const text = /^__func_alias__\s*=\s*\{([^}]*)\}/m.exec(source)?.[1] ?? ''
  return new Map([...text.matchAll(/["'](\w+)["']\s*:\s*["'](\w+)["']/g)].map((pair) => [pair[1]!, pair[2]!]))
}

/** Constants and classes are written in capitals; `log` is a logger in every module. */
const publicNames = (bound: ReadonlySet<string>, aliases: ReadonlyMap<string, string>): string[] =>
  [...new Set([...bound].map((name) => aliases.get(name) ?? name))].filter(
    (name) => /^[a-z]\w*$/.test(name) && name !== 'log',
  )
