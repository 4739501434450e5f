// A file with given content, owner and mode. The functions of the `file` module find the source and write the content;
// this state checks the options, and handles dry runs.
import { type Dict, isFailure, schemeOf, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  isFile,
  isHostError,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { IGNORED, ignoresSome, keywords, positional, REQUIRED, SELINUX, SIGNERS } from '../managed-request.ts'
import { isKeep } from '../modes.ts'
import { accumulatedFor } from './accumulators.ts'
import { type Answer, asDict, begin, fail, fromDict, messageOf } from './answer.ts'
import { refusal } from './check-cmd.ts'
import { contentsOf } from './managed-contents.ts'
import { type ManagedOptions, type ManagedRequest, managedArgs, managedRequest } from './managed-options.ts'
import { unknownOwners, userOf } from './owners.ts'
import { managedPlace } from './place.ts'

const contentOptions = ({ contents, contents_pillar, contents_grains }: ManagedOptions): Value[] =>
  [contents, contents_pillar, contents_grains].filter((value) => value !== null)

/** Return the failure of options that exclude each other. */
function conflict(options: ManagedOptions): string | undefined {
  const count = contentOptions(options).length
  const either = "'contents', 'contents_pillar', or 'contents_grains'"
  if (truthy(options.source) && count > 0) return `'source' cannot be used in combination with ${either}`
  if (isKeep(options.mode) && count > 0) return `Mode preservation cannot be used in combination with ${either}`
  if (count > 1) return "Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted"
  return undefined
}

/** Replace the source of a request by the first one of its list that exists. */
async function chooseSource(ctx: StateContext, request: ManagedRequest): Promise<void> {
  const args = positional(request, 'source', 'source_hash', 'saltenv')
  const [source = null, hash = null] = await ctx.call('file.source_list', args)
  request.source = source === null ? null : str(source)
  request.source_hash = hash
}

/** Return whether an existing file has the hash that a remote source must have, so that nothing has to be fetched. */
async function hasSourceHash(ctx: StateContext, request: ManagedRequest): Promise<boolean> {
  try {
    await chooseSource(ctx, request)
    const { name, source, source_hash } = request
    const url = str(source)
    if (!truthy(source) || !truthy(source_hash)) return false
    if (['salt', 'file'].includes(schemeOf(url)) || isAbsolute(url)) return false
    const sum = await ctx.call(
      'file.get_source_sum',
      positional(request, 'name', 'source', 'source_hash', 'source_hash_name', 'saltenv'),
      new Map(keywords(request, 'verify_ssl', 'source_hash_sig', ...SIGNERS, 'sig_backend')),
    )
    return (await ctx.call('file.get_hash', [name, sum.get('hash_type') ?? null])) === sum.get('hsum')
  } catch (error) {
    if (!isFailure(error) && !isHostError(error)) throw error
    const about = "Failed checking existing file's hash against specified source_hash"
    ctx.log('error', `${about}: ${messageOf(error)}`)
    return false
  }
}

/** Set the owner and mode of a file without a change of content. */
async function setPermissions(ctx: StateContext, answer: Answer, request: ManagedRequest): Promise<Answer> {
  const { name, mode } = request
  const args = [name, asDict(answer), ...positional(request, 'user', 'group', 'mode', 'attrs', 'follow_symlinks')]
  const given = new Map(keywords(request, ...SELINUX))
  const [ret, perms] = (await ctx.call('file.check_perms', args, given)) as [Dict, Dict]
  const report = fromDict(ret)
  if (ctx.test) {
    const current = perms.get('lmode')
    const differs = truthy(mode) && current !== undefined && mode !== current
    report.comment = differs
      ? `File ${name} will be updated with permissions ${str(mode)} from its current state of ${str(current)}`
      : `File ${name} not updated`
  } else if (report.changes.size === 0 && report.result) {
    report.comment = `File ${name} exists with proper permissions. No changes made.`
  }
  return report
}

async function predict(ctx: StateContext, answer: Answer, request: ManagedRequest): Promise<Answer> {
  const { name } = request
  const outcome = await ctx.call(
    'file.check_managed_changes',
    positional(request, ...REQUIRED.check_managed_changes, 'contents', 'skip_verify', 'keep_mode'),
    new Map([
      ...keywords(request, ...SELINUX, 'verify_ssl', 'follow_symlinks', 'new_file_diff'),
      ...keywords(request, 'source_hash_sig', ...SIGNERS, 'sig_backend', ...IGNORED),
      ...request.kwargs,
    ]),
  )
  const ignores = ignoresSome(request)
  const [isSignificant, changes] = ignores ? (outcome as [Value, Value]) : [true, outcome]
  if (!(changes instanceof Map)) {
    const [result, comment] = changes as [boolean | null, Value]
    return { ...answer, result, comment: str(comment) }
  }
  if (changes.size === 0) return { ...answer, comment: `The file ${name} is in the correct state` }
  if (changes.has('diff') && !request.show_changes) changes.set('diff', '<show_changes=False>')
  const note = '\nNote: No changes made, actual changes may\nbe different due to other states.'
  const report: Answer = { ...answer, changes, result: null, comment: `The file ${name} is set to be changed${note}` }
  return truthy(isSignificant) ? report : { ...report, skip_req: true }
}

interface Fetched {
  /** Path of the local copy of the source, or an empty text. */
  file: Value
  sum: Value
  comment: Value
}

async function fetchSource(ctx: StateContext, request: ManagedRequest): Promise<Fetched> {
  const [file = null, sum = null, comment = null] = await ctx.call(
    'file.get_managed',
    positional(request, ...REQUIRED.get_managed, 'skip_verify'),
    new Map([
      ...keywords(request, 'verify_ssl', 'use_etag', 'source_hash_sig', ...SIGNERS, 'sig_backend'),
      ...request.kwargs,
    ]),
  )
  return { file, sum, comment }
}

/** Put the content in place under a name: that of the file, or of the temporary file that `check_cmd` checks. */
async function putInPlace(ctx: StateContext, name: string, answer: Answer, request: ManagedRequest, fetched: Fetched) {
  const placed = { ...request, name, sfn: fetched.file, ret: asDict(answer), source_sum: fetched.sum }
  const args = positional(
    placed,
    ...REQUIRED.manage_file,
    ...(['makedirs', 'template', 'show_changes', 'contents', 'dir_mode', 'follow_symlinks'] as const),
    ...(['skip_verify', 'keep_mode'] as const),
  )
  const given = new Map([
    ...keywords(request, 'encoding', 'encoding_errors', 'use_etag', 'signature', ...SIGNERS, 'sig_backend'),
    ...keywords(request, 'new_file_diff', ...IGNORED, ...SELINUX),
    ...request.kwargs,
  ])
  return fromDict(await ctx.call('file.manage_file', args, given))
}

/** Remove a source from the cache. */
async function dropSource(ctx: StateContext, { source, saltenv }: ManagedRequest, file: Value): Promise<void> {
  let cached = file
  if (!truthy(file) && truthy(source) && schemeOf(str(source)) === 'salt') {
    cached = await ctx.call('cp.is_cached', [source, saltenv])
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

/** Create a temporary file that begins as a copy of the managed one; return its path. */
export async function scratchFile(
  ctx: StateContext,
  path: string,
  { tmp_dir, tmp_ext: suffix }: Pick<ManagedOptions, 'tmp_dir' | 'tmp_ext'>,
): Promise<string> {
  const scratch = await ctx.host.tempFile({ prefix: '__salt.tmp.', suffix, ...(tmp_dir && { directory: tmp_dir }) })
  if (truthy(await ctx.call('file.file_exists', [path]))) await ctx.call('file.copy', [path, scratch])
  return scratch
}

/** Run `check_cmd` on the new content in a temporary file; return the report of a failure. */
async function tryOut(ctx: StateContext, answer: Answer, request: ManagedRequest, fetched: Fetched, scratch: string) {
  let report: Answer
  try {
    report = await putInPlace(ctx, scratch, answer, request, fetched)
  } catch (error) {
    if (!request.keep_source) await dropSource(ctx, request, fetched.file)
    return fail({ ...answer, changes: new Map() }, `Unable to check_cmd file: ${messageOf(error)}`)
  }
  if (report.changes.size === 0) return undefined
  const refused = await refusal(ctx, str(request.check_cmd), scratch)
  if (!refused) return undefined
  const failed = { ...begin(request.name), ...(ignoresSome(request) && { skip_req: true as const }) }
  return fromDict(new Map([...asDict(failed), ...refused]))
}

async function apply(ctx: StateContext, answer: Answer, request: ManagedRequest): Promise<Answer> {
  const { name, contents } = request
  const failed = (error: unknown): Answer =>
    fail({ ...answer, changes: new Map() }, `Unable to manage file: ${messageOf(error)}`)
  let fetched: Fetched
  try {
    fetched = await fetchSource(ctx, request)
  } catch (error) {
    return failed(error)
  }
  let scratch: string | undefined
  try {
    if (request.check_cmd) {
      scratch = await scratchFile(ctx, name, request)
      const refused = await tryOut(ctx, answer, request, fetched, scratch)
      if (refused) return refused
      if (contents === null) fetched.file = scratch
    }
    if (truthy(fetched.comment) && contents === null) {
      return fail(answer, `Unable to manage file: ${str(fetched.comment)}`)
    }
    return await putInPlace(ctx, name, answer, request, fetched).catch(failed)
  } finally {
    if (scratch !== undefined) await removeFile(ctx, scratch)
    if (!request.keep_source) await dropSource(ctx, request, fetched.file)
  }
}

/** Return the failure of a request that can be seen before its file is read. */
async function fault(ctx: StateContext, { name, user, group, context, defaults }: ManagedRequest) {
  const unknown = await unknownOwners(ctx, user, group)
  if (unknown !== '') return unknown
  if (!isAbsolute(name)) return `Specified file ${name} is not an absolute path`
  if (await isDirectory(ctx, name)) return `Specified target ${name} is a directory`
  if (context !== null && !(context instanceof Map)) return 'Context must be formed as a dict'
  if (truthy(defaults) && !(defaults instanceof Map)) return 'Defaults must be formed as a dict'
  return undefined
}

async function keepsContent(ctx: StateContext, options: ManagedOptions, request: ManagedRequest): Promise<boolean> {
  if (!(await exists(ctx, request.name))) return false
  const hasContent = truthy(request.source) || contentOptions(options).length > 0
  if (!request.replace || !hasContent) return true
  const isPlain = request.contents === null && !request.template && truthy(request.source)
  return isPlain && !request.skip_verify && hasSourceHash(ctx, request)
}

function beginReport(path: string, { kwargs }: ManagedOptions): Answer {
  const ignored = "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions."
  return { ...begin(path), ...(kwargs.has('file_mode') && { warnings: [ignored] }) }
}

export async function manageFile(ctx: StateContext, options: ManagedOptions): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = beginReport(path, options)
  if (path === '') return fail(answer, 'Destination file name is required')
  const clash = conflict(options)
  if (clash !== undefined) return fail(begin(path), clash)
  const request = managedRequest(ctx, path, options)
  const content = await contentsOf(ctx, options)
  if ('fault' in content) return { ...fail(answer, content.fault), result: content.result ?? false }
  request.contents = content.contents
  request.user = userOf(ctx, options.user, options.kwargs)
  if (!options.create && !(await isFile(ctx, path))) {
    return { ...answer, comment: `File ${path} is not present and is not set for creation` }
  }
  const wrong = await fault(ctx, request)
  if (wrong !== undefined) return fail(answer, wrong)
  if (await keepsContent(ctx, options, request)) return setPermissions(ctx, answer, request)
  const accumulator = accumulatedFor(ctx, path)
  const variables = [...((options.context ?? new Map()) as Dict)]
  request.context = new Map(accumulator ? [...variables, ['accumulator', accumulator]] : variables)
  try {
    if (ctx.test) return await predict(ctx, answer, request)
    await chooseSource(ctx, request)
  } catch (error) {
    if (!isFailure(error)) throw error
    return fail(answer, `Unable to manage file: ${messageOf(error)}`)
  }
  return apply(ctx, answer, request)
}

export const managed = state({
  doc: 'Ensure that a file has the given content, owner and mode.',
  args: managedArgs,
  examples: ['/etc/motd:\n  file.managed:\n    - source: salt://motd.jinja\n    - template: jinja\n    - mode: 644'],
  place: managedPlace,
  run: manageFile,
})
