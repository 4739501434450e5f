// Imports past the faces of rooms. A room has one face, its `mod.ts`, and esbuild puts all files of a face into the
// parts of every program that imports anything from it. The build changes each such import to one from the declaring
// file, so that a command loads only what it uses.
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
/** An import at the time of a call, of names that can be seen: `const { a, b } = await import(…)` and `(await import(…)).a`. */
const NAMING = /const \{([^{}]*)\} = await import\('(\.[^']+\.ts)'\)/g
const PICKING = /\(await import\('(\.[^']+\.ts)'\)\)\.(\w+)/g
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

  /** Return the text of a file with its imports and re-exports from faces replaced. */
  rewritten(file: string, text: string): string {
    return this.later(file, this.statements(file, text))
  }

  private statements(file: string, text: string): string {
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

  /** The same for imports at the time of a call. */
  private later(file: string, text: string): string {
    const origin = (path: string, name: string): Origin | undefined => {
      const face = resolve(dirname(file), path)
      return isFace(face) ? (this.origins(face).get(name) ?? { file: face, name }) : undefined
    }
    return text
      .replace(NAMING, (all, what: string, path: string) => {
        const words = what.split(',').map((word) => word.trim())
        const names = words.filter((word) => word !== '').map((word) => word.split(/:\s*/))
        const parts = names.map(([from = '', as = from]) => {
          const found = origin(path, from)
          return found && `{ ${found.name}: ${as} } = await import('${pathTo(found.file, file)}')`
        })
        const lines = '\n'.repeat(all.split('\n').length - 1)
        return parts.every((part) => part !== undefined) ? `const ${parts.join(', ')}${lines}` : all
      })
      .replace(PICKING, (all, path: string, name: string) => {
        const found = origin(path, name)
        return found ? `(await import('${pathTo(found.file, file)}')).${found.name}` : all
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
