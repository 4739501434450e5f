// `manage_file` for a file that does not exist yet.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import { dirName, type FunctionContext, isDirectory } from '../../../../sdk/mod.ts'
import { ignoresSome, selinuxOf } from '../managed-request.ts'
import { commitFile, PRIVATE } from './committing.ts'
import { fileDifference } from './differences.ts'
import { makeParents } from './directories.ts'
import { changesOf, contentsFile, ensureSource, type Placement, refused, verifySource } from './managing-request.ts'
import { checkPermissions, inTestMode } from './permissions.ts'
import { inBrief } from './rewriting.ts'
import { modeText } from './stats.ts'
import { discard, temporaryFile } from './temporary.ts'

/** Return the mode of new parent directories: readers of the file may enter them. */
function directoryMode({ dir_mode, mode }: Placement): Value {
  if (dir_mode !== null || mode === null) return dir_mode
  const digits = [...str(mode)].slice(-3)
  return digits.map((digit) => (digit === '0' ? '0' : String(Number(digit) | 1))).join('')
}

async function ensureDirectory(ctx: FunctionContext, request: Placement): Promise<Dict | undefined> {
  const { name, ret, user, group } = request
  if (await isDirectory(ctx, dirName(name))) return undefined
  if (request.makedirs) {
    await makeParents(ctx, name, { user, group, mode: directoryMode(request) })
    return undefined
  }
  await discard(ctx, request.sfn)
  changesOf(ret).delete('diff')
  return refused(ret, 'Parent directory not present')
}

/** Return the whole content of a file as a difference. */
async function wholeDiff(ctx: FunctionContext, file: string): Promise<string> {
  const empty = await temporaryFile(ctx, '')
  try {
    return (await fileDifference(ctx, [empty, file], { show_filenames: false })).text
  } finally {
    await discard(ctx, empty)
  }
}

async function fromSource(ctx: FunctionContext, request: Placement): Promise<Dict | undefined> {
  const missing =
    (await ensureSource(ctx, request)) ?? (await verifySource(ctx, request, { what: request.name, hint: '' }))
  if (missing) return missing
  const changes = changesOf(request.ret).set('diff', 'New file')
  if (request.new_file_diff) changes.set('diff', await wholeDiff(ctx, request.sfn))
  return ensureDirectory(ctx, request)
}

async function fromNothing(ctx: FunctionContext, request: Placement): Promise<Dict | undefined> {
  const { name, ret, contents, mode } = request
  const missing = await ensureDirectory(ctx, request)
  if (missing) return missing
  if (inTestMode(ctx)) return undefined
  const inTheWay = (await ctx.host.lstat(name))?.type
  if (inTheWay === 'fifo' || inTheWay === 'socket') await ctx.host.remove(name)
  const open = 0o666 & ~(await ctx.host.umask())
  await ctx.host.write(name, '', { mode: truthy(mode) ? PRIVATE : open }).catch((error: unknown) => {
    throw inBrief(error)
  })
  if (contents === null) {
    changesOf(ret).set('new', `file ${name} created`)
    ret.set('comment', 'Empty file')
  } else {
    changesOf(ret).set('diff', 'New file')
  }
  return undefined
}

/** Return the mode that a new file can have from the start: the wanted one, unless the owner has to be changed first. */
function startingMode({ user, group }: Placement, mode: string): number | undefined {
  return truthy(user) || truthy(group) || !/^[0-7]{3,4}$/.test(mode) ? undefined : Number.parseInt(mode, 8)
}

export async function createFile(ctx: FunctionContext, request: Placement): Promise<Dict> {
  const { name, contents, user, group, attrs } = request
  const failure = await (truthy(request.source) ? fromSource : fromNothing)(ctx, request)
  if (failure) return failure
  const changes = changesOf(request.ret)
  const mode = request.mode ?? modeText(0o666 & ~(await ctx.host.umask()))
  // report the mode as if it were set after the content
  const before = truthy(request.source) || request.mode !== null ? modeText(PRIVATE) : str(mode)
  const hasContent = contents !== null || truthy(request.sfn)
  const newMode = hasContent ? startingMode(request, str(mode)) : undefined
  const placing = { backup: request.backup, newMode }
  if (contents !== null) {
    const made = await contentsFile(ctx, request)
    if (request.new_file_diff && changes.get('diff') === 'New file') changes.set('diff', await wholeDiff(ctx, made))
    await commitFile(ctx, made, name, placing)
    await discard(ctx, made)
  } else if (request.sfn) {
    await commitFile(ctx, request.sfn, name, placing)
  }
  await discard(ctx, request.sfn)
  const selinux = selinuxOf(request)
  const { ret } = await checkPermissions(ctx, name, request.ret, {
    ...{ user, group, mode, attrs, selinux },
    ...(newMode !== undefined && { before }),
  })
  if (!truthy(ret.get('comment') ?? null)) ret.set('comment', `File ${name} updated`)
  if (inTestMode(ctx)) ret.set('comment', `File ${name} not updated`)
  else if (changes.size === 0 && truthy(ret.get('result') ?? null)) {
    ret.set('comment', `File ${name} is in the correct state`)
  }
  if (ignoresSome(request) && changes.size > 0) ret.set('skip_req', true)
  return ret
}
