// The files, directories and links that `recurse` creates from one or several sources of the file server. Where sources are
// merged, an earlier one overrides a later one.
import { failure, makeSaltUrl, numberOf, parseSaltUrl, repr, strip, type Value } from '../../../../data/mod.ts'
import { dirName, joinPaths, normalPath, type StateContext } from '../../../../sdk/mod.ts'
import { isIncluded } from './include-exclude.ts'
import { parentsOf, relativePath } from './paths.ts'
import { textList } from './text-list.ts'

/** Return the sources that exist. */
export async function filterSources(ctx: StateContext, given: Value): Promise<string[]> {
  const sources = textList(given).map((source) => source.replace(/\/+$/, ''))
  for (const source of sources) {
    if (!source.startsWith('salt://')) throw failure(`Invalid source '${source}' (must be a salt:// URI)`)
  }
  const key = `recurse__|-${repr(sources)}__|-${ctx.env}`
  const known = ctx.memory.get(key)
  if (known !== undefined) return known as string[]
  const found: string[] = []
  for (const source of sources) {
    const { path, saltenv } = parseSaltUrl(source)
    const directories = await ctx.call('cp.list_master_dirs', [], { saltenv: saltenv ?? ctx.env })
    if (directories.includes(path)) found.push(source)
  }
  if (found.length === 0) throw failure('none of the specified sources were found')
  ctx.memory.set(key, found)
  return found
}

export interface Gathering {
  name: string
  sources: string[]
  keepSymlinks: boolean
  includePat: Value
  excludePat: Value
  maxdepth: Value
  includeEmpty: boolean
  merge: boolean
}

export interface Gathered {
  /** Path → URL. */
  files: Map<string, string>
  directories: Set<string>
  /** Path → target of the link. */
  links: Map<string, string>
  /** The paths that `clean` leaves. */
  keep: Set<string>
}

class Gatherer {
  readonly files = new Map<string, string>()
  readonly directories = new Set<string>()
  readonly links = new Map<string, string>()
  readonly keep = new Set<string>()
  private readonly above = new Set<string>()
  private readonly ignored = new Set<string>()
  private readonly ctx: StateContext
  private readonly options: Gathering

  constructor(ctx: StateContext, options: Gathering) {
    this.ctx = ctx
    this.options = options
  }

  async add(source: string): Promise<void> {
    const { path, saltenv } = parseSaltUrl(source)
    const env = saltenv ?? this.ctx.env
    const root = path.endsWith('/') ? path : `${path}/`
    let files = [...(await this.ctx.call('cp.list_master', [env, root]))]
    if (this.options.keepSymlinks) files = await this.addLinks(files, root, env)
    for (const file of files) this.addFile(file, root, env)
    const { includeEmpty, keepSymlinks } = this.options
    if (!includeEmpty && !keepSymlinks) return
    const directories = await this.ctx.call('cp.list_master_dirs', [env, root])
    if (includeEmpty) this.addEmpty(directories, root)
    else this.dropHollowLinks(directories, root)
  }

  /** Return the path on the machine for a path of the file server; undefined if it is not included. */
  private targetOf(path: string, root: string): string | undefined {
    if (strip(path) === '') return undefined
    const relative = relativePath(path, root)
    if (`/${relative}/`.includes('/../')) return undefined
    const { maxdepth, includePat, excludePat } = this.options
    if (maxdepth !== null && depth(relative) > (numberOf(maxdepth) ?? 0)) return undefined
    if (!isIncluded(relative, includePat, excludePat)) return undefined
    return joinPaths(this.options.name, normalPath(relative))
  }

  private isOccupied(target: string): boolean {
    if (this.above.has(target)) return true
    return [target, ...parentsOf(target)].some((path) => this.files.has(path) || this.links.has(path))
  }

  private addFile(file: string, root: string, env: string): void {
    const target = this.targetOf(file, root)
    if (target === undefined || this.isOccupied(target)) return
    this.keep.add(target)
    this.directories.add(dirName(target))
    for (const parent of parentsOf(target)) this.above.add(parent)
    this.files.set(target, makeSaltUrl(file, env))
  }

  /** Adds links, and gives the files that are not reached through one. */
  private async addLinks(files: string[], root: string, env: string): Promise<string[]> {
    const links = (await this.ctx.call('cp.list_master_symlinks', [env, root])) as Map<string, string>
    let left = files
    for (const [link, says] of links) {
      const isDirectory = left.some((file) => file.startsWith(`${link}/`))
      left = left.filter((file) => file !== link && !file.startsWith(`${link}/`))
      const target = this.targetOf(link, root)
      if (target === undefined || this.isOccupied(target)) continue
      const pointed = normalPath(joinPaths(dirName(target), says))
      // another source has replaced the target of the link
      if (isDirectory && this.files.has(pointed)) this.ignored.add(target)
      else if (isDirectory || !this.directories.has(pointed)) {
        this.links.set(target, says)
        this.keep.add(target)
      }
    }
    return left
  }

  private addEmpty(directories: readonly string[], root: string): void {
    for (const directory of directories) {
      const target = this.targetOf(directory, root)
      if (target === undefined || this.ignored.has(target) || this.isOccupied(target)) continue
      this.directories.add(target)
      this.above.add(target)
      this.keep.add(target)
    }
  }

  /** Drop links to directories that are not created because they are empty, and links to such links. */
  private dropHollowLinks(directories: readonly string[], root: string): void {
    const known = new Set(directories)
    for (let dropped = true; dropped; ) {
      dropped = false
      for (const [link, says] of [...this.links]) {
        if (!known.has(normalPath(joinPaths(root, says)))) continue
        const target = normalPath(joinPaths(this.options.name, normalPath(says)))
        if (this.files.has(target) || this.above.has(target) || this.links.has(target)) continue
        this.links.delete(link)
        dropped = true
      }
    }
  }
}

const depth = (path: string): number => path.replace(/^\/+|\/+$/g, '').split('/').length - 1

export async function gather(ctx: StateContext, options: Gathering): Promise<Gathered> {
  const gatherer = new Gatherer(ctx, options)
  for (const source of options.merge ? options.sources : options.sources.slice(0, 1)) await gatherer.add(source)
  return gatherer
}
