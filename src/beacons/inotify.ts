// Changes of files, as the kernel tells of them. What kind of change it was is seen from the file before and after; that a file was
// only opened or read is not heard of.
import { dirname, join } from 'node:path/posix'
import { type Dict, fnmatch, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../sdk/mod.ts'
import { openForWriting } from './files/open-for-writing.ts'

const MASKS = new Set(
  'access attrib close_nowrite close_write create delete delete_self excl_unlink ignored modify moved_from moved_to move_self oneshot onlydir open unmount'.split(
    ' ',
  ),
)
const DEFAULT_MASK = ['create', 'delete', 'modify']
const CLOSED = 'close_write'
const UNHEARD = new Set(['access', 'open', 'close_nowrite', 'unmount'])

const maskOf = (options: Value): string[] => {
  const mask = isDict(options) ? (options.get('mask') ?? null) : null
  return isList(mask) ? [...mask].map((item) => str(item)) : DEFAULT_MASK
}

const wantsClosed = (options: Value): boolean => maskOf(options).includes(CLOSED)

interface Look {
  mtime: number
  ctime: number
  size: number
  inode: number
  isDirectory: boolean
}

interface Change {
  /** What is watched. */
  path: string
  file: string
  kinds: string[]
  isDirectory: boolean
  /** How a file looked that is gone. */
  last?: Look | undefined
}

function problemOf(options: Value): string | undefined {
  const say = (text: string): string => `Configuration for inotify beacon ${text}`
  if (!isDict(options)) return say('must be a list of dictionaries.')
  if (!['mask', 'recurse', 'auto_add'].some((name) => options.has(name))) {
    return say('must contain mask, recurse or auto_add items.')
  }
  for (const name of ['auto_add', 'recurse']) {
    if (options.has(name) && typeof options.get(name) !== 'boolean') return say(`${name} must be boolean.`)
  }
  const mask = options.get('mask') ?? []
  if (!isList(mask)) return say('mask must be list.')
  const unknown = [...mask].find((item) => !MASKS.has(str(item)))
  return unknown === undefined ? undefined : say(`invalid mask option ${str(unknown)}.`)
}

function validate(config: Dict): string | undefined {
  if (!config.has('files')) return 'Configuration for inotify beacon must include files.'
  const files = config.get('files')!
  if (!isDict(files)) return 'Configuration for inotify beacon invalid, files must be a dict.'
  for (const options of files.values()) {
    const problem = problemOf(options)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** What is watched, with how each file looked when last seen. */
class Watcher {
  readonly changes: Change[] = []
  private readonly known = new Map<string, Map<string, Look>>()
  /** Files that may still be written to, with the path that is watched. */
  private readonly written = new Map<string, string>()
  private last: Promise<void> = Promise.resolve()

  async settle(): Promise<void> {
    await this.last
  }

  has(path: string): boolean {
    return this.known.has(path)
  }

  async watch(ctx: BeaconContext, path: string): Promise<void> {
    if (this.known.has(path) || (await ctx.host.lstat(path)) === undefined) return
    const looks = new Map<string, Look>()
    this.known.set(path, looks)
    for (const file of await filesAt(ctx, path)) {
      const look = await lookAt(ctx, file)
      if (look) looks.set(file, look)
    }
    const hear = (name: string | null): void => {
      this.last = this.last.then(() => this.judge(ctx, path, name))
    }
    if (!ctx.watch(path, hear)) this.known.delete(path)
  }

  private async judge(ctx: BeaconContext, path: string, name: string | null): Promise<void> {
    const looks = this.known.get(path)
    if (!looks) return
    const isSelf = looks.has(path) && !looks.get(path)!.isDirectory
    const file = isSelf || name === null ? path : join(path, name)
    const [before, after] = [looks.get(file), await lookAt(ctx, file)]
    if (after) looks.set(file, after)
    else looks.delete(file)
    const kinds = kindsOf(before, after, file === path)
    const isDirectory = file !== path && (after ?? before)?.isDirectory === true
    const origin = after && before?.inode !== after.inode ? this.movedFrom(after) : undefined
    if (origin) origin.kinds = ['moved_from']
    const told = origin ? ['moved_to'] : kinds.filter((kind) => kind !== CLOSED)
    if (kinds.includes(CLOSED) && !origin) this.written.set(file, path)
    if (told.length > 0) this.changes.push({ path, file, kinds: told, isDirectory, last: after ? undefined : before })
    if (after === undefined && !(await lookAt(ctx, path))) this.end(ctx, path)
  }

  /** Tells of the files that were written to and that nobody has open for it any more. */
  async tellClosed(ctx: BeaconContext): Promise<void> {
    const open = await openForWriting(ctx.host, new Set(this.written.keys()))
    for (const [file, path] of [...this.written]) {
      if (open.has(file)) continue
      this.written.delete(file)
      if (this.known.get(path)?.has(file)) this.changes.push({ path, file, kinds: [CLOSED], isDirectory: false })
    }
  }

  /** Nobody wants to know. */
  forgetWritten(): void {
    this.written.clear()
  }

  /** The file that is gone elsewhere and is this one: its number, and untouched. */
  private movedFrom({ inode, mtime, size }: Look): Change | undefined {
    return this.changes.findLast(
      ({ last }) => last !== undefined && last.inode === inode && last.mtime === mtime && last.size === size,
    )
  }

  /** What is watched is gone, with all that was in it, and the kernel ends the watch. */
  private end(ctx: BeaconContext, path: string): void {
    const files = [...(this.known.get(path) ?? [])]
    for (const [file, { isDirectory }] of files) {
      if (file !== path) this.changes.push({ path, file, kinds: ['delete'], isDirectory })
    }
    const isTold = !files.some(([file]) => file === path)
    const kinds = [...(isTold ? [] : ['delete_self']), 'ignored']
    this.changes.push({ path, file: path, kinds, isDirectory: false })
    this.known.delete(path)
    ctx.unwatch(path)
  }
}

async function lookAt(ctx: BeaconContext, file: string): Promise<Look | undefined> {
  const stat = await ctx.host.lstat(file)
  if (stat === undefined) return undefined
  const { mtime, ctime, size, inode, type } = stat
  return { mtime, ctime, size, inode, isDirectory: type === 'directory' }
}

async function filesAt(ctx: BeaconContext, path: string): Promise<string[]> {
  if ((await ctx.host.stat(path))?.type !== 'directory') return [path]
  return [path, ...(await ctx.host.list(path)).map((name) => join(path, name))]
}

function kindsOf(before: Look | undefined, after: Look | undefined, isSelf: boolean): string[] {
  if (!before && !after) return []
  if (!after) return [isSelf ? 'delete_self' : 'delete']
  if (!before && after.isDirectory) return ['create']
  if (!before) return ['create', ...(after.size > 0 ? ['modify'] : []), 'close_write']
  if (before.inode !== after.inode) return [isSelf ? 'move_self' : 'moved_to']
  if (before.mtime !== after.mtime || before.size !== after.size) return ['modify', 'close_write']
  return before.ctime === after.ctime ? [] : ['attrib']
}

function isExcluded(options: Dict, file: string): boolean {
  const excludes = options.get('exclude') ?? null
  if (!isList(excludes)) return false
  return [...excludes].some((entry) => {
    const [pattern, more] = isDict(entry) ? [...entry][0]! : [entry, null]
    const text = str(pattern)
    if (isDict(more) && truthy(more.get('regex') ?? false)) return new RegExp(text).test(file)
    return text.includes('*') ? fnmatch(file, text) : file.startsWith(text)
  })
}

/** The configured path that a watched one belongs to. */
function optionsFor(files: Dict, path: string): Dict {
  for (let at = path; ; at = dirname(at)) {
    const options = files.get(at)
    if (options !== undefined && isDict(options)) return options
    if (at === '/' || at === '.') return new Map()
  }
}

async function watchAll(ctx: BeaconContext, watcher: Watcher, path: string, options: Dict): Promise<void> {
  await watcher.watch(ctx, path)
  if (!truthy(options.get('recurse') ?? false)) return
  if ((await ctx.host.stat(path))?.type !== 'directory') return
  for (const name of await ctx.host.list(path)) {
    const inner = join(path, name)
    if ((await ctx.host.lstat(inner))?.type === 'directory') await watchAll(ctx, watcher, inner, options)
  }
}

/** What is never heard of is told once. */
function warnOf(ctx: BeaconContext, path: string, options: Value): void {
  const unheard = maskOf(options).filter((kind) => UNHEARD.has(kind))
  if (unheard.length === 0 || ctx.memory.has(`unheard ${path}`)) return
  ctx.memory.set(`unheard ${path}`, true)
  ctx.log('warning', `The inotify beacon hears nothing of ${unheard.join(', ')}, which ${path} is watched for`)
}

function* eventsOf({ path, file, kinds, isDirectory }: Change, options: Dict): Generator<Dict> {
  const wanted = maskOf(options)
  if (isExcluded(options, file)) return
  // that a watch has ended is told whatever is wanted
  for (const kind of kinds.filter((name) => name === 'ignored' || wanted.includes(name))) {
    const change = `IN_${kind.toUpperCase()}${isDirectory ? '|IN_ISDIR' : ''}`
    yield new Map<Value, Value>([
      ['tag', path],
      ['path', file],
      ['change', change],
    ])
  }
}

export default defineBeacon({
  name: 'inotify',
  doc: 'Tells of changes of files and directories.',
  validate,
  beacon: async (ctx, config) => {
    const files = dictOption(config, 'files')
    const watcher = (ctx.memory.get('watcher') as Watcher | undefined) ?? new Watcher()
    ctx.memory.set('watcher', watcher)
    await watcher.settle()
    if ([...files.values()].some(wantsClosed)) await watcher.tellClosed(ctx)
    else watcher.forgetWritten()
    const told = watcher.changes.splice(0).flatMap((change) => [...eventsOf(change, optionsFor(files, change.path))])
    for (const [path, options] of files) warnOf(ctx, str(path), options)
    for (const [path, options] of files) await watchAll(ctx, watcher, str(path), isDict(options) ? options : new Map())
    return told
  },
})
