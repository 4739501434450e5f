// A copy of a directory of the file server.
import { type Dict, dictFrom, isFailure, parseSaltUrl } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  baseName,
  dirName,
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  joinPaths,
  normalPath,
  type StateContext,
  state,
  whileExpecting,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { isKeep, normalizeMode } from '../modes.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { manageDirectory } from './directory.ts'
import { cleanDirectory, keepFiles } from './keep-files.ts'
import { manageFile } from './managed.ts'
import { managedOptions, windows } from './managed-options.ts'
import { type Owner, unknownOwners, userOf } from './owners.ts'
import { filterSources, type Gathered, gather } from './recurse-sources.ts'
import { makeSymlink } from './symlink.ts'

const flag = (doc: string) => arg.boolean(doc, { default: false })

const recurseArgs = {
  name: arg.string('Path of the directory'),
  source: arg.textOrList('`salt://` URL of a directory, or a list of them'),
  keep_source: arg.flag('Keep the sources in the cache', { default: true }),
  clean: flag('Remove everything that is not in the source'),
  require: arg.textOrList('Requisites whose files stay: a list', { optional: true }),
  ...offered('user', 'group', 'dir_mode'),
  file_mode: arg.textOrNumber("Mode of files in octal: text or a number; `keep` for the source's mode", {
    optional: true,
  }),
  sym_mode: arg.textOrNumber('Mode of directories that are created for links', { optional: true }),
  ...offered('template', 'context'),
  replace: arg.flag('Replace existing files', { default: true }),
  ...offered('defaults'),
  include_empty: flag('Create empty directories too'),
  ...offered('backup'),
  include_pat: arg.textOrList('Globs, or with `E@` regular expressions, of paths to copy: text or a list', {
    optional: true,
  }),
  exclude_pat: arg.textOrList('Globs, or with `E@` regular expressions, of paths to skip: text or a list', {
    optional: true,
  }),
  maxdepth: arg.textOrNumber('Depth limit: a number', { optional: true }),
  keep_symlinks: flag('Create links where the source has links'),
  force_symlinks: flag('Replace existing paths by links'),
  win_owner: windows,
  win_perms: windows,
  win_deny_perms: windows,
  win_inheritance: arg.flag('For Windows only', { default: true }),
  merge: flag('Use all sources that exist, not only the first'),
  kwargs: arg.open('Passed on to `file.managed`'),
}

type Recursion = Bound<typeof recurseArgs>

/** One run of the state: it joins the reports of directories, files and links. */
class Recursing {
  private readonly ctx: StateContext
  private readonly path: string
  private readonly user: Owner
  private readonly options: Recursion
  private result: boolean | null = true
  private readonly changes: Dict = new Map()
  private readonly comments = new Map<string, string[]>()

  constructor(ctx: StateContext, path: string, user: Owner, options: Recursion) {
    this.ctx = ctx
    this.path = path
    this.user = user
    this.options = options
  }

  async all({ files, directories, links, keep }: Gathered): Promise<Answer> {
    for (const path of directories) await this.directory(path)
    const expected = [...files.values()].map((source) => {
      const { path, saltenv } = parseSaltUrl(source)
      return { path, saltenv: saltenv ?? this.ctx.env }
    })
    await whileExpecting(this.ctx.files, expected, async () => {
      for (const [path, source] of files) await this.file(path, source)
    })
    await this.links(links)
    if (this.options.clean) await this.clean(keep)
    return this.report()
  }

  /** Add the report of a path: the worst result counts, and only comments on changes and failures are kept. */
  private add(path: string, { result, comment, changes }: Answer): void {
    if (result === false || this.result === true) this.result = result
    if (result !== true && comment !== '') this.note(path, [comment])
    if (changes.size > 0) this.changes.set(path, changes)
  }

  private note(path: string, comments: readonly string[]): void {
    this.comments.set(path, [...(this.comments.get(path) ?? []), ...comments])
  }

  /** Remove a path of another type; return true if a dry run ends there. */
  private async replaceKind(path: string, predicted: string, done: string): Promise<boolean> {
    if (this.ctx.test) {
      this.add(path, { ...begin(this.path), result: null, comment: predicted })
      return true
    }
    await this.ctx.call('file.remove', [path])
    this.add(path, { ...begin(this.path), changes: dictFrom({ diff: done }) })
    return false
  }

