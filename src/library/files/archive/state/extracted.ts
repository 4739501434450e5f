// Unpacking an archive: find it, fetch it, list it, compare it with the target, unpack it, and set its owners.
import { isA, recover, toError } from '../../../../base/mod.ts'
import { type Dict, isFailure, redactUrl, SaltError, str, truthy, urlParts, type Value } from '../../../../data/mod.ts'
import { type StateContext, type StateReturn, unlessRefused } from '../../../../sdk/mod.ts'
import { storedSum, storeSum, sumOf } from './checksum.ts'
import { compare, type Listing, listing, removeAll } from './contents.ts'
import { type Enforcement, enforceOwners } from './ownership.ts'
import {
  type Extraction,
  ending,
  formatOf,
  type Options,
  optionsOf,
  ownersOf,
  pathExists,
  pathFault,
  type Work,
} from './request.ts'
import { dropIfEmpty, unpack } from './unpack.ts'

interface Source {
  /** The source as reports show it. */
  shown: string
  match: string
  isLocal: boolean
  sum: Value
}

export async function extracted(ctx: StateContext, request: Extraction): Promise<StateReturn> {
  const base = { ctx, request, changes: new Map() as Dict, warnings: [] as string[] }
  const end = ending(base)
  const fault = await pathFault(ctx, request)
  if (fault !== undefined) return end(false, fault)
  if (await pathExists(ctx, request.if_missing)) return end(true, `Path ${str(request.if_missing)} exists`)
  const owners = await ownersOf(ctx, request)
  if (typeof owners === 'string') return end(false, owners)
  const work: Work = { ...base, ...owners, target: `${request.name.replace(/\/+$/, '')}/` }
  if (request.source_hash_update && !truthy(request.source_hash)) {
    work.warnings.push("The 'source_hash_update' argument is ignored when 'source_hash' is not also specified.")
  }
  try {
    return await fromSource(work)
  } catch (error) {
    if (!isFailure(error)) throw error
    return end(false, error.message)
  }
}

async function fromSource(work: Work): Promise<StateReturn> {
  const { ctx, request } = work
  const end = ending(work)
  const [found] = await ctx.call('file.source_list', [request.source, request.source_hash, ctx.env])
  if (!truthy(found ?? null)) return end(false, `Invalid source "${str(request.source)}"`)
  const given = str(found!)
  const { scheme, netloc, path } = urlParts(given)
  const isLocal = scheme === '' || scheme === 'file'
  const match = isLocal ? await realPath(ctx, path || netloc) : given
  if (isLocal && (await ctx.host.stat(match))?.type !== 'file') {
    return end(false, `Source file '${redactUrl(match)}' does not exist`)
  }
  const format = formatOf(request, path || netloc)
  if (typeof format === 'string') return end(false, format)
  const options = optionsOf(request, format.format, work.warnings)
  if (typeof options === 'string') return end(false, options)
  const sum = truthy(request.source_hash) ? await sourceSum(work, match) : null
  const source: Source = { shown: redactUrl(match), match, isLocal, sum }
  const cached = await fetched(work, source)
  return typeof cached === 'string' ? fromCache(work, source, options, cached) : cached
}

async function realPath(ctx: StateContext, path: string): Promise<string> {
  return unlessRefused(ctx.host.realPath(path), path)
}

const signing = ({ source_hash_sig, signed_by_any, signed_by_all, keyring, gnupghome, sig_backend }: Extraction) => ({
  source_hash_sig,
  signed_by_any,
  signed_by_all,
  keyring,
  gnupghome,
  sig_backend,
})

async function sourceSum({ ctx, request }: Work, source: string): Promise<Value> {
  const { source_hash, source_hash_name } = request
  return ctx.call('file.get_source_sum', [], {
    source,
    source_hash,
    source_hash_name,
    saltenv: ctx.env,
    ...signing(request),
  })
}

