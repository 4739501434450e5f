// Imports past the faces of rooms. A room has one face, its `mod.ts`, and esbuild puts all files that a face names into the parts of
// every program that imports anything from it. The build reads such an import as one from the file that declares the name, so that a
// command loads only what it uses.
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

/** A name in the file that declares it. */
interface Origin {
  file: string
  name: string
}

/** Names that a file gives, with their origins. */
type Origins = ReadonlyMap<string, Origin>

interface Clause {
  /** The name there. */
  from: string
  /** The name here. */
  as: string
}

const STATEMENT = /^(import|export)\s+(type\s+)?(\{[^}]*\}|\*)\s+from\s+'(\.[^']+\.ts)'/gm
const DECLARATION = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm

/** Return the values that a clause such as `{ a, b as c, type D }` names. */
function clauses(text: string): Clause[] {
  const words = text
    .slice(1, -1)
    .split(',')
    .map((word) => word.trim())
  return words
    .filter((word) => word !== '' && !word.startsWith('type '))
    .map((word) => {
      const [from = '', as = from] = word.split(' as ')
      return { from, as }
    })
}

const isFace = (file: string): boolean => basename(file) === 'mod.ts'

export class Faces {
  private readonly known = new Map<string, Origins>()

  /** Return the text of a file with what it imports and gives on from faces replaced. */
  rewritten(file: string, text: string): string {
    return text.replace(STATEMENT, (all, kind: string, type: string | undefined, what: string, path: string) => {
      const face = resolve(dirname(file), path)
      if (type !== undefined || what === '*' || !isFace(face)) return all
      const origins = this.origins(face)
      const byFile = new Map<string, string[]>()
      for (const { from, as } of clauses(what)) {
        const { file: place, name } = origins.get(from) ?? { file: face, name: from }
        byFile.set(place, [...(byFile.get(place) ?? []), `${name} as ${as}`])
      }
      // on one line, and as many lines as before, so that the lines of errors stay
      const lines = '\n'.repeat(all.split('\n').length - 1)
      return [...byFile]
        .map(([place, names]) => `${kind} { ${names.join(', ')} } from '${pathTo(place, file)}';`)
        .join(' ')
        .concat(lines)
    })
  }

  /** Return the names that a file gives; those of other files with the places of their declarations. */
  private origins(file: string): Origins {
    const known = this.known.get(file)
    if (known) return known
    const origins = new Map<string, Origin>()
    this.known.set(file, origins)
    const text = readFileSync(file, 'utf8')
    for (const [, name = ''] of text.matchAll(DECLARATION)) origins.set(name, { file, name })
    for (const [, kind, type, what = '', path = ''] of text.matchAll(STATEMENT)) {
      if (kind !== 'export' || type !== undefined) continue
      const from = resolve(dirname(file), path)
      if (what === '*') {
        // a name that the file gives itself comes before one of a starred file
        for (const [name, origin] of this.origins(from)) if (!origins.has(name)) origins.set(name, origin)
      } else {
        for (const clause of clauses(what)) {
          const origin = this.origins(from).get(clause.from) ?? { file: from, name: clause.from }
          origins.set(clause.as, origin)
        }
      }
    }
    return origins
  }
}

function pathTo(file: string, from: string): string {
  const path = relative(dirname(from), file)
  return path.startsWith('.') ? path : `./${path}`
}

/** Let esbuild see imports past the faces below `source`. */
export function pastFaces(source: string): Plugin {
  const faces = new Faces()
  return {
    name: 'past faces',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!path.startsWith(join(source, '/'))) return undefined
        return { contents: faces.rewritten(path, readFileSync(path, 'utf8')), loader: 'ts' }
      })
    },
  }
}
