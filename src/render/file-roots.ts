// The file trees of `file_roots` and `pillar_roots`: several directories for each environment, the first that has a
// file wins. A path with `..` in it is refused, so none can leave its root.
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path/posix'
import { recover } from '../base/mod.ts'
import { type Dict, decodeBytes, str, textOf, type Value } from '../data/mod.ts'

export interface TreeFile {
  text: string
  /** The path on disk. */
  file: string
}

/** The source of templates and SLS files. */
export interface FileTree {
  read(path: string, saltenv: string): Promise<TreeFile | undefined>
  /** The directories that make up an environment, where the tree is on this machine. */
  directories?(saltenv: string): string[]
}

export class FileRoots implements FileTree {
  private readonly roots: Dict

  /** `roots` maps an environment to its directories; `__env__` matches every environment that is not listed. */
  constructor(roots: Value) {
    this.roots = roots instanceof Map ? roots : new Map()
  }

  directories(saltenv: string): string[] {
    const listed = this.roots.get(saltenv)
    const directories = listed ?? this.roots.get('__env__') ?? []
    const each = Array.isArray(directories) ? directories : [directories]
    return each.map((directory) => {
      const path = textOf(directory) ?? str(directory)
      return listed === undefined ? path.replaceAll('__env__', saltenv) : path
    })
  }

  async read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    if (isAbsolute(path) || path.includes('\0') || path.split('/').includes('..')) return undefined
    for (const directory of this.directories(saltenv)) {
      const file = join(directory, path)
      const bytes = await bytesOf(file)
      if (bytes !== undefined) return { text: decodeBytes(bytes), file }
    }
    return undefined
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EACCES'])

async function bytesOf(file: string): Promise<Uint8Array | undefined> {
  return recover(
    (error) => ABSENT.has((error as NodeJS.ErrnoException).code ?? ''),
    undefined,
    () => readFile(file),
  )
}
