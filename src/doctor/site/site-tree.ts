// The files of file_roots or pillar_roots: found once, with bounds against loops of links and endless trees, and read with bounds.
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { toError } from '../../base/mod.ts'
import { compareText, type Dict, decodeBytes, isList, str } from '../../data/mod.ts'
import type { TreeFile } from '../../render/mod.ts'
import type { StateTree } from '../../state/mod.ts'
import { readBounded } from './read-bounded.ts'

export interface SiteFile {
  env: string
  root: string
  /** Below the root. */
  path: string
  /** Path on this machine. */
  file: string
  size: number
  mode: number
}

interface Folder {
  path: string
  /** The real paths of its parent folders. */
  above: readonly string[]
}

interface Skipped {
  file: string
  why: string
}

/** Folders of a tree whose SLS files are no states: tests, examples, pillar data, reactions, and hidden ones. */
const ASIDE = /(?:^|\/)(?:\.[^/]*|tests?|test_[^/]*|spec|pillars?|reactors?|examples?|docs?|kitchen|vagrant)\//i

/** Whether a file is in a folder without states. */
export const isAside = (path: string): boolean => ASIDE.test(path)

const MOST_FILES = 200_000
const MOST_FOLDERS = 50_000
const MOST_DEPTH = 64
const VERSION_CONTROL = new Set(['.git', '.svn', '.hg', '.bzr'])

export class SiteTree implements StateTree {
  /** Folders by environment. */
  readonly roots: ReadonlyMap<string, readonly string[]>
  readonly files: SiteFile[] = []
  readonly skipped: Skipped[] = []
  /** Whether this environment has further files, such as from Git, that were not read. */
  isPartial = false
  /** Called before a file is read; false leaves it out, as an empty one. */
  entering: (file: string) => boolean = () => true
  private folders = 0
  private readonly index = new Map<string, SiteFile>()

  constructor(roots: Dict) {
    this.roots = new Map([...roots].map(([env, folders]) => [str(env), isList(folders) ? folders.map(str) : []]))
    for (const [env, folders] of this.roots) for (const root of folders) this.walk(env, root)
  }

  private walk(env: string, root: string): void {
    const pending: Folder[] = [{ path: '', above: [] }]
    for (let next = pending.pop(); next; next = pending.pop()) {
      const folder = join(root, next.path)
      if (this.folders++ >= MOST_FOLDERS) return void this.skip(folder, `there are more than ${MOST_FOLDERS} folders`)
      const { entries, above } = this.entriesOf(folder, next.above)
      for (const entry of entries) {
        const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`
        if (this.files.length >= MOST_FILES) return void this.skip(folder, `there are more than ${MOST_FILES} files`)
        if (VERSION_CONTROL.has(entry.name)) continue
        if (this.add(env, root, path, entry)) pending.push({ path, above })
      }
    }
  }

  /**
   * Return the entries of a folder. A link to a parent folder is a loop; a link to another folder lists its files
   * again.
   */
  private entriesOf(folder: string, above: readonly string[]): { entries: Dirent[]; above: readonly string[] } {
    try {
      const real = realpathSync(folder)
      if (above.includes(real)) throw new Error('a loop of links leads to it')
      if (above.length > MOST_DEPTH) throw new Error('it lies too deep')
      const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name))
      return { entries, above: [...above, real] }
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' && above.length === 0
      if (!isAbsent) this.skip(folder, toError(error).message)
      return { entries: [], above }
    }
  }

  /** Whether the entry is a folder that is to be looked into. */
  private add(env: string, root: string, path: string, entry: Dirent): boolean {
    const file = join(root, path)
    if (entry.isDirectory()) return true
    try {
      const facts = statSync(file)
      if (facts.isDirectory()) return true
      if (!facts.isFile()) this.skip(file, 'it is no regular file')
      else {
        const found = { env, root, path, file, size: facts.size, mode: facts.mode }
        this.files.push(found)
        const key = `${env}\0${path}`
        if (!this.index.has(key)) this.index.set(key, found)
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      this.skip(file, code === 'ENOENT' ? 'the link leads nowhere' : code === 'ELOOP' ? 'the link is a loop' : code)
    }
    return false
  }

  private skip(file: string, why: string): void {
    if (this.skipped.length < 1000) this.skipped.push({ file, why })
  }

  /** The file of an environment that counts: that of the first root. */
  find(path: string, env: string): SiteFile | undefined {
    return this.index.get(`${env}\0${path}`)
  }

  /** Whether a file, or a folder with files, exists. */
  has(path: string, env: string): boolean {
    if (this.find(path, env)) return true
    const folder = `${path.replace(/\/+$/, '')}/`
    return this.files.some((file) => file.env === env && file.path.startsWith(folder))
  }

  async envs(): Promise<string[]> {
    return [...this.roots.keys()]
  }

  async list(saltenv: string): Promise<string[]> {
    return this.files.filter(({ env }) => env === saltenv).map(({ path }) => path)
  }

  directories(saltenv: string): string[] {
    return [...(this.roots.get(saltenv) ?? [])]
  }

  async read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    const found = this.find(path, saltenv)
    if (!found) return undefined
    if (path.endsWith('.sls') && !this.entering(found.file)) return { text: '', file: found.file }
    const bytes = readBounded(found.file)
    if (typeof bytes !== 'string') return { text: decodeBytes(bytes), file: found.file }
    this.skip(found.file, bytes)
    return { text: '', file: found.file }
  }
}
