// `manage_file`: put content in place, and report the changes as a state does.
import { type Dict, isFailure, schemeOf, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isFile, isLink, option, realPath } from '../../../../sdk/mod.ts'
import { ignoresSome, selinuxOf } from '../managed-request.ts'
import { configFlag, fileDifference } from './differences.ts'
import { hashFile } from './hashing.ts'
import { createFile } from './managing-new.ts'
import { changesOf, commit, contentsFile, ensureSource, type Placement, verifySource } from './managing-request.ts'
import { checkPermissions } from './permissions.ts'
import { discard } from './temporary.ts'

/** Return the mode of the source, for `keep_mode`; undefined where the source has none. */
async function keptMode(ctx: FunctionContext, { source, saltenv }: Placement): Promise<string | undefined> {
  if (!['salt', 'file', ''].includes(schemeOf(str(source)))) return undefined
  return textOf(await ctx.call('cp.stat_file', [source], { saltenv, octal: true }))
}

export async function manageFile(ctx: FunctionContext, request: Placement): Promise<Dict> {
  if (truthy(request.source)) {
    if (!request.sfn) {
      const missing = await ensureSource(ctx, request)
      if (missing) return missing
      const hash_type = request.sum?.hash_type ?? option(ctx.opts, 'hash_type')
      request.sum = { hash_type, hsum: await hashFile(ctx, request.sfn, hash_type) }
    }
    if (request.keep_mode) request.mode = (await keptMode(ctx, request)) ?? request.mode
  }
  const isThere = (await isFile(ctx, request.name)) || (await isLink(ctx, request.name))
  return isThere ? updateFile(ctx, request) : createFile(ctx, request)
}

async function updateFile(ctx: FunctionContext, request: Placement): Promise<Dict> {
  const { name, follow_symlinks: follow, user, group, mode, attrs } = request
  const linked = await isLink(ctx, name)
  const target = linked && follow ? await realPath(ctx, name) : name
  let isSignificant = false
  if (truthy(request.source)) {
    const step = await replaceFromSource(ctx, request, target, linked && !follow)
    if (step instanceof Map) return step
    isSignificant = step
  }
  if (request.contents !== null) {
    const step = await replaceContents(ctx, request, target)
    if (step instanceof Map) return step
    isSignificant = step
  }
  if (!follow && (await isLink(ctx, name))) {
    const failure =
      (await ensureSource(ctx, request)) ??
      (await verifySource(ctx, request, { what: name, hint: '' })) ??
      (await commit(ctx, request, request.sfn, name))
    if (failure) return failure
    changesOf(request.ret).set('diff', 'Replace symbolic link with regular file')
  }
  const selinux = selinuxOf(request)
  const { ret } = await checkPermissions(ctx, name, request.ret, { user, group, mode, attrs, follow, selinux })
  if (changesOf(ret).size > 0) {
    ret.set('comment', `File ${name} updated`)
    if (ignoresSome(request) && !isSignificant) ret.set('skip_req', true)
  } else if (truthy(ret.get('result') ?? null)) {
    ret.set('comment', `File ${name} is in the correct state`)
  }
  await discard(ctx, request.sfn)
  return ret
}

const SEVERAL =
  ". If the 'source_hash' value refers to a remote file with multiple possible matches, " +
  "then it may be necessary to set 'source_hash_name'."

/** Replace a file by its source; return whether the difference is significant, or the report of a failure. */
async function replaceFromSource(
  ctx: FunctionContext,
  request: Placement,
  target: string,
  isBareLink: boolean,
): Promise<boolean | Dict> {
  const hash_type = request.sum?.hash_type ?? option(ctx.opts, 'hash_type')
  const current = isBareLink ? undefined : await hashFile(ctx, target, hash_type)
  if (current !== undefined && current === request.sum?.hsum) return false
  const failure =
    (await ensureSource(ctx, request)) ?? (await verifySource(ctx, request, { what: request.source, hint: SEVERAL }))
  if (failure) return failure
  const changes = changesOf(request.ret)
  let isSignificant = false
  if (await configFlag(ctx, 'obfuscate_templates')) changes.set('diff', '<Obfuscated Template>')
  else if (!request.show_changes) changes.set('diff', '<show_changes=False>')
  else {
    try {
      const options = { show_filenames: false, ignored: request }
      const difference = await fileDifference(ctx, [target, request.sfn], options)
      isSignificant = difference.isSignificant
      if (difference.text !== '') changes.set('diff', difference.text)
    } catch (error) {
      if (!isFailure(error)) throw error
      changes.set('diff', error.message)
    }
  }
  return (await commit(ctx, request, request.sfn, target)) ?? isSignificant
}

async function replaceContents(ctx: FunctionContext, request: Placement, target: string): Promise<boolean | Dict> {
  const { ret, show_changes } = request
  const made = await contentsFile(ctx, request)
  let isSignificant = false
  try {
    const options = { show_filenames: false, show_changes, template: true, ignored: request }
    const difference = await fileDifference(ctx, [target, made], options)
    isSignificant = difference.isSignificant
    if (difference.text !== '') {
      changesOf(ret).set('diff', difference.text)
      const failure = await commit(ctx, request, made, target)
      if (failure) return failure
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    const warnings = (ret.get('warnings') ?? []) as Value[]
    ret.set('warnings', [...warnings, `Failed to detect changes to file: ${error.message}`])
  } finally {
    await discard(ctx, made)
  }
  return isSignificant
}
