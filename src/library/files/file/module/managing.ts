// `manage_file`: puts content in its place and tells the changes as a state does.
import { type Dict, schemeOf, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isFile, isLink, option, realPath } from '../../../../sdk/mod.ts'
import { configFlag, fileDifference, isIndifferent } from './differences.ts'
import { hashFile } from './hashing.ts'
import { createFile } from './managing-new.ts'
import { changesOf, commit, contentsFile, ensureSource, type ManageRequest, verifySource } from './managing-request.ts'
import { checkPermissions } from './permissions.ts'
import { isFailure } from './rewriting.ts'
import { discard } from './temporary.ts'

/** `keep_mode` takes the mode of the source, where it has one. */
async function keptMode(ctx: FunctionContext, { source, saltenv }: ManageRequest): Promise<Value | undefined> {
  if (!['salt', 'file', ''].includes(schemeOf(str(source)))) return undefined
  return ctx.call('cp.stat_file', [source], { saltenv, octal: true })
}

export async function manageFile(ctx: FunctionContext, request: ManageRequest, keepMode: boolean): Promise<Dict> {
  if (truthy(request.source)) {
    if (!truthy(request.sfn)) {
      const missing = await ensureSource(ctx, request)
      if (missing) return missing
      const hash_type = request.sum?.hash_type ?? option(ctx.opts, 'hash_type')
      request.sum = { hash_type, hsum: await hashFile(ctx, str(request.sfn), hash_type) }
    }
    if (keepMode) request.mode = (await keptMode(ctx, request)) ?? request.mode
  }
  const isThere = (await isFile(ctx, request.name)) || (await isLink(ctx, request.name))
  return isThere ? updateFile(ctx, request) : createFile(ctx, request)
}

async function updateFile(ctx: FunctionContext, request: ManageRequest): Promise<Dict> {
  const { name, follow, user, group, mode, attrs, selinux } = request
  const linked = await isLink(ctx, name)
  const target = linked && follow ? await realPath(ctx, name) : name
  let matters = false
  if (truthy(request.source)) {
    const step = await replaceFromSource(ctx, request, target, linked && !follow)
    if (step instanceof Map) return step
    matters = step
  }
  if (request.contents !== null) {
    const step = await replaceContents(ctx, request, target)
    if (step instanceof Map) return step
    matters = step
  }
  if (!follow && (await isLink(ctx, name))) {
    const isWrong =
      (await ensureSource(ctx, request)) ??
      (await verifySource(ctx, request, { what: name, hint: '' })) ??
      (await commit(ctx, request, str(request.sfn), name))
    if (isWrong) return isWrong
    changesOf(request.ret).set('diff', 'Replace symbolic link with regular file')
  }
  const { ret } = await checkPermissions(ctx, name, request.ret, { user, group, mode, attrs, follow, selinux })
  if (changesOf(ret).size > 0) {
    ret.set('comment', `File ${name} updated`)
    if (isIndifferent(request.indifference) && !matters) ret.set('skip_req', true)
  } else if (truthy(ret.get('result') ?? null)) {
    ret.set('comment', `File ${name} is in the correct state`)
  }
  await discard(ctx, request.sfn)
  return ret
}

const SEVERAL =
  ". If the 'source_hash' value refers to a remote file with multiple possible matches, " +
  "then it may be necessary to set 'source_hash_name'."

/** Whether the difference matters, or what went wrong. */
async function replaceFromSource(
  ctx: FunctionContext,
  request: ManageRequest,
  target: string,
  isBareLink: boolean,
): Promise<boolean | Dict> {
  const hash_type = request.sum?.hash_type ?? option(ctx.opts, 'hash_type')
  const current = isBareLink ? undefined : await hashFile(ctx, target, hash_type)
  if (current !== undefined && current === request.sum?.hsum) return false
  const isWrong =
    (await ensureSource(ctx, request)) ?? (await verifySource(ctx, request, { what: request.source, hint: SEVERAL }))
  if (isWrong) return isWrong
  const changes = changesOf(request.ret)
  let matters = false
  if (await configFlag(ctx, 'obfuscate_templates')) changes.set('diff', '<Obfuscated Template>')
  else if (!request.showChanges) changes.set('diff', '<show_changes=False>')
  else {
    try {
      const { indifference } = request
      const difference = await fileDifference(ctx, [target, request.sfn], { showFilenames: false, indifference })
      matters = difference.matters
      if (difference.text !== '') changes.set('diff', difference.text)
    } catch (error) {
      if (!isFailure(error)) throw error
      changes.set('diff', error.message)
    }
  }
  return (await commit(ctx, request, str(request.sfn), target)) ?? matters
}

async function replaceContents(ctx: FunctionContext, request: ManageRequest, target: string): Promise<boolean | Dict> {
  const { ret, showChanges, indifference } = request
  const made = await contentsFile(ctx, request)
  let matters = false
  try {
    const options = { showFilenames: false, showChanges, template: true, indifference }
    const difference = await fileDifference(ctx, [target, made], options)
    matters = difference.matters
    if (difference.text !== '') {
      changesOf(ret).set('diff', difference.text)
      const isWrong = await commit(ctx, request, made, target)
      if (isWrong) return isWrong
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    const warnings = (ret.get('warnings') ?? []) as Value[]
    ret.set('warnings', [...warnings, `Failed to detect changes to file: ${error.message}`])
  } finally {
    await discard(ctx, made)
  }
  return matters
}
