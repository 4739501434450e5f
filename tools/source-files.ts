// The TypeScript files under a folder, and the imports each one writes down.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  path: string
  text: string
}

export interface Import {
  specifier: string
  /** `import(…)`: loaded when the line runs. */
  lazy: boolean
}

export function sourceFiles(root: string, folders: string[]): SourceFile[] {
  const files: SourceFile[] = []
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      files.push({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') })
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Tests, and their shared files. */
export const isTest = (path: string): boolean => /\.test(?:-support)?\.ts$/.test(path)

// The formatter puts every import statement at the start of a line, so a line-wise pattern finds them all.
const STATEMENT = /^(?:import|export)\s+(?:[\w$*{},\s]+?\s+from\s+)?'([^']+)'/gm
const LAZY = /\bimport\(\s*'([^']+)'/g

export function importsOf(text: string): Import[] {
  const imports: Import[] = []
  for (const [, specifier] of text.matchAll(STATEMENT)) imports.push({ specifier: specifier!, lazy: false })
  for (const [, specifier] of text.matchAll(LAZY)) imports.push({ specifier: specifier!, lazy: true })
  return imports
}
