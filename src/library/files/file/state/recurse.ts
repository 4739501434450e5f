// A directory of the file server, with all that is in it.
import { type Dict, decodeData, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, dict, fail, messageOf } from './answer.ts'
import { manageDirectory } from './directory.ts'
import { cleanDirectory, keepFiles } from './keep-files.ts'
import { manageFile } from './managed.ts'
import { isFailure } from './managed-contents.ts'
import { managedOptions } from './managed-options.ts'
import { isKeep, normalizeMode } from './modes.ts'
import { unknownOwners, userOf } from './owners.ts'
import { baseName, dirName, exists, expandUser, isAbsolute, isDirectory, joinPaths, normalPath } from './paths.ts'
import { filterSources, type Gathered, gather } from './recurse-sources.ts'
import { makeSymlink } from './symlink.ts'

interface Recursion {
  name: Value
  source: Value
  keep_source: Value
  clean: boolean
  require: Value
  user: Value
  group: Value
  dir_mode: Value
  file_mode: Value
  sym_mode: Value
  template: Value
  context: Value
  replace: Value
  defaults: Value
  include_empty: boolean
  backup: Value
  include_pat: Value
  exclude_pat: Value
  maxdepth: Value
  keep_symlinks: boolean
  force_symlinks: boolean
  merge: boolean
  kwargs: ReadonlyMap<string, Value>
}

/** One recursion: the reports of its parts become one. */
class Recursing {
  private readonly ctx: StateContext
  private readonly path: string
  private readonly user: Value
  private readonly options: Recursion
  private result: boolean | null = true
  private readonly changes: Dict = new Map()
  private readonly comments = new Map<string, string[]>()

  constructor(ctx: StateContext, path: string, user: Value, options: Recursion) {
    this.ctx = ctx
    this.path = path
    this.user = user
    this.options = options
  }

  async all({ files, directories, links, keep }: Gathered): Promise<Answer> {
    for (const path of directories) await this.directory(path)
    for (const [path, source] of files) await this.file(path, source)
    await this.links(links)
    if (this.options.clean) await this.clean(keep)
    return this.report()
  }

  /** The worst result counts; comments are about what is not as it should be. */
  private add(path: string, { result, comment, changes }: Answer): void {
    if (result === false || this.result === true) this.result = result
    if (result !== true && comment !== '') this.note(path, [comment])
    if (changes.size > 0) this.changes.set(path, changes)
  }

  private note(path: string, comments: readonly string[]): void {
    this.comments.set(path, [...(this.comments.get(path) ?? []), ...comments])
  }

  /** Removes what is of another kind; true when a dry run ends there. */
  private async replaceKind(path: string, predicted: string, done: string): Promise<boolean> {
    if (this.ctx.test) {
      this.add(path, { ...begin(this.path), result: null, comment: predicted })
      return true
    }
    await this.ctx.call('file.remove', [path])
    this.add(path, { ...begin(this.path), changes: dict({ diff: done }) })
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
    if (options.clean && truthy(options.replace) && (await isDirectory(ctx, path))) {
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

  /** A link to another link comes after it. */
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
  const path = await expandUser(ctx, str(decodeData(options.name)))
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

const flag = (doc: string) => arg.boolean(doc, { default: false })
const on = (doc: string) => arg.any(doc, { default: true })
const optional = (doc: string) => arg.any(doc, { optional: true })
const windows = optional('For Windows only')

export const recurse = state({
  doc: 'Copy a directory of the file server with all that is in it.',
  args: {
    name: arg.any('The directory'),
    source: arg.any('A `salt://` URL, or a list of them'),
    keep_source: on('Keep the sources in the cache'),
    clean: flag('Remove all that is not in the source'),
    require: optional('States whose files stay'),
    user: optional('The owner'),
    group: optional('The group'),
    dir_mode: optional('The mode of directories'),
    file_mode: optional("The mode of files; `keep` takes the source's"),
    sym_mode: optional('The mode of directories made for links'),
    template: optional('The template engine'),
    context: optional('Template variables, over the defaults'),
    replace: on('Replace existing files'),
    defaults: optional('Template variables'),
    include_empty: flag('Make empty directories too'),
    backup: arg.any('Keep the old files: `minion`', { default: '' }),
    include_pat: optional('Patterns of which one must match'),
    exclude_pat: optional('Patterns of what is left out'),
    maxdepth: optional('How deep to go'),
    keep_symlinks: flag('Make links where the source has links'),
    force_symlinks: flag('Let links replace what is there'),
    win_owner: windows,
    win_perms: windows,
    win_deny_perms: windows,
    win_inheritance: arg.any('For Windows only', { default: true }),
    merge: flag('Use all sources that exist, not only the first'),
    kwargs: arg.open('Handed on to `managed`'),
  },
  run: (ctx, args) => recurseInto(ctx, args),
})
