// Changes of files that the kernel reports. The kind of a change follows from the file before and after it; that a file was only
// opened or read is reported by `inotifywait`.
import { dirname, join } from 'node:path/posix'
import { type Dict, dictFrom, fnmatch, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption, remembered } from '../../../sdk/mod.ts'
import { OPENS, Opens } from './files/opens.ts'
import { type Change, Watcher } from './files/watcher.ts'

const MASKS = new Set(
  'access attrib close_nowrite close_write create delete delete_self excl_unlink ignored modify moved_from moved_to move_self oneshot onlydir open unmount'.split(
    ' ',
  ),
)
const DEFAULT_MASK = ['create', 'delete', 'modify']
const CLOSED = 'close_write'

const maskOf = (options: Value): string[] => {
  const mask = isDict(options) ? (options.get('mask') ?? null) : null
  return isList(mask) ? [...mask].map((item) => str(item)) : DEFAULT_MASK
}

const wantsClosed = (options: Value): boolean => maskOf(options).includes(CLOSED)

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

/** Return the options of the configured path that a watched path belongs to. */
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

/** Listen for files that are opened, if the mask asks for that; warn once if that is impossible. */
async function listenForOpens(ctx: BeaconContext, opens: Opens, path: string, options: Value): Promise<void> {
  const kinds = maskOf(options).filter((kind) => OPENS.has(kind))
  if (kinds.length === 0) return
  const recurse = isDict(options) && truthy(options.get('recurse') ?? false)
  if ((await opens.listen(ctx, path, kinds, recurse)) || ctx.memory.has(`unheard ${path}`)) return
  ctx.memory.set(`unheard ${path}`, true)
  ctx.log(
    'warning',
    `The inotify beacon hears nothing of ${kinds.join(', ')}, which ${path} is watched for: that takes inotifywait, of the package inotify-tools`,
  )
}

function* eventsOf({ path, file, kinds, isDirectory }: Change, options: Dict): Generator<Dict> {
  const wanted = maskOf(options)
  if (isExcluded(options, file)) return
  // the end of a watch is reported with every mask
  for (const kind of kinds.filter((name) => name === 'ignored' || wanted.includes(name))) {
    const change = `IN_${kind.toUpperCase()}${isDirectory ? '|IN_ISDIR' : ''}`
    yield dictFrom({ tag: path, path: file, change })
  }
}

export default defineBeacon({
  name: 'inotify',
  doc: 'Report changes of files and directories.',
  validate,
  beacon: async (ctx, config) => {
    const files = dictOption(config, 'files')
    const watcher = remembered(ctx, 'watcher', () => new Watcher())
    await watcher.settle()
    if ([...files.values()].some(wantsClosed)) await watcher.tellClosed(ctx)
    else watcher.forgetWritten()
    const opens = remembered(ctx, 'opens', () => new Opens())
    const changes = [...watcher.changes.splice(0), ...opens.changes.splice(0)]
    const events = changes.flatMap((change) => [...eventsOf(change, optionsFor(files, change.path))])
    for (const [path, options] of files) await listenForOpens(ctx, opens, str(path), options)
    for (const [path, options] of files) await watchAll(ctx, watcher, str(path), isDict(options) ? options : new Map())
    return events
  },
})