  private async directory(path: string): Promise<void> {
    if (baseName(path) === '..') return
    const { ctx, options } = this
    if (options.clean && (await exists(ctx, path)) && !(await isDirectory(ctx, path))) {
      const predicted = `Replacing ${path} with a directory`
      if (await this.replaceKind(path, predicted, 'Replaced file with a directory')) return
    }
    const dir_mode = normalizeMode(options.dir_mode)
    const wanted = { name: path, user: this.user, group: options.group, dir_mode, recurse: [], makedirs: true }
    this.add(path, await manageDirectory(ctx, wanted))
  }

  private async file(path: string, source: string): Promise<void> {
    const { ctx, options } = this
    if (options.clean && options.replace && (await isDirectory(ctx, path))) {
      const predicted = `Replacing directory ${path} with a file`
      if (await this.replaceKind(path, predicted, 'Replaced directory with a new file')) return
    }
    const further = [...options.kwargs].filter(([key]) => key !== 'mode' && key !== 'makedirs')
    const { keep_source, group, template, replace, context, defaults, backup, file_mode } = options
    const mode = isKeep(file_mode) ? 'keep' : normalizeMode(file_mode)
    const known = { keep_source, group, template, replace, context, defaults, backup, mode, makedirs: true }
    const own = managedOptions({ ...Object.fromEntries(further), name: path, source, user: this.user, ...known })
    this.add(path, await manageFile(ctx, own))
  }

  /** Create links; a link to another link comes after it. */
  private async links(links: ReadonlyMap<string, string>): Promise<void> {
    const { ctx, options } = this
    const left = new Map(links)
    while (left.size > 0) {
      const ready = [...left].filter(([path, target]) => !left.has(normalPath(joinPaths(dirName(path), target))))
      for (const [path, target] of ready.length > 0 ? ready : left) {
        const { force_symlinks: force, group, sym_mode: mode } = options
        const wanted = { name: path, target, makedirs: true, force, user: this.user, group, mode }
        this.add(path, await makeSymlink(ctx, wanted))
        left.delete(path)
      }
    }
  }

  private async clean(keep: Set<string>): Promise<void> {
    const { ctx, path, options } = this
    const kept = [...keep, ...(await keepFiles(ctx, path, options.require))]
    const removed = await cleanDirectory(ctx, path, kept, options.exclude_pat)
    if (removed.length === 0) return
    if (!ctx.test) {
      this.changes.set('removed', removed)
      return
    }
    if (this.result) this.result = null
    this.note('removed', removed)
  }

  private report(): Answer {
    const parts = Array.from(this.comments, ([path, lines]) => `\n#### ${path} ####\n${lines.join('\n')}`)
    const text = parts.join('\n').trim()
    const isRight = this.changes.size === 0 && this.result
    const done = isRight ? `The directory ${this.path} is in the correct state` : `Recursively updated ${this.path}`
    const comment = isRight || text === '' ? done : text
    return { ...begin(this.path), result: this.result, changes: this.changes, comment }
  }
}

async function recurseInto(ctx: StateContext, options: Recursion): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const user = userOf(ctx, options.user, options.kwargs)
  const answer = begin(path)
  if (options.kwargs.has('mode')) {
    return fail(answer, "'mode' is not allowed in 'file.recurse'. Please use 'file_mode' and 'dir_mode'.")
  }
  const unknown = await unknownOwners(ctx, user, options.group)
  if (unknown !== '') return fail(answer, unknown)
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  let sources: string[]
  try {
    sources = await filterSources(ctx, options.source)
  } catch (error) {
    if (!isFailure(error)) throw error
    return fail(answer, `Recurse failed: ${messageOf(error)}`)
  }
  if (!(await isDirectory(ctx, path))) {
    if (await exists(ctx, path)) return fail(answer, `The path ${path} exists and is not a directory`)
    const wanted = { name: path, user, group: options.group, mode: normalizeMode(options.dir_mode) }
    if (!ctx.test) await ctx.call('file.makedirs_perms', [], wanted)
  }
  const gathered = await gather(ctx, {
    name: path,
    sources,
    keepSymlinks: options.keep_symlinks,
    includePat: options.include_pat,
    excludePat: options.exclude_pat,
    maxdepth: options.maxdepth,
    includeEmpty: options.include_empty,
    merge: options.merge,
  })
  const kwargs = new Map([...options.kwargs].filter(([key]) => key !== 'env'))
  return new Recursing(ctx, path, user, { ...options, kwargs }).all(gathered)
}

export const recurse = state({
  doc: 'Ensure that a directory has the files of a directory of the file server.',
  args: recurseArgs,
  run: recurseInto,
})