/** Return the path of the archive on this machine, or a report when the state ends here. */
async function fetched(work: Work, { shown, match, isLocal, sum }: Source): Promise<string | StateReturn> {
  const { ctx, request } = work
  const end = ending(work)
  if (request.skip_files_list_verify) {
    const known = isLocal ? match : await ctx.call('cp.is_cached', [match], { saltenv: ctx.env })
    const held = truthy(known) ? await storedSum(ctx, str(known)) : undefined
    if (held !== undefined && held === sumOf(sum)) {
      const comment = `Archive ${shown} existing source sum is the same as the expected one and skip_files_list_verify argument was set to True. Extraction is not needed`
      return end(ctx.test ? null : true, comment)
    }
  }
  if (isLocal) return match
  if (ctx.test) {
    return end(null, `Archive ${shown} would be cached (if necessary) and checked to discover if extraction is needed`)
  }
  if (!ctx.hasState('file.cached')) return end(false, `Unable to cache ${shown}, file.cached state not available`)
  const { source_hash, source_hash_name, skip_verify, use_etag } = request
  const keywords = { source_hash, source_hash_name, skip_verify, use_etag, saltenv: ctx.env, ...signing(request) }
  let result: Dict
  try {
    result = await ctx.state('file.cached', { name: match, ...keywords })
  } catch (error) {
    return end(false, `Failed to cache ${shown}: ${toError(error).message}`)
  }
  if (!truthy(result.get('result') ?? null)) return result as unknown as StateReturn
  return str(await ctx.call('cp.is_cached', [match], { saltenv: ctx.env }))
}

async function isLocked({ ctx, request }: Work, cached: string): Promise<boolean> {
  return recover(isA(SaltError), false, async () =>
    truthy(await ctx.call('archive.is_encrypted', [cached], { saltenv: ctx.env, use_etag: request.use_etag })),
  )
}

async function fromCache(work: Work, source: Source, options: Options, cached: string): Promise<StateReturn> {
  const { ctx, request, target } = work
  const end = ending(work)
  const stored = await storedSum(ctx, cached)
  if (truthy(request.source_hash) && request.source_hash_update && !request.skip_verify) await storeSum(ctx, cached)
  if (options.format === 'zip' && !truthy(request.password) && (await isLocked(work, cached))) {
    return end(
      false,
      `Archive ${source.shown} is password-protected, but no password was specified. Please set the 'password' argument.`,
    )
  }
  const contents = await listing(work, cached, options)
  if ('result' in contents) return contents
  if (request.enforce_toplevel && (contents.topDirs.length > 1 || contents.topFiles.length > 0)) {
    return end(
      false,
      `Archive does not have a single top-level directory. To allow this archive to be extracted, set 'enforce_toplevel' to False. To avoid a '${options.format}-bomb' it may also be advisable to set a top-level directory by adding it to the 'name' value (for example, setting 'name' to ${target}some_dir instead of ${target}).`,
    )
  }
  if (request.clean && request.clean_parent) {
    return end(false, "Only one of 'clean' and 'clean_parent' can be set to True")
  }
  const found = await compare(work, contents)
  if (typeof found === 'string') return end(false, found)
  const inTheWay = found.wrongType.length > 0 ? await clearWay(work, found.wrongType) : null
  if (inTheWay !== null && inTheWay !== true) return inTheWay
  const needed = request.overwrite || found.missing || inTheWay === true
  const renewed =
    !needed && request.source_hash_update && stored !== undefined && (await storedSum(ctx, cached)) !== stored
  const reason = renewed
    ? ', due to source_hash update'
    : found.missing
      ? ', due to absence of one or more files/dirs'
      : ''
  return conclude(work, { source, options, cached, contents, needed: needed || renewed, reason })
}

/** Remove a path in the way; return true on success. */
async function clearWay(work: Work, paths: readonly string[]): Promise<StateReturn | true> {
  const { ctx, request, target } = work
  const end = ending(work)
  const list = `\n\n${paths.map((path) => `- ${path}`).join('\n')}`
  const comment = `The below paths (relative to ${target}) exist, but are the incorrect type (file instead of directory, symlink instead of file, etc.).`
  if (ctx.test && request.clean) {
    return end(
      null,
      `${comment} Since the 'clean' option is enabled, the destination paths would be cleared and the archive would be extracted.${list}`,
    )
  }
  if (ctx.test && request.clean_parent) {
    return end(
      null,
      `${comment} Since the 'clean_parent' option is enabled, the destination parent directory would be removed first and then re-created and the archive would be extracted`,
    )
  }
  if (request.clean) return true
  if (!request.force) {
    return end(
      false,
      `${comment} To proceed with extraction, set 'force' to True. Note that this will remove these paths before extracting.${list}`,
    )
  }
  if (ctx.test) return true
  const errors = await removeAll(work, paths)
  if (errors.length === 0) return true
  const lines = errors.map((error) => `\n- ${error}`).join('')
  return end(
    false,
    `One or more paths existed by were the incorrect type (i.e. file instead of directory or vice-versa), but could not be removed. The following errors were observed:\n${lines}`,
  )
}

