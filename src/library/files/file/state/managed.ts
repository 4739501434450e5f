// A file with given content, owner and mode. The functions of the `file` module find the source and put the content in
// place; here options are checked, and a dry run is told from a real one.
import {
  type Dict,
  iterate,
  PyError,
  qualifiedTypeName,
  schemeOf,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { isHostError, type StateContext, state } from '../../../../sdk/mod.ts'
import { accumulatedFor } from './accumulators.ts'
import { type Answer, asDict, begin, fail, fromDict, messageOf } from './answer.ts'
import { refusal } from './check-cmd.ts'
import { contentsOf, isFailure } from './managed-contents.ts'
import { type ManagedOptions, managedArgs } from './managed-options.ts'
import { isKeep, normalizeMode } from './modes.ts'
import { unknownOwners, userOf } from './owners.ts'
import { exists, expandUser, isAbsolute, isDirectory, isFile } from './paths.ts'

const CONTENTS = ['contents', 'contents_pillar', 'contents_grains'] as const

/** Options that cannot go together. */
function conflict(options: ManagedOptions): string | undefined {
  const count = CONTENTS.filter((name) => options[name] !== null).length
  const either = "'contents', 'contents_pillar', or 'contents_grains'"
  if (truthy(options['source']!) && count > 0) return `'source' cannot be used in combination with ${either}`
  if (isKeep(options['mode']!) && count > 0) return `Mode preservation cannot be used in combination with ${either}`
  if (count > 1) return "Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted"
  return undefined
}

/** A file as it shall be, all options read. */
interface Wish {
  path: string
  options: ManagedOptions
  user: Value
  group: Value
  mode: Value
  keepMode: boolean
  contents: Value
  context: Value
  replace: boolean
  source: Value
  sourceHash: Value
  /** Handed on under Salt's names. */
  selinux: Record<string, Value>
}

const SIGNATURE_OPTIONS = ['source_hash_sig', 'signed_by_any', 'signed_by_all', 'keyring', 'gnupghome', 'sig_backend']
const IGNORE_OPTIONS = ['ignore_ordering', 'ignore_whitespace', 'ignore_comment_characters']

const picked = (options: ManagedOptions, names: readonly string[]): Array<[string, Value]> =>
  names.map((name) => [name, options[name]!])

const ignoresSome = (options: ManagedOptions): boolean => IGNORE_OPTIONS.some((name) => truthy(options[name]!))

function selinuxOf(selinux: Value): Record<string, Value> {
  const part = (name: string): Value => (selinux instanceof Map ? (selinux.get(name) ?? null) : null)
  return { seuser: part('seuser'), serole: part('serole'), setype: part('setype'), serange: part('serange') }
}

/** Whether an existing file has the hash that a remote source must have; then there is nothing to fetch. */
async function hasSourceHash(ctx: StateContext, wish: Wish): Promise<boolean> {
  const { path, options } = wish
  try {
    const [source, hash] = await ctx.call('file.source_list', [wish.source, wish.sourceHash, ctx.env])
    wish.source = source!
    wish.sourceHash = hash!
    const url = str(source!)
    if (!truthy(source!) || !truthy(hash!) || ['salt', 'file'].includes(schemeOf(url)) || isAbsolute(url)) return false
    const given = new Map([['verify_ssl', options['verify_ssl']!], ...picked(options, SIGNATURE_OPTIONS)])
    const sum = (await ctx.call(
      'file.get_source_sum',
      [path, source!, hash!, options['source_hash_name']!, ctx.env],
      given,
    )) as Dict
    return (await ctx.call('file.get_hash', [path, sum.get('hash_type')!])) === sum.get('hsum')
  } catch (error) {
    if (!isFailure(error) && !isHostError(error)) throw error
    const about = "Failed checking existing file's hash against specified source_hash"
    ctx.log('error', `${about}: ${messageOf(error)}`)
    return false
  }
}

/** Owner and mode of a file whose content stays. */
async function permissionsOnly(ctx: StateContext, answer: Answer, wish: Wish): Promise<Answer> {
  const { path, user, group, mode, options, selinux } = wish
  const args = [path, asDict(answer), user, group, mode, options['attrs']!, options['follow_symlinks']!]
  const [ret, perms] = (await ctx.call('file.check_perms', args, selinux)) as [Dict, Dict]
  const report = fromDict(ret)
  if (ctx.test) {
    const current = perms.get('lmode')
    const differs = truthy(mode) && current !== undefined && mode !== current
    report.comment = differs
      ? `File ${path} will be updated with permissions ${str(mode)} from its current state of ${str(current)}`
      : `File ${path} not updated`
  } else if (report.changes.size === 0 && report.result) {
    report.comment = `File ${path} exists with proper permissions. No changes made.`
  }
  return report
}

async function predict(ctx: StateContext, answer: Answer, wish: Wish): Promise<Answer> {
  const { path, options, user, group, mode, context, contents, keepMode } = wish
  const facts = [wish.source, wish.sourceHash, options['source_hash_name']!, user, group, mode, options['attrs']!]
  const rendering = [options['template']!, context, options['defaults']!, ctx.env, contents, options['skip_verify']!]
  const given = new Map<string, Value>([
    ...Object.entries(wish.selinux),
    ...picked(options, ['verify_ssl', 'follow_symlinks', 'new_file_diff', ...SIGNATURE_OPTIONS, ...IGNORE_OPTIONS]),
    ...options.kwargs,
  ])
  const outcome = await ctx.call('file.check_managed_changes', [path, ...facts, ...rendering, keepMode], given)
  let changes = outcome
  let counts = false
  if (ignoresSome(options)) {
    const [first, second] = outcome as [Value, Value]
    counts = truthy(first)
    changes = second
  }
  if (!(changes instanceof Map)) {
    const [result, comment] = changes as [boolean | null, Value]
    return { ...answer, result, comment: str(comment) }
  }
  if (changes.size === 0) return { ...answer, comment: `The file ${path} is in the correct state` }
  if (changes.has('diff') && !truthy(options['show_changes']!)) changes.set('diff', '<show_changes=False>')
  const note = '\nNote: No changes made, actual changes may\nbe different due to other states.'
  const report: Answer = { ...answer, changes, result: null, comment: `The file ${path} is set to be changed${note}` }
  return ignoresSome(options) && !counts ? { ...report, skip_req: true } : report
}

interface Fetched {
  /** The local copy of the source, or an empty text. */
  file: Value
  sum: Value
  comment: Value
}

async function fetchSource(ctx: StateContext, wish: Wish): Promise<Fetched> {
  const { path, options, user, group, mode } = wish
  const facts = [wish.source, wish.sourceHash, options['source_hash_name']!, user, group, mode, options['attrs']!]
  const rendering = [ctx.env, wish.context, options['defaults']!, options['skip_verify']!]
  const given = new Map([...picked(options, ['verify_ssl', 'use_etag', ...SIGNATURE_OPTIONS]), ...options.kwargs])
  const args = [path, options['template']!, ...facts, ...rendering]
  const [file, sum, comment] = (await ctx.call('file.get_managed', args, given)) as [Value, Value, Value]
  return { file, sum, comment }
}

const MANAGE_OPTIONS = [
  'encoding',
  'encoding_errors',
  'use_etag',
  'signature',
  'signed_by_any',
  'signed_by_all',
  'keyring',
  'gnupghome',
  'sig_backend',
  'new_file_diff',
  ...IGNORE_OPTIONS,
]

async function putInPlace(ctx: StateContext, target: string, answer: Answer, wish: Wish, file: Value, sum: Value) {
  const { options, user, group, mode, contents } = wish
  const args = [
    target,
    file,
    asDict(answer),
    wish.source,
    sum,
    user,
    group,
    mode,
    options['attrs']!,
    ctx.env,
    options['backup']!,
    options['makedirs']!,
    options['template']!,
    options['show_changes']!,
    contents,
    options['dir_mode']!,
    options['follow_symlinks']!,
    options['skip_verify']!,
    wish.keepMode,
  ]
  const given = new Map([...picked(options, MANAGE_OPTIONS), ...Object.entries(wish.selinux), ...options.kwargs])
  return fromDict(await ctx.call('file.manage_file', args, given))
}

/** Drops a source from the cache. */
async function dropSource(ctx: StateContext, wish: Wish, file: Value): Promise<void> {
  let cached = file
  if (!truthy(file) && truthy(wish.source) && schemeOf(str(wish.source)) === 'salt') {
    cached = await ctx.call('cp.is_cached', [wish.source, ctx.env])
  }
  if (truthy(cached)) await removeFile(ctx, str(cached))
}

export async function removeFile(ctx: StateContext, path: string): Promise<void> {
  try {
    await ctx.host.remove(path)
  } catch (error) {
    if (!isHostError(error, 'ENOENT')) throw error
  }
}

/** A new temporary file that begins as a copy of the managed one. */
export async function scratchFile(ctx: StateContext, path: string, directory: Value, suffix: Value): Promise<string> {
  const scratch = await ctx.host.tempFile({
    prefix: '__salt.tmp.',
    suffix: str(suffix),
    ...(truthy(directory) && { directory: str(directory) }),
  })
  if (truthy(await ctx.call('file.file_exists', [path]))) await ctx.call('file.copy', [path, scratch])
  return scratch
}

/** Tries the new content under another name: a report when it does not pass. */
async function tryOut(ctx: StateContext, answer: Answer, wish: Wish, fetched: Fetched, scratch: string) {
  const { options } = wish
  let report: Answer
  try {
    report = await putInPlace(ctx, scratch, answer, wish, fetched.file, fetched.sum)
  } catch (error) {
    if (!truthy(options['keep_source']!)) await dropSource(ctx, wish, fetched.file)
    return fail({ ...answer, changes: new Map() }, `Unable to check_cmd file: ${messageOf(error)}`)
  }
  if (report.changes.size === 0) return undefined
  const refused = await refusal(ctx, options['check_cmd']!, scratch)
  if (!refused) return undefined
  const failed = { ...begin(wish.path), ...(ignoresSome(options) && { skip_req: true as const }) }
  return fromDict(new Map([...asDict(failed), ...refused]))
}

async function apply(ctx: StateContext, answer: Answer, wish: Wish): Promise<Answer> {
  const { path, options } = wish
  let fetched: Fetched
  try {
    fetched = await fetchSource(ctx, wish)
  } catch (error) {
    return fail({ ...answer, changes: new Map() }, `Unable to manage file: ${messageOf(error)}`)
  }
  let scratch: string | undefined
  let { file } = fetched
  try {
    if (truthy(options['check_cmd']!)) {
      scratch = await scratchFile(ctx, path, options['tmp_dir']!, options['tmp_ext']!)
      const refused = await tryOut(ctx, answer, wish, fetched, scratch)
      if (refused) return refused
      if (wish.contents === null) file = scratch
    }
    if (truthy(fetched.comment) && wish.contents === null) {
      return fail(answer, `Unable to manage file: ${str(fetched.comment)}`)
    }
    return await putInPlace(ctx, path, answer, wish, file, fetched.sum).catch((error: unknown) =>
      fail({ ...answer, changes: new Map() }, `Unable to manage file: ${messageOf(error)}`),
    )
  } finally {
    if (scratch !== undefined) await removeFile(ctx, scratch)
    if (!truthy(options['keep_source']!)) await dropSource(ctx, wish, file)
  }
}

/** Sources are texts, whose beginnings Python looks at. */
function checkSources(source: Value): void {
  if (source === null || textOf(source) !== undefined) return
  for (const each of iterate(source)) {
    if (textOf(each) !== undefined) continue
    throw new PyError('AttributeError', `'${qualifiedTypeName(each)}' object has no attribute 'lower'`)
  }
}

/** What must be right before the file is looked at. */
async function fault(ctx: StateContext, wish: Wish): Promise<string | undefined> {
  const { path, options } = wish
  const unknown = await unknownOwners(ctx, wish.user, wish.group)
  if (unknown !== '') return unknown
  if (!isAbsolute(path)) return `Specified file ${path} is not an absolute path`
  if (await isDirectory(ctx, path)) return `Specified target ${path} is a directory`
  if (options['context'] !== null && !(options['context'] instanceof Map)) return 'Context must be formed as a dict'
  if (truthy(options['defaults']!) && !(options['defaults'] instanceof Map)) return 'Defaults must be formed as a dict'
  return undefined
}

async function keepsContent(ctx: StateContext, wish: Wish): Promise<boolean> {
  if (!(await exists(ctx, wish.path))) return false
  if (!wish.replace) return true
  const { options } = wish
  const isRemote = wish.contents === null && !truthy(options['template']!) && truthy(wish.source)
  return isRemote && !truthy(options['skip_verify']!) && hasSourceHash(ctx, wish)
}

function beginReport(path: string, { kwargs }: ManagedOptions): Answer {
  const ignored = "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions."
  return { ...begin(path), ...(kwargs.has('file_mode') && { warnings: [ignored] }) }
}

function wishOf(path: string, options: ManagedOptions, user: Value, contents: Value): Wish {
  const keepMode = isKeep(options['mode']!)
  const isEmpty = !truthy(options['source']!) && CONTENTS.every((name) => options[name] === null)
  return {
    path,
    options,
    user,
    group: options['group']!,
    mode: keepMode ? null : normalizeMode(options['mode']!),
    keepMode,
    contents,
    context: options['context'] ?? new Map(),
    replace: truthy(options['replace']!) && !isEmpty,
    source: options['source']!,
    sourceHash: options['source_hash']!,
    selinux: selinuxOf(options['selinux']!),
  }
}

export async function manageFile(ctx: StateContext, given: ManagedOptions): Promise<Answer> {
  const options = { ...given, kwargs: new Map([...given.kwargs].filter(([key]) => key !== 'env')) } as ManagedOptions
  const path = await expandUser(ctx, options.name)
  const answer = beginReport(path, options)
  if (path === '') return fail(answer, 'Destination file name is required')
  const clash = conflict(options)
  if (clash !== undefined) return fail(begin(path), clash)
  checkSources(options['source']!)
  const content = await contentsOf(ctx, options)
  if ('fault' in content) return { ...fail(answer, content.fault), result: content.result ?? false }
  const wish = wishOf(path, options, userOf(ctx, options['user']!, options.kwargs), content.contents)
  if (!truthy(options['create']!) && !(await isFile(ctx, path))) {
    return { ...answer, comment: `File ${path} is not present and is not set for creation` }
  }
  const wrong = await fault(ctx, wish)
  if (wrong !== undefined) return fail(answer, wrong)
  if (await keepsContent(ctx, wish)) return permissionsOnly(ctx, answer, wish)
  const accumulator = accumulatedFor(ctx, path)
  if (accumulator) wish.context = new Map([...(wish.context as Dict), ['accumulator', accumulator]])
  try {
    if (ctx.test) return await predict(ctx, answer, wish)
    const [source, hash] = await ctx.call('file.source_list', [wish.source, wish.sourceHash, ctx.env])
    wish.source = source!
    wish.sourceHash = hash!
  } catch (error) {
    if (!isFailure(error)) throw error
    return fail(answer, `Unable to manage file: ${messageOf(error)}`)
  }
  return apply(ctx, answer, wish)
}

export const managed = state({
  doc: 'Manage a file: its content, owner and mode.',
  args: managedArgs,
  examples: ['/etc/motd:\n  file.managed:\n    - source: salt://motd.jinja\n    - template: jinja\n    - mode: 644'],
  run: (ctx, args) => manageFile(ctx, args as ManagedOptions),
})
