// Lists of files by tree: branches with the same tree share one. The list of each environment is also kept in a file with the trees
// it was made of, so that the next program needs no git.
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path/posix'
import { folderNames, readJson, writeWhole } from '../../base/mod.ts'
import { type FolderListing, noFiles } from '../backend.ts'
import type { ServedTree } from './environments.ts'

/** Paths that lists in memory have together, about. */
const MOST_PATHS = 500_000

/** Names of environments that make too long names of files are not kept. */
const LONGEST_NAME = 180

export class Listings {
  private readonly folder: string
  private readonly known = new Map<string, Promise<FolderListing>>()
  private readonly sizes = new Map<string, number>()
  private paths = 0

  constructor(folder: string) {
    this.folder = folder
  }

  /** The list of an environment, all remotes together; of two links with one name the first counts, as for files. */
  async of(saltenv: string, trees: readonly ServedTree[], isKept: boolean): Promise<FolderListing> {
    const key = createHash('sha256')
      .update(JSON.stringify(trees.map(({ tree, mountpoint }) => [tree, mountpoint])))
      .digest('hex')
    const known = this.known.get(key)
    const path = isKept ? this.pathOf(saltenv) : undefined
    const listing = known ?? (path === undefined ? undefined : kept(path, key)) ?? this.united(trees)
    const made = Promise.resolve(listing)
    if (!known) this.keep(key, made)
    const result = await made
    if (path !== undefined && trees.length > 0 && this.written.get(path) !== key) {
      this.written.set(path, key)
      writeList(path, key, result)
    }
    return result
  }

  /** The list of each file, as far as this process wrote or saw it. */
  private readonly written = new Map<string, string>()

  private keep(key: string, made: Promise<FolderListing>): void {
    this.known.set(key, made)
    made.then(
      ({ files, dirs }) => {
        const size = files.length + dirs.length + 1
        this.sizes.set(key, size)
        this.paths += size
        for (const oldest of this.known.keys()) {
          if (this.paths <= MOST_PATHS || oldest === key) break
          this.known.delete(oldest)
          this.paths -= this.sizes.get(oldest) ?? 0
          this.sizes.delete(oldest)
        }
      },
      () => this.known.delete(key),
    )
  }

  private async united(trees: readonly ServedTree[]): Promise<FolderListing> {
    const parts: FolderListing[] = []
    for (const tree of trees) parts.push(await listed(tree))
    if (parts.length === 1) return parts[0]!
    const merged = (pick: (part: FolderListing) => string[]): string[] => [...new Set(parts.flatMap(pick))].sort()
    return {
      ...noFiles(),
      files: merged(({ files }) => files),
      dirs: merged(({ dirs }) => dirs),
      links: new Map(parts.reverse().flatMap(({ links }) => [...links])),
    }
  }

  private pathOf(saltenv: string): string | undefined {
    const name = saltenv.replaceAll('/', '_|-')
    return Buffer.byteLength(name) > LONGEST_NAME ? undefined : join(this.folder, `${name}.json`)
  }

  /** Drop lists; return the environments of the dropped ones. */
  clear(saltenv: string | null): string[] {
    this.written.clear()
    const names = folderNames(this.folder).filter((name) => name.endsWith('.json'))
    const environments = names.map((name) => name.slice(0, -5).replaceAll('_|-', '/'))
    const chosen = environments.filter((name) => saltenv === null || name === saltenv)
    for (const name of chosen) rmSync(this.pathOf(name)!, { force: true })
    return chosen.sort()
  }
}

async function listed({ mirror, tree, mountpoint }: ServedTree): Promise<FolderListing> {
  const [files, dirs]: [string[], string[]] = [[], []]
  const links: Array<[string, string]> = []
  const before = mountpoint === '' ? '' : `${mountpoint}/`
  if (mountpoint !== '') dirs.push(mountpoint)
  await mirror.trees.walk(tree, (path, entry) => {
    if (entry.kind === 'folder') dirs.push(before + path)
    else if (entry.kind !== 'submodule') files.push(before + path)
    if (entry.kind === 'link') links.push([before + path, entry.id])
  })
  const targets = await Promise.all(links.map(([, id]) => mirror.trees.linkTarget(id)))
  const named = links.map(([path], index): [string, string] => [path, targets[index]!])
  return {
    files: files.sort(),
    dirs: dirs.sort(),
    emptyDirs: [],
    links: new Map(named.sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

interface KeptList {
  key: string
  files: string[]
  dirs: string[]
  links: Array<[string, string]>
}

function kept(path: string, key: string): FolderListing | undefined {
  const list = readJson<KeptList>(path)
  if (list?.key !== key) return undefined
  return { files: list.files, dirs: list.dirs, emptyDirs: [], links: new Map(list.links) }
}

function writeList(path: string, key: string, { files, dirs, links }: FolderListing): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const list: KeptList = { key, files, dirs, links: [...links] }
  writeWhole(path, JSON.stringify(list))
}