interface Plan {
  source: Source
  options: Options
  cached: string
  contents: Listing
  needed: boolean
  reason: string
}

async function conclude(work: Work, plan: Plan): Promise<StateReturn> {
  const { ctx, request, target, changes } = work
  const { source, needed } = plan
  const end = ending(work)
  let outcome: { result: boolean; comment: string } = {
    result: true,
    comment: 'All files in archive are already present',
  }
  if (needed) {
    const done = await extract(work, plan)
    if ('changes' in done) return done
    outcome = done
  }
  const owners = await enforceOwners(work, plan.contents)
  let { comment } = outcome
  let result: boolean | null = outcome.result
  if (!needed && ctx.test && truthy(changes.get('updated ownership') ?? false)) {
    result = null
    comment += '. Ownership would be updated on one or more files/directories.'
  }
  const notes = ownerNotes(owners)
  if (owners.failed.length > 0 || (owners.missing.length > 0 && !truthy(request.if_missing))) result = false
  if (!source.isLocal && !keepsSource(request)) {
    const dropped = await ctx.state('file.not_cached', { name: source.match, saltenv: ctx.env })
    if (!truthy(dropped.get('result') ?? null)) work.warnings.push(str(dropped.get('comment') ?? ''))
  }
  ctx.log('debug', `archive.extracted: ${target} done`)
  return end(result, `${comment}${notes}`)
}

const keepsSource = ({ kwargs }: Extraction): boolean => truthy(kwargs.get('keep_source') ?? kwargs.get('keep') ?? true)

function ownerNotes({ missing, failed }: Enforcement): string {
  const list = (paths: readonly string[]): string => paths.map((path) => `\n- ${path}`).join('')
  const lost =
    missing.length > 0
      ? `\n\nWhile trying to enforce user/group ownership, the following paths were missing:\n${list(missing)}`
      : ''
  const refused =
    failed.length > 0
      ? `\n\nWhile trying to enforce user/group ownership, Salt was unable to change ownership on the following paths:\n${list(failed)}`
      : ''
  return `${lost}${refused}`
}

async function extract(work: Work, plan: Plan): Promise<StateReturn | { result: boolean; comment: string }> {
  const { ctx, request, target, changes } = work
  const { source, options, cached, contents, reason } = plan
  const end = ending(work)
  const wanted = sumOf(source.sum)
  if (source.isLocal && wanted !== undefined && !request.skip_verify) {
    if (!truthy(await ctx.call('file.check_hash', [source.match, wanted]))) {
      return end(false, `${source.shown} does not match the desired source_hash ${wanted}`)
    }
  }
  if (ctx.test) {
    const cleaning = request.clean ? ', after cleaning destination path(s)' : ''
    return end(null, `Archive ${source.shown} would be extracted to ${target}${cleaning}${reason}`)
  }
  const refusal = await cleaned(work, contents)
  if (refusal !== undefined) return end(false, refusal)
  const isNew = (await ctx.host.stat(target))?.type !== 'directory'
  if (isNew) await ctx.state('file.directory', { name: target, user: request.user, makedirs: true })
  const files = await unpack(work, cached, options)
  if (typeof files === 'object' && !Array.isArray(files)) {
    // as in Salt, only without options for tar
    if (isNew && options.format === 'tar' && options.options === null) await dropIfEmpty(work)
    return files
  }
  if (files.length === 0) return { result: false, comment: `No files were extracted from ${source.shown}` }
  if (isNew) changes.set('directories_created', [target])
  changes.set('extracted_files', files)
  const trim = `Output was trimmed to ${str(options.trim)} number of lines`
  return { result: true, comment: `${source.shown} extracted to ${target}${reason}. ${trim}` }
}

/** Remove the content that `clean` and `clean_parent` name; return the reason of a failure. */
async function cleaned(work: Work, contents: Listing): Promise<string | undefined> {
  const { request, target } = work
  if (request.clean_parent) {
    const errors = await removeAll({ ...work, changes: new Map() }, [''])
    const lines = errors.map((error) => `\n- ${error}`).join('')
    if (errors.length > 0)
      return `Unable to remove the directory ${target}. The following errors were observed:\n${lines}`
    work.changes.set('removed', `Directory ${target} was removed prior to the extraction`)
  }
  if (!request.clean) return undefined
  const errors = await removeAll(work, [...contents.topDirs, ...contents.topFiles])
  const lines = errors.map((error) => `\n- ${error}`).join('')
  return errors.length === 0
    ? undefined
    : `One or more paths could not be cleaned. The following errors were observed:\n${lines}`
}
